#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sprofrun -p is suspended (by SIGTSTP, as ^Z does, or by SIGSTOP): the target goes on, makes
# children and gets signals, and is profiled all the time. A stopped tracer would hold it at the
# first child or signal.
. "$(dirname "$0")/../lib.sh"

# A target that makes a new child in each round, and handles a signal.
sh -c 'trap "echo >>signals" USR1; while :; do sleep 0.02; echo >>rounds; done' & target=$!
"$TARGETS/busy" 1 300 5 & busy=$!
trap 'kill -KILL $target $busy 2>/dev/null; rm -rf "$WORK"' EXIT
lines() { wc -l 2>/dev/null <"$1" || echo 0; }
grows() { [ "$(lines "$1")" -gt "$2" ]; }
state_is() { grep -q "^State:.$2" "/proc/$1/status"; }
traced() { grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$1/status"; }
cpu_ticks() { awk '{ print $14 }' "/proc/$busy/stat"; }
# Has the process taken its SIGTSTP (20), so that it is not pending any more?
taken() { ! grep -q '^ShdPnd:.*[89a-f]....$' "/proc/$1/status"; }
# Has bash taken the status of its child? Until then, with job control, `wait` may answer that the
# child is stopped, though it has been continued.
gone() { [ ! -e "/proc/$1" ]; }
has_run() { [ "$(cpu_ticks)" -gt "$1" ]; }

# SIGTSTP does not stop sprofrun if no shell would notice the stop and continue it. That is so here:
# setsid makes sprofrun the leader of a session.
setsid "$SPROFRUN" -q -o p.pb.gz -p $busy & front=$!
wait_until "it is attached to" 20 traced $busy
kill -TSTP $front
wait_until "SIGTSTP is taken" 20 taken $front
kill -INT $front
wait $front; is "its status, with nobody to continue it" $? 0

set -m # with job control: groups of their own
for options in '' --no-realtime; do
    # shellcheck disable=SC2086
    "$SPROFRUN" -q -F 5000 --max-overhead 100 $options -o p.pb.gz -p $target,$busy & front=$!
    wait_until "it is attached to" 20 traced $target
    wait_until "and the other" 20 traced $busy
    for round in $(seq ${ROUNDS:-2}); do
        for signal in STOP TSTP; do
            kill -$signal $front
            wait_until "$options $round: suspended by SIG$signal" 20 state_is $front T
            rounds=$(lines rounds) signals=$(lines signals) ticks=$(cpu_ticks)
            kill -USR1 $target
            wait_until "$options $round: the target gets signals" 20 grows signals "$signals"
            wait_until "$options $round: the target goes on" 20 grows rounds $((rounds + 1))
            wait_until "$options $round: the other goes on" 20 has_run $((ticks + 2))
            kill -CONT $front
            wait_until "$options $round: back" 20 state_is $front S
        done
    done
    # Only the process that traces is stopped: it is continued at once, and the other one never
    # stops.
    tracer=$(tracing $front)
    for round in $(seq ${ROUNDS:-2}); do
        kill -STOP "$tracer"
        rounds=$(lines rounds) signals=$(lines signals)
        kill -USR1 $target
        wait_until "$options $round: tracer stopped: the target gets signals" 20 \
            grows signals "$signals"
        wait_until "$options $round: tracer stopped: the target goes on" 20 \
            grows rounds $((rounds + 1))
        kill -CONT "$tracer"
        is "$options $round: the front is not stopped" "$(state_is $front T && echo stopped)" ""
    done
    kill -INT $front
    wait_until "$options it has ended" 60 gone $front
    wait $front; is "$options its status" $? 0

    # sprofrun is suspended all the time: there is a profile nevertheless, of a second of CPU time.
    # shellcheck disable=SC2086
    "$SPROFRUN" -q -F 1000 --max-overhead 100 $options -o p.pb.gz -p $busy & front=$!
    wait_until "it is attached to" 20 traced $busy
    kill -TSTP $front
    wait_until "$options suspended" 20 state_is $front T
    wait_until "$options a second of CPU time" 60 has_run $(($(cpu_ticks) + 100))
    kill -INT $front
    kill -CONT $front
    wait_until "$options it ends" 60 gone $front
    wait $front; is "$options its status, suspended all the time" $? 0
    check "$options there are samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
    about "$options samples" "$(figure samples p.pb.gz)" 300 1500
done
finish
