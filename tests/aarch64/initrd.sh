#!/bin/busybox sh
# SPDX-License-Identifier: MIT
# The first program of the arm64 machine: mounts the root drive and continues there.
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
for module in /modules/*; do
    insmod "$module"
done
until [ -b /dev/vda ]; do
    sleep 0.1
done
mount -t ext4 /dev/vda /root
exec switch_root /root /guest.sh
