#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program mounts a file system, runs a program on it, and unmounts it: the profiler, which reads
# files there, must not keep it busy. With an earlier version umount failed with "target is busy".
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" = 0 ] && apart="unshare -m" || apart="unshare -Urm"
mkdir mnt
# Mounts from before the opener's start are not new to it: it must wait for requests by then.
cat >body.sh <<'B'
waits() {
    analyst=$(pgrep -P "$PPID" -x sprofil-analyst) &&
        opener=$(pgrep -P "$analyst" -x sprofil-opener) &&
        grep -q '^State:.S' "/proc/$opener/status"
}
until [ -z "$3" ] || waits; do :; done
mount $1 none mnt && cp "$2" mnt/prog && mnt/prog 1 0.3 7
echo $?
umount mnt
echo $?
B
$apart sh body.sh "-t tmpfs" "$TARGETS/busy" >out 2>&1
[ "$(cat out)" = $'7\n0' ] || skip "nothing can be mounted: $(cat out)"
# Once in the profiler's mount namespace, and once in a namespace of the target alone.
for who in "$apart $SPROFRUN" "$SPROFRUN"; do
    in=$([ "$who" = "$SPROFRUN" ] && echo "$apart")
    # shellcheck disable=SC2086
    $who -q -F 500 --max-overhead 100 -o p.pb.gz $in sh body.sh "-t tmpfs" "$TARGETS/busy" yes >out 2>&1
    is "$who: it is unmounted" "$(cat out)" $'7\n0'
    check "$who: names" grep -q spin <("$SPROFREPORT" flat --format tsv p.pb.gz)
done
finish
