#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Limits of descriptors and memory: the loss is reported once and counted, and the rest is profiled.
# tests/truth/test_limits.sh has many more threads and processes, and checks their cost and how many
# are seen.
. "$(dirname "$0")/../lib.sh"

# explained WHAT: asserts that profiled and unattributed time together are what the kernel charged
explained() {
    is "$1: profiled + unattributed is the kernel's figure" \
        $(($(figure profiled_cpu_ns p.pb.gz) + $(figure unattributed_cpu_ns p.pb.gz))) \
            "$(figure kernel_cpu_ns p.pb.gz)"
}

(ulimit -n 64; "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/race" crowd 300 300) >out 2>err
is "300 threads, 64 descriptors: status" $? 0
is "300 threads, 64 descriptors: no messages" "$(cat err)" ""
is "300 threads, 64 descriptors: threads" "$(figure threads p.pb.gz)" 301
explained "300 threads, 64 descriptors"

# 20 descriptors: for some threads none may be free. If so, that is reported once. There are too few
# to serve programs that call sprofil(3): that is reported, too.
(ulimit -n 20; "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" threads 100 300) >out 2>err
is "20 descriptors: status" $? 0
is "20 descriptors: one message if a thread is left out" \
    "$(grep -c '^sprofrun: the limit of open files .*some threads.*ulimit -n' err)" \
        $(($(figure unwatched_threads p.pb.gz) > 0))
is "20 descriptors: there are no calls" \
    "$(grep -c '^sprofrun: programs cannot call sprofil: .*limit of open files.*ulimit -n' err)" 1
is "20 descriptors: and no other" "$(grep -vc 'limit of open files' err)" 0
explained "20 descriptors"

# All processes are seen, whether they live at once or come and go.
"$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" processes 150 300 >out 2>err
is "150 processes: status" $? 0
is "150 processes: all are seen" "$(figure processes p.pb.gz)" 151
explained "150 processes"
"$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" births 150 0 >out 2>err
is "150 births: status" $? 0
is "150 births: processes and threads" "$(figure processes p.pb.gz) $(figure threads p.pb.gz)" \
    "151 301"
explained "150 births"

# Memory runs out in the middle of a run: one message says so, and the target is unharmed.
"$SPROFRUN" -q -F 1000 -o p.pb.gz sh -c "echo >ready; while [ ! -e go ]; do sleep 0.02; done;
    exec $TARGETS/many processes 500 500" >out 2>err &
run=$!
wait_until "it is ready" 20 [ -e ready ]
# The minimum of many readings, because the stacks of short-lived threads count, too.
data_kb=$(for _ in $(seq 200); do awk '/^VmData/ { print $2 }' /proc/$run/status; done |
    sort -n | head -n 1)
prlimit --pid $run --data=$((data_kb * 1024 + 100000)) 2>/dev/null || skip "prlimit"
echo >go
wait $run
is "out of memory: status" $? 0
is "out of memory: one message" \
    "$(grep -c 'out of memory: thread [0-9]* goes on without being profiled' err)" 1
check "out of memory: the target is unharmed" [ -s out ]
check "out of memory: counted" [ "$(figure unwatched_threads p.pb.gz)" -gt 0 ]
check "out of memory: the rest is profiled" [ "$(figure samples p.pb.gz)" -gt 0 ]
finish
