#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program mounts a file system, runs a program on it, and unmounts it: the profiler, which reads
# files there, must not keep it busy, not even if it mounts in its first instructions. With an
# earlier version umount failed with "target is busy".
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" = 0 ] && apart="unshare -m" || apart="unshare -Urm"
mkdir mnt
# body.sh PROGRAM SECONDS [traced]: mounts a file system, runs PROGRAM on it, and unmounts it. With
# "traced" the script first waits until it is traced itself.
cat >body.sh <<'B'
until [ -z "$3" ] || grep -q '^TracerPid:.[1-9]' /proc/$$/status; do sleep 0.01; done
mount -t tmpfs none mnt && cp "$1" mnt/prog && mnt/prog 1 $2 7
echo $?
umount mnt
echo $?
B
$apart sh body.sh "$TARGETS/busy" 0.3 >out 2>&1
[ "$(cat out)" = $'7\n0' ] || skip "nothing can be mounted: $(cat out)"
options="-q -F 500 --max-overhead 100"

# unmounted WHAT PROFILE: asserts that the program's status is 7, umount has succeeded, and PROFILE
# has names
unmounted() {
    is "$1: it is unmounted" "$(cat out)" $'7\n0'
    check "$1: names" grep -q spin <("$SPROFREPORT" flat --format tsv "$2")
}

# The mount is made in the profiler's mount namespace, then in a namespace of the target alone.
# shellcheck disable=SC2086
$apart "$SPROFRUN" $options -o p.pb.gz sh body.sh "$TARGETS/busy" 0.3 >out 2>&1
unmounted "the same namespace" p.pb.gz
# shellcheck disable=SC2086
"$SPROFRUN" $options -o p.pb.gz $apart sh body.sh "$TARGETS/busy" 0.3 >out 2>&1
unmounted "its own namespace" p.pb.gz
# sprofrun attaches to the script while it runs.
# shellcheck disable=SC2086
$apart sh -c 'sh body.sh "$0" 0.3 traced >out 2>&1 & exec "$@" -p $!' "$TARGETS/busy" \
    "$SPROFRUN" $options -o p.pb.gz
unmounted "attached" p.pb.gz
# --rotate starts another analyst while the program runs on the mount: that analyst, too, gets the
# list of mounts that was made at the start.
# shellcheck disable=SC2086
$apart "$SPROFRUN" $options --rotate 1s -o r-%t.pb.gz sh body.sh "$TARGETS/busy" 1.6 >out 2>&1
rotated=(r-*.pb.gz)
check "rotated: a later analyst" [ "${#rotated[@]}" -ge 2 ]
is "rotated: it is unmounted" "$(cat out)" $'7\n0'

# Another mount is gone before: the next one gets its id and its device number, which does not make
# it one that was there. Linux tells the two apart since 6.8.
if [ "$(printf '6.8\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.8 ]; then
    mkdir other
    for inner in "" "unshare -m"; do
        # shellcheck disable=SC2086,SC2016
        $apart sh -c 'mount -t tmpfs none other && exec "$@"' sh "$SPROFRUN" $options -o p.pb.gz \
            sh -c "umount other; exec $inner"' sh body.sh "$0" 0.3' "$TARGETS/busy" >out 2>&1
        unmounted "reused id${inner:+, another namespace}" p.pb.gz
    done
else
    echo "skipped: reused ids need Linux 6.8"
fi
finish
