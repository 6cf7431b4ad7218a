#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A target with known shares: over 20 runs, the reported shares deviate as binomial numbers do.
#
# chi^2 = sum over runs and functions of n (observed - p)^2 / p, with n the effective number of
# samples. It has at most 20 (ways - 1) degrees of freedom; evenly spread ticks make it smaller. The
# limits are its 99.9999 % points (35.9 for 5 degrees, 65.4 for 20, 526 for 380): each gives one
# false alarm in a million runs of the test.
. "$(dirname "$0")/../lib.sh"

# chi_square RUNS WAYS ROUNDS [NAP_MS]: prints chi^2 of RUNS runs of tests/targets/split.c, which
# explains the other parameters
chi_square() {
    local ways=$2 profile=$2-${4-0}.pb.gz
    for run in $(seq "$1"); do
        "$SPROFRUN" -q -F 2000 --max-overhead 100 -o "$profile" "$TARGETS/split" "${@:2}" ||
            return 1
        "$SPROFREPORT" flat --format tsv "$profile" |
            awk -F'\t' -v n="$(figure effective_samples "$profile")" -v ways="$ways" '
                $5 ~ /^f[0-9]+$/ { ns[substr($5, 2)] = $2; sum += $2 }
                END {
                    for (i = 0; i < ways; i++) {
                        p = ways == 2 ? (i ? 0.19 : 0.81) : (i + 1) / 210
                        chi += n * (ns[i] / sum - p) ^ 2 / p
                    }
                    print chi
                }'
    done | awk '{ sum += $1 } END { print sum }'
}

# Two at a time: each has one thread, and most machines have two CPUs. The limits also hold if both
# share one CPU.
chi_square 20 2 10000 >two &
chi_square 20 20 10000 >twenty
wait
within "81/19" "$(cat two)" 0 65.4
within "20 ways" "$(cat twenty)" 0 526
# After a nap that is as long as the supervisor takes to notice that all threads are asleep, the
# same function always runs first.
chi_square 5 2 60 12 >naps12 &
chi_square 5 2 40 30 >naps30
wait
within "81/19 after naps of 12 ms" "$(cat naps12)" 0 35.9
within "81/19 after naps of 30 ms" "$(cat naps30)" 0 35.9
finish
