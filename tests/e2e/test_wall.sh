#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The wall clock: threads that wait in known ways are not disturbed, their stacks are right, and
# reports show them. tests/truth/test_wall.sh tests the times, and the share of right stacks.
. "$(dirname "$0")/../lib.sh"
waiters=$TARGETS/waiters

# failed_calls: prints the threads that report failed calls in the file "truth"
failed_calls() { awk 'NF >= 6 && $5 { print $1 }' truth; }
by_thread() {
    "$SPROFREPORT" flat --split thread --value blocked --format tsv "$1" | sort | cksum
}

"$SPROFRUN" -q -w both -o both.pb.gz --capture cap -- \
    "$waiters" 1 sleep=1 read=1 futex=1 busy=1 mixed=1 >truth; is 'status' $? 0
is 'no call failed' "$(failed_calls)" ''
# A CPU sample of a thread that was asleep at the instant and woken while its stack was copied has
# one frame only, and is counted (docs/STACKS.md).
woken='^\[incomplete\];([^;]+)(;\1)?;\[syscall\] '
is "none incomplete" "$(incomplete_but_start both.pb.gz samples | grep -vE "$woken")" ''
is "blocked: none incomplete" "$(incomplete_but_start both.pb.gz blocked)" ''
"$SPROFREPORT" export --format folded --value samples both.pb.gz |
    awk '/^\[incomplete\];[^;]+(;[^;]+)?;\[syscall\] / { n += $NF }
        END { print n + 0 }' >n
check 'a stack that is not known was looked at in vain' \
    [ "$(cat n)" -le "$(figure unsure_looks both.pb.gz)" ]
"$SPROFREPORT" export --format folded --value blocked both.pb.gz >folded
check 'read blocks below gulp' grep -qE 'live;gulp;.*\[syscall\] read' folded
check 'a condition is waited for below await' grep -qE 'live;await;.*\[syscall\] futex' folded
"$BUILD/tools/sprofil-analyst" --replay cap --quiet --report none --output replayed.pb.gz
is 'a replay gives the same' "$(by_thread replayed.pb.gz)" "$(by_thread both.pb.gz)"
"$SPROFRUN" -q -w wall -o wall.pb.gz -- "$waiters" 0.5 sleep=1 >truth
is 'wall: reports are about it' "$("$SPROFREPORT" flat wall.pb.gz | grep -c 'of wall-clock time')" 1
is 'both: reports are about CPU time' \
    "$("$SPROFREPORT" flat both.pb.gz | grep -c 'of CPU time in')" 1
is 'any value can be chosen' \
    "$("$SPROFREPORT" tree --value runqueue both.pb.gz | grep -c 'of time waiting for a CPU')" 1
"$SPROFREPORT" flat --value fish both.pb.gz 2>err
is 'what is not there is refused' "$?: $(cat err)" \
    "2: sprofreport: there are no values 'fish' in the profile; it has samples, cpu, wall, runqueue, blocked, guessed"

# Waiting threads are not disturbed.
"$SPROFRUN" -q -w both -F 1000 -o idle.pb.gz -- "$waiters" 0.5 sleep=20 read=20 futex=20 >truth
is 'sleepers: no call failed' "$(failed_calls)" ''
check 'sleepers: a stop is a sample or a lost one' [ "$(figure stops idle.pb.gz)" -le \
    $(($(figure samples idle.pb.gz) + $(figure late_instants idle.pb.gz))) ]

# For comparison, --dump stops each thread once and reads all of its registers; the threads do not
# move in between. by_dump FILE, by_look PROFILE: print "TID leaf;…;root" of each thread, without
# the marks of guesses.
by_dump() {
    awk '/^thread / { if (tid) print tid, stack; tid = $2; stack = ""; next }
        /^ +(#|in )/ {
            sub(/^ +(#[0-9]+|in) +/, ""); sub(/  .*/, ""); stack = stack (stack ? ";" : "") $0 }
        END { print tid, stack }' "$1" | sed 's/\[guessed\];//' | sort
}
by_look() {
    "$SPROFREPORT" export --format folded --split thread --value blocked "$1" |
        grep -v '\[unsampled\]' | awk '{
        sub(/ [0-9]+$/, ""); gsub(/\[guessed\];/, "")
        n = split($0, f, ";"); split(f[1], t, " "); line = t[2] " "
        for (i = n; i > 1; i--) line = line f[i] (i > 2 ? ";" : "")
        print line }' | sort
}
"${waiters}_O0" 60 read=2 futex=2 >/dev/null &
pid=$!
wait_until 'they all wait' 20 sh \
    -c "[ \$(cat /proc/$pid/task/*/syscall | grep -c '^[0-9]* 0x') -ge 5 ]"
"$SPROFRUN" -q -w wall -d 0.3s -o opinion.pb.gz -p $pid
"$SPROFRUN" --dump $pid >dump 2>err
kill $pid
wait $pid 2>/dev/null
is 'second opinion: threads' "$(by_dump dump | wc -l)" 5
is 'second opinion: the stacks are the same' "$(by_look opinion.pb.gz)" "$(by_dump dump)"
check 'second opinion: frames were guessed' test "$(figure guessed_frames opinion.pb.gz)" -ge 3

# A first thread that sleeps below 1,000 frames (270 KB) is looked at once: its stack is whole.
"$TARGETS/recursive" 1000 0.01 wait & pid=$!
wait_until "it sleeps" 20 grep -qE '^(34|73) ' /proc/$pid/syscall
"$SPROFRUN" -q -w wall -d 0.3s -o deep.pb.gz -p $pid
kill $pid
wait $pid 2>/dev/null
"$SPROFREPORT" export --format folded --value blocked -o deep deep.pb.gz
is 'deep: the stack is whole' \
    "$(awk '/^_start;.*;main;/ { print gsub(/;descend/, "") }' deep)" 1000

# A process that only sleeps: reports and the live view show no CPU time. The view begins with the
# clock that the option names.
sleep 60 & asleep=$!
"$SPROFRUN" -q -w wall -d 0.5s -o asleep.pb.gz -p $asleep
"$SPROFREPORT" flat --format tsv asleep.pb.gz |
    awk -F'\t' '$8 == "[syscall] clock_nanosleep" { print $2, ($5 > 0) }' >got
is 'asleep: CPU time, and wall-clock time' "$(cat got)" '0 1'
"$SPROFREPORT" flat asleep.pb.gz >flat
check 'asleep: the report points to the callers' grep -q '^most of the time is in a system call' \
    flat
"$SPROFREPORT" flat --value cpu asleep.pb.gz >flat
check 'asleep: not of CPU time' sh -c '! grep -q "in a system call" flat'
"$BUILD/tools/sproftop" -b -n 3 -s 0.5 -w wall -p $asleep >screens
check 'asleep: the view shows where' grep -qE '^ 100\.00 .*\[syscall\] clock_nanosleep' screens
check 'asleep: the view tells no rate that was not asked for' \
    sh -c '! grep -qE "got [0-9]{4,}" screens'
kill $asleep
finish
