#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sproftop in a real terminal (tmux): every key of the contract does what it says, on a live process
# and on a command; what becomes of the terminal and of the target at every way out.
. "$(dirname "$0")/../lib.sh"
command -v tmux >/dev/null || skip "tmux is not installed"
SPROFTOP=$BUILD/tools/sproftop
SHOW=$TARGETS/show
socket=sproftop-$$
# On a machine that is busy with other things stops last long, and the default bound of 2 % would
# leave few samples.
much="--max-overhead 99"
export LC_ALL=C.UTF-8
unset NO_COLOR
tm() { tmux -L "$socket" "$@"; }
target=
trap 'tm kill-server 2>/dev/null; [ -z "$target" ] || kill "$target" 2>/dev/null; rm -rf "$WORK"' EXIT

# A shell in a terminal of 100x30; what is typed there is what a user types.
tm -f /dev/null new-session -d -s t -x 100 -y 30 "env PS1='ready> ' sh" || skip "tmux cannot start"
tm set -g status off
tm set -g remain-on-exit on

screen() { tm capture-pane -p -t t; }
shows() { screen | grep -qE -- "$1"; }
hides() { ! shows "$1"; }
wait_shows() { wait_until "the screen shows '$1'" 40 shows "$1" && echo "ok: it shows '$1'" ||
    { screen; finish; }; }
wait_hides() { wait_until "the screen hides '$1'" 40 hides "$1" && echo "ok: it hides '$1'" ||
    { screen; finish; }; }
# wait_first WHAT REGEX: of the first row
first_is() { screen | sed -n 5p | grep -qE "$1"; }
wait_first() { wait_until "$1" 40 first_is "$2" && echo "ok: $1" || { screen; finish; }; }
# key KEYS SHOWS: after these keys the screen shows this.
key() { tm send-keys -t t "${@:1:$#-1}"; wait_shows "${!#}"; }
typed() { tm send-keys -t t -l "$1"; }
run_line() { typed "$1"; tm send-keys -t t Enter; }
# The terminal as a shell wants it: no alternate screen, a cursor, no mouse, echo.
terminal_is_back() {
    [ "$(tm display -p -t t '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = "0 1 0" ]
}
start() { tm clear-history -t t; run_line "clear; $*; echo \"status=\$?\"; stty -a | grep -oE -- '-?(icanon|echo) '"; }
wait_back() {
    wait_shows 'status=[0-9]'
    wait_shows '^icanon'
    wait_shows '^echo'
    wait_until "the terminal is given back" 40 terminal_is_back &&
        echo "ok: the terminal is given back"
}
state_of() { awk '/^(State|TracerPid)/' /proc/"$1"/status | sort | tr '\n' ' '; }

# --- a live process ---
"$SHOW" 600 >/dev/null 2>&1 &
target=$!
start "$SPROFTOP $much -p $target"
wait_shows 'show_inner'
wait_shows '(running|idle)'
wait_shows 'found [0-9.]+ .*%'
wait_shows 'cost [0-9.]+ % \(max 99\)'
wait_shows '250 Hz'
wait_shows 'lost 0'

key l 'LINE +FUNCTION'
wait_shows 'show\.c:[0-9]+'
key l 'FUNCTION +OBJECT'
key g 'CALL TREE'
wait_shows 'show_inner'         # opened along the hottest path
key C 'CALL TREE'
wait_hides 'show_inner'
key E 'show_inner'
tm send-keys -t t C
wait_hides 'show_inner'
key Home '*' 'show_inner'
tm send-keys -t t Home -
wait_hides 'show_inner'
key + 'CALL TREE'
key Enter 'subtree'
tm send-keys -t t Escape
wait_hides 'subtree'
key H 'LAST FUNCTION'
wait_shows 'alpha'
wait_shows 'S +[0-9]+ +gamma'   # asleep, and never sampled
key o 'Objects'
wait_shows '/show'
key Tab 'Functions'
key BTab 'Objects'
tm send-keys -t t Tab

# Search, filter, limit.
typed '/show_out'
wait_shows 'search: show_out'
tm send-keys -t t Enter
key Enter 'Callers and callees › show_outer'
wait_shows 'caller.*alpha'
wait_shows 'callee.*show_inner'
key Escape 'Functions'
key n 'show_outer'
key N 'show_outer'
typed '/nothing_like_it'
key Enter 'not found'
typed '\getppid'
key Enter 'filter getppid'
wait_hides 'show_inner'
key F4 'show only what matches: getppid'
tm send-keys -t t C-u Enter
wait_shows 'show_inner'
typed 'L99'
key Enter ' of '
typed 'L'
tm send-keys -t t C-u
typed '0'
tm send-keys -t t Enter
wait_hides ' [0-9]+ of [0-9]+ *$'

# Order. The tree has its own.
tm send-keys -t t '>' Home
wait_first "the greatest total is first" 'alpha|clone|start_thread|\[libc'
key I 'FUNCTION'
key I 'FUNCTION'
key '<' 'FUNCTION'
wait_first "the hottest is first" 'show_inner|getppid'
key F6 'FUNCTION'
key '<' 'FUNCTION'

# Zoom into a thread and an object.
key t 'Enter zooms into a thread'
typed '/alpha'
tm send-keys -t t Enter Enter
wait_shows 'thread [0-9]+'
wait_hides 'getppid'
tm send-keys -t t t
wait_hides 'thread [0-9]+'
typed '/show_inner'
tm send-keys -t t Enter
key d 'object show'
wait_hides 'getppid'
tm send-keys -t t d
wait_hides 'object show'
tm send-keys -t t Escape Escape Escape Home

# Source and instructions.
typed '/show_inner'
tm send-keys -t t Enter
key a 'Source › show_inner'
wait_shows '6364136223846793005U'
key a 'Functions'
if ldd "$BUILD/tools/sprofil-analyst" | grep -q capstone; then
    key A 'Disassembly › show_inner'
    wait_shows '[0-9a-f]+: +[a-z]+'
    key A 'Functions'
fi

# Pause, freeze, reset, decay, clock, calls, rate, delay.
key p 'PAUSED'
key Space '(Help|goes on)'
wait_hides 'PAUSED'
key f 'frozen'
tm send-keys -t t f
wait_hides ' frozen '
key z 'totals'
key z 'last 10 s'
key r 'forgotten'
key i 'there is only CPU time'
wait_shows 'getppid'
key K 'system calls count for their callers'
wait_hides '\[syscall\]'
key K 'frames of their own'
key ']' '500 Hz'
key '[' '250 Hz'
typed 's'
wait_shows 'seconds between looks: 1'
tm send-keys -t t C-u
typed '0.2'
tm send-keys -t t Enter
wait_hides 'seconds between'
key h 'this help'
key '?' 'Functions'
key F1 'this help'
key Escape 'Functions'
key x "'x' is no key here"
typed '\show_(inner'
key Enter 'no regular expression'
key F4 'show only what matches: show_'
tm send-keys -t t C-u Enter
wait_shows 'show_inner'
kill -STOP $target
wait_shows 'stopped by a signal'
kill -CONT $target
wait_shows '  running  '
key O 'not written anything'
tm send-keys -t t Escape

# Moving.
key End 'FUNCTION'
key Home 'show_inner|getppid'
tm send-keys -t t j k Down Up PageDown PageUp Right Left C-l
wait_shows 'FUNCTION'

# Save: the profile can be read, and the target goes on.
typed w
wait_shows 'save the profile as: sproftop.pb.gz'
typed "$WORK/saved.pb.gz"
key Enter "saved to $WORK/saved.pb.gz"
check "the saved profile can be read" "$SPROFREPORT" flat --format tsv "$WORK/saved.pb.gz" \
    -o flat.tsv
check "and has the function" grep -q show_inner flat.tsv
check "it does not say that it ended early" eval '! grep -q early flat.tsv'
typed w
tm send-keys -t t C-u
typed "/nowhere/x.pb.gz"
key Enter 'cannot save to /nowhere/x.pb.gz'

# The help is longer than a usual terminal, and scrolls.
tm resize-window -t t -x 80 -y 24
key h '1-19 of [0-9]+'
wait_hides 'save the profile'
key PageDown '19-37 of'
key PageDown 'save the profile'
key End 'at once'
key h 'Functions'

# Sizes.
for size in 60x12 200x50 300x100 20x5 80x24; do
    tm resize-window -t t -x "${size%x*}" -y "${size#*x}"
    [ "$size" = 20x5 ] || wait_shows 'show_inner'
done
tm send-keys -t t Home
wait_until "the last line is the last" 40 eval \
    '[ "$(screen | sed -n 24p | grep -c "F1 Help")" = 1 ]'
tm resize-window -t t -x 100 -y 30
wait_shows '±' # a column of wide screens

# A click on a title, and the wheel: what this terminal (TERM=screen) sends, ESC [ M and button,
# column, row from one on, 32 added to each.
mouse() { typed "$(printf '\033[M%b%b%b' "\\$(printf %o $((32 + $1)))" "\\$(printf %o $((32 + $2)))" "\\$(printf %o $((32 + $3)))")"; }
click() { mouse 0 "$1" "$2"; mouse 3 "$1" "$2"; } # pressed, released
click 18 4
click 5 4
# What a click does is tested in test_live; here it only must not disturb.
wait_shows 'show_inner'
mouse 65 5 10
mouse 64 5 10

# From here on it looks more often: a start waits for its first look.
much="$much -s 0.2"

# q: the target is as it was.
tm send-keys -t t q
wait_back
wait_shows '^status=0'
check "the target lives, untraced" grep -qE '^TracerPid:.0$' /proc/$target/status
check "its threads are not stopped" eval '! grep -h "^State:.[tT]" /proc/$target/task/*/status'
for how in F10 C-c; do
    start "$SPROFTOP $much -p $target"
    wait_shows 'show_inner'
    tm send-keys -t t $how
    wait_back
    wait_shows '^status=0'
done

# --- a source file that was changed ---
newer='edited\.c is newer than the profile: lines may not fit'
printf 'int main(void)\n{\n\tfor (volatile unsigned n = 0;; n++)\n\t\t;\n}\n' >edited.c
if gcc -g -o edited edited.c 2>/dev/null; then
    for date in 'last year' 'next year'; do
        touch -d "$date" edited.c
        start "$SPROFTOP $much -- ./edited"
        wait_first "main is the first row" ' main +edited'
        key a 'Source › main'
        wait_shows 'volatile unsigned n = 0'
        if [ "$date" = 'next year' ]; then
            wait_shows "^ *$newer"
        else
            check "a source of before" hides "$newer"
        fi
        tm send-keys -t t q
        wait_back
    done
else
    echo "no gcc: a changed source is not tested"
fi

# --- other terminals ---
start "NO_COLOR=1 $SPROFTOP $much -p $target"
wait_shows 'show_inner'
check "NO_COLOR: no colours" eval \
    '! tm capture-pane -e -p -t t | grep -qE "\[(38|48|3[0-7]|4[0-7])[;m]"'
tm send-keys -t t q
wait_back
start "LC_ALL=C $SPROFTOP $much -p $target"
wait_shows 'show_inner'
tm send-keys -t t g E
wait_shows '[-] show_outer'
check "without UTF-8: ASCII only" eval '! screen | LC_ALL=C grep -q "[^ -~]"'
tm send-keys -t t q
wait_back
start "TERM=vt100 $SPROFTOP $much -p $target"
wait_shows 'show_inner'
wait_shows 'F1 Help  q Quit'
tm send-keys -t t q
wait_shows 'status=0'
check "a terminal with one screen: the last line is clean" hides 'F1 Help'
start "TERM=dumb $SPROFTOP $much -p $target"
wait_shows 'status=2'
check "TERM=dumb is refused with a hint" shows '[-]b prints screens as plain text'
start "TERM=no-such-terminal $SPROFTOP $much -p $target"
wait_shows '^status=2$'
check "an unknown terminal is refused with a hint" shows '^sproftop: .*[-]b prints screens'
check "standard output that is no terminal is refused" \
    eval '"$SPROFTOP" -p $target 2>err; [ $? = 2 ] && grep -q -- "-b prints" err'

# --- every way out gives the terminal back ---
# (The shell that tmux begins with may have begun ours as a child: the session is the same.)
top_pid() { pgrep -x sproftop -s "$(tm display -p -t t '#{pane_pid}')"; }
# (A shell gives up its line when a child dies of SIGINT.)
for signal in TERM HUP QUIT SEGV KILL; do
    start "$SPROFTOP $much -p $target"
    wait_shows 'show_inner'
    kill -$signal "$(top_pid)"
    # The shell may speak before the analyst of a dead supervisor has given the terminal back.
    wait_until "the terminal is given back" 40 terminal_is_back
    run_line "echo status=\$?; stty -a | grep -oE -- '-?(icanon|echo) '"
    wait_back
    check "the target lives after SIG$signal" kill -0 $target
done
wait_until "it is let go" 20 grep -qE '^TracerPid:.0$' /proc/$target/status
for signal in SEGV KILL; do
    start "$SPROFTOP $much -p $target"
    wait_shows 'show_inner'
    kill -$signal "$(pgrep -P "$(tracing "$(top_pid)")" -x sprofil-analyst)"
    # A fresh one draws.
    wait_shows 'lost [1-9]'
    tm send-keys -t t q
    wait_back
    check "the death of the analyst is told" shows 'analyst .* killed by signal'
done

# --- stopped and continued: the shell gets the terminal, and the view gets it again ---
# stopped_and_back: the shell has its terminal; then fg, and the view is there, and takes keys.
stopped_and_back() {
    wait_until "stopped, it leaves the terminal" 20 terminal_is_back
    run_line "clear; stty -a | grep -oE -- '-?(icanon|echo) '; jobs"
    wait_shows '^icanon'
    wait_shows '^echo'
    wait_shows 'Stopped'
    run_line fg
    wait_shows 'show_inner'
    key l 'LINE +FUNCTION'
    key l 'FUNCTION +OBJECT'
    wait_hides 'Stopped'
}
for signal in TSTP STOP; do
    start "$SPROFTOP $much -p $target"
    wait_shows 'show_inner'
    kill -$signal "$(top_pid)"
    stopped_and_back
    tm send-keys -t t q
    wait_until "the terminal is given back" 40 terminal_is_back
done
start "$SPROFTOP $much $SHOW 0 0"
wait_shows 'ended'
kill -TSTP "$(top_pid)"
wait_until "stopped, it leaves the terminal" 20 terminal_is_back
run_line fg
wait_shows 'ended'
tm send-keys -t t C-z
wait_shows 'ended'
tm send-keys -t t q
wait_until "the terminal is given back" 40 terminal_is_back

# --- a command ---
start "$SPROFTOP $SHOW 3 7"
wait_shows 'show_inner'
check "its output does not wreck the screen" hides 'show begins'
key O 'show begins'
tm send-keys -t t Escape
wait_shows 'ended, status 7'
key g 'show_inner'              # the data can still be looked at
key O 'show ends'
tm send-keys -t t q
wait_back
wait_shows '^status=7'
check "what it wrote is shown afterwards" shows '^show ends'

start "$SPROFTOP sh -c 'printf \"bin\\\\0ary\\\\n\"; $SHOW 1 6 >/dev/null'"
wait_shows 'ended, status 6'
tm send-keys -t t q
wait_back
check "what is no text is not shown afterwards" shows 'wrote [0-9]+ bytes, which are no text'
check "and none of it" hides '^bin'
start "$SPROFTOP --log $WORK/log $SHOW 100 7"
wait_shows 'show_inner'
command=$(pgrep -x show -P "$(tracing "$(top_pid)")")
tm send-keys -t t q
wait_back
wait_shows '^status=0'
check "a command that still runs is ended with the view" eval '! kill -0 $command 2>/dev/null'
is "its output is in the log" "$(head -n 1 log)" "show begins"
start "$SPROFTOP --keep $SHOW 100 7"
wait_shows 'show_inner'
command=$(pgrep -x show -P "$(tracing "$(top_pid)")")
tm send-keys -t t q
wait_back
check "or goes on, when asked to keep it" kill -0 "$command"
kill "$command"
start "$SPROFTOP /no/such/command"
wait_back
wait_shows '^status=127'

# --- sprofrun --live: view and recording at once ---
start "$SPROFRUN --live -q -o $WORK/live.pb.gz $SHOW 4 9"
wait_shows 'show_inner'
wait_shows 'ended, status 9'
tm send-keys -t t q
wait_back
wait_shows '^status=9'
check "the recording has the function" eval \
    '"$SPROFREPORT" flat --format tsv live.pb.gz | grep -q show_inner'

# --- batch ---
"$SPROFTOP" -b -n 2 -s 0.3 --size 70x14 -p $target >batch 2>err
is "batch: status" $? 0
is "batch: two screens" "$(grep -c Functions batch)" 2
"$SPROFTOP" -b -n 40 $much -s 0.3 -p $target | grep -q show_inner # names take a while
is "batch: the function" $? 0
check "batch: plain text" eval '! grep -q "$(printf "\033")" batch'
is "batch: as wide as asked" \
    "$(awk '{ if (length($0) > 70) wide++ } END { print wide + 0 }' batch)" 0
# It executes another program when it is attached to: the head names that one then.
mkfifo go
sh -c 'read -r go <go; exec "$0" 600' "$SHOW" >/dev/null 2>&1 &
changing=$!
"$SPROFTOP" -b -n 20 -s 0.3 -p $changing >renamed 2>err &
wait_until "a screen of the shell" 40 grep -q " sh ($changing) " renamed && echo >go
wait_until "the head names the new program" 40 grep -q " show ($changing) " renamed
is "batch: the head names the new program" $? 0
kill $changing; wait $! 2>/dev/null
"$SPROFTOP" -b -n 2 -p $target | grep -q '(max 1)'
is "batch: the usual bound on the cost is 1 %" $? 0
sleep 1000 &
timeout 30 "$SPROFTOP" -b --size 100x20 -p $! | grep -q 'idle'
is "batch: a process that sleeps" $? 0
one_of_its=$(ls /proc/$target/task | tail -n 1)
"$SPROFTOP" -b -n 1 -s 0.3 -p $target -p $!,$one_of_its --name show --name sleep >twice 2>err
is "batch: -p given twice, each process once" \
    "$(head -n 1 twice | grep -oE "\(($target|$!)\)" | tr '\n' ' ')" "($target) ($!) "
kill $!
"$SPROFTOP" -b -n 1 -s 0.3 --view threads -p $target | grep -q gamma
is "batch: threads" $? 0
"$SPROFTOP" -b --keys g "$SHOW" 1 6 >batch 2>err
is "batch: the command's status" $? 6
check "batch: keys" grep -q 'Call tree' batch
check "batch: the usual bound on the cost" grep -qE 'cost [0-9.]+ % \(max 1\)' batch
check "batch: what the command wrote" grep -q '^show begins' err
"$SPROFTOP" -b -n 1 seq 100000 >batch 2>err
is "batch: what is kept of the log is shown" "$(sed 1d err | cksum)" "$(seq 100000 | cksum)"
"$SPROFTOP" -b -n 1 seq 400000 >batch 2>err
read -r all dropped < <(sed -n '1s/^sproftop: the command wrote \([0-9]*\) bytes, of which the first \([0-9]*\) are not kept:$/\1 \2/p' err)
is "batch: of a long log, what was written" "$all" "$(seq 400000 | wc -c)"
is "batch: what is not shown of it, and no more, is told" "$(sed 1d err | cksum)" \
    "$(seq 400000 | tail -c +$((dropped + 1)) | cksum)"
within "batch: bytes that are shown of it" $((all - dropped)) 1000000 1048576

# By name: what has ended, and only waits for its parent to look, is passed over.
# (A shell may have buried its child before it becomes the other one; this parent looks at none.)
cat >keeper.py <<'P'
import os, sys
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "0"])
with open("ended", "w") as file:
    print(pid, file=file)
os.execvp(sys.argv[2], sys.argv[2:])
P
cp "$(command -v sleep)" nap$$
python3 keeper.py ./nap$$ ./nap$$ 600 &
napping=$!
wait_until "one of the two has ended" 20 eval \
    '[ -s ended ] && grep -q "^State:.Z" /proc/$(cat ended)/status'
wait_until "the other one is there" 20 eval 'grep -q "^Name:.nap$$" /proc/$napping/status'
"$SPROFTOP" -b -n 1 -s 0.3 --name nap$$ >batch 2>err
is "batch: by name, one has ended" $? 0
check "batch: the other one is shown" grep -q " nap$$ ($napping)  " batch
"$SPROFRUN" -q -d 0.1 -o nap.pb.gz --name nap$$
is "sprofrun: by name, one has ended" $? 0
kill $napping
rm ended
python3 keeper.py ./nap$$ sleep 600 &
napping=$!
wait_until "it has ended" 20 eval '[ -s ended ] && grep -q "^State:.Z" /proc/$(cat ended)/status'
"$SPROFTOP" -b -n 1 --name nap$$ >batch 2>err
is "batch: all of the name have ended: status" $? 125
check "batch: it says so" grep -q "^sproftop: no process called 'nap$$' runs: [0-9]* ha.* ended" err
kill $napping
check "--live without a terminal names the program that has -b" \
    eval '"$SPROFRUN" --live true >out 2>err; [ $? = 2 ] && grep -q "sproftop -b prints" err'

# What cannot be written is an error, and says so; a reader that leaves is none.
for out in '>/dev/full' '>&-'; do
    eval '"$SPROFTOP" -b -n 1 -s 0.3 -p $target'" $out 2>err"
    is "batch $out: status" $? 125
    check "batch $out: message" grep -q '^sproftop: cannot write to standard output' err
done
"$SPROFTOP" -b -n 3 -s 0.1 -p $target 2>err | head -n 1 >/dev/null
is "batch: the reader left" "${PIPESTATUS[0]}" 0
check "batch: the reader left, no message" eval '! [ -s err ]'

# --- a terminal that takes nothing holds up nobody ---
cat >blocked.py <<'P'
import fcntl, os, pty, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm-256color"
    os.execv(sys.argv[1], [sys.argv[1], "-s", "0.1", "-p", sys.argv[2]])
# The terminal's output is never read: its buffer fills up. Keys make it draw. It is full when it
# has not grown for as long as many looks take.
end, size, since = time.time() + 60, 0, time.time()
while time.time() < end and (not size or time.time() < since + 1):
    os.write(fd, b"gE")
    time.sleep(0.05)
    os.write(fd, b"l")
    now = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"0000"))[0]
    if now != size:
        size, since = now, time.time()
print("full", int(time.time() < end), size)
def ticks():
    stat = open(f"/proc/{sys.argv[2]}/stat").read().split()
    return int(stat[13]) + int(stat[14])
before, end = ticks(), time.time() + 20
while time.time() < end and ticks() - before <= 5:
    time.sleep(0.05)
print("ticks", ticks() - before)
os.kill(pid, signal.SIGTERM)
end = time.time() + 20
while time.time() < end:
    if os.waitpid(pid, os.WNOHANG)[0]:
        print("ended")
        break
    time.sleep(0.05)
P
python3 blocked.py "$SPROFTOP" $target >blocked.out
check "the terminal is full" grep -q '^full 1' blocked.out
check "a blocked terminal does not hold up the target" \
    eval '[ "$(awk "/^ticks/ { print \$2 }" blocked.out)" -gt 5 ]'
check "nor the end of sproftop" grep -q '^ended' blocked.out
check "the target lives, untraced" grep -qE '^TracerPid:.0$' /proc/$target/status
finish
