#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the parts from which an arm64 machine boots, from packages of Debian 12: $DIR/root (a folder
# that the cross compiler uses, too), root.img, kernel and initrd. No arm64 program is run: packages
# are unpacked but not configured, and this script does the little that their scripts would do.
. "$(dirname "$0")/lib.sh"
need mmdebstrap=mmdebstrap mke2fs=e2fsprogs cpio=cpio depmod=kmod
[ "$(id -u)" = 0 ] || {
    echo "root.sh must be root: the files in the image belong to it" >&2
    exit 1
}
root=$DIR/root

if ! cmp -s "$HERE/packages" "$DIR/root.done"; then
    rm -rf "$root"
    rm -f "$DIR/root.done"
    mmdebstrap --quiet --mode=root --variant=extract --architectures=arm64 \
        --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
        --include="$(grep -v '^#' "$HERE/packages" | tr '\n' ' ')" bookworm "$root"
    ln -sf dash "$root/bin/sh"
    ln -sf gawk "$root/usr/bin/awk"
    cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
    cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
    echo 127.0.0.1 localhost >"$root/etc/hosts"
    ln -sfn /proc/self/mounts "$root/etc/mtab"
    mkdir -p "$root"/{proc,sys,run,mnt,root,tmp,dev}
    chmod 1777 "$root/tmp"
    cp "$HERE/packages" "$DIR/root.done"
fi

version=$(ls "$root/lib/modules")
cp "$root/boot/vmlinuz-$version" "$DIR/kernel"

# The modules that the root drive needs, in the order in which they are loaded.
depmod -b "$root" "$version"
early=$DIR/initrd.d
rm -rf "$early"
mkdir -p "$early"/{bin,modules,proc,dev,root}
cp "$root/bin/busybox" "$early/bin/"
cp "$HERE/initrd.sh" "$early/init"
chmod +x "$early/init"
for module in virtio_pci virtio_blk ext4; do
    modprobe -d "$root" -S "$version" -D "$module"
done | awk '/^insmod/ && !seen[$2]++ { print $2 }' >"$DIR/modules"
n=100
while read -r file; do
    cp "$file" "$early/modules/$((n++))-$(basename "$file")"
done <"$DIR/modules"
(cd "$early" && find . | cpio --quiet -o -H newc | gzip -1) >"$DIR/initrd"

cp "$HERE/guest.sh" "$root/guest.sh"
chmod +x "$root/guest.sh"
rm -f "$DIR/root.img"
mke2fs -q -t ext4 -L root -d "$root" "$DIR/root.img" 2G
ls -l "$DIR/kernel" "$DIR/initrd" "$DIR/root.img"
