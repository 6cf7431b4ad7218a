#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Merges 50 profiles of 10 MB, and compares time and memory with `go tool pprof -proto`, by turns.
# pprof holds all files in memory at once, in some 60 times their bytes. So both merge as many files
# as fit into a third of the memory; then sprofreport merges all of them.
# usage: BUILD=build bench/merge.sh [FILES [STACKS [ROUNDS]]]; exits with 77 without go
. "$(dirname "$0")/lib.sh"
files=${1:-50} stacks=${2:-128000} rounds=${3:-1}
command -v go >/dev/null || { echo "no go: its pprof is what this compares with" >&2; exit 77; }
cd "$WORK" || exit 1
for ((i = 0; i < files; i++)); do
    "$BUILD/bench/make_merge" $i "$stacks" in.$i.pb.gz || exit 1
done
cat >measure.py <<'P'
import os, sys, time
begin = time.monotonic()
pid = os.fork()
if not pid:
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
print(f"{time.monotonic() - begin:.2f} s, {usage.ru_utime + usage.ru_stime:.2f} s of CPU time, "
      f"{usage.ru_maxrss >> 10} MiB, status {os.waitstatus_to_exitcode(status)}")
P
bytes=$(stat -c %s in.0.pb.gz)
some=$(awk -v bytes="$bytes" '/MemAvailable/ { print int($2 * 1024 / 3 / 60 / bytes) }' \
    /proc/meminfo)
some=$((some < files ? some : files))
echo "$files files of $((bytes / 1000)) kB, $stacks stacks each"
for ((round = 0; round < rounds; round++)); do
    if [ "$some" -gt 1 ]; then
        few=(in.[0-9].pb.gz in.[0-9]?*.pb.gz)
        few=("${few[@]:0:some}")
        echo "sprofreport merge, $some files:    $(python3 measure.py \
            "$SPROFREPORT" merge -o ours.pb.gz "${few[@]}")"
        echo "go tool pprof -proto, $some files: $(python3 measure.py \
            go tool pprof -proto -output go.pb.gz "${few[@]}")"
        for file in ours go; do
            # Parameters are removed from names of functions, as go tool pprof leaves them out.
            "$SPROFREPORT" --format tsv $file.pb.gz | cut -f2,5 | sed 's/(.*//' | sort >$file.flat
        done
        cmp ours.flat go.flat && echo "both have the same times in all functions"
    fi
    echo "sprofreport merge, all files:  $(python3 measure.py \
        "$SPROFREPORT" merge -o ours.pb.gz in.*.pb.gz)"
done
