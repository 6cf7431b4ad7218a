#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shares of five random programs (bench/truth_program.c), compared with the CPU clocks of their
# threads. This is a short run of bench/truth.sh, which tests more programs, and perf with them.
#
# Shares among the eight functions: the sum of chi-square over the programs, with its 99.9999 %
# point as limit (formula of Wilson and Hilferty). Instants with one random phase in each period
# vary less than chi-square assumes, so that false alarms are rarer than one in a million runs of
# the test.
#
# Share outside of the functions (system calls): within 4.9 standard errors, again one in a million,
# and 3 points more. Interrupts are off on the way into and out of sleep: the clock counts that
# time, and no sampler can see it. A hypervisor takes a virtual CPU away mostly in system calls; if
# it takes more than 5 %, this limit does not hold.
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
    within "program $seed ($steal % stolen), outside of the functions, where $truth % are right" \
        "$shown" \
        "$low" "$high"
done <<<"$(awk -F'\t' 'NR > 1 { print $1, $10, $11, $13, $17 }' rows)"
finish
