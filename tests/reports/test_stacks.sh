#!/bin/bash
# SPDX-License-Identifier: MIT
# Reports over call stacks, and exports, as users call them: golden files, options, errors.
# sprofreport wrote the golden files; they were compared by hand with the table at the top of
# tests/unit/stacks_fixture.h.
# Usage: test_stacks.sh SPROFREPORT MAKE_STACKS GOLDEN-FOLDER
. "$(dirname "$0")/lib.sh"
report=$1 make=$2 golden=$3

for kind in stacks hostile deep empty large; do
	"$make" $kind "$work/$kind" || exit 1
done
p=$work/stacks

same "tree" tree.txt tree "$p"
same "bottom-up" bottom_up.txt tree --bottom-up "$p"
LC_ALL=C same "threads, ASCII" threads.txt tree --split thread --min-pct 0 "$p"
same "limited and filtered" filtered.txt tree --focus '^eval$' --limit 6 "$p"
same "tree tsv" tree.tsv tree --format tsv "$p"
same "processes csv" processes.csv tree --format csv --split process --limit 5 "$p"
same "tree json" tree.json tree --format json --no-inline --limit 4 "$p"
same "callers" callers.txt callers eval "$p"
same "callers tsv" callers.tsv callers eval --format tsv "$p"
same "callers by pattern, options first" callers.tsv --format tsv callers '^eva' "$p"
same "callers json" callers.json callers fib --format json "$p"
same "folded" stacks.folded export --format folded "$p"
same "folded of a thread" worker.folded export --format folded --thread worker --split process "$p"
same "flat as csv" flat.csv export --format csv --limit 2 "$p"

# A function that is in the tree only once has the same figures there as in the flat report.
for function in main fib read lex; do
	flat=$("$report" --format tsv "$p" |
		awk -F'\t' -v f=$function '$5 == f { print $1, $2, $3, $4 }')
	tree=$("$report" tree --format tsv "$p" |
		awk -F'\t' -v f=$function '$6 == f { print $2, $3, $4, $5 }')
	[ "$flat" = "$tree" ] || fail "$function: flat says $flat, tree says $tree"
done

# Folded stacks add up to all samples, also in a file.
"$report" export -o "$work/x.folded" "$work/large" || fail "by the name of the file"
folded=$(awk '{ n += $NF } END { print n }' "$work/x.folded")
counted=$("$report" summary --format tsv "$work/large" | awk '$1 == "samples" { print $2 }')
[ "$folded" = "$counted" ] || fail "folded $folded of $counted samples"

# Exporting to the native format changes nothing.
"$report" export --format pprof -o "$work/again.pb.gz" "$p" &&
    "$report" --format tsv "$p" >"$work/1" &&
	"$report" --format tsv "$work/again.pb.gz" >"$work/2" || fail "pprof"
cmp -s "$work/1" "$work/2" || fail "pprof through export"

# The deepest stacks, and a profile without samples, give valid output.
"$report" tree "$work/deep" | grep -q 'descend ↻ ' ||
    fail "deep recursion: $("$report" tree "$work/deep")"
[ "$("$report" export --format folded "$work/deep" | tr -cd ';' | wc -c)" = 5000 ] ||
    fail "deep folded"
"$report" tree "$work/empty" | grep -q '^no samples$' || fail "empty"
"$report" tree --focus nothing "$p" | grep -q '^no sample matches$' || fail "nothing chosen"
[ "$("$report" tree --format json "$work/empty")" = "[]" ] || fail "empty json"
[ -z "$("$report" export --format folded "$work/empty")" ] || fail "empty folded"
"$report" export --format svg "$work/empty" | grep -q '</svg>' || fail "empty svg"

# No control character of a name reaches the terminal.
"$report" tree "$work/hostile" | LC_ALL=C grep -q $'[\001-\010\013-\037]' &&
    fail "control characters"

refused "no function" 2 "callers of which function" callers
refused "a function and no file" 2 "no profile is named.*callers FUNC" callers main
refused "unknown function" 1 "no function is named or matches 'zzz'; there is:$" callers zzz "$p"
grep -qx '    main' "$work/err" || fail "known functions: $(cat "$work/err")"
refused "several functions" 1 "'a' matches [0-9]* functions; give .*:$" callers a "$p"
grep -qx '    main' "$work/err" || fail "these functions: $(cat "$work/err")"
refused "no expression" 2 "'(' and it is not\|not a regular expression" callers '(' "$p"
refused "export to what" 2 "export to which format" export "$p"
refused "unknown export" 2 "format 'yaml' is not known to export" export --format yaml "$p"
refused "format of export" 2 "sprofreport export --format svg" tree --format svg "$p"
refused "diff of nothing" 2 "no profile is named.*diff OLD.pb.gz sprof.pb.gz" diff
refused "export of nothing" 2 "no profile is named" export --format svg
refused "no such profile" 1 "cannot read" export --format svg "$work/none"
refused "pprof of a part" 2 "whole profile" export --format pprof --focus main "$p"
refused "unwritable" 1 "cannot write" export -o "$work/none/x.svg" "$p"
[ "$("$report" export --format yaml "$p" 2>&1 | grep -c '^  ')" = 11 ] ||
    fail "formats are not listed"

# A binary format is refused if the output is a terminal.
if command -v script >/dev/null; then
	TERM=xterm script -qec "'$report' export --format pprof '$p'" /dev/null </dev/null \
	    >"$work/out"
	grep -q 'not for a terminal' "$work/out" || fail "binary on a terminal"
else
	echo "skipped: no script(1), so no terminal"
fi

finish
