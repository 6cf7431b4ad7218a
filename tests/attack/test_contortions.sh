#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Targets with a stack pointer that leads nowhere, with mappings that change all the time, with
# files named like lines of /proc/PID/maps, or with threads that end at once. They run as without
# the profiler, no analyst dies, and all their time is accounted for, with -gdwarf, -gfp and both
# clocks.
. "$(dirname "$0")/lib.sh"
limit_mib=3072 most_mib=450
[ -z "${SANITIZED:-}" ] || limit_mib=100000000 most_mib=4000

contorted() {
    "$PEAK" $limit_mib peak "$SPROFRUN" -v --report lines -F 1000 -o p.pb.gz "$@" >out 2>err
    local status=$? what="$1 $3"
    is "$what: status" $status 6
    is "$what: no analyst died" "$(figure analyst_restarts p.pb.gz)" 0
    check "$what: samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
    within "$what: the time that was accounted for" \
        "$(awk -v p="$(figure profiled_cpu_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
            -v u="$(figure unattributed_cpu_ns p.pb.gz)" 'BEGIN { print (p + u) / k }')" 0.995 1.005
    within "$what: MiB resident" $(($(cat peak) / 1024)) 1 $most_mib
    check "$what: nothing steers the terminal" \
        [ -z "$(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' err)" ]
}
# Some emulated machines end a program that uses an address that is not canonical.
stacks=stacks
"$CONTORT" stacks 0.1 >/dev/null 2>&1
[ $? -eq 6 ] || stacks=canonical
for what in $stacks maps names threads; do
    contorted -gdwarf "$CONTORT" $what 0.5
done
contorted -gfp "$CONTORT" $stacks 0.5
contorted -wboth "$CONTORT" maps 0.4
finish
