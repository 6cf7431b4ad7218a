#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --max-cost: after the first second the rate falls until the bound is kept. bench/cost.sh measures
# how exact the reported cost is.
. "$(dirname "$0")/../lib.sh"

samples_at() {
    "$SPROFRUN" -q -F 5000 "$@" -o p.pb.gz "$TARGETS/busy" 2 3
    samples=$(figure samples p.pb.gz)
}
samples_at --max-cost 0.1; few=$samples
check "how many instants that took is said" [ "$(figure throttled_instants p.pb.gz)" -gt 100 ]
samples_at --max-overhead 0.1; same=$samples
samples_at --max-cost 100; all=$samples
# The run takes three seconds or more. The bound holds after the first second; from then on at most
# 1 % of the samples remain.
within "the rate yields to a bound of 0.1 %" "$few" 1 $((all * 2 / 3))
within "the older name means the same" "$same" 1 $((all * 2 / 3))
"$TARGETS/busy" 2 60 & busy=$!
"$SPROFRUN" -q -d 5s -F 5000 --max-cost 1 -o p.pb.gz -p $busy
within "what five seconds cost, of which one is free" "$(figure cost_pct p.pb.gz)" 0.1 12
kill -KILL $busy
finish
