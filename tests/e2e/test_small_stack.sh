#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `ulimit -s 64` limits the stacks of the command, not of our helpers: they are not killed, and the
# command keeps its limit.
# shellcheck source=tests/lib.sh
. "$SOURCE/tests/lib.sh"

# Sanitizers make all frames longer, also those of sprofrun.
grep -q 'b_sanitize": *"[^n]' "$BUILD/meson-info/intro-buildoptions.json" 2>/dev/null ||
    nm -D "$SPROFRUN" | grep -q __asan_init && skip "a build with sanitizers"

small() { # COMMAND...: with the limit
    (ulimit -s 64 && exec "$@")
}

# profiled WHAT OPTIONS...: profiles a command that spins, and prints its limit
profiled() {
    local what=$1
    shift
    rm -f p.pb.gz
    small "$@" "$SPROFRUN" -q -F 500 $options -o p.pb.gz \
        sh -c "ulimit -s; ulimit -Hs; $TARGETS/recursive 20 0.5 >/dev/null; exit 6" >out 2>err
    is "$what: status" $? 6
    is "$what: no messages" "$(cat err)" ""
    is "$what: the command has the limit" "$(tr '\n' ' ' <out)" "64 64 "
    check "$what: samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
    is "$what: stacks are unwound" "$(figure truncated_stacks p.pb.gz)" 0
}

options=
profiled "a limit of 64 KiB"
options="-w both -g fp"
profiled "with $options"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 777 "$WORK"
    options=
    profiled "an ordinary user" setpriv --reuid=65534 --regid=65534 --clear-groups
fi

# With a stack limit of 64 KiB sprofreport works, too, and so does its helper, which reads ELF files
# in a sandbox.
"$SPROFREPORT" annotate burn p.pb.gz >whole 2>&1
small "$SPROFREPORT" annotate burn p.pb.gz >cut 2>&1
is "annotate: status" $? 0
check "annotate: as without a limit" cmp -s whole cut
"$SPROFREPORT" export -o whole.html p.pb.gz
small "$SPROFREPORT" export -o cut.html p.pb.gz
is "export: status" $? 0
check "export: as without a limit" cmp -s whole.html cut.html

# sproftop: its drawing thread reads the description of the terminal.
if command -v tmux >/dev/null; then
    tm() { tmux -L "small$$" "$@"; }
    trap 'tm kill-server 2>/dev/null; rm -rf "$WORK"' EXIT
    tm -f /dev/null new-session -d -s t -x 100 -y 30 "env PS1='ready> ' sh" ||
        skip "tmux cannot start"
    sees() { tm capture-pane -p -t t | grep -qF -e "$1"; }
    wait_until "the shell is there" 20 sees 'ready>'
    tm send-keys -t t "(ulimit -s 64; $BUILD/tools/sproftop $TARGETS/recursive 20 60 2>err.top)" \
        Enter
    wait_until "the view shows the function" 20 sees descend
    tm send-keys -t t q
    wait_until "the view has ended" 20 sees 'ready>'
    is "the view: nobody was killed" "$(grep -c 'killed\|died' "$WORK/err.top")" 0
else
    echo "skipped: the view: tmux is missing"
fi
finish
