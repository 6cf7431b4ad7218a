#!/bin/sh
# SPDX-License-Identifier: MIT
# conformance.sh SOURCE-ROOT: checks that docs/CONFORMANCE.md agrees with the tests: that every ID
# has a row, that every row names a test, and that every named test exists and is run. Every ID must
# also have an entry in tests/clauses.txt, by which tests/clauses.sh breaks it, and the code that
# the entry changes must be in the source.
set -eu
root=$1
table=$root/docs/CONFORMANCE.md
failed=0

complain()
{
	echo "CONFORMANCE.md: $*" >&2
	failed=1
}

# $rows has a line "ID test test ..." for each row of the tables.
rows=$(awk '/^\| [A-Z]+-?[0-9][0-9]?[bc]? \| / {
	row = $2
	while (match($0, /test_[a-z0-9_]*__[a-z0-9_]*/)) {
		row = row " " substr($0, RSTART, RLENGTH)
		$0 = substr($0, RSTART + RLENGTH)
	}
	print row
}' "$table")

has_row()
{
	case "
$rows
" in *"
$1 "* | *"
$1
"*) ;; *) complain "no row $1" ;; esac
}

expect()
{
	i=1
	while [ "$i" -le "$2" ]; do
		has_row "$1$i"
		i=$((i + 1))
	done
}

expect HPUX- 14
expect HPS- 11
expect IRIX- 34
expect AIX- 26
expect SYSV- 20
expect I 4
expect G 13
expect M 7
expect C 25
for id in HPUX-1b HPUX-12b HPUX-12c; do
	has_row $id
done

run=$(grep -rho 'cmocka_unit_test(test_[a-z0-9_]*)' "$root/tests" |
	sed 's/.*(\(.*\))/\1/' | sort -u)
problems=$({
	echo "$run"
	echo .
	echo "$rows"
} | awk '$0 == "." { rest = 1; next }
!rest { run[$0] = 1; next }
NF < 2 { print $1 " has no test" }
{
	for (i = 2; i <= NF; i++)
		if (!($i in run))
			print $1 " names " $i ", which is not run"
}')
[ -z "$problems" ] || complain "$problems"

problems=$(cd "$root" && echo "$rows" | awk -v table=tests/clauses.txt '
function read_source(file,   line)
{
	while ((getline line <file) > 0) {
		sub(/^[ \t]*/, "", line)
		has[file, line] = 1
	}
	known[file] = 1
}
BEGIN {
	while ((getline line <table) > 0) {
		if (line ~ /^[A-Z]+[-0-9].*: /) {
			split(line, part, ": ")
			file = part[2]
			n = split(part[1], id, " ")
			for (i = 1; i <= n; i++)
				broken[id[i]] = 1
			if (!known[file])
				read_source(file)
		} else if (line ~ /^- / && !has[file, substr(line, 3)]) {
			print table ": " file " has no line " substr(line, 3)
		}
	}
}
!($1 in broken) { print table " does not break " $1 }')
[ -z "$problems" ] || complain "$problems"
exit $failed
