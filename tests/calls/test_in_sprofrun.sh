#!/bin/sh
# SPDX-License-Identifier: MIT
# The calls in programs that sprofrun runs or attaches to: it is their supervisor, beside the
# profile. test_in_sprofrun.sh SPROFRUN HOTTEST IRIX-SPROFIL
set -eu
sprofrun=$(realpath "$1") hottest=$(realpath "$2") irix=$(realpath "$3")
work=$(mktemp -d)
export TMPDIR="$work" # for what finds no place elsewhere
trap 'rm -rf "$work"' EXIT
cd "$work"
# It must not be a helper of its own that answers.
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

# no environment at all, and a shell in between
env -i ASAN_OPTIONS=detect_leaks=0 "$sprofrun" -q -o p.pb.gz /bin/sh -c "'$hottest'; true" >out 2>err || fail "without environment"
[ "$(grep -c 'the hottest is' out)" = 3 ] || fail "not three phases without environment"

# delayed beyond its end: no profile, but the calls are served
"$sprofrun" -q -D 60s -o p.pb.gz "$hottest" >out 2>err || fail "delayed"

# without --follow a child is not ours, and there is no supervisor for it
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
