#!/bin/sh
# SPDX-License-Identifier: MIT
# A counter in a page that userfaultfd never delivers: the program is not disturbed, with a helper
# or in sprofrun, whose profile is complete and says what is lost.
# test_undelivered.sh SPROFRUN SPROFREPORT SUPERVISOR PROGRAM
set -u
sprofrun=$(realpath "$1") sprofreport=$(realpath "$2") program=$(realpath "$4")
SPROFIL_SUPERVISOR=$(realpath "$3")
export SPROFIL_SUPERVISOR
work=$(mktemp -d) || exit 1
export TMPDIR="$work" # for what finds no place elsewhere
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail()
{
	echo "$*" >&2
	cat out err >&2
	exit 1
}

figure()
{
	"$sprofreport" summary --format tsv p.pb.gz | awk -v key="$1" '$1 == key { print $2 }'
}

timeout -s KILL 60 "$program" >out 2>err
status=$?
[ $status != 77 ] || { echo "there is no userfaultfd here"; exit 77; }
[ $status = 7 ] || fail "by itself: status $status"
[ ! -s err ] || fail "by itself: a message"

timeout -s KILL 60 "$sprofrun" -q -o p.pb.gz "$program" >out 2>err
status=$?
[ $status = 7 ] || fail "in sprofrun: status $status"
"$sprofreport" summary p.pb.gz >summary 2>>err || fail "no profile"
[ ! -s err ] || fail "a message"
if [ "$(cat out)" = held ]; then
	[ "$(figure sprofil_lost)" -gt 0 ] || fail "lost ticks are not in the audit"
	[ "$(figure undelivered_pages)" -gt 0 ] || fail "pages are not in the audit"
else
	[ "$(figure sprofil_faults)" = 1 ] || fail "the fault is not in the audit"
fi
