#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --check-stacks: the results of both unwinders for programs with good stacks, and for one without
# unwind information. The target is unharmed, whichever process dies.
. "$(dirname "$0")/../lib.sh"

[ -x "$BUILD/tools/sprofil-stackcheck" ] || skip "built without libunwind-ptrace"
export LC_ALL=C
tracer_of() { awk '/^TracerPid/ { print $2 }' "/proc/$1/status" 2>/dev/null; }
cpu_of() { cat /proc/$1/task/*/schedstat 2>/dev/null | awk '{ n += $1 } END { printf "%d", n }'; }
works() { [ "$(cpu_of "$1")" -gt 20000000 ] 2>/dev/null; }
worked_on() { [ "$(cpu_of "$1")" -gt "$2" ] 2>/dev/null; }
check_stacks() { timeout 60 "$SPROFRUN" --check-stacks "$1" >out 2>err; }

for shape in qsort signal pool; do
    "$TARGETS/stacks" $shape 60 >/dev/null 2>&1 &
    pid=$!
    wait_until "$shape is at work" 20 works $pid
    check_stacks $pid; is "$shape: status" $? 0
    is "$shape: messages" "$(cat err)" ""
    check "$shape: threads" grep -qE '^[1-9][0-9]* threads?, [1-9][0-9]* compared, [1-9][0-9]* frames: ' out
    is "$shape: nothing differs" "$(awk '/module$/ { on = 1; next } !NF { on = 0 } on && $5 != "[vdso]" { n += $3 + $4 } END { print n + 0 }' out)" 0
    check "$shape: the program's frames" grep -qE '^ +[1-9][0-9]* .*/targets/stacks$' out
    is "$shape: not traced any more" "$(tracer_of $pid)" 0
    kill -KILL $pid
    wait $pid 2>/dev/null
done

# Sleeping calls do not fail with EINTR, and their time-outs do not begin again.
"$TARGETS/eintr" epoll_wait 2000 >eintr.out 2>&1 &
pid=$!
checks=0
while kill -0 $pid 2>/dev/null && [ $checks -lt 40 ]; do
    check_stacks $pid && checks=$((checks + 1))
done
wait $pid; is "blocked calls are not disturbed by $checks checks: $(tail -n1 eintr.out)" $? 0
check "it was met" [ $checks -ge 1 ]

# A process that a signal has stopped stays stopped.
"$TARGETS/stacks" qsort 60 >/dev/null 2>&1 &
pid=$!
wait_until "it is at work" 20 works $pid
kill -STOP $pid
wait_until "it is stopped" 20 grep -q '^State:.T' /proc/$pid/status
check_stacks $pid; is "of a stopped one" $? 0
check "frames" grep -qE ' [1-9][0-9]* frames: ' out
wait_until "it is stopped again" 20 grep -q '^State:.T' /proc/$pid/status
kill -CONT $pid

# The checker is killed at any moment: the target goes on.
for i in $(seq $((3 * ${ROUNDS:-1}))); do
    "$SPROFRUN" --check-stacks $pid >/dev/null 2>&1 &
    checker=$!
    sleep "0.0$((i * 3 % 10))"
    kill -KILL $checker 2>/dev/null
    wait $checker 2>/dev/null
done
before=$(cpu_of $pid)
wait_until "it works on after its checkers were killed" 20 worked_on $pid $((before + 20000000))
wait_until "nobody traces it" 20 grep -q '^TracerPid:.0' /proc/$pid/status
for i in 1 2 3; do
    "$TARGETS/stacks" pool 60 >/dev/null 2>&1 &
    victim=$!
    wait_until "the victim works" 20 works $victim
    "$SPROFRUN" --check-stacks $victim >out 2>err &
    checker=$!
    sleep "0.0$i"
    kill -KILL $victim
    wait $checker; status=$?
    check "its target is killed: it ends by itself (status $status)" [ $status -lt 126 ]
    wait $victim 2>/dev/null
done
kill -KILL $pid
wait $pid 2>/dev/null

# The first thread has ended: what /proc/PID does not show any more, a living thread's files do.
"$TARGETS/leaderless" work 60000 & pid=$!
first_has_ended() { [ "$(awk '/^State:/ { print $2 }' /proc/$pid/status)" = Z ]; }
wait_until "its first thread has ended" 20 first_has_ended
check_stacks $pid; is "of a process without its first thread" $? 0
check "its frames are compared" grep -qE '^1 thread, 1 compared, [2-9] frames' out
kill -KILL $pid
wait $pid 2>/dev/null

# Root checks the stacks of another user's process.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    cp "$TARGETS/stacks" "$WORK/of-nobody" && chmod 755 "$WORK" "$WORK/of-nobody"
    setpriv --reuid 65534 --regid 65534 --clear-groups "$WORK/of-nobody" qsort 60 >/dev/null 2>&1 &
    pid=$!
    wait_until "it is at work" 20 works $pid
    check_stacks $pid; is "of another user" $? 0
    check "its frames" grep -qE '^ +[1-9][0-9]* .*/of-nobody$' out
    kill -KILL $pid
    wait $pid 2>/dev/null
fi

# Both unwinders are tried on code without unwind information.
cc=$(command -v gcc || command -v cc)
if [ -n "$cc" ] && [ "$(uname -m)" = x86_64 ]; then
    cat >bare.c <<'C'
__attribute__((noinline)) static unsigned spin(volatile unsigned *n)
{
	unsigned sum = 0;

	while (*n)
		sum += sum * 3 + 1;
	return sum;
}

__attribute__((noinline)) static unsigned middle(volatile unsigned *n)
{
	return spin(n) * 2 + 1;
}

int main(void)
{
	volatile unsigned n = 1;

	return middle(&n) == 3;
}
C
    "$cc" -O1 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables \
        -fno-optimize-sibling-calls -o bare bare.c || exit 1
    ./bare &
    pid=$!
    wait_until "it is at work" 20 works $pid
    check_stacks $pid; status=$?
    check "the module is named (status $status)" grep -q '/bare, in ' out
    check "and what it means" grep -qE '^    1 stack: ' out
    kill -KILL $pid
    wait $pid 2>/dev/null
fi

check_stacks 4194999; is "nobody" $? 125
check "that is said" grep -q 'there is no such process' err
check_stacks x; is "no pid" $? 2
"$SPROFRUN" --check-stacks 1 extra 2>err; is "too many words" $? 2
mkdir alone && cp "$SPROFRUN" alone/ && alone/sprofrun --check-stacks $$ 2>err; is "alone" $? 125
check "what is missing" grep -q 'sprofil-stackcheck is missing' err
finish
