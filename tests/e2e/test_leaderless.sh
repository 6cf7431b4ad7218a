#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A process whose first thread has ended has names and stacks as any other: data that /proc/PID no
# longer shows are read from a thread that lives. If another thread than the first calls exec, the
# stacks of the new image are whole.
. "$(dirname "$0")/../lib.sh"

stacks() { "$SPROFREPORT" export --format folded -o - "$1"; }
# whole WHAT PROFILE FUNCTION CALLERS: asserts that there are stacks of FUNCTION; all have CALLERS,
# and none is cut.
whole() {
    check "$1: stacks of $3" grep -q ";$3[; ]" <(stacks "$2")
    is "$1: none without $4" "$(stacks "$2" | grep ";$3[; ]" | grep -cv "$4")" 0
    is "$1: none incomplete" "$(stacks "$2" | grep ";$3[; ]" | grep -c incomplete)" 0
}

"$SPROFRUN" -q -F 1000 -o r.pb.gz "$TARGETS/leaderless" work 400
is "launched: status" $? 42
whole launched r.pb.gz inner 'run;work;outer;inner'

"$TARGETS/leaderless" work 60000 & target=$!
first_has_ended() { [ "$(awk '/^State:/ { print $2 }' /proc/$target/status)" = Z ]; }
wait_until "its first thread has ended" 20 first_has_ended
"$SPROFRUN" -q -F 1000 -o a.pb.gz -p $target -d 0.4
whole attached a.pb.gz inner 'run;work;outer;inner'
is "diagnosed" "$("$SPROFRUN" --diagnose $target)" "process $target can be attached to"
"$SPROFRUN" --dump $target >dump
# Between two calls of outer() it reads the clock.
check "dumped" grep -qE ' work( |$)' dump
kill -KILL $target
wait $target 2>/dev/null

for i in 1 2 3; do
    "$SPROFRUN" -q -F 1000 -o e.pb.gz "$TARGETS/leaderless" exec "$TARGETS/leaderless" work 200
    is "exec $i: status" $? 42
    whole "exec $i" e.pb.gz inner 'work;outer;inner'
done
# The program that is executed works in its first thread, below main.
"$SPROFRUN" -q -F 1000 -o m.pb.gz "$TARGETS/leaderless" exec "$TARGETS/busy" 1 0.3 0
whole "exec, first thread" m.pb.gz main '_start.*main'
finish
