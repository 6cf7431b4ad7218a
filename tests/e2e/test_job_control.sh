#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The wrapper in a real terminal under a shell with job control: ^C, ^Z and fg, ^\, the size of the
# window, full-screen programs. Each wait reads the screen or /proc. FAIR=1: without real-time
# priority. AS=USER: the command runs as another user.
. "$(dirname "$0")/../lib.sh"
SPROFRUN="$SPROFRUN ${FAIR:+--no-realtime} ${AS:+-u $AS}"
if [ -n "${AS:-}" ]; then
    [ "$(id -u)" = 0 ] || skip "needs root"
    chmod 777 "$WORK"
    install -m 755 "$TARGETS/busy" "$WORK"
    TARGETS=$WORK
fi
command -v tmux >/dev/null || skip "tmux is missing"

unset TMUX
T=(tmux -L "sprofil$$" -f /dev/null)
trap '"${T[@]}" kill-server 2>/dev/null; rm -rf "$WORK"' EXIT
screen() { "${T[@]}" capture-pane -p -t s; }
shows() { screen | grep -qE "$1"; }
# after WHAT REGEX: waits until the screen shows a line that matches REGEX
after() { wait_until "$1" 20 shows "$2" || { screen; return 1; }; }
keys() { "${T[@]}" send-keys -t s "$@"; }
typed() { keys -l "$1"; keys Enter; }
prompts=0
# Has the shell the terminal? Keys typed before might be read by a program that is about to end.
shell_in_front() {
    local stat
    [ -s shell ] || return 0
    read -ra stat <"/proc/$(cat shell)/stat"
    [ "${stat[7]}" = "${stat[4]}" ]
}
# at_prompt WHAT [COMMAND]: types COMMAND, if given, and a command that prints the status; waits for
# it, and sets $last. Both are on one line: a second line might be read by COMMAND, which has the
# terminal while it runs.
at_prompt() {
    prompts=$((prompts + 1))
    wait_until "$1: the shell has the terminal" 20 shell_in_front
    typed "${2:+$2; }echo \"<\$?:$prompts>\""
    after "$1: the shell is back" "^<[0-9]+:$prompts>"
    last=$(screen | sed -n "s/^<\([0-9]*\):$prompts>.*/\1/p" | tail -n 1)
}
state_of() { awk '/^State:/ { print $2 }' "/proc/$1/status" 2>/dev/null; }
in_state() { [ "$(state_of "$1")" = "$2" ]; }
stopped() { case $(state_of "$1") in T | t) ;; *) false ;; esac; }
gone() { ! kill -0 "$1" 2>/dev/null; }
# tells_pid: has the command written its pid?
tells_pid() { [ -s pid ]; }

"${T[@]}" new-session -d -s s -x 80 -y 24 \
    "env PS1='% ' PATH='$PATH' HOME='$WORK' HISTFILE= bash --norc --noprofile -i"
# run COMMAND: clears the screen, and types COMMAND with sprofrun before it
run() {
    rm -f pid
    keys C-l
    typed "$SPROFRUN -q -F 1000 -o j.pb.gz $1"
}
after "the shell is there" '^%'
typed "cd $WORK; echo \$\$ >shell; stty -echoctl; bind 'set enable-bracketed-paste off'"
at_prompt "the beginning"

# ^C: the command dies of SIGINT, and so does sprofrun, as a shell expects.
run "sh -c 'echo \$\$ >pid; exec $TARGETS/busy 1 60 0'"
wait_until "the command runs" 20 tells_pid
pid=$(cat pid)
keys C-c
wait_until "^C ends the command" 20 gone "$pid"
at_prompt "^C"
is "^C: status" "$last" 130
check "^C: a profile is written" "$SPROFREPORT" summary j.pb.gz -o summary

# A command that handles ^C goes on, and so does its profile.
run "bash -c 'trap \"echo caught\" INT; echo \$\$ >pid; i=0; while [ ! -e enough ]; do i=\$((i+1)); done; exit 5'"
wait_until "the command runs" 20 tells_pid
keys C-c
after "^C is handled" '^caught'
: >enough
at_prompt "a handled ^C"
is "a handled ^C: status" "$last" 5
rm -f enough

# ^Z and fg: the command and sprofrun stop, and the shell sees a stopped job; with fg both go on.
run "sh -c 'echo \$\$ >pid; exec $TARGETS/busy 1 1.5 6'"
wait_until "the command runs" 20 tells_pid
pid=$(cat pid)
keys C-z
wait_until "^Z stops the command" 20 stopped "$pid"
after "the shell tells of a stopped job" 'Stopped'
before=$(cut -d' ' -f1 "/proc/$pid/schedstat")
at_prompt "^Z"
is "^Z: the shell is told the signal" "$last" 148
typed "jobs -l"
after "the job is listed as stopped" '\[1\]\+ +[0-9]+ Stopped'
is "^Z: it does not run" "$(cut -d' ' -f1 "/proc/$pid/schedstat")" "$before"
at_prompt "fg" fg
is "^Z and fg: status" "$last" 6
check "^Z and fg: all of its CPU time is there" [ "$(figure kernel_cpu_ns j.pb.gz)" -ge 1490000000 ]
about "^Z and fg: and no more" "$(figure kernel_cpu_ns j.pb.gz)" 1490000000 1700000000
# bg: the command goes on in the background.
run "sh -c 'echo \$\$ >pid; while [ ! -e enough ]; do :; done; exec $TARGETS/busy 1 0.5 0'"
wait_until "the command runs" 20 tells_pid
pid=$(cat pid)
keys C-z
wait_until "^Z stops the command again" 20 stopped "$pid"
after "the shell tells of it" 'Stopped'
: >enough
typed "bg; wait"
wait_until "with bg it runs to its end" 20 gone "$pid"
at_prompt "bg"
rm -f enough

# If a command stops its process group itself, as editors do on ^Z, the shell sees a stopped job.
run "sh -c 'echo \$\$ >pid; kill -TSTP 0; while [ ! -e enough ]; do :; done; exit 9'"
wait_until "the command runs" 20 tells_pid
wait_until "a command that stops its group: it is stopped" 20 stopped "$(cat pid)"
after "a command that stops its group: the shell tells of it" 'Stopped'
at_prompt "a command that stops its group"
is "a command that stops its group: the shell is told the signal" "$last" 148
: >enough
at_prompt "a command that stops its group: fg" fg
is "a command that stops its group: status" "$last" 9
rm -f enough

# A command that ignores ^Z is not stopped, and neither is sprofrun. The command is kept running
# until both have got SIGTSTP: until it has read the line typed after ^Z, and the signal is no
# longer pending for sprofrun. (One that arrives after the command has ended stops sprofrun.)
run "bash -c 'trap \"\" TSTP; echo \$\$ >pid; read line; echo \"heard \$line\"; while [ ! -e enough ]; do :; done; exit 4'"
wait_until "the command runs" 20 tells_pid
sprofrun_pid=$(awk '/^PPid:/ { print $2 }' "/proc/$(cat pid)/status")
tstp_taken() {
    local mask
    for mask in $(sed -nE 's/^(Sig|Shd)Pnd:\s*//p' "/proc/$sprofrun_pid/status"); do
        (((16#$mask >> 19 & 1) == 0)) || return 1
    done
}
keys C-z
typed "more"
after "an ignored ^Z: the command goes on" '^heard more'
wait_until "an ignored ^Z: sprofrun heard of it" 20 tstp_taken
: >enough
at_prompt "an ignored ^Z"
is "an ignored ^Z: status" "$last" 4
rm -f enough

# ^\: the command dies of SIGQUIT, and so does sprofrun, without a core dump of its own.
typed "ulimit -c 0"
run "sh -c 'echo \$\$ >pid; exec $TARGETS/busy 1 60 0'"
wait_until "the command runs" 20 tells_pid
pid=$(cat pid)
keys 'C-\'
wait_until "^\\ ends the command" 20 gone "$pid"
at_prompt "^\\"
is "^\\: status" "$last" 131

# The command learns of a new size of the window.
run "bash -c 'trap \"echo size \\\$(stty size)\" WINCH; echo \$\$ >pid; while [ ! -e enough ]; do sleep 0.05; done'"
wait_until "the command runs" 20 tells_pid
"${T[@]}" resize-window -t s -x 100 -y 30
after "the command hears of a new size" '^size 30 100'
# (A shell that gets SIGWINCH while keys arrive may lose some of them.)
"${T[@]}" resize-window -t s -x 80 -y 24
after "and of the old one" '^size 24 80'
: >enough
at_prompt "the size"
rm -f enough

# Full-screen programs draw, take keys and follow the window's size as without sprofrun.
seq -f 'line %g' 1000 >text
chmod 666 text
# (vim comes first: after less has run in a smaller window, tmux sometimes scrolls only that part.)
if command -v vim >/dev/null; then
    run "vim -u NONE -N text"
    after "vim shows the file" '^line 1$'
    keys -l 'ohello'
    keys Escape
    after "vim has the new line" '^hello$'
    keys -l ':wq'
    keys Enter
    at_prompt "vim"
    is "vim: status" "$last" 0
    is "vim: the file" "$(sed -n 2p text)" hello
else
    echo "not tested: vim (not installed)"
fi
if command -v less >/dev/null; then
    seq -f 'line %g' 1000 >text # vim has changed it
    run "less text"
    after "less shows the beginning" '^line 1$'
    keys G
    after "less shows the end" '^line 1000$'
    keys C-z
    after "less lets the shell in" 'Stopped'
    typed "fg"
    after "and comes back" '^line 1000$'
    "${T[@]}" resize-window -t s -x 60 -y 12
    # Wait until less has drawn: a key that arrives before may be lost, profiled or not. The first
    # line on the screen stays the same, 978.
    after "less draws in another size" '^line 978$'
    keys g
    after "less shows the beginning in another size" '^line 11$'
    check "and no more than fits" sh \
        -c "! $(printf '%q ' "${T[@]}") capture-pane -p -t s | grep -q '^line 12$'"
    keys q
    at_prompt "less"
    is "less: status" "$last" 0
else
    echo "not tested: less (not installed)"
fi
# The terminal hangs up. SIGHUP goes only to the session's leader, which here is sprofrun, not the
# command.
rm -f pid j.pb.gz
"${T[@]}" new-session -d -s h "exec $SPROFRUN -q -o $WORK/j.pb.gz sh -c 'trap \"echo >$WORK/hung-up; exit 0\" HUP; sleep 60 & echo \$! >$WORK/child; echo \$\$ >$WORK/pid; wait'"
wait_until "the command runs" 20 tells_pid
# Before its exec, the child still has the shell's trap.
child_sleeps() { [ "$(cat "/proc/$(cat child)/comm" 2>/dev/null)" = sleep ]; }
wait_until "a hang-up: the command's child is there" 20 child_sleeps
"${T[@]}" kill-session -t h
wait_until "a hang-up: the command hears of it" 20 [ -e hung-up ]
wait_until "a hang-up: the command's child ends" 20 gone "$(cat child)"
wait_until "a hang-up: a profile is written" 20 [ -e j.pb.gz ]
check "a hang-up: the profile is whole" "$SPROFREPORT" summary j.pb.gz -o summary

# The terminal has its former settings: echo, signal keys and line editing.
typed "stty -a | tr ' ' '\n' | grep -cxE 'isig|icanon|echo'"
after "the terminal is sane" '^3$'
typed "exit"
session_over() { ! "${T[@]}" has-session 2>/dev/null; }
wait_until "the shell has ended" 20 session_over
finish
