#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --ring: only the last seconds are kept, and written on request or when a signal ends the command.
. "$(dirname "$0")/../lib.sh"

# A command that runs for some seconds in one function, then in another one, and ends by a signal.
cat >phases.sh <<'END'
early() { while [ $SECONDS -lt 2 ]; do :; done; }
late() { while [ $SECONDS -lt 9 ]; do :; done; }
early; late; kill -ABRT $$
END
(ulimit -c 0; exec "$SPROFRUN" --ring 4s -o r.pb.gz bash phases.sh) 2>err & killed=$!
"$SPROFRUN" -q --ring 4s -o q.pb.gz "$TARGETS/busy" 1 0.3 5 2>quiet
is "the command's status" $? 5
is "nobody asked: no file" "$(ls q.* 2>/dev/null)" ''
is "and it is said, once, with -q, too" "$(grep -c \
    'this end writes no profile: with --ring' quiet)" 1
is "and nothing else" "$(wc -l <quiet)" 1

# A process to which sprofrun attaches: the ring is written on request (SIGUSR2), and when a signal
# ends the target or sprofrun.
"$TARGETS/busy" 1 60 0 & target=$!
"$SPROFRUN" --ring 4s -p $target -o a.pb.gz 2>attached & pid=$!
wait_until "it is attached" 20 is_profiled $target
kill -USR2 $pid
wait_until "it is written when asked" 20 sh -c 'ls a.20*.pb.gz >/dev/null 2>&1'
check "the profiling goes on" grep -q "^TracerPid:.[1-9]" /proc/$target/status
mkdir asked && mv a.20*.pb.gz asked
kill -USR2 $pid
wait_until "it is written a second time" 20 sh -c 'ls a.20*.pb.gz >/dev/null 2>&1'
for file in asked/a.20*.pb.gz a.20*.pb.gz; do
    within "all CPU time up to the moment of asking" "$(($(figure profiled_cpu_ns "$file") +
        $(figure unattributed_cpu_ns "$file") - $(figure kernel_cpu_ns "$file")))" -5000 5000
done
mv a.20*.pb.gz asked
kill -KILL $target
wait $pid; is "its status" $? 0
check "the end of a process by a signal is written" test -s "$(ls a.20*.pb.gz)"
is "each is said" "$(grep -c 'the profile is in a\.20' attached)" 3
"$TARGETS/busy" 1 60 0 & target=$!
"$SPROFRUN" -q --ring 4s -p $target -o b.pb.gz & pid=$!
wait_until "it is attached" 20 is_profiled $target
kill -INT $pid
wait $pid; is "its status" $? 0
check "and so is the end of sprofrun by one" test -s "$(ls b.20*.pb.gz)"
"$SPROFRUN" --ring 4s -d 1s -p $target -o d.pb.gz 2>ended; is "the end of -d: status" $? 0
is "it is written" "$(tail -1 ended)" "sprofrun: the profile is in $(ls d.20*.pb.gz); sprofreport reads it"
kill $target

wait $killed
is "killed by the command's signal" $? 134
check "one file" [ "$(ls r.*.pb.gz | wc -l)" = 1 ]
file=$(ls r.*.pb.gz)
is "said" "$(cat err)" "sprofrun: the profile is in $file; sprofreport reads it"
check "it tells of the last seconds" [ "$(figure wall_ns "$file")" -ge 3900000000 ]
about "and of no more" "$(figure wall_ns "$file")" 3900000000 8500000000
is "no piece is missing" "$("$SPROFREPORT" "$file" | grep -c 'was lost')" 0
is "of one process" "$(figure processes "$file") $(figure threads "$file")" '1 1'
within "all of its CPU time" "$(($(figure profiled_cpu_ns "$file") +
    $(figure unattributed_cpu_ns "$file") - $(figure kernel_cpu_ns "$file")))" -5000 5000
check "with a time line" sh -c "'$SPROFREPORT' timeline $file | grep -q bash"

"$SPROFRUN" --ring 3s true 2>err; is "too short: status" $? 2
check "too short: said" grep -q "bad time '3s': give 4 seconds or more" err
"$SPROFRUN" --ring 1m --rotate 1m true 2>err; is "two at once: status" $? 2
check "two at once: said" grep -q -e '--ring and --rotate do not go together' err
finish
