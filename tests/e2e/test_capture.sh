#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Replaying a capture gives the same profile as the run.
. "$(dirname "$0")/../lib.sh"

"$SPROFRUN" -q -F 1000 --capture c.cap -o live.pb.gz "$TARGETS/split" 20 20000
"$BUILD/tools/sprofil-analyst" --replay c.cap --output replay.pb.gz --report none --quiet
is "replay succeeds" $? 0
for file in live replay; do
    "$SPROFREPORT" flat --format tsv $file.pb.gz | sort >$file.flat
    "$SPROFREPORT" summary --format tsv $file.pb.gz | grep -v analyst_cpu_ns >$file.summary
done
check "the same rows" diff live.flat replay.flat
check "the same figures" diff live.summary replay.summary
check "there are rows" grep -q "	f[0-9]*	" live.flat
about "rows" "$(grep -c '	f[0-9]*	' live.flat)" 15 20

# A capture that is cut short gives a profile and a message; garbage and an empty one are refused.
head -c "$(($(stat -c %s c.cap) - 24))" c.cap >cut.cap
"$BUILD/tools/sprofil-analyst" --replay cut.cap --output cut.pb.gz --report none 2>err
is "a capture that is cut short still gives a profile" $? 0
check "and a message" grep -q "cut short" err
check "and a note in it" grep -q "ended early" <("$SPROFREPORT" flat cut.pb.gz)
noise 4096 >noise
for bad in noise /dev/null "$WORK" /no/such/file; do
    "$BUILD/tools/sprofil-analyst" --replay "$bad" --output x.pb.gz 2>err
    is "replay of $bad fails" $? 1
    is "with one message" "$(grep -c '^sprofrun: ' err)" 1
done
check "no profile was made of it" [ ! -e x.pb.gz ]

# An upgrade has replaced the analyst of a supervisor that runs: the ring has another version.
printf 'SPROFRNG\1\0\0\0\0\0\0\0\0\20\0\0\0\0\0\0' >ring
truncate -s 4608 ring
"$BUILD/tools/sprofil-analyst" --output x.pb.gz 2>err 3<>ring
is "an analyst of another version refuses the records" $? 2
check "and says why" grep -q "another version of sprofil" err

# A capture into a pipe whose reader never comes: a signal to end ends the wait for it.
mkfifo fifo
"$TARGETS/busy" 1 60 0 & target=$!
"$SPROFRUN" -q --capture fifo -o fifo.pb.gz -p $target 2>err & run=$!
wait_until "it is attached" 20 grep -q "^TracerPid:.[1-9]" /proc/$target/status
kill -INT $run
wait_until "the first order ends the profiling" 20 grep -q "^TracerPid:.0" /proc/$target/status
kill -INT $run
ended() { ! kill -0 $run 2>/dev/null; }
wait_until "it ends" 20 ended
check "it is said" grep -q 'cannot write the capture' err
check "the profile is there" "$SPROFREPORT" summary fifo.pb.gz -o report
kill $target
finish
