#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --dump: one stack of every thread, and for how long each thread was stopped; the target is
# unharmed.
. "$(dirname "$0")/../lib.sh"

state_of() { awk '/^State:/ { print $2 }' "/proc/$1/status" 2>/dev/null; }
in_state() { [ "$(state_of "$1")" = "$2" ]; }
threads_are() { [ "$(ls "/proc/$1/task" | wc -l)" = "$2" ]; }
# stack TID: prints the functions of the thread's frames in one line, leaf first
stack() {
    awk -v tid="$1" '/^thread / { on = $2 == tid } on && /^  #/ {
        printf "%s ", $2 == "[syscall]" ? $3 : $2 }
        on && /^ +in / { printf "%s ", $2 }' out
}

"$TARGETS/race" crowd 3 $((60000 * ${FACTOR:-1})) & crowd=$!
wait_until "all threads are there" 20 threads_are $crowd 4
# Has the crowd settled? The main thread works and the other three sleep, which does not change any
# more.
settled() {
    [ "$(cat /proc/$crowd/task/*/stat | awk '{ n += $3 == "S" } END { print n }')" = 3 ] &&
        awk '{ exit !($1 > 100000000) }' /proc/$crowd/task/$crowd/schedstat
}
wait_until "they are where they stay" 20 settled
"$SPROFRUN" --dump $crowd >out 2>err
is "status" $? 0
is "no messages" "$(cat err)" ""
"$SPROFRUN" --dump $crowd -o "stacks.%p.%n" >none 2>&1
is "to a file: status, what is printed" "$? $(cat none)" "0 "
is "to a file: threads" "$(grep -c '^thread ' stacks.$crowd.race)" 4
"$SPROFRUN" --dump $crowd -o /nowhere/x >none 2>&1
is "to no place: status" $? 125
is "to no place: it is said" "$(cat none)" \
    "sprofrun: cannot write the stacks to /nowhere/x: No such file or directory; name another place with -o"
is "threads" "$(grep -c '^thread ' out)" 4
is "those of the kernel, in order" "$(awk '/^thread / { print $2 }' out)" \
    "$(ls /proc/$crowd/task | sort -n)"
is "each tells for how long it was stopped" \
    "$(grep -cE '^thread [0-9]+( of [0-9]+)? \(race\), stopped for [0-9.]+ [um]?s$' out)" 4
libc='(start_thread|clone3?|\[libc[^ ]*)' # without its debug file these have no names
for tid in /proc/$crowd/task/*; do
    tid=${tid##*/}
    if [ "$tid" = $crowd ]; then
        check "the main thread's stack" grep -qE 'work_ms .*main .*_start $' <<<"$(stack "$tid")"
    else
        check "the stack of thread $tid" grep -qE "^[a-z_]*nanosleep .*sleeper $libc $libc \$" \
            <<<"$(stack "$tid")"
    fi
done
sleeper=$(ls /proc/$crowd/task | grep -vx $crowd | tail -n 1)
"$SPROFRUN" --dump "$sleeper" >out 2>err
is "of a thread: status" $? 0
is "of a thread: its process has it" "$(grep -c '^thread ' out)" 4
check "of a thread: says so" grep -q "^sprofrun: $sleeper is a thread of process $crowd (race)" err
is "of a thread: attached" "$("$SPROFRUN" -q -d 0.1s -o t.pb.gz -p \
    "$sleeper,$crowd" 2>&1; figure processes t.pb.gz)" 1
rm t.pb.gz
"$SPROFRUN" --diagnose "$sleeper" >diagnosis 2>err
is "of a thread: may its process be attached to" "$(cat diagnosis)" \
    "process $crowd can be attached to"
"$SPROFRUN" --diagnose "$crowd" extra >out 2>err
is "--diagnose takes one word" $? 2
is "no profile is written" "$(ls ./*.pb.gz 2>/dev/null)" ""
is "it is not traced any more" "$(awk '/^TracerPid/ { print $2 }' /proc/$crowd/status)" 0

# A process that a signal has stopped stays stopped.
kill -STOP $crowd
wait_until "it is stopped" 20 in_state $crowd T
"$SPROFRUN" --dump $crowd >out 2>err
is "of a stopped one: status" $? 0
is "of a stopped one: threads" "$(grep -c '^thread .* stopped before, and still$' out)" 4
check "of a stopped one: the main thread's stack" grep -qE 'work_ms .*main .*_start $' \
    <<<"$(stack $crowd)"
wait_until "it is stopped again" 20 in_state $crowd T
kill -KILL $crowd
wait $crowd 2>/dev/null

# A blocked call is not disturbed.
mkfifo wake
"$TARGETS/blocked" block <wake >blocked & sleeper=$!
exec 9>wake
wait_until "the sleeper sleeps" 20 in_state $sleeper S
for i in 1 2 3 4 5 6 7 8 9 10; do "$SPROFRUN" --dump $sleeper >out; done
check "where it is blocked" grep -qE '^epoll_p?wait .*block .*main .*_start $' \
    <<<"$(stack $sleeper)"
echo x >&9
exec 9>&-
wait $sleeper
is "the blocked call" "$? $(cat blocked)" "0 epoll_wait 1 "

# --dump does not make a time-out begin again: a thread in a call with a time-out is not stopped,
# and is read while it sleeps.
"$TARGETS/sleepy" 1500 >slept & sleeper=$!
dumps=0
while kill -0 $sleeper 2>/dev/null; do
    "$SPROFRUN" --dump $sleeper >out 2>/dev/null
    grep -q 'asleep, not stopped' out && dumps=$((dumps + 1)) && cp out asleep
done
wait $sleeper
is "time-outs: status" $? 0
check "time-outs: seen asleep" [ $dumps -gt 0 ]
cp asleep out
check "time-outs: its stack is whole" grep -qE '^(epoll_p?wait|rt_sigtimedwait) .*main .*_start $' \
    <<<"$(stack $sleeper)"
cat slept

# If an exec comes instead of the requested stop, the stop is requested again.
"$TARGETS/lives" execs 30000 & lives=$!
threads=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$SPROFRUN" --dump $lives >out 2>err
    threads="$threads $?,$(grep -c '^thread ' out)"
done
is "of one that calls exec all the time" "$(echo $threads | tr ' ' '\n' | sort -u)" 0,1
kill -KILL $lives
wait $lives 2>/dev/null

"$SPROFRUN" --dump 4194303 >out 2>err
is "no such process: status" $? 125
is "no such process: nothing on stdout" "$(cat out)" ""
check "no such process: says so" grep -q '^sprofrun: .*no such process' err
sleep 60 & sleeper=$!
"$SPROFRUN" --dump $sleeper >/dev/full 2>err
is "a dump that cannot be written" "$? $(grep -c '^sprofrun: cannot write' err)" '125 1'
kill $sleeper
"$SPROFRUN" --dump x >out 2>err
is "no number: status" $? 2
finish
