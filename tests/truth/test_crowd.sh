#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A hundred busy threads on few CPUs: most of their CPU time is sampled. Linux shares a CPU between
# sessions first, then within each. From a session of its own, as from another terminal, the
# supervisor gets a CPU when it wants one. In its target's session, where it is one of a hundred, an
# earlier version sampled 5 %.
. "$(dirname "$0")/../lib.sh"
command -v setsid >/dev/null || skip "setsid (util-linux) is missing"

part_with_a_place() {
    awk -v p="$(figure profiled_cpu_ns "$1")" -v k="$(figure kernel_cpu_ns "$1")" \
        'BEGIN { print p / k }'
}

# The threads end after 200 s of CPU time, also if this script is killed before.
ulimit -t 200
setsid "$TARGETS/busy" 100 60 &
busy=$!
trap 'kill $busy 2>/dev/null; rm -rf "$WORK"' EXIT
wait_until "they run" 30 sh -c "[ \$(ls /proc/$busy/task | wc -l) -ge 100 ]"
"$SPROFRUN" -q -F 250 --report none -d 4s -p $busy -o own.pb.gz
kill $busy
# Target and sprofrun share a session. This script is in another one, or it would be one of a
# hundred threads that want a CPU.
# shellcheck disable=SC2016
timeout 60 setsid -w sh -c '
    "$0/busy" 100 60 &
    until [ "$(ls "/proc/$!/task" | wc -l)" -ge 100 ]; do sleep 0.05; done
    "$1" -q -F 250 --report none -d 10s -p $! -o same.pb.gz
    kill $!' "$TARGETS" "$SPROFRUN"

# Without autogroups, or in a cgroup of its own such as a container, CPUs are shared in other ways.
least=0.2
[ "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)" = 1 ] &&
    ! grep -qE '^0::/.|:(cpu|cpu,cpuacct|cpuacct,cpu):/.' /proc/self/cgroup && least=0.7
within "part that has a place, from another session" "$(part_with_a_place own.pb.gz)" $least 1
within "part that has a place, from the same one" "$(part_with_a_place same.pb.gz)" 0.2 1
finish
