#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --max-overhead bounds the stop time; the rate yields, and the CPU time is still accounted for.
. "$(dirname "$0")/../lib.sh"

samples_at() {
    "$SPROFRUN" -q -F 5000 --max-overhead "$1" -o p.pb.gz "$TARGETS/busy" 2 1
    within "share of stop time with a bound of $1 %" \
        "$(awk -v s="$(figure stopped_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
            -v m="$(figure stop_ns_max p.pb.gz)" 'BEGIN { print 100 * (s - 2 * m) / k }')" -100 "$1"
    within "profiled and unattributed" \
        "$(awk -v p="$(figure profiled_cpu_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
            -v u="$(figure unattributed_cpu_ns p.pb.gz)" 'BEGIN { print (p + u) / k }')" 0.995 1.005
    samples=$(figure samples p.pb.gz)
}
samples_at 0.1; few=$samples
samples_at 0.5; half=$samples
samples_at 1; more=$samples
samples_at 100; all=$samples
"$SPROFRUN" -F 20000 --report none -o p.pb.gz "$TARGETS/busy" 2 0.7
is "a command has no bound by itself" "$(figure throttled_instants p.pb.gz)" 0
"$TARGETS/busy" 2 60 & busy=$!
"$SPROFRUN" -F 20000 --report none -d 0.7 -o p.pb.gz -p $busy
kill -KILL $busy
within "share of stop time with the bound that -p has by itself" \
    "$(awk -v s="$(figure stopped_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
        -v m="$(figure stop_ns_max p.pb.gz)" 'BEGIN { print 100 * (s - 2 * m) / k }')" -100 2
check "how many instants that took is said" [ "$(figure throttled_instants p.pb.gz)" -gt 100 ]
# A stop takes 3.5 us at the least (beside loops) and 10 mostly, without a bound 1.75 to 5 % of the
# time: 0.5 % takes more than half of the samples away in any case, 1 % two fifths.
within "the rate yields to a bound of 0.5 %" "$half" "$few" $((all / 2))
within "the rate yields to a bound of 1 %" "$more" "$few" $((all * 3 / 4))
within "and more to one of 0.1 %" "$few" 1 $((all / 20))
"$SPROFRUN" -o p.pb.gz -D 10s true 2>err
check "a delay that outlasts the command is said" grep -q "before the delay was over" err
check "and nothing else is blamed" grep -q "no CPU time was used while it was profiled" err
finish
