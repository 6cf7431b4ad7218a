#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares samples with CPU time, for busy, lockstep and mostly sleeping targets at several rates.
# Prints the profiled CPU time, and profiled + unattributed, as parts of the kernel's own figure;
# the samples per second of CPU time; and the stops per sample.
. "$(dirname "$0")/lib.sh"

row() {
    local name=$1 hz=$2
    shift 2
    "$SPROFRUN" -q -g no -F "$hz" -o "$WORK/p.pb.gz" "$@" >/dev/null || return
    awk -v name="$name" -v hz="$hz" -v p="$(figure profiled_cpu_ns "$WORK/p.pb.gz")" \
        -v k="$(figure kernel_cpu_ns "$WORK/p.pb.gz")" \
        -v u="$(figure unattributed_cpu_ns "$WORK/p.pb.gz")" \
        -v s="$(figure samples "$WORK/p.pb.gz")" -v stops="$(figure stops "$WORK/p.pb.gz")" 'BEGIN {
            printf "%-34s %5d Hz  %7.4f %7.4f  %7.1f/s  %6.3f\n", name, hz, p / k, (p + u) / k,
                s / k * 1e9, stops / s }'
}

printf '%-34s %8s  %7s %7s  %9s  %6s\n' target rate profiled "+unattr" samples "stops/sample"
for hz in 100 250 1000 4000; do
    row "1 busy thread" $hz "$TARGETS/busy" 1 3
    row "8 busy threads" $hz "$TARGETS/busy" 8 1
done
row "2 in lockstep with 1 ms, 10 %" 1000 "$TARGETS/lockstep" 2 10
row "1 busy among 100 sleeping" 1000 "$TARGETS/sleepers" 100 10
