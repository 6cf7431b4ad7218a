#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Limits of descriptors and memory: said once, counted, and the rest goes on. Many more threads and
# processes, what they cost, and who is seen are tests/truth/test_limits.sh.
. "$(dirname "$0")/../lib.sh"

# explained WHAT: what is profiled and what is not are all that the kernel charged
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

# Hardly any: some may find none free when their turn comes. That is said, once, if it is so.
(ulimit -n 20; "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" threads 100 300) >out 2>err
is "20 descriptors: status" $? 0
is "20 descriptors: one message if a thread is left out" \
    "$(grep -c '^sprofrun: .*limit of open files.*ulimit -n' err)" \
        $(($(figure unwatched_threads p.pb.gz) > 0))
is "20 descriptors: and no other" "$(grep -vc 'limit of open files' err)" 0
explained "20 descriptors"

# Processes that all live at once, and births without end.
"$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" processes 150 300 >out 2>err
is "150 processes: status" $? 0
is "150 processes: all are seen" "$(figure processes p.pb.gz)" 151
explained "150 processes"
"$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" births 150 0 >out 2>err
is "150 births: status" $? 0
is "150 births: processes and threads" "$(figure processes p.pb.gz) $(figure threads p.pb.gz)" \
    "151 301"
explained "150 births"

# No more memory, in the middle of it.
"$SPROFRUN" -q -F 1000 -o p.pb.gz sh -c "echo >ready; while [ ! -e go ]; do sleep 0.02; done; exec $TARGETS/many processes 500 500" >out 2>err &
run=$!
wait_until "it is ready" 20 [ -e ready ]
# The least of many readings: stacks of threads that come and go count, too.
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
