#!/usr/bin/env bash
# A server that sleeps and wakes 50,000 times a second is found where it spends its CPU time: not in
# the call that it sleeps in because it looks runnable while we keep it from its CPU (moment.h). Where
# server, peer and we share one CPU, the scheduler lets us in when they go to sleep: then the wait is
# found too seldom, hence the wide limits. Without moment.h it was 71 to 81 % where 30 was true.
. "$(dirname "$0")/lib.sh"

[ -r /proc/self/sched ] || skip "the kernel has no /proc/PID/sched"
[ "$(nproc)" -gt 1 ] || skip "one CPU: server and peer take turns"

# shares PEER_WORK WORK: each part's percent, by the program and by us.
shares() {
    local name measured
    "$TARGETS/restless" peer "$1" "$SPROFRUN" -q -F 500 --max-overhead 25 --report none -o p.pb.gz -- \
        "$TARGETS/restless" serve 4 "$2" >truth
    "$SPROFREPORT" export --format folded --value cpu p.pb.gz >folded
    while read -r name truth; do
        measured=$(awk -v part="part_$name" '{ all += $NF } $0 ~ part { n += $NF }
            END { printf "%.2f", 100 * n / all }' folded)
        within "peer $1, server $2: $name, which takes $truth %" "$measured" \
            "$(awk -v t="$truth" 'BEGIN { print t - 18 }')" "$(awk -v t="$truth" 'BEGIN { print t + 18 }')"
    done <truth
    is "peer $1, server $2: parts" "$(wc -l <truth)" 4
    is "peer $1, server $2: none incomplete" "$(figure incomplete_stacks p.pb.gz)" 0
    check "peer $1, server $2: samples" test "$(figure effective_samples p.pb.gz)" -gt 50
}

shares 2000 2000
shares 20000 5000
shares 50000 100
finish
