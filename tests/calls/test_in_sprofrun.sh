#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that call sprofil(), run under sprofrun: it answers their calls as their supervisor, and
# writes a profile of them, too.
# test_in_sprofrun.sh SPROFRUN HOTTEST IRIX-SPROFIL
set -eu
sprofrun=$(realpath "$1") hottest=$(realpath "$2") irix=$(realpath "$3")
work=$(mktemp -d) || exit 1
export TMPDIR="$work" # for what finds no place elsewhere
trap 'rm -rf "$work"' EXIT
cd "$work"
# No helper can be started: only sprofrun can answer.
SPROFIL_SUPERVISOR=/nonexistent
export SPROFIL_SUPERVISOR

fail()
{
	echo "$*" >&2
	cat out err >&2
	exit 1
}

"$sprofrun" -q -o p.pb.gz "$hottest" >out 2>err || fail "hottest"
[ "$(grep -c 'the hottest is' out)" = 3 ] || fail "not three phases"

# A program that a shell starts without any environment finds sprofrun, too.
env -i ASAN_OPTIONS=detect_leaks=0 "$sprofrun" -q -o p.pb.gz /bin/sh -c "'$hottest'; true" >out \
	2>err || fail "without environment"
[ "$(grep -c 'the hottest is' out)" = 3 ] || fail "not three phases without environment"

# sampling would begin after the program's end: no profile, but the calls are answered
"$sprofrun" -q -D 60s -o p.pb.gz "$hottest" >out 2>err || fail "delayed"

# with --no-follow a child is not traced, and there is no supervisor for its calls
if "$sprofrun" -q --no-follow -o p.pb.gz /bin/sh -c "'$hottest'; exit \$?" >out 2>err; then
	fail "a child that nobody follows"
fi
grep -q 'Operation not permitted' err || fail "not EPERM"

"$sprofrun" -q -o p.pb.gz "$irix" >out 2>err || fail "irix"
if "$sprofrun" -q --restrict-fastprof -o p.pb.gz "$irix" >out 2>err; then
	fail "PROF_FAST in spite of --restrict-fastprof"
fi
grep -q 'Permission denied' err || fail "not EACCES"
echo "all good"
