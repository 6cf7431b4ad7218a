#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/CONFORMANCE.md and the tests hold together: conformance.sh SOURCE-ROOT
# Every ID has a row, every row names a test, and every named test exists and is run.
set -eu
root=$1
table=$root/docs/CONFORMANCE.md
failed=0

complain()
{
	echo "CONFORMANCE.md: $*" >&2
	failed=1
}

rows()
{
	sed -n 's/^| \([A-Z]\{1,4\}-\{0,1\}[0-9]\{1,2\}[bc]\{0,1\}\) | .*/\1/p' "$table"
}

expect()
{
	i=1
	while [ "$i" -le "$2" ]; do
		rows | grep -qx "$1$i" || complain "no row $1$i"
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
expect C 21
for id in HPUX-1b HPUX-12b HPUX-12c; do
	rows | grep -qx "$id" || complain "no row $id"
done

run=$(grep -rho 'cmocka_unit_test(test_[a-z0-9_]*)' "$root/tests" | sed 's/.*(\(.*\))/\1/' | sort -u)
for id in $(rows); do
	names=$(grep "^| $id | " "$table" | grep -o 'test_[a-z0-9_]*__[a-z0-9_]*' || true)
	[ -n "$names" ] || complain "$id has no test"
	for name in $names; do
		echo "$run" | grep -qx "$name" || complain "$id names $name, which is not run"
	done
done
exit $failed
