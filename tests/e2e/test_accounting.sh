#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Profiled and unattributed time together are what the kernel charged: at any rate, for any number
# of threads, for short lives and long calls. Sleeping threads are left alone. tests/truth tests how
# accurate the samples are.
. "$(dirname "$0")/../lib.sh"

# profile WHAT STATUS ARGS...: profiles the command ARGS; checks its status and the sums
profile() {
    local what=$1 wanted=$2
    shift 2
    timeout 120 "$SPROFRUN" -q -o p.pb.gz "$@" >out 2>err
    is "$what: status" $? "$wanted"
    is "$what: no messages" "$(cat err)" ""
    is "$what: profiled + unattributed is the kernel's figure" \
        $(($(figure profiled_cpu_ns p.pb.gz) + $(figure unattributed_cpu_ns p.pb.gz))) \
        "$(figure kernel_cpu_ns p.pb.gz)"
}

while read -r hz threads; do
    profile "$threads busy at $hz Hz" 0 -F "$hz" "$TARGETS/busy" "$threads" 0.3
    # A tenth less is allowed: the CPU time that the threads used before the supervisor saw the
    # exec.
    check "$threads busy at $hz Hz: the kernel's figure has what they used" \
        [ "$(figure kernel_cpu_ns p.pb.gz)" -ge $((threads * 270000000)) ]
done <<'T'
100 1
1000 8
4000 1
T
profile "one busy among 100 sleeping" 0 -F 1000 "$TARGETS/sleepers" 100 0.3
is "sleepers were never stopped" "$(cat out)" 0

# Forked children that live too short for a sample have their parent's executable.
profile "forks" 0 -F 1000 -- sh -c 'i=0; while [ $i -lt 100 ]; do (:); i=$((i + 1)); done'
is "forks: processes" "$(figure processes p.pb.gz)" 101
is "CPU time of nobody knows what" "$("$SPROFREPORT" --format tsv p.pb.gz | grep -cF '[unknown]')" 0

profile "execs" 0 -F 2000 "$TARGETS/lives" execs 50
# (It opens as many files as it may.)
[ "$(ulimit -Sn)" != unlimited ] && [ "$(ulimit -Sn)" -le 20000 ] || ulimit -Sn 20000
profile "leaders that end first" 0 -F 2000 "$TARGETS/lives" leaders 30
profile "long calls" 0 -F 1000 "$TARGETS/long_calls" 10 16
profile "a bound on stop time" 0 -F 5000 --max-overhead 0.1 "$TARGETS/busy" 2 0.3

# Each page of the buffer causes a fault, also if it is a huge page: at least 4 faults.
profile "page faults" 0 -F 1000 -- dd if=/dev/zero of=/dev/null bs=8M count=1 status=none
check "page faults are counted" [ "$(figure minor_faults p.pb.gz)" -gt 4 ]
check "and the kernel's time is a part of all" [ "$(figure system_cpu_ns p.pb.gz)" -le \
    $(($(figure kernel_cpu_ns p.pb.gz) + 10000000)) ]

"$SPROFRUN" -o p.pb.gz -D 10s true 2>err
check "a delay that outlasts the command is said" grep -q "before the delay was over" err
check "and nothing else is blamed" grep -q "no CPU time was used while it was profiled" err
finish
