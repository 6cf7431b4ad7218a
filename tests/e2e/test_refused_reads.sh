#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where process_vm_readv is refused, memory is read through /proc/PID/mem. Stacks are whole: those
# of a command, of its image after an exec, of a process to which sprofrun attaches, and of a dump.
# Python's functions are found, too.
. "$(dirname "$0")/../lib.sh"
refuse=$TARGETS/refuse
"$refuse" "$(type -P true)" || skip "no filter of system calls can be installed here"

stacks() { "$SPROFREPORT" export --format folded -o - "$1"; }
# whole WHAT PROFILE: asserts that there are stacks of inner, and that each has its callers outer
# and work.
whole() {
    check "$1: stacks" grep -q ';inner[; ]' <(stacks "$2")
    is "$1: all whole" "$(stacks "$2" | grep ';inner[; ]' | grep -cv 'work;outer;inner')" 0
}
"$refuse" "$SPROFRUN" -q -F 1000 -o r.pb.gz "$TARGETS/leaderless" work 400
is "launched: status" $? 42
whole launched r.pb.gz
"$refuse" "$SPROFRUN" -q -F 1000 -o e.pb.gz "$TARGETS/leaderless" \
    exec "$TARGETS/leaderless" work 200
is "exec: status" $? 42
whole exec e.pb.gz

"$TARGETS/leaderless" work 60000 & target=$!
"$refuse" "$SPROFRUN" -q -F 1000 -o a.pb.gz -p $target -d 0.4
is "attached: status" $? 0
whole attached a.pb.gz
"$refuse" "$SPROFRUN" --dump $target >dump
# (work() is on the stack at any time. inner() and outer() are not: work() reads the clock between
# two calls.)
check "dumped" grep -qE ' work( |$)' dump
kill -KILL $target

if [ "$(uname -m)" = x86_64 ] && python3 -c 'import sys; sys.exit(
        not (3, 8) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then
    # For more than a second of CPU time: until the analyst has found the interpreter's table, which
    # takes it 50 ms of its own time, stacks have no functions of Python.
    "$refuse" "$SPROFRUN" -q -F 500 -o p.pb.gz "$(type -P python3)" -c '
def spins():
    for i in range(40000000): pass
spins()'
    check "Python" grep -q ';spins[; ]' <(stacks p.pb.gz)
    # Now and then a stack does not match because its thread is in the middle of a call, whether
    # reads are refused or not. (Of 61 runs of 500 stacks each, 4 had such a stack with refused
    # reads, and 5 without.)
    check "Python: they match" [ $((10 * $(figure python_unmatched p.pb.gz))) -lt \
        "$(figure python_stacks p.pb.gz)" ]
fi
finish
