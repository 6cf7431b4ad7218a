#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With few descriptors (RLIMIT_NOFILE) a command runs and ends with its own status, from the lowest
# limit at which it can be started. What is missing is reported with its cause. (Once, at a limit of
# 8, the command was not run, and the message named a wrong reason.)
. "$(dirname "$0")/../lib.sh"

for limit in 7 8 9 10 12 14; do
    (ulimit -n $limit; exec "$SPROFRUN" -q -o p.pb.gz sh -c 'echo ran; exit 5') >out 2>err
    is "$limit descriptors: status" $? 5
    is "$limit descriptors: it ran" "$(cat out)" ran
    check "$limit descriptors: the cause is said" grep -q 'no profile' err
    is "$limit descriptors: and no other" "$(grep -vc 'limit of open files.*ulimit -n' err)" 0
done
for limit in 5 6; do
    (ulimit -n $limit; exec "$SPROFRUN" -q -o p.pb.gz true) 2>err
    is "$limit descriptors: status" $? 125
    is "$limit descriptors: the cause" "$(cat err)" \
        'sprofrun: cannot begin: Too many open files; raise the limit (ulimit -n)'
done
(ulimit -n 4; exec "$SPROFRUN" -q -o p.pb.gz true) 2>err
is "4 descriptors: what mends it" "$? $(cat err)" "125 sprofrun: cannot write the profile to \
p.pb.gz: Too many open files; raise the limit (ulimit -n)"
(ulimit -n 20; exec "$SPROFRUN" -q -o p.pb.gz "$TARGETS/busy" 1 0.3 5) >out 2>err
is "20 descriptors: status" $? 5
check "20 descriptors: a profile" [ -s p.pb.gz ]
finish
