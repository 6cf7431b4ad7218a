#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Merges 50 profiles of 10 MB and compares time and memory with `go tool pprof -proto`, in turns.
# usage: BUILD=build bench/merge.sh [FILES [STACKS [ROUNDS]]]; 77 without go or GNU time
. "$(dirname "$0")/lib.sh"
files=${1:-50} stacks=${2:-180000} rounds=${3:-3}
command -v go >/dev/null || { echo "no go: its pprof is what this compares with" >&2; exit 77; }
cd "$WORK" || exit 1
for ((i = 0; i < files; i++)); do
    "$BUILD/bench/make_merge" $i "$stacks" in.$i.pb.gz || exit 1
done
cat >measure.py <<'P'
import os, resource, sys, time
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
echo "$files files of $(($(stat -c %s in.0.pb.gz) / 1000)) kB, $stacks stacks each"
for ((round = 0; round < rounds; round++)); do
    echo "sprofreport merge:      $(python3 measure.py "$SPROFREPORT" merge -o ours.pb.gz in.*.pb.gz)"
    echo "go tool pprof -proto:   $(python3 measure.py go tool pprof -proto -output go.pb.gz in.*.pb.gz)"
done
total() { go tool pprof -top -nodecount 1 "$1" 2>/dev/null | sed -n 's/^.*of \([0-9.]*[a-z]*\) total.*/\1/p'; }
echo "totals: $(total ours.pb.gz), $(total go.pb.gz); bytes: $(stat -c %s ours.pb.gz), $(stat -c %s go.pb.gz)"
