#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program with a higher real-time priority takes a CPU for itself, on which sampling threads wait
# for instants. Profiling still ends in time, and on a signal.
. "$(dirname "$0")/../lib.sh"
# timeout(1), which kills that program after 16 s, is in the fair class, on another CPU.
chrt -f 50 true 2>/dev/null || skip "real-time priority is not permitted"
two_cpus
taskset -pc "$ours" $$ >/dev/null

gone() { ! kill -0 "$1" 2>/dev/null; }
hogs() { [ "$(awk '{ print $14 }' "/proc/$1/stat" 2>/dev/null || echo 0)" -gt 10 ]; }
traced() { grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$1/status"; }
sleep 600 & sleeper=$!
trap 'kill -KILL $sleeper $hog 2>/dev/null; rm -rf "$WORK"' EXIT

for whom in other hog; do
    for how in duration order; do
        what="$whom, $how"
        timeout -s KILL 16 chrt -f 50 taskset -c "$theirs" "$TARGETS/busy" 1 300 5 & limit=$!
        wait_until "$what: the hog runs" 10 pgrep -P $limit -x busy >/dev/null
        hog=$(pgrep -P $limit -x busy)
        wait_until "$what: it has its CPU" 10 hogs "$hog"
        target=$sleeper
        [ $whom = other ] || target=$hog
        options=()
        [ $how = order ] || options=(-d 1s)
        "$SPROFRUN" -q "${options[@]}" -o p.pb.gz -p "$target" & front=$!
        if [ $how = order ]; then
            wait_until "$what: attached" 10 traced "$target"
            sleep 0.5 # its threads come to wait for the hog's CPU
            kill -INT $front
        fi
        # The hog runs for longer than this wait, so profiling ends although the hog has the CPU.
        wait_until "$what: it ends" 9 gone $front
        check "$what: while the hog runs" kill -0 "$hog"
        kill -KILL "$hog" 2>/dev/null
        wait $front; is "$what: status" $? 0
        wait $limit 2>/dev/null
    done
done
finish
