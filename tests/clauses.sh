#!/bin/sh
# SPDX-License-Identifier: MIT
# Does a clause's test fail when the clause is broken? Breaks each clause of docs/CONFORMANCE.md in
# a copy of the source, as tests/clauses.txt says, and runs the clause's tests until one fails.
# Takes about five seconds a clause. tests/conformance.sh checks that every clause has an entry in
# tests/clauses.txt, and that the code which the entry changes is still in the source.
#
#	tests/clauses.sh [ID...]	default: all clauses
set -eu
cd "$(dirname "$0")/.."
root=$PWD
. tests/scratch.sh

seen=0 unseen=0
# shellcheck disable=SC2154
trap 'result=$?
	echo "$seen clauses are seen to be broken, $unseen are not"
	end_ours
	rm -rf "$work"
	exit $result' EXIT
trap 'exit 1' INT TERM HUP

git ls-files -z | xargs -0 cp --parents -t "$work"
meson setup "$work/build" "$work" -Dtests=enabled -Doptimization=0 -Ddebug=false \
	-Dc_args='-Werror=incompatible-pointer-types -Werror=int-conversion' >"$work/log" ||
	{ cat "$work/log" >&2; exit 1; }
SPROFIL_SUPERVISOR=$work/build/tools/sprofil-supervisor
ASAN_OPTIONS=detect_leaks=0
export SPROFIL_SUPERVISOR ASAN_OPTIONS
ulimit -c 0

# Prints the tests that the row of the clause $1 names.
tests_of()
{
	awk -v id="$1" '$1 == "|" && $2 == id {
		while (match($0, /test_[a-z0-9_]*__[a-z0-9_]*/)) {
			print substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
		}
	}' "$root/docs/CONFORMANCE.md"
}

# Applies entry $1 of the table: leaves its clauses in $work/ids, and the changed file in
# $work/$file.
break_entry()
{
	awk -v entry="$1" -v ids="$work/ids" -v changes="$work/changes" '
	/^#/ || /^$/ { next }
	/^[A-Z]+[-0-9].*: / { n++ }
	n == entry && /^[A-Z]/ {
		split($0, part, ": ")
		print part[1] >ids
		print part[2]
	}
	n == entry && /^[-+] / { print >changes }
	' "$root/tests/clauses.txt" >"$work/file"
	file=$(cat "$work/file")
	[ -n "$file" ] || return 1
	awk -v changes="$work/changes" '
	BEGIN {
		while ((getline line <changes) > 0) {
			if (line ~ /^-/ && last !~ /^-/)
				hunks++
			if (line ~ /^-/)
				old[hunks, ++n[hunks]] = substr(line, 3)
			else
				new[hunks] = new[hunks] substr(line, 3) "\n"
			last = line
		}
	}
	{
		text[++lines] = $0
		sub(/^[ \t]*/, "")
		bare[lines] = $0
	}
	function fits(h, at,   k)
	{
		for (k = 1; k <= n[h] && bare[at + k - 1] == old[h, k]; k++)
			;
		return k > n[h]
	}
	END {
		for (i = 1; i <= lines; i++) {
			for (h = 1; h <= hunks && !fits(h, i); h++)
				;
			if (h > hunks) {
				print text[i]
				continue
			}
			printf "%s", new[h]
			i += n[h] - 1
			done[h]++
		}
		for (h = 1; h <= hunks; h++)
			if (done[h] != 1)
				exit 1
	}' "$root/$file" >"$work/$file" ||
		{ echo "$(cat "$work/ids"): its lines are not in $file, or more than once"
		exit 2; }
	rm "$work/changes"
}

# Does the test $1 fail?
fails()
{
	source=$(grep -l "cmocka_unit_test($1)\|SESSION_TEST($1)" "$root"/tests/calls/*.c \
		"$root"/tests/unit/*/*.c | head -n 1)
	name=$(basename "$source" .c)
	case $source in
	*/calls/*) target=tests/calls/$name more=tools/sprofil-supervisor ;;
	*) target=tests/unit/$name more= ;;
	esac
	# shellcheck disable=SC2086
	if ! ninja -C "$work/build" "$target" $more >"$work/log" 2>&1; then
		# A changed header may break the compilation of a program: a user would see that, so
		# it counts.
		case $file in *.h) return 0 ;; esac
		cat "$work/log"
		exit 2
	fi
	LIVE_FILTER=$1 timeout --foreground -k 1 120 "$work/build/$target" >"$work/log" 2>&1 || :
	end_ours
	grep -q "FAILED.* $1\$\|ERROR.* $1\$" "$work/log" || ! grep -q "OK \\] $1\$" "$work/log"
}

entry=0
while entry=$((entry + 1)) && break_entry $entry; do
	for id in $(cat "$work/ids"); do
		case " ${*:-$id} " in *" $id "*) ;; *) continue ;; esac
		by=
		for test in $(tests_of "$id"); do
			# The test must fail twice: one failure may be chance.
			if fails "$test" && fails "$test"; then
				by=$test
				break
			fi
		done
		if [ -n "$by" ]; then
			seen=$((seen + 1))
			echo "$id: $by fails"
		else
			unseen=$((unseen + 1))
			echo "$id: NO TEST FAILS"
		fi
	done
	cp "$root/$file" "$work/$file"
done
[ $unseen = 0 ]
