#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares our unwinder, which works on a copy, with libunwind on the stopped thread, frame by
# frame.
opinion=$(realpath "$1") # lib.sh goes to another folder
# shellcheck source=tests/lib.sh
. "$SOURCE/tests/lib.sh"

# works PID: has it used more than 50 ms of CPU time? It has executed its program by then.
works() { awk '{ exit !($14 + $15 > 5) }' "/proc/$1/stat" 2>/dev/null; }
# ask WHAT STOPS COMMAND...: stops COMMAND STOPS times, and compares the stacks that our unwinder
# and libunwind find. WHAT: the case, for messages
ask() {
    local what=$1 stops=$2
    shift 2
    "$@" >/dev/null 2>&1 &
    local pid=$!
    wait_until "$what is at work" 60 works "$pid" || return
    "$opinion" "$pid" "$stops" >answer 2>differences
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    read -r _ stopped _ frames _ agree _ longer _ theirs _ differ _ vdso <answer
    within "$what: stops" "$stopped" "$((stops / 2))" "$stops"
    is "$what: frames that differ, of $frames ($agree of $stopped stacks agree)" "$differ" 0
    # Without unwind information libunwind ends early; it must not find callers where our unwinder
    # ends.
    is "$what: stacks that libunwind follows further" "$theirs" 0
    [ "$differ$theirs" = 00 ] || sort differences | uniq -c | sort -rn | head -5
    sed -n 2p answer
    # libunwind-ptrace cannot read the vdso, guesses, and loses the rest of the stack, which our
    # unwinder finds.
    [ "$vdso" = 0 ] || echo "$what: libunwind lost its way in the vdso $vdso times"
    [ "$longer" = 0 ] || echo \
        "$what: ours goes on in $longer stacks: $(sort differences | uniq -c | sort -rn | head -1)"
}

for shape in qsort signal pool longjmp log; do
    ask "$shape" 40 "$TARGETS/stacks" $shape 20
done
ask recursion 20 "$TARGETS/recursive" 200 20
[ -x /usr/bin/python3 ] &&
    ask python3 40 /usr/bin/python3 -c 'import json
while True: json.dumps(sorted(range(2000), key=lambda x: -x))'
command -v gzip >/dev/null && ask gzip 40 sh -c 'exec gzip -9 </dev/zero'
finish
