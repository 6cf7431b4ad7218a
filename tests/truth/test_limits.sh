#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Thousands of threads and processes, few descriptors, little memory: a message says so once, what
# is lost is counted, and profiling goes on.
. "$(dirname "$0")/../lib.sh"

# explained WHAT LOW HIGH: asserts that profiled and unattributed time add up to the kernel's
# figure, which is LOW to HIGH times the target's own figure
explained() {
    is "$1: profiled + unattributed is the kernel's figure" \
        $(($(figure profiled_cpu_ns p.pb.gz) + $(figure unattributed_cpu_ns p.pb.gz))) \
            "$(figure kernel_cpu_ns p.pb.gz)"
    within "$1: and that is the target's own" \
        "$(awk -v k="$(figure kernel_cpu_ns p.pb.gz)" -v own="$(cat out)" \
        'BEGIN { print k / own }')" "$2" "$3"
}
# peak COMMAND...: runs COMMAND; sets $status, and $peak to the supervisor's most memory in KiB,
# without the ring
peak() {
    "$@" >out 2>err &
    local run=$! now
    peak=0
    while kill -0 $run 2>/dev/null; do
        now=$(awk '/^RssAnon/ { print $2 }' /proc/$run/status 2>/dev/null)
        [ "${now:-0}" -gt $peak ] && peak=$now
        sleep 0.02 # between two looks
    done
    wait $run
    status=$?
}

# Few descriptors, and most threads asleep: the threads that run get the descriptors. A thread takes
# 20 KiB of the supervisor's memory at most.
most=$(ulimit -u)
threads=3000
[ "$most" = unlimited ] || [ "$most" -gt 8000 ] || threads=$((most / 4))
(ulimit -n 200; "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/race" crowd $threads 3000) >out 2>err
is "$threads threads, 200 descriptors: status" $? 0
is "$threads threads, 200 descriptors: no messages" "$(cat err)" ""
is "$threads threads, 200 descriptors: threads" "$(figure threads p.pb.gz)" $((threads + 1))
"$SPROFREPORT" flat --format tsv p.pb.gz >rows
# The running thread is on CPU at 3,000 instants. An earlier version, which read the activity of all
# threads in turn, found it at 3 to 1,000 of them. The total of its functions is compared, not their
# self: it includes the clock's functions, which may lack names.
seen=$(awk -F'\t' '$5 ~ /^(crowd|work_ms)$/ && $3 > n { n = $3 } END { print n + 0 }' rows)
within "$threads threads, 200 descriptors: the one at work is seen" "$seen" 100 100000

# More threads run than there are descriptors: the descriptors go from one to another.
(ulimit -n 64; "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" threads 300 1500) >out 2>err
is "300 threads at work, 64 descriptors: status" $? 0
is "300 threads at work, 64 descriptors: no messages" "$(cat err)" ""
check "300 threads at work, 64 descriptors: sampled" [ "$(figure samples p.pb.gz)" -gt 20 ]
explained "300 threads at work, 64 descriptors" 0.98 1.02

# With 20 descriptors, some threads may find none free when their turn comes. One message says so if
# that happened.
(ulimit -n 20; "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" threads 300 1500) >out 2>err
is "20 descriptors: status" $? 0
is "20 descriptors: one message if a thread is left out" \
    "$(grep -c '^sprofrun: .*limit of open files.*ulimit -n' err)" \
        $(($(figure unwatched_threads p.pb.gz) > 0))
is "20 descriptors: and no other" "$(grep -vc 'limit of open files' err)" 0
explained "20 descriptors" 0.98 1.02

# Many processes at once are all seen, and each costs the supervisor 40 KiB of memory at most.
peak "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" processes 10 500
few=$peak
processes=1500
[ "$most" = unlimited ] || [ "$most" -gt 8000 ] || processes=$((most / 4))
peak "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" processes $processes 500
is "$processes processes: status" $status 0
is "$processes processes: all are seen" "$(figure processes p.pb.gz)" $((processes + 1))
explained "$processes processes" 0.95 1.05
within "$processes processes: KiB of memory for each" "$(((peak - few) / processes))" -1 40

# Thousands of processes that end at once leave nothing behind in memory.
peak "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/many" births 2000 0
is "2000 births: status" $status 0
is "2000 births: processes and threads" "$(figure processes p.pb.gz) $(figure threads p.pb.gz)" \
    "2001 4001"
explained "2000 births" 0.95 1.05
within "2000 births: KiB of memory more than for few" "$((peak - few))" -20000 2000

# Memory runs out in the middle of a run: one message says so, and the rest is profiled.
"$SPROFRUN" -q -F 1000 -o p.pb.gz sh -c "echo >ready; while [ ! -e go ]; do sleep 0.02; done;
    exec $TARGETS/many processes 1500 1500" >out 2>err &
run=$!
wait_until "it is ready" 20 [ -e ready ]
prlimit --pid $run --data=$(($(awk '/^VmData/ { print $2 }' /proc/$run/status) * 1024 + 200000)) \
    2>/dev/null || skip "prlimit"
echo >go
wait $run
is "out of memory: status" $? 0
is "out of memory: one message" \
    "$(grep -c 'out of memory: thread [0-9]* goes on without being profiled' err)" 1
grep -v 'out of memory' err
check "out of memory: the target is unharmed" [ -s out ]
check "out of memory: counted" [ "$(figure unwatched_threads p.pb.gz)" -gt 0 ]
check "out of memory: the rest is profiled" [ "$(figure samples p.pb.gz)" -gt 20 ]
finish
