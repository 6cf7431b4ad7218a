#!/bin/sh
# SPDX-License-Identifier: MIT
# If no helper can count, profil() fails at once, sprofil_status() says why if it failed with EPERM,
# and the preload library prints the cause once.
# test_refused.sh SUPERVISOR PRELOAD PROGRAM
set -u
supervisor=$(realpath "$1") LD_PRELOAD=$(realpath "$2") program=$(realpath "$3")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# outputs_are OUTPUT: the first line in the file out is OUTPUT. The second call ended as the first
# did, and the third, which turns off, succeeded.
outputs_are()
{
	[ "$(cat out)" = "$1
${1% *}
0 0" ]
}

# Has every call in the file out succeeded, without a message?
all_work()
{
	outputs_are "0 0 0" && [ ! -s err ]
}

# expect WHAT OUTPUT MESSAGES PATTERN COMMAND...: COMMAND must succeed, print OUTPUT first, and
# print MESSAGES lines to stderr, one of which matches PATTERN
expect()
{
	what=$1 output=$2 messages=$3 pattern=$4
	shift 4
	SPROFIL_SUPERVISOR=$path LD_PRELOAD=$LD_PRELOAD timeout 60 "$@" >out 2>err
	status=$?
	if [ $status != 0 ] || ! outputs_are "$output" ||
		[ "$(wc -l <err)" != "$messages" ] ||
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
all_work || { echo "it does not work here at all: $(cat out err)"; exit 77; }
path=/nonexistent
# shellcheck disable=SC2086
expect "no helper" "-1 EPERM 5" 1 "sprofil-supervisor cannot be started" $command

# silent WHAT COMMAND...: the same without any message, for descriptor 2 is not the program's stderr
# any more, or a pipe that nobody reads
silent()
{
	what=$1
	shift
	: >err
	SPROFIL_SUPERVISOR=$path timeout 60 "$@" >out 2>err
	status=$?
	if [ $status != 0 ] || ! outputs_are "-1 EPERM 5" || [ -s err ] || [ -s data ]; then
		echo "$what: status $status" >&2
		cat out err data >&2
		exit 1
	fi
	echo "ok: $what"
}
mkfifo pipe
# shellcheck disable=SC2086
{
	silent "descriptor 2 is the program's data" $command reopen
	# shellcheck disable=SC2016
	silent "a pipe without readers" sh -c ': <pipe & exec 2>pipe; wait; exec "$@"' sh $command
	silent "no descriptor 2" sh -c 'exec "$@" 2>&-' sh $command
}
path=$supervisor
# shellcheck disable=SC2086
{
	expect "poll is forbidden" "-1 EPERM 6" 1 "seccomp" $command poll
	# Each limit is too small for the program, the helper's start, or its answers.
	for n in 8 10 16 17 31; do
		expect "$n descriptors" "-1 EMFILE 0" 1 \
			"ulimit -n" sh -c "ulimit -n $n; exec $command"
	done
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	# The limit counts all processes and threads of a user: this user must have no other. With 3
	# and 4 the helper starts, and can create no thread.
	for n in 0 3 4; do
		# shellcheck disable=SC2086
		expect "$n processes" "-1 EAGAIN 0" 1 "ulimit -u" setpriv --reuid 64321 \
			--clear-groups bash -c "ulimit -u $n; exec $command"
	done
else
	echo "not tested: no process (needs root)"
fi
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
	all_work || { echo "without /dev/null: $(cat out err)"; exit 1; }
	echo "ok: without /dev/null"
else
	echo "not tested: without /dev/null (needs CAP_SYS_ADMIN)"
fi
