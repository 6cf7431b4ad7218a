#!/bin/bash
# SPDX-License-Identifier: MIT
# sprofrun --rotate 1m --listen on redis under a light load, scraped by `go tool pprof` each 15 s:
# files are complete, no scrape fails, memory is flat. Usage: tests/long_serve.sh BIN-DIRECTORY
# MINUTES [RESULTS-DIRECTORY]; the table of memory stays in RESULTS-DIRECTORY/memory.
set -u
bin=$(cd "${1:?usage: tests/long_serve.sh BIN-DIRECTORY MINUTES [RESULTS-DIRECTORY]}" && pwd) ||
    exit 2
minutes=${2:?usage: tests/long_serve.sh BIN-DIRECTORY MINUTES [RESULTS-DIRECTORY]}
for program in redis-server redis-benchmark redis-cli go; do
    command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
results=${3:-}
temporary=
[ -n "$results" ] || results=$(mktemp -d) temporary=$results
mkdir -p "$results" && cd "$results" || exit 2
failures=0
fail() { echo "NOT OK: $*"; failures=$((failures + 1)); }

redis=63790
trap 'for pid in $(jobs -p); do kill $pid 2>/dev/null; done; [ -z "$temporary" ] || rm -rf "$temporary"' EXIT
"$bin/sprofrun" --rotate 1m --listen 0 -o redis.pb.gz \
    redis-server --port $redis --bind 127.0.0.1 --save '' >redis.log 2>err & front=$!
deadline=$((SECONDS + 30))
until redis-cli -p $redis ping 2>/dev/null | grep -q PONG && grep -q /debug/pprof/ err; do
    [ $SECONDS -lt $deadline ] || { fail "it does not start: $(cat err)"; exit 1; }
    sleep 0.1
done
url=$(grep -o 'http://[0-9.:]*/debug/pprof/' err)
target=$(redis-cli -p $redis info server | tr -d '\r' | sed -n 's/^process_id://p')

# A thousand requests of each of four kinds, then a pause of 1 s: redis uses less than a tenth of a
# CPU.
while redis-benchmark -p $redis -c 10 -n 1000 -t set,get,lpush,lpop -q >/dev/null; do
    sleep 1
done &
load=$!
scrape() { # until the deadline; a line each: number, status, time of samples
    local n=0 next=$SECONDS status
    while [ $SECONDS -lt "$1" ]; do
        n=$((n + 1))
        timeout 60 go tool pprof -top -symbolize=none \
            "${url}profile?seconds=10" >scrape 2>scrape.err
        status=$?
        [ $status = 0 ] || mv scrape.err "scrape.err.$n"
        echo "$n $status $(sed -n 's/.*Total samples = *\([^ (]*\).*/\1/p' scrape)"
        next=$((next + 15))
        while [ $SECONDS -lt $next ]; do sleep 0.5; done
    done
}
ours() { # PID: it and its descendants, but for the target
    local pid
    [ "$1" = "$target" ] && return
    echo "$1"
    for pid in $(pgrep -P "$1"); do ours "$pid"; done
}
end=$((SECONDS + minutes * 60))
scrape $((end - 15)) >scrapes & scraper=$!
began=$SECONDS
while [ $SECONDS -lt $end ] && kill -0 $front 2>/dev/null; do
    for pid in $(ours $front); do
        awk -v t=$((SECONDS - began)) -v p="$pid" '
            $1 == "Name:" { name = $2 } $1 == "VmRSS:" { rss = $2 } $1 == "RssAnon:" { anon = $2 }
            END { if (rss) print t, name, p, rss, anon }' "/proc/$pid/status" 2>/dev/null
    done >>memory
    echo "$((SECONDS - began)) $(awk '{ print $14 + $15 }' /proc/$target/stat)" >>target
    sleep 60
done
wait $scraper
kill $load; wait $load 2>/dev/null
redis-cli -p $redis shutdown nosave >/dev/null 2>&1
wait $front; status=$?
[ $status = 0 ] || fail "the command's status is $status"

scrapes=$(wc -l <scrapes) failed=$(awk '$2 != 0 || $3 == ""' scrapes | wc -l)
[ "$failed" = 0 ] || fail "$failed of $scrapes scrapes failed"
files=0 lost=0
for file in redis.2*.pb.gz; do
    files=$((files + 1))
    "$bin/sprofreport" summary --format tsv "$file" >summary 2>&1 || fail "$file cannot be read"
    figure() { awk -F'\t' -v k="$1" '$1 == k { print $2 }' summary; }
    [ $(($(figure profiled_cpu_ns) + $(figure unattributed_cpu_ns) - $(figure kernel_cpu_ns))) \
        = 0 ] ||
        fail "$file: profiled and unattributed time are not the kernel's"
    [ "$(figure analyst_restarts)" = 0 ] || fail "$file: an analyst died"
    lost=$((lost + $(figure lost_samples)))
done
[ $files -ge "$minutes" ] || fail "$files files in $minutes minutes"
echo "$minutes minutes: $scrapes scrapes, $failed failed; $files files, $lost samples lost"
# Anonymous memory of each program: the medians of the second and of the last quarter of the time.
for name in $(awk '{ print $2 }' memory | sort -u); do
    awk -v n="$name" -v end=$((minutes * 60)) 'function median(a, c,   i, j, x) {
            for (i = 2; i <= c; i++) for (j = i; j > 1 && a[j] < a[j - 1]; j--) {
                x = a[j]; a[j] = a[j - 1]; a[j - 1] = x }
            return a[int((c + 1) / 2)] }
        $2 == n && $1 >= end / 4 && $1 < end / 2 { early[++e] = $5 }
        $2 == n && $1 >= end * 3 / 4 { late[++l] = $5 }
        $2 == n { if ($4 > most) most = $4 }
        END { a = median(early, e); b = median(late, l)
            printf "%s: anonymous memory %d KiB in the second quarter, %d KiB in the last; RSS at most %d KiB\n",
                n, a, b, most
            exit e && l && b > a * 1.1 + 512 }' memory || fail "$name grows"
done
[ $failures = 0 ] && echo "passed"
exit $((failures > 0))
