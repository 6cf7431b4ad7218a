#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Python's functions in native stacks. The stacks of the program python_truth.py are known: each
# sampled one must have the lines of one of them, both with native frames (--python yes) and without
# (only). Reports tell which thread waits for the interpreter's lock, and which one holds it. The
# options have their effect.
. "$(dirname "$0")/../lib.sh"
python=/usr/bin/python3
$python -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null ||
    skip "needs CPython 3.8 to 3.14 (Debian: python3)"
[ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
truth=$SOURCE/tests/targets/python_truth.py

$python "$truth" write known.json
for show in yes only; do
    "$SPROFRUN" -q -F 500 --python $show -o $show.pb.gz -- $python "$truth" run 1
    is "$show: status" $? 0
    result=$($python "$truth" check known.json $show.pb.gz ${show#yes})
    is "$show: each stack was there ($(tail -n 1 <<<"$result"))" $? 0
    [ -z "$(grep '^wrong' <<<"$result")" ] || echo "$result"
    check "$show: there are such stacks" [ "$(figure python_stacks $show.pb.gz)" -gt 0 ]
done
about "unmatched, of a thousand" "$(awk -v u="$(figure python_unmatched yes.pb.gz)" \
    -v n="$(figure python_stacks yes.pb.gz)" 'BEGIN { print u * 1000 / n }')" 0 5
# A program that was never sampled has a row, too.
objects() {
    "$SPROFREPORT" --format tsv "$1" | awk -F'\t' 'NR > 1 && $5 != "[unsampled]" { print $6 }' |
        sort -u
}
is "alone: nothing else" "$(objects only.pb.gz)" '[python]'
check "among the native ones" grep -q libc <<<"$(objects yes.pb.gz)"

"$SPROFREPORT" annotate busy yes.pb.gz --source-path "$SOURCE" >busy
check "annotate: the lines of a function" grep -qE '^ *[0-9.]+ .* [0-9]+ +total \+= i \* i % 7$' \
    busy
check "annotate: and no instructions" [ -z "$(grep -E '^ .* [0-9a-f]+:  |no file behind' busy)" ]

# A program in which one thread computes, one waits for the lock, and others wait for other events.
cat >waiting.py <<'END'
import threading, time
def computes():
    with open('go'):
        while True:
            sum(range(100))
def sleeps():
    time.sleep(1000)
def waits(lock):
    lock.acquire()
lock = threading.Lock()
lock.acquire()
for work, arguments in (computes, ()), (computes, ()), (sleeps, ()), (waits, (lock,)):
    threading.Thread(target=work, args=arguments, daemon=True).start()
time.sleep(1000)
END
mkfifo go
$python waiting.py & pid=$!
# Each thread's state and how often it has gone to sleep. All five threads are in place if all
# sleep, and none has run between two readings. (No thread computes yet, so a thread that waits for
# the interpreter's lock waits for one that runs.)
threads() { cat /proc/$pid/task/*/status 2>/dev/null | grep -E '^(State|voluntary)'; }
are_in_place() {
    local first
    first=$(threads)
    [ "$(grep -c '^State:.S' <<<"$first")" = 5 ] && [ "$first" = "$(threads)" ]
}
computing() { awk '$14 > 5' /proc/$pid/task/*/stat | grep -vc "^$pid "; }
two_compute() { [ "$(computing)" = 2 ]; }
wait_until "all threads are in place" 30 are_in_place
: >go
wait_until "two compute" 30 two_compute
"$SPROFRUN" --dump $pid >dump
is "dump: status" $? 0
is "dump: two threads compute" "$(grep -c ' computes  waiting.py:[45]  \[python\]$' dump)" 2
is "dump: one sleeps, one waits" \
    "$(grep -cE ' (sleeps  waiting.py:7|waits  waiting.py:9)  ' dump)" 2
is "dump: and the main thread" "$(grep -c ' <module>  waiting.py:14  ' dump)" 1
# The lock is read in each thread's own stop. It may change hands between two stops (every 5 ms, and
# a dump is slow on a busy machine): then both threads are seen to hold it, or both to wait, or one
# does neither. One thread cannot do both.
marks=$(grep -oE 'holds the GIL$|waiting for the GIL' dump)
about "dump: who computes holds the lock or waits for it" "$(grep -c . <<<"$marks")" 1 2
about "dump: one thread at most holds the lock" "$(grep -c holds <<<"$marks")" 0 1
check "dump: no thread holds the lock and waits for it" \
    [ -z "$(awk -v RS= '/holds the GIL/ && /waiting for the GIL/' dump)" ]
check "dump: who waits for something else does neither" \
    [ -z "$(awk -v RS= '/ (sleeps|waits|<module>)  / && /GIL/' dump)" ]
"$SPROFRUN" --dump $pid --python no >dump
is "dump without: status" $? 0
check "dump without: no function of Python" [ -z "$(grep '\[python\]' dump)" ]
"$SPROFRUN" --dump $pid --interpreter-frames >all
check "the interpreter's frames" [ "$(grep -c 'python3' all)" -gt "$(grep -c start_thread all)" ]
"$SPROFRUN" -q -w wall -F 200 -d 1s -p $pid --python only -o wall.pb.gz
is "wall: status" $? 0
is "wall: where two threads sleep and wait" "$("$SPROFREPORT" --format tsv wall.pb.gz |
    awk -F'\t' '$8 == "sleeps" || $8 == "waits" { print $8 }' | sort | tr '\n' ' ')" 'sleeps waits '
kill $pid
"$SPROFRUN" --python perhaps true 2>err
is "another word: status" $? 2
check "another word: what is possible" grep -q "choose yes, only or no" err
finish
