#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --thread-name and --tid: only the chosen threads are in the profile and its sums, and the other
# threads are not stopped. Also --exp, which sets options as an experiment of SpeedShop.
. "$(dirname "$0")/../lib.sh"
SPROFTOP=$BUILD/tools/sproftop

# For a profile of some threads, asserts that profiled and unattributed time together are what the
# kernel charged to them.
sums() { # WHAT PROFILE
    is "$1: profiled and unattributed are the kernel's" \
        $(($(figure profiled_cpu_ns "$2") + $(figure unattributed_cpu_ns "$2"))) \
        "$(figure kernel_cpu_ns "$2")"
}
part_of() { # FUNCTION PROFILE: its share of the samples with what it calls, in percent
    "$SPROFREPORT" --format tsv "$2" | awk -F'\t' -v f="$1" \
        '{ all += $1 } $5 == f { n = $3 } END { print all ? int(n * 100 / all) : 0 }'
}

# Threads of a command are chosen by name. One thread gets its name halfway, which is noticed after
# a time that depends on its age.
out=$("$SPROFRUN" -F 1000 --thread-name '^work-' -o n.pb.gz "$TARGETS/named" 0.8 5 2>err)
is "the command's status" $? 5
sums "by name" n.pb.gz
kernel=$(figure kernel_cpu_ns n.pb.gz) left=$(figure left_out_cpu_ns n.pb.gz)
about "chosen and left out are all of the process" \
    "$(awk -v k=$kernel -v l=$left -v p=$out 'BEGIN { print (k + l) / p }')" 0.97 1.03
about "time of the threads of that name" $kernel 1560000000 2050000000
is "threads that were chosen" "$(figure chosen_threads n.pb.gz)" 3
is "of so many" "$(figure threads n.pb.gz)" 5
check "there are samples of their function" [ "$(part_of chosen n.pb.gz)" -gt 0 ]
about "samples in their function, %" "$(part_of chosen n.pb.gz)" 95 100
about "found" "$(figure found_ratio n.pb.gz)" 0.7 1.3
check "the report tells which" grep -q "note: only threads whose name matches '^work-'" err
check "and what is left out" grep -q '2 of 5 threads left out, with ' err

# With waiting time and a file each second: the sums of each file are right.
"$SPROFRUN" -F 500 -w both --rotate 1s --thread-name rest -o r.pb.gz "$TARGETS/named" 1.2 \
    >out 2>err
is "rotated: status" $? 0
kernel=0 left=0 waited=0 lives=0
for file in r.2*.pb.gz; do
    sums "$file" $file
    kernel=$((kernel + $(figure kernel_cpu_ns $file)))
    left=$((left + $(figure left_out_cpu_ns $file)))
    lives=$((lives + $(figure elapsed_ns $file)))
    for key in runqueue_ns blocked_ns unattributed_runqueue_ns unattributed_blocked_ns; do
        waited=$((waited + $(figure $key $file)))
    done
done
# 10 % are allowed, because the kernel's time in run queues is exact to a scheduler tick only.
about "on a CPU, waiting and blocked are their lives" \
    "$(awk -v k=$kernel -v w=$waited -v l=$lives 'BEGIN { print (k + w) / l }')" 0.9 1.1
about "the files' time" $kernel 1150000000 1250000000
about "and what they left out" "$(awk -v k=$kernel -v l=$left -v p="$(cat out)" \
    'BEGIN { print (k + l) / p }')" 0.97 1.03

# Threads of a process that runs already, chosen by tid. Voluntary switches of a thread that never
# sleeps are stops.
"$TARGETS/named" 600 & target=$!
thread() { grep -lx "$1" /proc/$target/task/*/comm 2>/dev/null | cut -d/ -f5; }
named() { for name in work-0 work-1 rest-0 changing; do [ "$(thread $name)" ] || return; done; }
wait_until "its threads have their names" 20 named
stops() { awk '/^voluntary/ { print $2 }' /proc/$target/task/$1/status; }
chosen=$(thread work-1) other=$(thread work-0)
before=$(stops $other)
"$SPROFRUN" -F 500 -d 1s --tid $chosen -o t.pb.gz 2>err; is "--tid without -p: status" $? 0
is "stops of a thread that is left out" $(($(stops $other) - before)) 0
sums "by number" t.pb.gz
is "threads" "$(figure chosen_threads t.pb.gz) of $(figure threads t.pb.gz)" "1 of 5"
is "the only thread in the profile" \
    "$("$SPROFREPORT" --split thread --format tsv t.pb.gz | tail -n +2 | cut -f1 | sort -u)" \
    $chosen
check "the report tells which" grep -q "note: only thread $chosen was profiled" err
is "--dump of it: threads" "$("$SPROFRUN" --dump $target --tid $chosen 2>&1 | grep -c '^thread ')" 1
"$SPROFTOP" -b -n 1 -s 500ms -F 2000 --max-overhead 100 -p $target --thread-name rest >top 2>&1
check "sproftop: the function of the thread" grep -q '\<other\>' top
check "and of no other one" [ "$(grep -c '\<chosen\>' top)" = 0 ]
"$SPROFTOP" -b -n 1 -s 500ms -p $target --view threads --tid $chosen >top 2>&1
is "sproftop: threads that are left out are marked" \
    "$(awk '/left out/ { n++ } / work-1 / && !/left out/ { ours = 1 } END { print n, ours }' top)" \
    "4 1"
"$SPROFRUN" -d 300ms -p $target --thread-name nobody -o no.pb.gz 2>err
is "nobody of that name: status" $? 0
is "how often it is said" "$(grep -c 'no thread was chosen' err)" 2

# Invalid options are refused with a message.
refused() { # STATUS TEXT OPTIONS...
    local status=$1 text=$2
    shift 2
    "$SPROFRUN" "$@" >out 2>err
    is "$*: status" $? "$status"
    check "$*: said" grep -qF -- "$text" err
}
refused 2 "bad thread name 'a(': " --thread-name 'a(' true
refused 2 "bad thread name '': give a regular expression" --thread-name '' true
refused 2 "bad list of threads '1,x': give thread ids" --tid 1,x
refused 2 "choose them by --thread-name" --tid 1 true
refused 2 "which is not profiled: give -p $target, too" --tid $chosen -p $$
refused 2 "--region and --thread-name do not go together" --thread-name a --region abs:0-8:65536 \
    --histogram h true
sh -c 'exit 0' & gone=$!
wait $gone
refused 125 "no thread $gone runs" --tid $gone
refused 2 "no experiment 'pcsampy': choose usertime, pcsamp or fpcsamp" --exp pcsampy true
kill $target

# --exp sets what SpeedShop's experiment of that name has: period, stacks, and width of bins.
for exp in usertime:30000000 pcsamp:10000000 fpcsampx:1000000; do
    "$SPROFRUN" --exp ${exp%:*} -o e.pb.gz "$TARGETS/busy" 1 0.6 2>err
    is "${exp%:*}: period" "$(figure period_ns e.pb.gz)" ${exp#*:}
    deep=$("$SPROFREPORT" export --format folded e.pb.gz | grep -c ';spin ' )
    is "${exp%:*}: stacks" $((deep > 0)) $([ ${exp%:*} = usertime ] && echo 1 || echo 0)
done
for exp in pcsamp:2 pcsampx:4; do
    "$SPROFRUN" --region busy:0-0x10000:0x10000 --exp ${exp%:*} --histogram h -i 1ms -o e.pb.gz \
        "$TARGETS/busy" 1 0.1 2>err
    is "${exp%:*}: bytes of text for a bin" "$(sed -n 2p h | {
        read -r _ start end _; echo $((end - start)); })" ${exp#*:}
done
finish
