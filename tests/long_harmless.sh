#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Long tests that a target is unharmed: tests/long_harmless.sh BUILD-DIRECTORY [SECTION...]
# Sections: kills helpers attach transfers storm stops eintr stress loaded races, about 40 minutes.
# HARMLESS_ROUNDS (default 1000) bounds each.
set -u
build=$(cd "${1:?usage: tests/long_harmless.sh BUILD-DIRECTORY [SECTION...]}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
shift
rounds=${HARMLESS_ROUNDS:-1000}
sprofrun=$build/tools/sprofrun
report=$build/tools/sprofreport
targets=$build/tests/targets
work=$(mktemp -d) || exit 1
trap 'sleep 1; rm -rf "$work"' EXIT # an analyst may still be writing
cd "$work" || exit 1
failed=0

moment() { perl -e "select undef, undef, undef, rand $1"; }
verdict() { # what, bad, of
    echo "$1: $2 of $3 harmed"
    [ "$2" = 0 ] || failed=1
}

wrong() { # counts into the caller's $bad
    echo "$*"
    bad=$((bad + 1))
}

# The supervisor is killed at a random moment. The target must get all of its signals and give its
# result.
kills() {
    local bad=0 early=0 i target
    for ((i = 0; i < rounds; i++)); do
        case $((i % 3)) in
        0) target="$targets/race deaths 60" ;;
        1) target="$targets/busy 1 0.06 0" ;;
        2) target="$targets/race signals 60" ;;
        esac
        rm -f result started harm
        "$sprofrun" -q -F 10000 --max-overhead 100 -o k.pb.gz \
            sh -c ": >started; $target 2>>harm; echo \$? >result" 2>/dev/null &
        moment 0.09
        kill -KILL $! 2>/dev/null
        wait $! 2>/dev/null
        # A command that was started has 10 s to give its result. If it has not been started 0.2 s
        # after the kill, the supervisor died too early: there is no result to judge.
        for ((k = 0; k < 1000; k++)); do
            [ -s result ] || { [ ! -e started ] && [ $k -gt 20 ]; } && break
            sleep 0.01
        done
        [ -e started ] || { early=$((early + 1)); continue; }
        [ "$(cat result 2>/dev/null)" = 0 ] || { bad=$((bad + 1)); cat harm 2>/dev/null; }
    done
    verdict "kills of the supervisor" $bad "$rounds ($early before the command began)"
}

# The analyst or the opener is killed at a random moment: the target must give its result. The fresh
# analyst writes a profile of the rest, unless it was killed itself while it wrote, or the opener
# was killed.
helpers() {
    local bad=0 profiles=0 i k run status victim name file=$work/h.pb.gz
    for ((i = 0; i < rounds; i++)); do
        name=sprofil-analyst
        [ $((i % 2)) = 0 ] || name=sprofil-opener
        rm -f "$file"
        "$sprofrun" -q -F 10000 --max-overhead 100 -o "$file" "$targets/busy" 1 0.12 7 \
            2>>harm >&2 & run=$!
        moment 0.16
        victim=$(helper $run $name)
        [ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null
        wait $run
        status=$?
        [ $status = 7 ] || wrong "$name was killed: the command's status is $status"
        "$report" summary --format tsv "$file" >/dev/null 2>&1 && profiles=$((profiles + 1))
    done
    # Neither the analyst nor the opener may stay behind. The path $file in their command lines
    # tells them from those of other runs.
    for ((k = 0; k < 500; k++)); do
        pgrep -f "sprofil-(analyst|opener).*$file" >/dev/null || break
        sleep 0.01
    done
    [ $k -lt 500 ] || wrong "an analyst or opener stays behind"
    verdict "kills of analyst and opener, with $profiles profiles all the same" $bad "$rounds"
}
helper() { # the analyst of a sprofrun, or the analyst's opener: its pid
    local analyst
    analyst=$(child $1 sprofil-analyst)
    [ $2 = sprofil-analyst ] && echo "$analyst" || child "${analyst:-0}" sprofil-opener
}
child() {
    local pid
    for pid in $(cat /proc/$1/task/*/children 2>/dev/null); do
        case $(cat /proc/$pid/comm 2>/dev/null) in "${2:0:15}") echo "$pid"; return ;; esac
    done
}

# sprofrun attaches again and again to a busy process of 50 threads, and to a stopped one.
attach() {
    local bad=0 i k ran busy stopped state
    "$targets/race" crowd 50 100000000 & busy=$!
    setsid "$targets/busy" 1 0.2 5 & stopped=$! # a group of its own, not continued with ours
    kill -STOP $stopped
    for ((i = 0; i < rounds; i++)); do
        "$sprofrun" -q -F 4000 -o a.pb.gz -p $busy -d 0.03 ||
            wrong "attach to the busy one: status $?"
        state=$(awk '/^State/ { print $2 }' /proc/$busy/status)
        case $state in R | S) ;; *) wrong "the busy one is in state $state" ;; esac
        [ $((i % 4)) = 0 ] || continue
        "$sprofrun" -q -F 4000 -o a.pb.gz -p $stopped -d 0.03 ||
            wrong "attach to the stopped one: status $?"
        # At a detach the kernel wakes the process, which then stops again by itself; for that it
        # needs a CPU.
        for ((k = 0; k < 100; k++)); do
            state=$(awk '/^State/ { print $2 }' /proc/$stopped/status)
            [ "$state" = T ] && break
            sleep 0.01
        done
        [ "$state" = T ] || wrong "the stopped one is in state $state"
    done
    kill -KILL $busy
    ran=$(cut -d' ' -f1 /proc/$stopped/schedstat)
    [ "$ran" -lt 50000000 ] || wrong "the stopped one ran for $ran ns"
    kill -CONT $stopped
    wait $stopped
    state=$?
    [ $state = 5 ] || wrong "the stopped one ended with $state"
    verdict "attach and detach" $bad "$rounds"
}

# 2,000 processes of a shell loop: all are seen, their CPU time adds up to the shell's own figure,
# and the loop takes less time than under strace, which only follows the processes.
storm() {
    local bad=0 plain ours theirs used
    cat >storm.sh <<'S'
i=0; while [ $i -lt 2000 ]; do /bin/true; i=$((i + 1)); done; times >used
S
    plain=$(seconds bash storm.sh)
    ours=$(seconds "$sprofrun" -q -F 1000 -o s.pb.gz bash storm.sh)
    used=$(awk '{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); n += t[1] * 60 + t[2] } } END {
        print n }' used)
    if command -v strace >/dev/null; then
        theirs=$(seconds strace -f --trace=none -o /dev/null bash storm.sh)
    else
        theirs=999
        echo "storm: not compared with strace (not installed)"
    fi
    "$report" summary --format tsv s.pb.gz | awk -v used="$used" -v plain="$plain" -v ours="$ours" \
        -v theirs="$theirs" '
        { v[$1] = $2 }
        END {
            p = v["profiled_cpu_ns"] / 1e9 / used
            a = (v["profiled_cpu_ns"] + v["unattributed_cpu_ns"]) / 1e9 / used
            printf "storm: %d processes, %.3f s by the shell, profiled %.4f, with unattributed %.4f; %.2f s plain, %.2f s ours, %.2f s strace\n",
                v["processes"], used, p, a, plain, ours, theirs
            exit v["processes"] != 2001 || p < 0.97 || p > 1.02 || a < 0.99 || a > 1.01 ||
                ours > theirs
        }' || bad=1
    verdict "a storm of processes" $bad 1
}
seconds() { # of a command; its output is dropped
    local began=$EPOCHREALTIME
    "$@" >/dev/null 2>&1
    awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
}

# A million stops of one process. Its counters and its result are those of a run without us; the
# memory of supervisor and analyst does not grow after the first tenth, except for the time line.
stops() {
    local bad=0 n=0 of_run run want=$((rounds * 1000)) seconds rss first=0 last=0
    seconds=$((want / 30000 + 2))
    while [ $n -lt $want ]; do
        "$sprofrun" -q -F 20000 --max-overhead 100 -o m.pb.gz "$targets/busy" 4 $seconds 9 & run=$!
        sleep 2
        first=$(resident $run)
        while kill -0 $run 2>/dev/null; do
            rss=$(resident $run)
            [ "$rss" = 0 ] || last=$rss
            sleep 0.5
        done
        wait $run
        [ $? = 9 ] || wrong "a busy process ended with another status"
        of_run=$("$report" summary --format tsv m.pb.gz | awk '$1 == "stops" { print $2 }')
        # The time line keeps up to 6 bytes of each sample.
        [ "$last" -le $((first + 2048 + of_run * 6 / 1024)) ] ||
            wrong "memory grew from $first to $last KiB"
        n=$((n + of_run))
        echo "stops: $n so far, memory $first KiB at first, $last at last, longest stop $(longest m.pb.gz)"
    done
    verdict "$n stops" $bad 1
}
resident() { # KiB of a sprofrun and its analyst, less the ring that they share
    local pid sum=0
    for pid in "$1" $(child "$1" sprofil-analyst); do
        sum=$((sum + $(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null || echo 0)))
    done
    echo $sum
}
longest() {
    "$report" summary --format tsv "$1" | awk '$1 == "stop_ns_max" { printf "%.1f ms", $2 / 1e6 }'
}

# Classes of stress-ng, which checks its own work (--verify) and must end as it does without us.
# Each stressor does a given number of bogus operations, so that both runs do equal work; the time
# limit ends stressors that hang (yield does, also without us). The exec class does not run as root,
# and runs only one process at a time: otherwise it also counts processes that it has started beyond
# the given number.
stress() {
    local bad=0 class n=0 as ops more plain ours
    command -v stress-ng >/dev/null || { echo "stress: needs stress-ng"; return; }
    chmod 755 "$work" && mkdir -p -m 777 stress.d
    for class in fork:3000 clone:3000 exec:1000 vfork:3000 signal:200000 sigq:100000 vm:4000 \
        schedpolicy:20000 yield:100000 switch:100000 pthread:3000 futex:100000 mmap:500; do
        ops=$((${class#*:} * rounds / 1000 + 1))
        as= more=
        [ "${class%:*}" != exec ] || more='--exec-max 1'
        [ -z "$more" ] || [ "$(id -u)" != 0 ] ||
            as="setpriv --reuid=65534 --regid=65534 --clear-groups"
        # shellcheck disable=SC2086 # words
        plain=$(cd stress.d && $as stress-ng --${class%:*} 2 --${class%:*}-ops $ops $more --verify \
            --vm-bytes 32m --metrics-brief -t 120 2>&1; echo "status $?")
        # shellcheck disable=SC2086 # words
        ours=$(cd stress.d && "$sprofrun" -q -F 1000 -o \
            "$work/n.pb.gz" $as stress-ng --${class%:*} 2 \
            --${class%:*}-ops $ops $more --verify --vm-bytes 32m --metrics-brief -t 120 2>&1
            echo "status $?")
        n=$((n + 1))
        [ "$(result "$plain")" = "$(result "$ours")" ] ||
            wrong "${class%:*}: plain: $(result "$plain"), ours: $(result "$ours"): $ours"
        echo "stress-ng ${class%:*}: $(result "$ours"); longest stop $(longest n.pb.gz)"
    done
    verdict "stress-ng's classes" $bad $n
}
# Prints the operations done, the exit status, and complaints of stress-ng.
result() {
    awk '/metrc: / && $5 ~ /^[0-9]+$/ { print $4, $5 }
        /^stress-ng: (fail|error)/ { print }
        /^status / { print }' <<<"$1" | paste -sd' '
}

# The stressors once more, with all CPUs busy.
loaded() {
    local i load=()
    for ((i = 0; i < $(nproc); i++)); do
        (while :; do :; done) & load+=($!)
    done
    stress
    kill "${load[@]}"
}

# Blocking calls, until the target had rounds x 1000 stops (a million by default).
eintr() {
    local stops=0 bad=0 runs=0 want=$((rounds * 1000)) signals=
    while [ $stops -lt $want ]; do
        # shellcheck disable=SC2086
        "$sprofrun" -q -F 4000 --max-overhead 100 -o e.pb.gz \
            "$targets/eintr" all 400 $signals >out || bad=$((bad + 1))
        grep -v 'eintr 0 other 0' out
        stops=$((stops + $("$report" summary --format tsv e.pb.gz |
            awk '$1 == "stops" { print $2 }')))
        signals=${signals:+}${signals:-chld winch cont}
        runs=$((runs + 1))
        [ $((runs % 20)) != 0 ] || echo "EINTR: $stops stops so far"
    done
    verdict "EINTR in $stops stops" $bad runs
}

transfers() {
    local bad=0 i n=$((rounds / 50 + 1))
    for ((i = 0; i < n; i++)); do
        "$sprofrun" -q -F 4000 --max-overhead 100 -o t.pb.gz "$targets/transfer" all 200 >out ||
            bad=$((bad + 1))
        grep -v 'short 0 errors 0' out
    done
    verdict "transfers of 1 MiB, 2600 each" $bad $n
}

# The races with all CPUs busy.
races() {
    local bad=0 i n=$((rounds / 20 + (rounds < 20))) load=()
    for ((i = 0; i < $(nproc); i++)); do
        (while :; do :; done) & load+=($!)
    done
    for ((i = 0; i < n; i++)); do
        ROUNDS=4 BUILD=$build SOURCE=$source "$source/tests/e2e/test_races.sh" >out 2>&1 || {
            bad=$((bad + 1))
            grep -v '^ok' out
        }
        [ $(((i + 1) % 10)) != 0 ] || echo "race suite under load: $((i + 1)) rounds"
    done
    kill "${load[@]}"
    verdict "the race suite under load" $bad $n
}

for section in ${*:-kills helpers attach transfers storm stops eintr stress loaded races}; do
    began=$SECONDS
    $section
    echo "$section: $((SECONDS - began)) s"
done
exit $failed
