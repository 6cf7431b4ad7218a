#!/bin/bash
# SPDX-License-Identifier: MIT
# Exports for other programs: each field is compared with the published definition of the format;
# callgrind_annotate (package valgrind), if installed, also reads the file in its format.
# Usage: test_exports.sh SPROFREPORT MAKE_STACKS CHECK_EXPORT.PY
. "$(dirname "$0")/lib.sh"
report=$(realpath "$1") make=$(realpath "$2") check=$3
cd "$work" || exit 1

if ! python3 -c 'import csv, json' 2>/dev/null; then
	echo "skipped: python3 has no json (package python3)"
	exit 77
fi

for kind in stacks large deep empty; do
	"$make" $kind $kind && "$report" --format tsv $kind >$kind.tsv || exit 1
	for format in speedscope firefox perf-script; do
		[ $kind = large ] && [ $format = perf-script ] && continue # 37 MB
		"$report" export --format $format -o $kind.$format $kind || failed=1
		[ $kind = empty ] && [ $format = firefox ] && continue
		python3 "$check" $format $kind.$format $kind.tsv || failed=1
	done
	"$report" export --format callgrind -o $kind.callgrind $kind || failed=1
	[ $kind = empty ] && continue
	if command -v callgrind_annotate >/dev/null; then
		for inclusive in no yes; do
			callgrind_annotate --threshold=100 --auto=no --inclusive=$inclusive \
			    $kind.callgrind >annotated.$inclusive 2>err || failed=1
			[ -s err ] && fail "callgrind_annotate: $(cat err)"
		done
		mv annotated.no annotated && mv annotated.yes annotated.inclusive
		python3 "$check" callgrind annotated $kind.tsv || failed=1
	else
		echo "skipped: callgrind_annotate is not installed (package valgrind)"
	fi
done

# Hostile names stay names: the formats remain valid.
"$make" hostile hostile
for format in speedscope firefox; do
	"$report" export --format $format hostile |
		python3 -c 'import json, sys; json.load(sys.stdin)' ||
	    fail "hostile names: $format"
done
"$report" export --format perf-script hostile >out
LC_ALL=C grep -q $'[\001-\010\013-\037]' out && fail "control characters"
[ "$(grep -c cpu-clock out)" = 100 ] || fail "hostile names: perf-script"

# A value other than CPU time has its own unit.
"$report" export --format speedscope --value samples stacks | grep -q '"unit":"none"' ||
    fail "samples are no time"
"$report" export --format callgrind --value samples stacks | grep -q '^summary: 144$' ||
    fail "callgrind of samples"
"$report" export --format gmon --value samples -o x stacks 2>err
[ $? = 2 ] && grep -q 'holds time' err || fail "gmon of samples: $(cat err)"

finish
