#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No thread is to be had for the CPUs' waiters: the tracing thread takes their instants itself.
# $1: the library that refuses the threads. The tracing thread finds who runs on its own CPU, so the
# target must run there, too; how many samples there are depends on the machine's load.
. "$(dirname "$0")/../lib.sh"
command -v taskset >/dev/null || skip "there is no taskset"
taskset -pc "$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')" $$ >/dev/null

for class in "" --no-realtime; do
    # shellcheck disable=SC2086 # no option, or one
    LD_PRELOAD=$1 "$SPROFRUN" -q $class -F 1000 -o p.pb.gz "$TARGETS/busy" 2 0.3 >out 2>err
    is "no waiters $class: status" $? 0
    check "no waiters $class: they are refused" grep -q '^no waiter$' err
    check "no waiters $class: there are samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
done

finish
