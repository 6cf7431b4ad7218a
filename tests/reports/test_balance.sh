#!/bin/bash
# SPDX-License-Identifier: MIT
# Ranks of a job: in a merged profile labels tell them apart, and the report shows which rank does
# more.
# Usage: test_balance.sh SPROFREPORT MAKE_TIMELINE
. "$(dirname "$0")/lib.sh"
report=$(realpath "$1") make=$(realpath "$2")
cd "$work" || exit 1

for rank in 0 1 2 3; do
	"$make" rank $rank $((rank == 2 ? 5 : 1)) r$rank || exit 1
done
"$report" merge -o all.pb.gz r0 r1 r2 r3
is "merge" "$?" 0
# The function store takes 0.5 s in each of three ranks, and 2.5 s in the fourth.
row() { "$report" merge --by "$1" --format tsv all.pb.gz | awk -F'\t' -v f="$2" '$6 == f'; }
is "store by rank" "$(row rank store)" \
    "500000000	1000000000	2500000000	150	2	store	/opt/phases"
is "work by rank" "$(row rank work | cut -f1-4)" "1800000000	1800000000	1800000000	0"
is "store by host" "$(row host store)" \
    "1000000000	2000000000	3000000000	50	south	store	/opt/phases"
is "the sum" "$(row rank '[all]' | cut -f1-5)" \
    "3307000000	3807000000	5307000000	39.4011	2"
is "by process, of one pid" "$(row process '[all]' | cut -f5)" "phases 10 on south"
is "what costs most first" "$("$report" merge --by rank --format tsv all.pb.gz |
    sed -n '3p' | cut -f6)" store
"$report" merge --by rank --width 100 all.pb.gz >out || failed=1
grep -q '^3 ranks: 0, 1, 3; 3.31 s each, most in work (' out &&
    grep -q '^1 rank: 2; 5.31 s each, most in store (' out &&
    grep -q '^2 kinds of behaviour$' out ||
    { echo "FAIL: who is alike"; cat out; failed=1; }
"$report" merge --by rank r0 r1 | grep -q '^all behave alike$' || fail "alike"

# --limit keeps the first rows, and the report says how many it cut.
all=$("$report" merge --by rank --format tsv all.pb.gz | sed 1d | wc -l)
"$report" merge --by rank --limit 1 --min-pct 0 all.pb.gz >cut || failed=1
is "rows that are cut" "$(grep -cE '^... and [0-9]+ more functions?$' cut)" 1
is "their number" "$(sed -nE 's/^... and ([0-9]+) more functions?$/\1/p' cut)" $((all - 2))
is "the rows that stay" "$(grep -cE '%  2 +(\[all\]|store)' cut)" 2
"$report" merge --by rank --limit 0 --min-pct 0 all.pb.gz | grep -q '^... and' &&
	fail "nothing is cut"

# Profiles that cannot be compared by rank are refused with the reason.
"$make" phases p
"$report" merge --by rank p 2>err
is "no ranks" "$? $(grep -c 'do not say which rank' err)" "2 1"
"$report" diff --by rank p p 2>err
is "diff by rank" "$? $(grep -c 'are for merge' err)" "2 1"
"$report" merge -o x.pb.gz --format svg p 2>err
is "merge to a picture" "$? $(grep -c 'merge writes the native format' err)" "2 1"
"$report" merge -o x.pb.gz 2>err
is "merge of nothing" "$? $(grep -c 'sprofreport merge -o OUT sprof.pb.gz' err)" "2 1"

# A profile that another program has written: one sample with the value 5, at a location without a
# function. It names no process.
printf '\x0a\x04\x08\x01\x10\x02\x12\x06\x0a\x01\x01\x12\x01\x05\x22\x02\x08\x01' >other
printf '\x32\x00\x32\x07samples\x32\x05count' >>other
"$report" balance --by process other 2>err
is "no processes" "$? $(grep -c 'no process has a sample' err)" "2 1"

finish
