#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The cost of sampling is reported, and with a bound (--max-cost) all CPU time is still accounted
# for.
. "$(dirname "$0")/../lib.sh"

for options in "--max-cost 0.1" "--max-overhead 0.1" "" "--max-cost 100 -F 1000"; do
    "$SPROFRUN" $options --report flat -o p.pb.gz "$TARGETS/busy" 2 0.5 2>report
    within "${options:-by default}: profiled and unattributed" \
        "$(awk -v p="$(figure profiled_cpu_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
            -v u="$(figure unattributed_cpu_ns p.pb.gz)" 'BEGIN { print (p + u) / k }')" 0.995 1.005
    within "cost_pct is cost_ns in percent of the CPU time" \
        "$(awk -v c="$(figure cost_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
            -v p="$(figure cost_pct p.pb.gz)" 'BEGIN { print p - 100 * c / k }')" -0.0001 0.0001
    check "the report tells it" grep -q '^audit: .*, cost [0-9.]* %,' \
        <(tr '\n' ' ' <report | sed 's/audit:/\n&/')
done
for options in "-F 5000" "-i 200us" "--exp fpcsamp"; do
    "$SPROFRUN" $options --report none -o p.pb.gz "$TARGETS/busy" 2 0.5
    is "$options: a fixed rate has no bound" "$(figure throttled_instants p.pb.gz)" 0
done
"$SPROFRUN" --max-cost 200 true 2>err
is "more than all" "$? $(grep -c "bad cost '200': give percent" err)" "2 1"
"$SPROFRUN" -o p.pb.gz -D 10s true 2>err
check "a delay that outlasts the command is said" grep -q "before the delay was over" err
check "and nothing else is blamed" grep -q "no CPU time was used while it was profiled" err
finish
