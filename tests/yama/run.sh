#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tries what Yama permits in its four modes, in a virtual machine: Debian 12's kernel under qemu,
# with the static programs and busybox. Takes some minutes, and the network the first time.
#   tests/yama/run.sh TARBALL: TARBALL is made by packaging/tarball.sh
# Exit status: 1 if an attempt had another status than tests/yama/expected says.
source=$(cd "$(dirname "$0")/../.." && pwd)
MACHINE_DIR=${YAMA_DIR:-$source/build-yama-machine}
. "$source/tests/machine.sh"
tarball=$(realpath "${1:?usage: tests/yama/run.sh TARBALL}")
need qemu-system-x86_64=qemu-system-x86 busybox=busybox-static cpio=cpio

if ! ls "$MACHINE_DIR"/boot/vmlinuz-* >/dev/null 2>&1; then
    kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: //p')
    (cd "$MACHINE_DIR" && apt-get download -qq "$kernel" && dpkg-deb -x "$kernel"_*.deb .)
fi
root=$MACHINE_DIR/root
rm -rf "$root"
mkdir -p "$root"/{bin,capable,dev,proc,sys,tmp,etc,usr/local}
tar -C "$root/usr/local" --strip-components=1 -xzf "$tarball"
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$source/tests/yama/guest.sh" "$root/init"
chmod 755 "$root/init"
printf '%s\n' root:x:0:0::/:/bin/sh user:x:1000:1000::/tmp:/bin/sh >"$root/etc/passwd"
printf '%s\n' root:x:0: user:x:1000: >"$root/etc/group"
for program in spin give_ptrace; do
    cc -g -O1 -static -o "$root/bin/$program" "$source/tests/yama/$program.c"
done
# A program that makes the calls, built from the sources, so that no build of the library is needed.
clients=$(ls "$source"/client/*.c | grep -vE '/(preload|plain)')
# shellcheck disable=SC2086
cc -std=gnu11 -D_GNU_SOURCE -O1 -static '-DSPROFIL_SUPERVISOR_PATH=""' \
    '-DSPROFIL_LIBDIR_TO_SUPERVISOR=""' -I"$source" -I"$source/client/include" \
    -o "$root/bin/hottest" "$source/examples/hottest.c" $clients "$source/proto/call.c" -lpthread
(cd "$root" && find . | cpio --quiet -o -H newc --owner=0:0 | gzip -1) >"$MACHINE_DIR/initrd"

# The machine is emulated: with KVM, it hangs on a host without nested virtualization.
machine qemu-system-x86_64 -accel tcg -cpu max -smp 2 -m 1G \
    -kernel "$(ls "$MACHINE_DIR"/boot/vmlinuz-*)" -initrd "$MACHINE_DIR/initrd" \
    -append "console=ttyS0 quiet panic=-1"
diff <(grep -v '^#' "$source/tests/yama/expected") <(grep '^TRY' "$MACHINE_DIR/serial.log") ||
    { echo "an attempt ended otherwise than expected" >&2; exit 1; }
echo "as expected: $(grep -c '^TRY' "$MACHINE_DIR/serial.log") attempts"
