#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How often does diff find that one function is 10 % slower, and how often does it claim a change
# between two equal builds? Runs of three builds in turns: A, the slower one, and A once more.
# usage: BUILD=build bench/diff.sh [REPETITIONS [RUNS [ROUNDS [HZ [FOLDER]]]]]
# FOLDER keeps the profiles. A profile that is in FOLDER already is used again.
. "$(dirname "$0")/lib.sh"
repetitions=${1:-20} runs=${2:-3} rounds=${3:-10000} rate=${4:-2000} folder=${5:-$WORK}
source=$(cd "$(dirname "$0")" && pwd)/diff_program.c
cc -O2 -g -o "$WORK/same" "$source" && cc -O2 -g -DSLOWER=10 -o "$WORK/slower" "$source" || exit 1
mkdir -p "$folder" && cd "$folder" || exit 1
found=0 others=0 false=0
for ((i = 1; i <= repetitions; i++)); do
    for ((j = 1; j <= runs; j++)); do
        for side in a b c; do
            program=$WORK/same
            [ $side = b ] && program=$WORK/slower
            [ -e "$side.$i.$j.pb.gz" ] ||
                "$SPROFRUN" -q -F "$rate" -o "$side.$i.$j.pb.gz" -- "$program" "$rounds" \
                    >/dev/null || exit 1
        done
    done
    "$SPROFREPORT" diff --format tsv a."$i".*.pb.gz -- b."$i".*.pb.gz >changed || exit 1
    "$SPROFREPORT" diff --format tsv a."$i".*.pb.gz -- c."$i".*.pb.gz >equal || exit 1
    awk -F'\t' '$7 == "hash" && $6 == 1 && $4 > 0 { n++ } END { exit !n }' changed &&
        found=$((found + 1))
    awk -F'\t' 'NR > 1 && $7 != "hash" && $6 == 1 { n++ } END { exit !n }' changed &&
        others=$((others + 1))
    awk -F'\t' 'NR > 1 && $6 == 1 { n++ } END { exit !n }' equal && false=$((false + 1))
    echo "$i: hash $(awk -F'\t' '$7 == "hash" { printf "%+.1f (%+.1f to %+.1f)", $3, $4, $5 }' \
        changed) %, equal builds $(awk -F'\t' '$7 == "hash" { printf "%+.1f (%+.1f to %+.1f)", $3,
        $4, $5 }' equal) %"
done
echo "found in $found of $repetitions, something else besides in $others;" \
    "two equal builds show anything in $false of $repetitions"
