#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sprofrun behaves like the command: its status and signals; the messages; and what the command
# inherits.
. "$(dirname "$0")/../lib.sh"

run() {
    "$SPROFRUN" -q -o "$WORK/p.pb.gz" "$@" 2>"$WORK/err"
}
message_is() {
    is "one message: $1" "$(grep -c . "$WORK/err")" 1
    check "it begins with sprofrun: and says '$1'" grep -q "^sprofrun: .*$1" "$WORK/err"
}

# However the command ends, the status is the one that the shell sees without us.
for how in 'exit 0' 'exit 1' 'exit 7' 'exit 255' 'kill -TERM $$' 'kill -KILL $$' 'kill -SEGV $$' \
    'kill -INT $$' 'kill -USR1 $$' 'kill -ABRT $$'; do
    (sh -c "$how") 2>/dev/null
    wanted=$?
    (run sh -c "$how") 2>/dev/null
    is "status of '$how'" $? $wanted
done

run no-such-command-anywhere; is "not found" $? 127; message_is "no such command"
run ./no/such/file; is "no such path" $? 127; message_is "no such command"
run "$WORK"; is "a directory" $? 126; message_is "it is a directory"
echo 'echo hi' >plain; run ./plain; is "not executable" $? 126; message_is "chmod +x"
run /dev/null; is "a device" $? 126; message_is "it is no program"
: >empty; chmod +x empty; run ./empty; is "an empty file is an empty script" $? 0
head -c 200 /bin/ls >cut; chmod +x cut; run ./cut; is "a truncated ELF" $? 126; message_is "damaged"
printf '\177ELF' >tiny; chmod +x tiny; run ./tiny; is "a tiny ELF" $? 126; message_is "damaged"
printf '#!/no/such/interpreter\n' >bad; chmod +x bad
run ./bad; is "no interpreter" $? 127; message_is "interpreter"
printf 'echo "$0 $*"; exit 9\n' >script; chmod +x script
is "a script without #! runs" "$(run ./script a b)" "./script a b"
run ./script >/dev/null; is "and its status is passed on" $? 9

run --no-such-option true; is "an unknown option" $? 2
check "says so" grep -q "^sprofrun: " err
for bad in "-F 0" "-F x" "-i 1ns" "-d x" "-D -1s" "-p 0" "-p 1,x" "--report nonsense" \
    "--color maybe" "--max-overhead 200"; do
    # shellcheck disable=SC2086
    run $bad true; is "usage: $bad" $? 2; message_is "give\|choose"
done
run; is "no command" $? 2
run -p 4194303; is "no such process" $? 125; message_is "no such process"
# If one of several processes cannot be attached to, the others go on, and no profile is written.
sleep 100 & live=$!
wait_until "sleep runs" 20 grep -qx sleep /proc/$live/comm
run --report flat -o partly.pb.gz -p $live,4194303; is "one of two is gone" $? 125
is "one of two: the reason and nothing else" "$(cat err)" \
    "sprofrun: cannot attach to 4194303: there is no such process"
check "one of two: no profile" [ ! -e partly.pb.gz ]
is "one of two: no screen" "$("$BUILD/tools/sproftop" -b -n 1 -p $live,4194303 2>err; echo $?)" 125
check "one of two: sproftop says it" grep -q '^sproftop: .*4194303: .*no such process' err
check "one of two: the other is let go" grep -q '^TracerPid:.0' /proc/$live/status
kill $live
is "--version" "$("$SPROFRUN" --version | cut -d' ' -f1)" sprofrun
check "--help on stdout" [ -n "$("$SPROFRUN" --help 2>/dev/null)" ]
check "-h is the same" [ "$("$SPROFRUN" -h)" = "$("$SPROFRUN" --help)" ]

# The command has the standard streams that sprofrun was started with, even if they are closed.
is "stdin and stdout" "$(echo hello | run cat)" hello
run sh -c 'echo out; echo err >&2' >out
is "stdout" "$(cat out)" out
is "stderr" "$(cat err)" err
run sh -c 'exit 3' <&- >&-; is "closed streams" $? 3

# The command inherits the same as without sprofrun.
state='grep -E "^(Sig(Pnd|Blk|Ign|Cgt)|ShdPnd|NoNewPrivs|Seccomp|Cpus_allowed):" /proc/self/status
    ulimit -a; env | grep -vE "^(_|SHLVL)=" | sort
    ls -l /proc/self/fd | sed "s/.* \([0-9]*\) ->.*/\1/" | sort -n
    cat /proc/self/coredump_filter /proc/self/oom_score_adj /proc/self/timerslack_ns; umask; pwd'
trap '' USR2
(ulimit -n 200; sh -c "$state") >plain.state 2>&1
(ulimit -n 200; run sh -c "$state") >traced.state 2>&1
check "state of the command" diff plain.state traced.state
is "process group" "$(run sh -c 'ps -o pgid= -p $$' | tr -d ' ')" "$(ps -o pgid= -p $$ | tr -d ' ')"
is "session" "$(run sh -c 'ps -o sid= -p $$' | tr -d ' ')" "$(ps -o sid= -p $$ | tr -d ' ')"

# An output that cannot be written is refused before the command runs.
for where in /no/such/folder/p.pb.gz "$WORK" /no/such/%n; do
    "$SPROFRUN" -q -o "$where" sh -c 'echo ran; exit 6' >out 2>err
    is "refused: -o $where" "$? $(cat out)" "125 "
    message_is "cannot write the profile"
done
# If the profile cannot be written at the end, there is a message, but the status is the command's.
for where in /dev/full gone/p.pb.gz; do
    mkdir -p gone
    "$SPROFRUN" -q -o "$where" sh -c 'rmdir gone; exit 6' 2>err; is "status with -o $where" $? 6
    message_is "cannot write the profile"
    kept=$(sed -n 's/.*; it is kept in //p' err)
    check "what was measured is kept: $kept" "$SPROFREPORT" summary "$kept" >kept.out 2>&1
    rm -f "$kept"
done
# A profile that cannot be written is kept in TMPDIR, which holds 16 such files at most: with 16
# there already, the profile is not kept, and a message says so.
mkdir many && touch many/sprof-{100001..100016}.pb.gz
for left in 16 15; do
    mkdir -p gone
    TMPDIR=$WORK/many "$SPROFRUN" -q -o gone/%t.pb.gz sh -c 'rmdir gone; exit 6' 2>err
    is "status with $left profiles kept" $? 6
    is "no more than 16 are kept" "$(ls many | wc -l)" 16
    is "that is said" "$(grep -c 'nor can it be kept in .*/many, where 16 are already' err)" \
        $((left - 15))
    rm -f many/sprof-100001.pb.gz
done
mkdir small && if mount -t tmpfs -o size=4k none small 2>/dev/null; then
    head -c 4096 /dev/zero >small/fill 2>/dev/null
    "$SPROFRUN" -q -o small/p.pb.gz sh -c 'exit 6' 2>err; is "status with a full disk" $? 6
    message_is "No space left"
    rm -f "$(sed -n 's/.*; it is kept in //p' err)"
    is "nothing half-written is left" "$(ls small)" fill
    TMPDIR=$WORK/small "$SPROFRUN" -q -o small/p.pb.gz sh -c 'exit 6' 2>err
    is "status where there is no room for what is kept" $? 6
    check "it is said" grep -q 'No space left on device; nor can it be kept in ' err
    is "no empty file is left" "$(ls small)" fill
    umount small
else
    echo "not tested: a full disk (mount is not permitted here)"
fi
echo precious >keep && chmod a-w keep
"$SPROFRUN" -q -o keep true 2>err
[ "$(id -u)" = 0 ] || is "a read-only file is not replaced" "$(cat keep)" precious

# The profile goes where -o says: to stdout unless that is a terminal, to a pipe, to a new file.
"$SPROFRUN" -q -o - sh -c 'echo ran; echo too >&2' 2>err | gzip -t; is "-o - is stdout" $? 0
is "what the command prints goes beside it" "$(cat err)" "$(printf 'ran\ntoo')"
python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
    "$SPROFRUN" -q -o - sh -c 'echo ran' >out </dev/null; is "but not where it is a terminal" $? 2
check "which is said, before the command runs" grep -q "not for a terminal" out
check "the command has not run" eval '! grep -q "^ran" out'
mkfifo pipe; (gzip -dc <pipe >from-pipe) & "$SPROFRUN" -q -o pipe true; wait
check "a pipe is written in place" [ -p pipe -a -s from-pipe ]
mkfifo unread
TMPDIR=$WORK "$SPROFRUN" -q -o unread sh -c 'exit 3' 2>err &
run=$!
writes() {
    pgrep -x sprofil-analyst -P "$(pgrep -P "$(tracing $run)" -x sprofil-analyst)" >/dev/null 2>&1
}
wait_until "the profile is written to a pipe" 20 writes
kill -TERM $run
wait $run; is "SIGTERM ends the wait for a reader" $? 3
message_is "cannot write the profile to unread: nobody reads it; it is kept in"
check "what nobody reads is kept" "$SPROFREPORT" summary \
    "$(sed -n 's/.*; it is kept in //p' err)" -o summary.txt
ln -s real.pb.gz link; : >real.pb.gz; "$SPROFRUN" -q -o link true
check "the file behind a link is replaced" [ -L link -a -s real.pb.gz ]
mkdir deep; ln -s deep/new.pb.gz link2; "$SPROFRUN" -q -o link2 true
check "the file behind a link that leads to nothing is made" [ -L link2 -a -s deep/new.pb.gz ]
# RLIMIT_FSIZE of 0 or 1 KiB: the memory file of the ring is too long, so there is no profile. If
# root lifts the limit for that file, or Linux (6.1) does not apply it to memory that two processes
# share, only the profile's own file is too long.
for limit in 0 1; do
    (ulimit -f $limit; "$SPROFRUN" -q -o p.pb.gz sh -c 'exit 6' 2>&1; echo $?) | cat >long
    is "ulimit -f $limit: status" "$(tail -n 1 long)" 6
    check "ulimit -f $limit: says so" grep -qE \
        "^sprofrun: .*File too large.*'ulimit -f'.*(there will be no profile|nor can it be kept)" \
        long
    is "ulimit -f $limit: the command's file is its own affair" \
        "$( (ulimit -f $limit; "$SPROFRUN" -q -o p.pb.gz sh -c \
        'head -c 5000 /dev/zero >big; kill -l $?' 2>/dev/null) | cat)" XFSZ
done
(ulimit -S -f 0; TMPDIR=$WORK "$SPROFRUN" -q -o p.pb.gz sh -c 'exit 6' 2>&1; echo $?) | cat >long
is "a limit that can be raised: status" "$(tail -n 1 long)" 6
check "a limit that can be raised: the profile is below it" grep \
    -q "^sprofrun: cannot write the profile to p.pb.gz: File too large (.*'ulimit -f')" long
"$SPROFRUN" -q -o 'x-%n-%r-%%.pb.gz' true; check "%n %r %%" [ -s x-true-0-%.pb.gz ]

# Signals to sprofrun alone are passed to the command; sprofrun waits for all of the command's
# children.
"$SPROFRUN" -q -o p.pb.gz sh -c 'trap "exit 42" TERM; echo ready >ready; while :; do sleep 0.05; done' &
wait_until "the command is ready" 20 [ -s ready ]
kill -TERM $!; wait $!; is "SIGTERM to us ends the command by its own rule" $? 42
trap - USR2
for signal in USR1 USR2; do
    "$SPROFRUN" -q -o p.pb.gz sh -c "trap 'exit 43' $signal; echo ready >$signal; while :; do sleep 0.05; done" &
    wait_until "the command is ready" 20 [ -s $signal ]
    kill -$signal $!; wait $!; is "SIG$signal to us goes to the command" $? 43
done
"$SPROFRUN" -q -o p.pb.gz sh -c '(sleep 0.3; echo late >late) & exit 5'; is "status of the parent" \
    $? 5
check "children are followed to their end" [ -s late ]
# A command that stops itself goes on when the pid that the shell knows gets SIGCONT.
for options in "" --no-realtime; do
    rm -f pid
    "$SPROFRUN" -q $options -o p.pb.gz sh -c 'echo $$ >pid; kill -STOP $$; exit 4' & run=$!
    is_stopped() { [ -s pid ] && grep -q '^State:.[Tt]' "/proc/$(cat pid)/status"; }
    wait_until "it has stopped itself" 20 is_stopped
    kill -CONT $run
    wait $run; is "a command that stopped itself, continued: status" $? 4
done

# A process that does nothing has a profile, too.
sleep 60 &
idle=$!
"$SPROFRUN" -q -d 0.2s -o idle.pb.gz -p $idle 2>idle
is 'idle: it is in the profile' "$(figure processes idle.pb.gz) $(grep -c 'no samples' idle)" '1 0'
kill -STOP $idle
for signal in USR1 USR2 TERM; do
    rm -f idle.pb.gz
    "$SPROFRUN" -q -o idle.pb.gz -p $idle 2>idle & run=$!
    traced() { ! grep -q '^TracerPid:.0$' /proc/$idle/status; }
    wait_until "it is attached to" 20 traced
    kill -$signal $run; wait $run; is "attached: SIG$signal ends it" $? 0
    is "attached: SIG$signal: a profile" "$(figure processes idle.pb.gz)" 1
done
kill -KILL $idle
# A period longer than the run delays neither its end nor the profile.
sleep 60 &
timeout 30 "$SPROFRUN" -q -i 1m -d 0.2s -o idle.pb.gz -p $!; \
    is 'a long period: the end is in time' $? 0
kill $!
# However short -d is, a new profile is written.
echo old >p.pb.gz; "$SPROFRUN" -q -d 1ns -o p.pb.gz true
is "one nanosecond: a profile" "$(figure processes p.pb.gz)" 1

# Until its exec, the child is not the command: it must not be sampled while it searches PATH. Here
# the search takes 0.3 s or more, for 1,000 tries of 39 links each, which lead nowhere; the command
# itself takes some ms of CPU time. An earlier version, which sampled the child, had 430 to 680
# instants.
dots=$(printf './%.0s' {1..1500})
for i in {1..38}; do ln -s "${dots}link.$((i + 1))" "link.$i"; done
ln -s link.1 l
PATH=$(printf 'l:%.0s' {1..1000})$TARGETS "$SPROFRUN" -q -F 1000 -o p.pb.gz split 2 20
is "after a long way along PATH: status" $? 0
about "before its exec: instants" "$(figure instants p.pb.gz)" 0 150
is "before its exec: no process without a name" "$("$SPROFREPORT" --split process --format tsv \
    p.pb.gz | awk -F'\t' 'NR > 1 && $2 != "split"')" ''

# sprofrun is started with SIGCHLD ignored. It sets the default, as otherwise no signal would report
# a stop; in the command SIGCHLD is ignored again.
check "started with SIGCHLD ignored" timeout 30 env --ignore-signal=CHLD "$SPROFRUN" -q -o p.pb.gz \
    sh -c '/bin/true; /bin/true; /bin/true'
is "SIGCHLD is ignored in the command, too" \
    "$(env --ignore-signal=CHLD "$SPROFRUN" -q -o p.pb.gz grep SigIgn /proc/self/status)" \
    "$(env --ignore-signal=CHLD grep SigIgn /proc/self/status)"
finish
