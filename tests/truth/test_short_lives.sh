#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Processes that live for less than a period, and processes that call exec again and again: their
# time in fork, exec and exit is found, and sampling goes on. (An earlier version lost the sample if
# the thread ended or came to another stop before the requested one: exits had no samples, exec
# hardly any, forks few. And after one of some 4,000 execs, it waited for the requested stop for
# ever.)
. "$(dirname "$0")/../lib.sh"

# profile WHAT COMMAND...: profiles COMMAND into p.pb.gz
profile() {
    local what=$1
    shift
    timeout 120 "$SPROFRUN" -q -F 2000 -o p.pb.gz "$@" 2>err
    is "$what: status" $? 0
}
# part FUNCTION: prints FUNCTION's self time in percent of the CPU time
part() {
    "$SPROFREPORT" flat --format tsv p.pb.gz |
        awk -F'\t' -v f="$1" 'NR > 1 { all += $2 } $5 == f { p += $2 } END { print 100 * p / all }'
}

profile "forks" "$TARGETS/lives" forks 4000
within "forks: found" "$(figure found_ratio p.pb.gz)" 0.6 1.1
within "forks: part of exit_group" "$(part '[syscall] exit_group')" 5 40
within "forks: part of clone" "$(part '[syscall] clone')" 20 70

for i in 1 2 3 4; do
    profile "execs" "$TARGETS/lives" execs 500
    within "execs: found" "$(figure found_ratio p.pb.gz)" 0.8 1.2
    within "execs: part of execve" "$(part '[syscall] execve')" 1.5 30
done

# The maps of a new image reach the analyst, also if a thread was examined between the exec and its
# stop: names and stacks are known.
profile "script" sh -c 'for i in $(seq 500); do /bin/true; done'
within "script: found" "$(figure found_ratio p.pb.gz)" 0.8 1.2
within "script: part of what has no name" "$(part '[unknown]')" 0 1.5

# A leader that ends after a stop was requested of it never stops, and waitid() reports its end only
# when the last thread of the process ends. The request does not count as a missed stop: the leader
# was in exit. (Once, 37 to 61 of 100 such stops counted as missed.)
ulimit -n 20000
profile "leaders" -F 20000 "$TARGETS/lives" leaders 300
within "leaders: missed stops" "$(figure missed_stops p.pb.gz)" 0 0
# Usually there are 40 to 60 samples of exit, also under load. Their share depends on how long the
# forks take.
within "leaders: samples of exit" "$("$SPROFREPORT" flat --format tsv p.pb.gz |
    awk -F'\t' '$5 == "[syscall] exit" { n = $1 } END { print n + 0 }')" 15 600
finish
