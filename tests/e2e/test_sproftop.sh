#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sproftop in a real terminal (tmux), on a live process and on a command: keys, the mouse and new
# sizes arrive; the functions that need the whole program work; the terminal and the target are
# unharmed after each way to end. The effect of each key is tested on a screen in memory
# (tests/unit/view/test_live*.c). SIGNALS: signals that end sproftop in the test; tests/long.sh
# names more.
. "$(dirname "$0")/../lib.sh"
command -v tmux >/dev/null || skip "tmux is not installed"
SPROFTOP=$BUILD/tools/sproftop
SHOW=$TARGETS/show
socket=sproftop-$$
# On a loaded machine stops last long, and the default bound of 2 % would leave few samples.
much="--max-overhead 99"
export LC_ALL=C.UTF-8
unset NO_COLOR
tm() { tmux -L "$socket" "$@"; }
target=
trap 'tm kill-server 2>/dev/null; [ -z "$target" ] || kill "$target" 2>/dev/null; rm -rf "$WORK"' \
    EXIT

# A shell in a terminal of 100x30, into which the test types as a user does.
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
# wait_first WHAT REGEX: waits until the first row of the table matches
first_is() { screen | sed -n 5p | grep -qE "$1"; }
wait_first() { wait_until "$1" 40 first_is "$2" && echo "ok: $1" || { screen; finish; }; }
# key KEYS... REGEX: types the keys, and waits until the screen shows REGEX
key() { tm send-keys -t t "${@:1:$#-1}"; wait_shows "${!#}"; }
typed() { tm send-keys -t t -l "$1"; }
run_line() { typed "$1"; tm send-keys -t t Enter; }
# Is the terminal as a shell needs it: no alternate screen, a cursor, no mouse?
terminal_is_back() {
    [ "$(tm display -p -t t '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = "0 1 0" ]
}
# start LINE: clears the terminal, so that the status of the previous program is not taken for that
# of the next one, and types LINE.
start() {
    run_line clear
    wait_until "the terminal is cleared" 40 hides 'status='
    tm clear-history -t t
    run_line "$*; echo \"status=\$?\"; stty -a | grep -oE -- '-?(icanon|echo) '"
}
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
start "$SPROFTOP $much -s 0.2 -p $target"
wait_shows 'show_inner'
wait_shows '(running|idle)'
wait_shows 'found [0-9.]+ .*%'
wait_shows 'cost [0-9.]+ % \(max 99\)'
wait_shows '250 Hz'
wait_shows 'lost 0'

# Keys of one byte and of several, as this terminal sends them.
key l 'LINE +FUNCTION'
key g 'CALL TREE'
key o 'Objects'
key Tab 'Functions'
key BTab 'Objects'
key Tab 'Functions'
key F1 'this help'
key Escape 'Functions'
key F4 'show only what matches:'
typed 'getppid'
key Enter 'filter getppid'
wait_hides 'show_inner'
key F4 'show only what matches: getppid'
tm send-keys -t t C-u Enter
wait_shows 'show_inner'
tm resize-window -t t -x 80 -y 24
key h '1-19 of [0-9]+'
key PageDown '19-37 of'
key End 'real time the sampler'
key Home ' quit'
key h 'Functions'
tm send-keys -t t j k Down Up PageDown PageUp Right Left C-l
wait_shows 'FUNCTION'

# Functions that need the whole program: source and instructions by the analyst, the rate, a freeze,
# a file.
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
key ']' '500 Hz'
key f 'frozen'
tm send-keys -t t f
wait_hides ' frozen '
key O 'not written anything'
tm send-keys -t t Escape
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

# The view follows each new size of the terminal.
for size in 60x12 200x50 20x5 80x24; do
    tm resize-window -t t -x "${size%x*}" -y "${size#*x}"
    [ "$size" = 20x5 ] || wait_shows 'show_inner'
done
tm send-keys -t t Home
wait_until "the last line is the last" 40 eval \
    '[ "$(screen | sed -n 24p | grep -c "F1 Help")" = 1 ]'
tm resize-window -t t -x 100 -y 30
wait_shows 'SELF s' # a column of screens of 100 columns or more

# Titles are clicked on, and the wheel is turned. The terminal (TERM=screen) sends ESC [ M, then
# button, column and row (from 1 on), with 32 added to each.
mouse() {
    typed "$(printf '\033[M%b%b%b' "\\$(printf %o $((32 + $1)))" "\\$(printf %o $((32 + $2)))" \
        "\\$(printf %o $((32 + $3)))")"
}
click() { mouse 0 "$1" "$2"; mouse 3 "$1" "$2"; } # pressed, released
click 18 4
click 5 4
# The effect of a click is tested in test_live; here clicks must do no harm.
wait_shows 'show_inner'
mouse 65 5 10
mouse 64 5 10

much="$much -s 0.2"

# q: the target is unharmed.
tm send-keys -t t q
wait_back
wait_shows '^status=0'
check "the target lives, untraced" grep -qE '^TracerPid:.0$' /proc/$target/status
check "its threads are not stopped" eval '! grep -h "^State:.[tT]" /proc/$target/task/*/status'
start "$SPROFTOP $much -p $target"
wait_shows 'show_inner'
tm send-keys -t t C-c
wait_back
wait_shows '^status=0'

# --- a source file that was changed ---
newer='edited\.c is newer than the profile: lines may not fit'
printf 'int main(void)\n{\n\tfor (volatile unsigned n = 0;; n++)\n\t\t;\n}\n' >edited.c
if gcc -g -o edited edited.c 2>/dev/null; then
    for date in 'next year'; do
        touch -d "$date" edited.c
        start "$SPROFTOP $much -- ./edited"
        wait_first "main is the first row" ' main +edited'
        key a 'Source › main'
        wait_shows 'volatile unsigned n = 0'
        wait_shows "^ *$newer"
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
# (sproftop is found by its session: tmux may start our shell as a child of another shell.)
top_pid() { pgrep -x sproftop -s "$(tm display -p -t t '#{pane_pid}')"; }
# The kernel detaches the threads of a dead tracer one after the other.
let_go() { ! grep -hq '^TracerPid:.[1-9]' /proc/$target/task/*/status; }
# (SIGINT is not among them: a shell drops its input line when a child dies of it.)
for signal in ${SIGNALS:-TERM KILL}; do
    start "$SPROFTOP $much -p $target"
    wait_shows 'show_inner'
    kill -$signal "$(top_pid)"
    # The shell may print its prompt before the analyst of a dead supervisor has restored the
    # terminal.
    wait_until "the terminal is given back" 40 terminal_is_back
    run_line "echo status=\$?; stty -a | grep -oE -- '-?(icanon|echo) '"
    wait_back
    check "the target lives after SIG$signal" kill -0 $target
    wait_until "all threads are let go after SIG$signal" 20 let_go
done
for way in SEGV:F10 KILL:q; do
    start "$SPROFTOP $much -p $target"
    wait_shows 'show_inner'
    kill -"${way%:*}" "$(pgrep -P "$(tracing "$(top_pid)")" -x sprofil-analyst)"
    # The screen shows lost samples: a new analyst draws, as the supervisor has replaced the killed
    # one.
    wait_shows 'lost [1-9]'
    tm send-keys -t t "${way#*:}"
    wait_back
    wait_shows '^status=0'
    check "the death of the analyst is told" shows 'analyst .* killed by signal'
    wait_until "all threads are let go" 20 let_go
done

# --- stopped and continued: the shell gets the terminal, and the view gets it again ---
# stopped_and_back: asserts that the stopped sproftop has restored the terminal, and that after fg
# the view is shown again and takes keys.
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
start "$SPROFTOP $much -p $target"
wait_shows 'show_inner'
tm send-keys -t t C-z
wait_until "stopped by ^Z, it leaves the terminal" 20 terminal_is_back
ticks=$(cut -d' ' -f14 "/proc/$target/stat")
ran_on() { [ "$(cut -d' ' -f14 "/proc/$target/stat")" -gt $((ticks + 20)) ]; }
wait_until "^Z: the target goes on" 40 ran_on
stopped_and_back
kill -TSTP "$(top_pid)"
stopped_and_back
kill -STOP "$(top_pid)"
stopped_and_back
tm send-keys -t t q
wait_until "the terminal is given back" 40 terminal_is_back
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

finish
