#!/bin/bash
# SPDX-License-Identifier: MIT
# Exports in readers that Debian does not package: speedscope's importer and stackvis, which
# collapses stacks (npm packages in the folder $READERS, where test.sh unpacks them), and
# stackcollapse-perf.pl of FlameGraph ($STACKCOLLAPSE, which tests/long_readers.sh sets). They see
# the total of the summary, and for each function the figure of the flat report.
# Usage: test_foreign_readers.sh SPROFREPORT MAKE_STACKS
. "$(dirname "$0")/lib.sh"
report=$(realpath "$1") make=$(realpath "$2") here=$(cd "$(dirname "$0")" && pwd)
import=$here/import_speedscope.js
done=0

# package NAME: prints the folder of the npm package NAME, or nothing
package() {
	local folder
	for folder in "${READERS:-}" /usr/local/lib/node_modules /usr/lib/node_modules; do
		[ -d "$folder/$1" ] && realpath "$folder/$1" && return
	done
}

bundle=$(ls "$(package speedscope)"/dist/release/speedscope-*.js 2>/dev/null | head -n1)
stackvis=$(package stackvis)
collapse=${STACKCOLLAPSE:-$(command -v stackcollapse-perf.pl)}
cd "$work" || exit 1

for kind in stacks large; do
	"$make" $kind $kind.pb.gz && "$report" summary --format tsv $kind.pb.gz >$kind.summary &&
	    "$report" --format tsv $kind.pb.gz >$kind.flat || exit 1
done

figure() { # NAME KIND
	awk -F'\t' -v name="$1" '$1 == name { printf "%.0f\n", $2 }' "$2.summary"
}

# same WHAT COLUMN KIND FACTOR: reads lines FUNCTION<TAB>SELF, and asserts that SELF times FACTOR is
# in COLUMN of the flat report of KIND.pb.gz, within half a unit; WHAT begins each message
same() {
	awk -F'\t' -v column="$2" -v factor="$4" -v what="$1" '
	NR == FNR { if (FNR > 1) wanted[$5] += $column; next }
	{ got[$1] += $2 * factor }
	END {
		# Unsampled time has no record; a sample without a stack belongs to no function.
		delete got["[unknown]"]
		delete got["[unsampled]"]
		delete wanted["[unsampled]"]
		for (name in wanted)
			if ((d = got[name] - wanted[name]) > 0.5 || d < -0.5)
				bad = bad sprintf("%s: %s is %.0f, not %.0f\n", what, name,
				    got[name], wanted[name])
		for (name in got)
			if (got[name] && !(name in wanted))
				bad = bad sprintf("%s: %s is not in the report\n", what, name)
		printf "%s", bad
		exit bad != ""
	}' $3.flat -
}

if [ -n "$bundle" ] && command -v node >/dev/null; then
	done=1
	for kind in stacks large; do
		"$report" export --format speedscope -o $kind.speedscope.json $kind.pb.gz &&
		    "$report" export --format folded -o $kind.folded $kind.pb.gz &&
		    "$report" export --format callgrind -o callgrind.$kind $kind.pb.gz || exit 1
		for file in $kind.speedscope.json $kind.folded callgrind.$kind; do
			node "$import" "$bundle" "$file" >imported || { fail "$file"; continue; }
			total=$(awk -F'\t' '$2 == 0 && $3 != "frame" { printf "%.0f\n", $5 }' \
				imported)
			case $file in
			*.json)
				wanted=$(($(figure profiled_cpu_ns $kind) +
				    $(figure unattributed_cpu_ns $kind))) column=2 ;;
			*.folded) wanted=$(figure samples $kind) column=1 ;;
			*) wanted=$(awk -F'\t' \
				'NR > 1 { n += $2 } END { printf "%.0f", n }' $kind.flat)
				column=2 ;;
			esac
			[ "$total" = "$wanted" ] || fail "$file: the total is $total, not $wanted"
			# speedscope makes a tree of callgrind's call graph. Where that has cycles,
			# no tree can be exact.
			[ $file = callgrind.large ] || awk -F'\t' '$2 == 0 && $3 == "frame" {
				sub(/'\''[0-9]+$/, "", $4)
				printf "%s\t%.0f\n", $4, $5
			}' imported | same "$file" $column $kind 1 || failed=1
			# The file's other profiles are its threads: they add up to the total.
			[ "${file##*.}" != json ] || awk -F'\t' -v all="$total" '
			    $2 > 0 && $3 != "frame" { n += $5 }
			    END { exit n && n != all }' imported ||
			    fail "$file: the threads are not all"
		done
	done
	# speedscope takes the time between two records of perf script's output for the weight of a
	# sample. So it lacks one period of each thread.
	"$report" export --format perf-script -o perf stacks.pb.gz
	node "$import" "$bundle" perf >imported || fail "perf script"
	for of in lex add fib; do
		awk -F'\t' -v of=$of 'NR == FNR { if ($5 == of) wanted += $2; next }
			$3 == "frame" && $4 == of { got += $5 * 1e9 }
			END { exit !(got > wanted - 1.1e6 && got < wanted + 0.5) }' \
			stacks.flat imported ||
		    fail "perf script: $of is $(grep "$of" imported)"
	done
else
	echo "skipped: speedscope or node is not installed (npm install -g speedscope)"
fi

if [ -n "$stackvis" ] && command -v node >/dev/null; then
	done=1
	for kind in stacks large; do
		"$report" export --format perf-script $kind.pb.gz |
		    node "$here/collapse_stackvis.js" "$stackvis" >collapsed || fail "stackvis"
		total=$(awk '{ n += $NF } END { printf "%.0f", n }' collapsed)
		[ "$total" = "$(figure samples $kind)" ] ||
		    fail "stackvis of $kind: the total is $total"
	done
	# stackvis counts records, and there is one for each sample.
	"$report" export --format perf-script stacks.pb.gz |
	    node "$here/collapse_stackvis.js" "$stackvis" |
	    awk '/`/ { n = split($1, frame, "[`;]"); printf "%s\t%.0f\n", frame[n], $2 }' |
	    same "stackvis" 1 stacks 1 || failed=1
else
	echo "skipped: stackvis or node is not installed (npm)"
fi

if [ -n "$collapse" ] && command -v perl >/dev/null; then
	done=1
	for kind in stacks large; do
		"$report" export --format perf-script $kind.pb.gz | perl "$collapse" >collapsed ||
		    fail "$collapse"
		total=$(awk '{ n += $NF } END { printf "%.0f", n }' collapsed)
		[ "$total" = "$(figure profiled_cpu_ns $kind)" ] ||
		    fail "stackcollapse of $kind: the total is $total"
	done
	"$report" export --format perf-script stacks.pb.gz | perl "$collapse" |
	    awk '{ n = split($1, frame, ";"); if (n > 1) printf "%s\t%.0f\n", frame[n], $2 }' |
	    same "stackcollapse" 2 stacks 1 || failed=1
else
	echo "skipped: stackcollapse-perf.pl is not installed (of FlameGraph; or STACKCOLLAPSE=FILE)"
fi

[ $done = 0 ] && exit 77
finish
