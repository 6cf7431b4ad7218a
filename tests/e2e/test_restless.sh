#!/usr/bin/env bash
# A server that sleeps and wakes 50,000 times a second is found where it spends its CPU time: not in
# the call that it sleeps in because it looks runnable while we keep it from its CPU (moment.h). Where
# server, peer and we share one CPU, the scheduler lets us in when they go to sleep: then the wait is
# found too seldom, hence the wide limits. Without moment.h it was 71 to 81 % where 30 was true.
. "$(dirname "$0")/lib.sh"

[ -r /proc/self/sched ] || skip "the kernel has no /proc/PID/sched"
[ "$(nproc)" -gt 1 ] || skip "one CPU: server and peer take turns"

# shares PEER_WORK WORK: each part's percent, by the program and by us. Where all share one CPU the
# right moment comes seldom: then it takes some runs until there are samples enough.
shares() {
    local what="peer $1, server $2" effective=0 runs=0 name truth measured
    rm -f truth p?.pb.gz
    while [ $effective -lt 250 ] && [ $runs -lt 6 ]; do
        runs=$((runs + 1))
        "$TARGETS/restless" peer "$1" "$SPROFRUN" -q -F 500 --max-overhead 25 --report none \
            -o p$runs.pb.gz -- "$TARGETS/restless" serve 4 "$2" >>truth
        is "$what: none incomplete" "$(figure incomplete_stacks p$runs.pb.gz)" 0
        effective=$((effective + $(figure effective_samples p$runs.pb.gz)))
    done
    check "$what: samples" [ $effective -gt 100 ]
    "$SPROFREPORT" export --format folded --value cpu p?.pb.gz >folded
    awk '{ sum[$1] += $2; n[$1]++ } END { for (name in sum) print name, sum[name] / n[name] }' truth >mean
    is "$what: parts" "$(wc -l <mean)" 4
    while read -r name truth; do
        measured=$(awk -v part="part_$name" '{ all += $NF } $0 ~ part { n += $NF }
            END { printf "%.2f", 100 * n / all }' folded)
        within "$what: $name, which takes $truth %" "$measured" \
            "$(awk -v t="$truth" 'BEGIN { print t - 18 }')" "$(awk -v t="$truth" 'BEGIN { print t + 18 }')"
    done <mean
}

shares 2000 2000
shares 20000 5000
shares 50000 100
finish
