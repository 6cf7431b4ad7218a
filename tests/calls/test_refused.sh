#!/bin/sh
# SPDX-License-Identifier: MIT
# If no helper can count, profil() fails with EPERM at once, sprofil_status() says why, and the
# preload library prints the reason once.
# test_refused.sh SUPERVISOR PRELOAD PROGRAM
set -u
supervisor=$(realpath "$1") LD_PRELOAD=$(realpath "$2") program=$(realpath "$3")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# expect WHAT OUTPUT MESSAGES PATTERN COMMAND...: COMMAND must succeed, print OUTPUT, and print
# MESSAGES lines to stderr, one of which matches PATTERN
expect()
{
	what=$1 output=$2 messages=$3 pattern=$4
	shift 4
	SPROFIL_SUPERVISOR=$path LD_PRELOAD=$LD_PRELOAD timeout 60 "$@" >out 2>err
	status=$?
	if [ $status != 0 ] || [ "$(cat out)" != "$output" ] || [ "$(wc -l <err)" != "$messages" ] ||
		! grep -q "$pattern" err; then
		echo "$what: status $status" >&2
		cat out err >&2
		exit 1
	fi
	echo "ok: $what"
}
preload=$LD_PRELOAD
unset LD_PRELOAD
LD_PRELOAD=
path=$supervisor
command="env LD_PRELOAD=$preload $program"
: >err
SPROFIL_SUPERVISOR=$path $command >out 2>err || { cat out err >&2; exit 1; }
[ "$(cat out err)" = "0 0 0" ] || { echo "it does not work here at all: $(cat out err)"; exit 77; }
path=/nonexistent
# shellcheck disable=SC2086
expect "no helper" "-1 EPERM 5" 1 "sprofil-supervisor cannot be started" $command
path=$supervisor
if unshare -pf true 2>/dev/null; then
	# shellcheck disable=SC2086
	expect "/proc of another pid namespace" "-1 EPERM 7" 1 "another pid namespace" \
		unshare -pf $command
else
	echo "not tested: another pid namespace (needs CAP_SYS_ADMIN)"
fi
# A root file system without /dev/null is no reason to refuse.
if unshare -m sh -c 'mount -t tmpfs none /dev' 2>/dev/null; then
	# shellcheck disable=SC2086
	SPROFIL_SUPERVISOR=$path unshare -m sh -c 'mount -t tmpfs none /dev && exec "$@"' sh \
		$command >out 2>err
	[ "$(cat out err)" = "0 0 0" ] || { echo "without /dev/null: $(cat out err)"; exit 1; }
	echo "ok: without /dev/null"
else
	echo "not tested: without /dev/null (needs CAP_SYS_ADMIN)"
fi
