#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program mounts a file system, runs a program on it, and unmounts it: the profiler, which reads
# files there, must not keep it busy, not even if it mounts in its first instructions. With an
# earlier version umount failed with "target is busy".
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" = 0 ] && apart="unshare -m" || apart="unshare -Urm"
mkdir mnt
# which.sh FOLDER: writes the id and the device number of the folder's mount to FOLDER.is.
cat >which.sh <<'W'
{ sed -n 's/^mnt_id:.//p' /proc/self/fdinfo/3; stat -c %d "$1"; } 3<"$1" >"$1.is"
W
# body.sh PROGRAM SECONDS [traced]: mounts a file system, runs PROGRAM on it, and unmounts it. With
# "traced" the script first waits until it is traced itself.
cat >body.sh <<'B'
until [ -z "$3" ] || grep -q '^TracerPid:.[1-9]' /proc/$$/status; do sleep 0.01; done
mount -t tmpfs none mnt && sh which.sh mnt && cp "$1" mnt/prog && mnt/prog 1 $2 7
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

# lists_mounts: does the kernel tell lasting ids (listmount, statmount)? Linux before 6.8 has none,
# and a container may refuse these calls.
lists_mounts() {
    $apart python3 -c 'import ctypes, struct, sys
def call(number, about, asked, result, size):
    request = struct.pack("=IIQQ", 24, 0, about, asked)
    return ctypes.CDLL(None).syscall(*map(ctypes.c_long, (number,)), request, result,
                                     *map(ctypes.c_size_t, (size, 0)))
ids, mount = (ctypes.c_uint64 * 1)(), ctypes.create_string_buffer(512)
sys.exit(call(458, 2**64 - 1, 0, ids, 1) <= 0 or call(457, ids[0], 1, mount, 512) != 0)'
}

# Another mount is gone before: the next one gets its id and its device number, which does not make
# it one that was there. Linux tells the two apart by ids of another kind. In the profiler's own
# namespace mounts are compared by id, in another one by device.
if lists_mounts; then
    mkdir other
    for inner in "" "unshare -m"; do
        [ "$inner" ] && what="reused device, another namespace" || what="reused id"
        rm -f mnt.is
        # shellcheck disable=SC2086,SC2016
        $apart sh -c 'mount -t tmpfs none other && sh which.sh other && exec "$@"' sh \
            "$SPROFRUN" $options -o p.pb.gz \
            sh -c "umount other; exec $inner"' sh body.sh "$0" 0.3' "$TARGETS/busy" >out 2>&1
        unmounted "$what" p.pb.gz
        paste other.is mnt.is | awk -v line="${inner:+2}" \
            'NR == (line ? line : 1) { exit !($1 "" == $2 "") }' ||
            echo "not tested: $what (the second mount got another one)"
    done
else
    echo "not tested: reused ids (the kernel does not tell lasting ones)"
fi
finish
