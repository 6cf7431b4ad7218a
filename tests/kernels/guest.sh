#!/bin/sh
# SPDX-License-Identifier: MIT
# The first process of the machine that run.sh boots: tries what Yama's modes permit, says what came
# of it in lines "RESULT mode user what: outcome", and switches off.
export PATH=/bin:/usr/local/bin
busybox mkdir -p /proc /sys /tmp /dev
busybox mount -t proc proc /proc
busybox mount -t sysfs sysfs /sys
busybox mount -t devtmpfs dev /dev
busybox mount -t tmpfs tmpfs /tmp
busybox chmod 1777 /tmp
cd /tmp || exit 1
echo "KERNEL $(busybox uname -r), $(busybox nproc) CPUs"

as() { # ROOT-OR-USER COMMAND...
    who=$1
    shift
    if [ "$who" = user ]; then /bin/asuser "$@"; else "$@"; fi
}
result() { # WHAT STATUS WANTED
    if [ "$2" = "$3" ]; then
        samples=$(sprofreport summary --format tsv p.pb.gz 2>/dev/null |
            busybox awk -F'\t' '$1 == "samples" || $1 == "found_ratio" { printf " %s %s", $1, $2 }')
        echo "RESULT $mode $who $1: works,$samples"
    else
        echo "RESULT $mode $who $1: status $2, $(busybox head -n 1 err)"
    fi
}
try() { # ROOT-OR-USER
    busybox rm -f p.pb.gz
    as "$1" sprofrun -q -F 1000 -o p.pb.gz spin 1000 >out 2>err
    result "command" $? 7
    as "$1" spin 60000 &
    target=$!
    busybox sleep 0.3
    busybox rm -f p.pb.gz
    as "$1" sprofrun -q -F 1000 -d 1s -p $target -o p.pb.gz >out 2>err
    result "attach to a process of its own" $? 0
    busybox kill $target
}
for mode in 0 1 2 3; do
    if [ -e /proc/sys/kernel/yama/ptrace_scope ]; then
        echo $mode >/proc/sys/kernel/yama/ptrace_scope
    else
        mode=none
    fi
    [ "$mode" = 1 ] || [ "$mode" = none ] || [ "$(busybox cat /proc/sys/kernel/yama/ptrace_scope)" = $mode ] ||
        mode="$mode(refused)"
    try root
    try user
    [ $mode != none ] || break
done
# The time that a stop takes, and that the live view comes.
echo "DONE"
busybox poweroff -f
