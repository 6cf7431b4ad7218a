#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Boots an arm64 machine (Debian 12, its kernel, qemu) and runs tests of build.sh's tree in it.
# run.sh [TEST|SUITE]... (default: unit). Exit status: 1 if one failed.
. "$(dirname "$0")/lib.sh"
need qemu-system-aarch64=qemu-system-arm mke2fs=e2fsprogs cpio=cpio
[ -e "$DIR/root.img" ] || "$HERE/root.sh"
[ $# -gt 0 ] || set -- unit
stage=$DIR/stage
rm -rf "$stage"
mkdir -p "$stage$SOURCE" "$stage$BUILD"
(cd "$SOURCE" && git ls-files -z | cpio --quiet -0pdml "$stage$SOURCE")
(cd "$BUILD" && find . \( -name '*.o' -o -name '*.a' -o -name meson-private \) -prune -o -print0 |
    cpio --quiet -0pdml "$stage$BUILD")
printf '%s\n' "$SOURCE" "$BUILD" >"$stage/places"
meson introspect --tests "$BUILD" >"$DIR/tests.json"
"$HERE/list.py" "${FACTOR:-10}" "$@" <"$DIR/tests.json" >"$stage/tests"
rm -f "$DIR/tree.img"
mke2fs -q -t ext4 -L tree -d "$stage" "$DIR/tree.img" 1G
rm -rf "$stage"

# This CPU signs return addresses, with QEMU's cheap method. The kernel sees no difference.
machine qemu-system-aarch64 -machine virt -cpu max,pauth-impdef=on -smp "${CPUS:-2}" -m 2G \
    -kernel "$DIR/kernel" -initrd "$DIR/initrd" -append "console=ttyAMA0 quiet panic=-1" \
    -drive file="$DIR/root.img",format=raw,if=virtio,snapshot=on \
    -drive file="$DIR/tree.img",format=raw,if=virtio,snapshot=on
awk '/^RESULT/ { n[$3]++ } END { for (word in n) printf "%d %s  ", n[word], word; print "" }' \
    "$DIR/serial.log"
! grep -qE '^RESULT [^ ]+ (FAILED|late)' "$DIR/serial.log"
