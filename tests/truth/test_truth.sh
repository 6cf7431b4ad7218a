#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shares of five programs that were made at random (bench/truth_program.c), against their threads'
# own CPU clocks. bench/truth.sh, of which this is a short run, judges more of them, and has perf
# look on.
#
# The eight functions among themselves: the sum of chi-square over the programs, whose limit is its
# 99.9999 % point (Wilson and Hilferty's formula). Samples of one random moment in each period vary
# less than it allows for, so false alarms are rarer than one in a million runs of the test.
#
# Outside of the functions (calls): within 4.9 standard errors, one in a million again, and 3
# points more, since on the way into and out of sleep interrupts are off: the clock sees that
# time, and no sampler does. A hypervisor takes a virtual CPU away mostly in calls: of a machine of
# which it takes more than 5 % this is not true.
. "$(dirname "$0")/../lib.sh"

"$SOURCE/bench/truth.sh" --oracle own --seeds 3,22,31,40,50 --rates 1000 --seconds 2 --tsv \
    >rows 2>notes
is "programs" "$(grep -c '^[0-9]' rows)" 5
cat rows

read -r chi limit <<<"$(awk -F'\t' 'NR > 1 { chi += $18 * $19; df += $19 }
    END { print chi, df * (1 - 2 / (9 * df) + 4.7534 * sqrt(2 / (9 * df))) ^ 3 }' rows)"
within "functions among themselves, chi-square" "$chi" 0 "$limit"

while read -r seed truth shown effective steal; do
    read -r low high <<<"$(awk -v t="$truth" -v n="$effective" 'BEGIN {
        e = 3 + 4.9 * sqrt(t * (100 - t) / n); print t - e, t + e }')"
    within "program $seed ($steal % stolen), outside of the functions, where $truth % are right" "$shown" \
        "$low" "$high"
done <<<"$(awk -F'\t' 'NR > 1 { print $1, $10, $11, $13, $17 }' rows)"
finish
