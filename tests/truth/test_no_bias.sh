#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A target of known shares is reported within the binomial expectation over 20 runs.
#
# chi^2 = sum over runs and functions of n (observed - p)^2 / p, with n the effective number of
# samples. It has 20 (ways - 1) degrees of freedom at most (ticks spread evenly make it smaller).
# The limits are its 99.9999 % points: 5 degrees 35.9, 20 degrees 65.4, 380 degrees 526: a false
# alarm in a million runs of the test for each of them.
. "$(dirname "$0")/../lib.sh"

# chi_square RUNS WAYS ROUNDS [NAP_MS]
chi_square() {
    local ways=$2 profile=$2-${4-0}.pb.gz
    for run in $(seq "$1"); do
        "$SPROFRUN" -q -F 2000 --max-overhead 100 -o "$profile" "$TARGETS/split" "${@:2}" || return 1
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

# Two at a time: each has one thread, and there are two CPUs mostly. The limits hold where they
# share one, too.
chi_square 20 2 10000 >two &
chi_square 20 20 10000 >twenty
wait
within "81/19" "$(cat two)" 0 65.4
within "20 ways" "$(cat twenty)" 0 526
# Always the same after some sleep, as long as the supervisor needs to find that nobody is at work.
chi_square 5 2 60 12 >naps12 &
chi_square 5 2 40 30 >naps30
wait
within "81/19 after naps of 12 ms" "$(cat naps12)" 0 35.9
within "81/19 after naps of 30 ms" "$(cat naps30)" 0 35.9
finish
