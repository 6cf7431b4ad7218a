#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Without real-time priority, the process that traces has a session of its own, and the process that
# the shell knows stands in for it. This must make no difference to the shell, the command or the
# user.
. "$(dirname "$0")/../lib.sh"
[ "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)" = 1 ] ||
    skip "sessions have no share of the CPUs of their own here (sched_autogroup_enabled)"

run=("$SPROFRUN" --no-realtime -q -o p.pb.gz)
field() { awk -v f="$2:" '$1 == f { print $2 }' "/proc/$1/status" 2>/dev/null; }
session_of() { ps -o sid= -p "$1" | tr -d ' '; }
# Prints the pid of the process whose thread traces PID.
tracer_of() { field "$(field "$1" TracerPid)" Tgid; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# The process that traces is in a session of its own. The process that the shell knows, and the
# command, stay in the shell's session.
"${run[@]}" sh -c 'echo $$ >pid; while [ ! -e enough ]; do sleep 0.05; done; exit 7' &
front=$!
wait_until "the command runs" 20 [ -s pid ]
command=$(cat pid)
apart() {
    tracer=$(tracer_of "$command") && [ "$tracer" ] && [ "$(session_of "$tracer")" = "$tracer" ]
}
wait_until "the tracer has a session of its own" 20 apart
is "it is a child of ours" "$(ps -o ppid= -p "$tracer" | tr -d ' ')" $front
is "the command stays in our session" "$(session_of "$command")" "$(session_of $$)"
is "and in our process group" "$(ps -o pgid= -p "$command" | tr -d ' ')" \
    "$(ps -o pgid= -p $$ | tr -d ' ')"
: >enough
wait $front; is "its status is ours" $? 7
check "a profile is written" "$SPROFREPORT" summary p.pb.gz -o summary

# However the command ends, the status is the one that the shell sees without us.
for how in 'exit 0' 'exit 255' 'kill -TERM $$' 'kill -KILL $$' 'kill -SEGV $$'; do
    (sh -c "$how") 2>/dev/null
    wanted=$?
    ("${run[@]}" sh -c "$how") 2>/dev/null
    is "status of '$how'" $? $wanted
done

# Signals that are sent to sprofrun, but not to its process group, are passed on to the command.
for signal in TERM USR1 USR2; do
    rm -f ready
    "${run[@]}" sh -c "trap 'exit 43' $signal; echo ready >ready; while :; do sleep 0.05; done" &
    front=$!
    wait_until "the command is ready" 20 [ -s ready ]
    kill -$signal $front
    wait $front; is "SIG$signal to us goes to the command" $? 43
done

# If sprofrun is attached to a process, SIGINT and SIGTERM end only the profile.
sleep 60 &
idle=$!
for signal in INT TERM; do
    rm -f p.pb.gz
    # A shell without job control starts sprofrun with SIGINT ignored; the signal must end the
    # profile nevertheless.
    "${run[@]}" -p $idle & front=$!
    traced() { [ "$(tracer_of $idle)" ]; }
    wait_until "it is attached to" 20 traced
    kill -$signal $front
    wait $front; is "attached: SIG$signal ends it" $? 0
    is "attached: SIG$signal: a profile" "$(figure processes p.pb.gz)" 1
    check "attached: SIG$signal: the process lives" kill -0 $idle
done
kill -KILL $idle

# Each of the two processes is killed: the command goes on, and the other process ends.
for whom in front tracer; do
    rm -f pid enough ended
    "${run[@]}" sh -c 'echo $$ >pid; while [ ! -e enough ]; do sleep 0.05; done;
        echo ended >ended' 2>err &
    front=$!
    wait_until "the command runs" 20 [ -s pid ]
    command=$(cat pid)
    wait_until "it is traced" 20 apart
    kill -KILL "${!whom}"
    wait $front 2>/dev/null; is "the $whom is killed: our status" $? 137
    wait_until "the $whom is killed: the tracer is gone" 20 gone "$tracer"
    untraced() { [ -z "$(tracer_of "$command")" ]; }
    wait_until "the $whom is killed: nobody traces the command" 20 untraced
    : >enough
    wait_until "the $whom is killed: the command goes on to its end" 20 [ -s ended ]
done
finish
