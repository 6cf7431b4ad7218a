#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Stacks in the heap, whose end is not known in advance. The first copies are too short for stacks
# of 200 KiB, and are reported as cut; later copies are long enough.
# shellcheck source=tests/lib.sh
. "$SOURCE/tests/lib.sh"

# stacks OPTION...: profiles a program whose stacks are in the heap; sets samples, cut (samples
# whose stack is cut), and whole (those whose stack reaches in_heap)
stacks() {
    "$SPROFRUN" -q -F 1000 "$@" -o p.pb.gz "$TARGETS/stacks" heap 1 >out
    samples=$(figure samples p.pb.gz)
    cut=$(figure truncated_stacks p.pb.gz)
    "$SPROFREPORT" export --format folded -o p.folded p.pb.gz
    whole=$(awk '/in_heap;digger;.*;digger(;|;.*;)burn/ && !/\[truncated\]/ { n += $NF }
        END { print n + 0 }' p.folded)
}
stacks
check "the first stack is cut, and counted" [ "$cut" -ge 1 ]
check "later ones are whole ($whole of $samples, $cut cut)" [ "$whole" -ge 1 ]
is "those that are cut say so" "$(awk '/^\[truncated\]/ { n += $NF } END { print n + 0 }' p.folded)" \
    "$cut"
stacks --max-stack 64K
is "no more than --max-stack is copied" "$whole" 0
"$TARGETS/stacks" heap 60 >out & pid=$!
at_work() { [ "$(awk '{ printf "%d", $1 }' /proc/$pid/schedstat 2>/dev/null)" -gt 100000000 ]; }
wait_until "it is at work" 20 at_work
"$SPROFRUN" --dump $pid >dump
check "a dump copies the whole stack" [ "$(grep -c digger dump)" -ge 100 ]
kill -KILL $pid
wait $pid 2>/dev/null
finish
