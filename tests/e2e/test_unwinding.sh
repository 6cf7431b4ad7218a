#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Stacks of some shapes, one short run of each: they reach the thread's beginning, and are stacks
# that the program can have. tests/truth/test_unwinding.sh tests all shapes, with the shares of
# right stacks.
. "$(dirname "$0")/../lib.sh"

# profile OPTIONS... -- COMMAND...: leaves the stacks in the file "folded"
profile() {
    "$SPROFRUN" -q --max-overhead 100 -o p.pb.gz "$@" >/dev/null || return 1
    "$SPROFREPORT" export --format folded -o folded p.pb.gz
}

profile -F 1000 -- "$TARGETS/recursive" 200 0.4; is "recursion: status" $? 0
check "recursion: samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
is "recursion: none incomplete" "$(incomplete_but_start p.pb.gz)" ""
is "recursion: each leaf is at its depth" \
    "$(awk '{ m = gsub(/;descend/, "") } /burn/ && m != 200 { print m }' folded)" ""

# If a stack is longer than the cap, the part nearest the leaf is kept, and the loss is reported.
profile -F 1000 --max-stack 64K -- "$TARGETS/recursive" 5000 0.4; is "a cap: status" $? 0
is "a cap: all are counted" "$(figure truncated_stacks p.pb.gz)" \
    "$(awk '/^\[truncated\]/ { n += $NF } END { print n + 0 }' folded)"
check "a cap: the root says so" grep -q '^\[truncated\];.*descend' folded

for shape in qsort signal pool longjmp; do
    profile -F 1000 -- "$TARGETS/stacks" $shape 0.4; is "$shape: status" $? 0
    is "$shape: none incomplete" "$(incomplete_but_start p.pb.gz)" ""
done

# Every stack is one that the program can have.
profile -F 2000 -- "$TARGETS/stacks" log 0.6; is "log: status" $? 0
check "log: samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
is 'log: no stack that cannot be' "$(impossible_stacks folded)" ''

profile -g fp -F 1000 -- "$TARGETS/recursive_fp" 50 0.3; is "frame pointers: status" $? 0
is "frame pointers: none incomplete" "$(incomplete_but_start p.pb.gz)" ""
profile -G -F 1000 -- "$TARGETS/recursive" 30 0.3; is "no stacks: status" $? 0
"$SPROFREPORT" export --format folded --no-inline -o folded p.pb.gz
is "no stacks: places alone" "$(sed 's/;\[syscall\].*//' folded | grep -c ';')" 0
finish
