#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Samples are CPU time: the profiled time is what the kernel charged, at any rate and for any number
# of threads. Sleeping threads are not stopped. These are shares of CPU time, on which load has no
# influence.
. "$(dirname "$0")/../lib.sh"

# profile ARGS...: sets $share to the part of the kernel's figure that is profiled, and $whole to
# the part that is profiled or unattributed
profile() {
    "$SPROFRUN" -q -o p.pb.gz "$@" >out || return
    share=$(awk -v p="$(figure profiled_cpu_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
        'BEGIN { print p / k }')
    whole=$(awk -v p="$(figure profiled_cpu_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
        -v u="$(figure unattributed_cpu_ns p.pb.gz)" 'BEGIN { print (p + u) / k }')
}

# At 100 Hz, a thread's last tick may be 1.5 periods before its end: 15 ms, 1 % of 1.5 s.
while read -r hz threads seconds; do
    profile -F "$hz" "$TARGETS/busy" "$threads" "$seconds"
    within "$threads busy at $hz Hz: profiled" "$share" 0.99 1.01
    within "$threads busy at $hz Hz: with unattributed" "$whole" 0.995 1.005
    within "$threads busy at $hz Hz: kernel's figure is the target's own" \
        "$(figure kernel_cpu_ns p.pb.gz)" \
        "$(awk -v n="$threads" -v s="$seconds" 'BEGIN { print n * s * 1e9 * 0.99 }')" \
        "$(awk -v n="$threads" -v s="$seconds" 'BEGIN { print n * (s * 1.02 + 0.02) * 1e9 }')"
done <<'T'
100 1 2
250 1 1
1000 1 1
4000 1 1
100 8 2
250 8 0.8
1000 8 0.5
4000 8 0.5
T

profile -F 1000 "$TARGETS/lockstep" 2 3
within "in lockstep with a timer: profiled" "$share" 0.95 1.01
within "in lockstep with a timer: with unattributed" "$whole" 0.995 1.005

profile -F 1000 "$TARGETS/sleepers" 100 1
within "one busy among 100 sleeping: profiled" "$share" 0.97 1.01
is "sleepers were never stopped" "$(cat out)" 0

# Forked children that end before their first sample count with their parent's executable.
"$SPROFRUN" -q -F 1000 -o forks.pb.gz -- \
    sh -c 'i=0; while [ $i -lt 300 ]; do (:); i=$((i + 1)); done'
within "forked processes" "$(figure processes forks.pb.gz)" 301 301
is "CPU time of nobody knows what" \
    "$("$SPROFREPORT" --format tsv forks.pb.gz | grep -cF '[unknown]')" 0
finish
