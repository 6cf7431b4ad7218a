#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A server that sleeps and wakes 50,000 times a second is found where it spends its CPU time: not in
# the call that it sleeps in because it looks runnable while we keep it from its CPU (moment.h;
# without it that was 71 to 81 % where 30 was true). Of the way into and out of sleep a part is not
# found: the scheduler switches with interrupts off, and the timer that wakes us comes there seldom
# (traced: 10 of 100 of its interrupts of the server, for 31 % of the time). So the limits are wide;
# the parts that it works in are compared with each other, too.
. "$(dirname "$0")/lib.sh"

[ -r /proc/self/sched ] || skip "the kernel has no /proc/PID/sched"
[ "$(nproc)" -gt 1 ] || skip "one CPU: server and peer take turns"

# shares PEER_WORK WORK: each part's percent, by the program and by us.
shares() {
    local what="peer $1, server $2" effective=0 runs=0 name most truth measured
    rm -f truth p?.pb.gz
    while [ $effective -lt 1000 ] && [ $runs -lt 6 ]; do
        runs=$((runs + 1))
        "$TARGETS/restless" peer "$1" "$SPROFRUN" -q -F 500 --max-overhead 25 --report none \
            -o p$runs.pb.gz -- "$TARGETS/restless" serve 4 "$2" >>truth
        is "$what: none incomplete" "$(figure incomplete_stacks p$runs.pb.gz)" 0
        effective=$((effective + $(figure effective_samples p$runs.pb.gz)))
    done
    check "$what: samples" [ $effective -ge 1000 ]
    "$SPROFREPORT" export --format folded --value cpu p?.pb.gz |
        awk '{ all += $NF } match($0, /part_[a-z]+/) { n[substr($0, RSTART + 5, RLENGTH - 5)] += $NF }
            END { for (name in n) print name, 100 * n[name] / all }' >measured
    awk '{ sum[$1] += $2; n[$1]++ } END { for (name in sum) print name, sum[name] / n[name] }' truth >mean
    is "$what: parts" "$(wc -l <mean)" 4
    while read -r name truth; do
        most=18
        [ "$name" != wait ] || most=10
        within "$what: $name, which takes $truth %" \
            "$(awk -v name="$name" '$1 == name { print $2 }' measured)" \
            "$(awk -v t="$truth" 'BEGIN { print t - 18 }')" \
            "$(awk -v t="$truth" -v most=$most 'BEGIN { print t + most }')"
    done <mean
    for name in take compute give; do
        truth=$(part_of_work $name mean) measured=$(part_of_work $name measured)
        within "$what: of the rest, $name, which takes $truth %" "$measured" \
            "$(awk -v t="$truth" 'BEGIN { print t - 12 }')" \
                "$(awk -v t="$truth" 'BEGIN { print t + 12 }')"
    done
}
# part_of_work NAME FILE: of all parts but the wait, in percent
part_of_work() {
    awk -v name="$1" '$1 != "wait" { all += $2 } $1 == name { n = $2 }
        END { printf "%.2f", 100 * n / all }' "$2"
}

shares 2000 2000
shares 20000 5000
shares 50000 100
finish
