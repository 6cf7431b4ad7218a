#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A system call that lasts longer than a period has as much of the time as the program's own clock
# says. An interrupted thread stops at the end of its call: all instants that find it there until
# then count. (Where the kernel is preempted only the first one did: of 57 % 28 were shown at 250 Hz
# and 15 at 1000.)
. "$(dirname "$0")/../lib.sh"

for hz in 250 1000; do
    truth=$(timeout 120 "$SPROFRUN" -q -F $hz -o p.pb.gz "$TARGETS/long_calls" 80 64 2>err)
    is "$hz Hz: status" $? 0
    within "$hz Hz: found" "$(figure found_ratio p.pb.gz)" 0.8 1.2
    # As good as some 200 samples of equal weight, of which four standard errors are 14 points.
    within "$hz Hz: part of mmap and munmap, which is ${truth:?}" \
        "$("$SPROFREPORT" flat --format tsv p.pb.gz | awk -F'\t' 'NR > 1 { all += $2 }
            $5 ~ /^\[syscall\] m(un)?map$/ { calls += $2 } END { print 100 * calls / all }')" \
        "$(awk -v t="$truth" 'BEGIN { print t - 14 }')" "$(awk -v t="$truth" 'BEGIN { print t + 14 }')"
done

# A transfer that a stop has cut short is repaired, and its thread is not interrupted meanwhile: it
# is known to be there, and its stack is. (Of such reads of 3 ms 0.7 were found.)
# (Without what fills the memory of tests: dd would spend its time with that.)
MALLOC_PERTURB_=0 timeout 120 "$SPROFRUN" -q -F 1000 -o p.pb.gz dd if=/dev/zero of=/dev/null bs=64M count=200 2>err
is "a repaired call: status" $? 0
within "a repaired call: found" "$(figure found_ratio p.pb.gz)" 0.8 1.2
within "a repaired call: with its callers" "$("$SPROFREPORT" export --format folded -o - p.pb.gz |
    awk '{ n = $NF; all += n } /;.*;\[syscall\] read / { read += n } END { print 100 * read / all }')" \
    90 100
finish
