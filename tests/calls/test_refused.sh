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
# any more, or a pipe that is full or has no reader
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
	# The program keeps descriptor 3, the reader that does not read.
	# shellcheck disable=SC2016
	silent "a full pipe" sh -c 'exec 3<>pipe
		dd if=/dev/zero of=pipe oflag=nonblock bs=4096 2>/dev/null
		exec 2>pipe; exec "$@"' sh $command
	# shellcheck disable=SC2016
	silent "no descriptor 2, and later the program's data" \
		sh -c 'exec "$@" 2>&-' sh $command reopen
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
# A limit that leaves the helper no room to move its descriptors.
printf '#!/bin/sh\nulimit -n 6\nexec "%s" "$@"\n' "$supervisor" >limited
chmod 755 limited
path=$PWD/limited
# shellcheck disable=SC2086
expect "6 descriptors of the helper" "-1 EMFILE 0" 1 "ulimit -n" $command
path=$supervisor
# The limit counts all processes and threads of a user: this user must have no other. With 3 the
# helper's fork fails, with 4 its thread. Linux 5.14 to 5.15.24 and 5.16 to 5.16.10 permit one more
# than the limit, so that with 4 nothing fails.
as_user="setpriv --reuid 64321 --clear-groups"
if [ "$(id -u)" != 0 ] || ! $as_user true 2>/dev/null; then
	echo "not tested: no process (needs root that can become another user, and setpriv)"
else
	limits="0 3 4"
	# timeout(1) forks: the second process of the user.
	if $as_user bash -c 'ulimit -u 1; exec timeout 60 true' 2>/dev/null; then
		limits="0 3"
		echo "not tested: 4 processes (this kernel permits one more than the limit)"
	fi
	for n in $limits; do
		# shellcheck disable=SC2086
		expect "$n processes" "-1 EAGAIN 0" 1 "ulimit -u" \
			$as_user bash -c "ulimit -u $n; exec $command"
	done
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
