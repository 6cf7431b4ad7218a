#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs in the arm64 machine: runs the tests on the second drive, prints their results to the serial
# line, and turns the machine off. The drive's file "tests", made by list.py, has a line for each
# test: name, deadline in seconds, and command for the shell.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=linux LC_ALL=C.UTF-8
mount -t devtmpfs dev /dev 2>/dev/null
exec </dev/console >/dev/console 2>&1
mount -t proc proc /proc
mount -t sysfs sys /sys
mkdir -p /dev/pts /dev/shm
ln -sf /proc/self/fd /dev/fd
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
mount -t cgroup2 cgroup /sys/fs/cgroup
ip link set lo up
hostname arm64
echo 0 >/proc/sys/kernel/printk
mount -t ext4 /dev/vdb /mnt
while read -r place; do
    mkdir -p "$place"
    mount --bind "/mnt/$place" "$place"
done </mnt/places
# Tests run in the folder in which meson runs them: some find programs relative to it.
cd "$(tail -n 1 /mnt/places)" || exit 1

echo "GUEST $(uname -srm), $(nproc) CPUs, $(grep -m 1 -o 'paca' /proc/cpuinfo || echo 'no pac')"
while IFS=$'\t' read -r name deadline command; do
    began=$(date +%s.%N)
    # setsid: the test has no terminal, and so no input from the console.
    setsid timeout -k 10 "$deadline" bash -c "$command" </dev/null >/tmp/output 2>&1
    status=$?
    case $status in
        0) word=ok ;;
        77) word=skipped ;;
        124 | 137) word=late ;;
        *) word=FAILED ;;
    esac
    printf 'RESULT %s %s %s %.1f\n' "$name" $word $status \
        "$(awk -v a="$began" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')"
    case $word in
        skipped) tail -n 1 /tmp/output ;;
        FAILED | late) grep -vE '^ok: |^\[       OK|^\[ RUN' /tmp/output | tail -n 60 |
            cut -c 1-300 ;;
    esac
done </mnt/tests
echo "GUEST done"
sync
busybox poweroff -f
