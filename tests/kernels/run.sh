#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Boots kernels of Debian packages (linux-image-*.deb, got by "apt-get download") in qemu with a
# root that has busybox and the static tarball, and tries Yama's modes there: guest.sh.
#   run.sh TARBALL BUSYBOX KERNEL.deb...    BUSYBOX: a static one (Debian: busybox-static)
# Needs qemu-system-x86, and /dev/kvm to be quick.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tarball=$(realpath "$1")
busybox=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

root=$work/root
mkdir -p "$root/bin" "$root/usr/local" "$root/etc"
tar -C "$root/usr/local" --strip-components=1 -xzf "$tarball"
cp "$busybox" "$root/bin/busybox"
ln -s busybox "$root/bin/sh"
cp "$here/guest.sh" "$root/init"
chmod 755 "$root/init"
printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n' >"$root/etc/passwd"
for program in spin asuser; do
    cc -O1 -g -static -o "$root/bin/$program" "$here/$program.c"
done
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initrd"

acceleration=(-cpu max)
[ ! -w /dev/kvm ] || acceleration=(-enable-kvm -cpu host,arch-capabilities=off)
for package in "$@"; do
    dpkg-deb --fsys-tarfile "$package" | tar -xO -f - --wildcards './boot/vmlinuz*' >"$work/vmlinuz"
    timeout 300 qemu-system-x86_64 "${acceleration[@]}" -m 512 -smp 2 -nographic -no-reboot \
        -kernel "$work/vmlinuz" -initrd "$work/initrd" \
        -append 'console=ttyS0 panic=-1 loglevel=4' </dev/null >"$work/log" 2>&1 || true
    grep -aE '^(KERNEL|RESULT)' "$work/log" | tr -d '\r' || true
    grep -aq '^DONE' "$work/log" || { tail -5 "$work/log"; echo "NOT OK: it did not come to its end"; exit 1; }
done
