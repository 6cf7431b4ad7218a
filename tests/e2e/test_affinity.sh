#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sprofrun was started on one CPU by taskset, the target runs on another: it is sampled there. The
# command that sprofrun starts stays on sprofrun's CPU. Waiters that are moved elsewhere return.
. "$(dirname "$0")/../lib.sh"
command -v taskset >/dev/null || skip "there is no taskset"
two_cpus

taskset -c "$theirs" "$TARGETS/busy" 1 300 5 & busy=$!
trap 'kill -KILL $busy 2>/dev/null; rm -rf "$WORK"' EXIT
traced() { grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$1/status"; }
ticks() { awk '{ print $14 }' "/proc/$busy/stat"; }
has_run() { [ "$(ticks)" -gt "$1" ]; }
# on CPU: prints the threads of sprofrun that stay on that CPU
on() {
    local task
    for task in "/proc/$(tracing $front)/task"/*; do
        [ "$(allowed "${task##*/}")" = "$1" ] && echo "${task##*/}"
    done
}
returned() { for tid in $moved; do [ "$(allowed "$tid")" = "$theirs" ] || return 1; done; }
allowed() { awk '/^Cpus_allowed_list:/ { print $2 }' "/proc/$1/status"; }

taskset -c "$ours" "$SPROFRUN" -q -F 1000 --max-overhead 100 -o p.pb.gz -p $busy 2>err & front=$!
wait_until "it is attached to" 20 traced $busy
is "the analyst's CPU" "$(allowed "$(pgrep -P "$(tracing $front)" -x sprofil-analyst)")" "$ours"
wait_until "a second of CPU time" 60 has_run $(($(ticks) + 100))
# The kernel moves threads like this if their CPU goes offline.
moved=$(on "$theirs")
check "threads stay on the target's CPU" [ -n "$moved" ]
for tid in $moved; do taskset -pc "$ours" "$tid" >moves; done
wait_until "they are back on their CPU" 60 returned
wait_until "a second of CPU time after that" 60 has_run $(($(ticks) + 100))
kill -INT $front
wait $front; is "its status" $? 0
is "nothing is said" "$(cat err)" ''
check "there are samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
about "samples" "$(figure samples p.pb.gz)" 300 1500
about "found_ratio" "$(figure found_ratio p.pb.gz)" 0.7 1.3

is "the command's CPU" \
    "$(taskset -c "$ours" "$SPROFRUN" -q -o p.pb.gz sh -c \
    'grep Cpus_allowed_list /proc/self/status' |
        awk '{ print $2 }')" "$ours"
finish
