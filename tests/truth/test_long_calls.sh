#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A system call that lasts longer than a period has the share of time that the program's own clock
# measures. An interrupted thread stops at the end of its call, and all instants that find it there
# until then count. (Once, on a preemptible kernel, only the first one did: of 57 %, 28 were shown
# at 250 Hz and 15 at 1000 Hz.)
. "$(dirname "$0")/../lib.sh"

for hz in 250 1000; do
    truth=$(timeout 120 "$SPROFRUN" -q -F $hz -o p.pb.gz "$TARGETS/long_calls" 80 64 2>err)
    is "$hz Hz: status" $? 0
    within "$hz Hz: found" "$(figure found_ratio p.pb.gz)" 0.8 1.2
    # The samples are worth some 200 of equal weight: 14 points are four standard errors.
    within "$hz Hz: part of mmap and munmap, which is ${truth:?}" \
        "$("$SPROFREPORT" flat --format tsv p.pb.gz | awk -F'\t' 'NR > 1 { all += $2 }
            $5 ~ /^\[syscall\] m(un)?map$/ { calls += $2 } END { print 100 * calls / all }')" \
        "$(awk -v t="$truth" 'BEGIN { print t - 14 }')" \
        "$(awk -v t="$truth" 'BEGIN { print t + 14 }')"
done

# While the supervisor repairs a transfer that a stop has cut short, it does not interrupt the
# thread, whose location and stack it knows. (An earlier version took samples at only 0.7 of the
# instants in such reads, of 3 ms each.) MALLOC_PERTURB_ is off, or dd would spend its time in
# filling memory.
MALLOC_PERTURB_=0 timeout 120 "$SPROFRUN" -q -F 1000 -o p.pb.gz dd if=/dev/zero of=/dev/null \
    bs=64M count=200 2>err
is "a repaired call: status" $? 0
within "a repaired call: found" "$(figure found_ratio p.pb.gz)" 0.8 1.2
within "a repaired call: with its callers" "$("$SPROFREPORT" export --format folded -o - p.pb.gz |
    awk '{ n = $NF; all += n } /;.*;\[syscall\] read / { read += n } END {
        print 100 * read / all }')" \
    90 100
finish
