#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --per-process: a profile of each process, with the CPU time of only this process; and the report
# by process and thread.
. "$(dirname "$0")/../lib.sh"

# Each process writes its pid to "pids".
cat >command <<C
"$TARGETS/busy" 1 0.2 0 & echo "one \$!" >>pids
wait
"$TARGETS/busy" 2 0.3 0 & echo "two \$!" >>pids
wait
"$TARGETS/busy" 1 0.1 0 & echo "three \$!" >>pids
wait
C
# Under load stops take long, and the default bound on the overhead would leave few of the hundred
# samples.
"$SPROFRUN" -F 1000 --max-overhead 100 --per-process -o 'p.pb.gz' sh command 2>report
is "status" $? 0
is "files" "$(ls p.*.pb.gz | wc -l)" 4
check "the message names the pattern" grep -q '^sprofrun: 4 profiles.* p\.%p\.pb\.gz' report
check "the report tells processes apart" grep -qE "busy $(awk '/two/ { print $2 }' pids) +spin" \
    report
while read -r name pid; do
    file=p.$pid.pb.gz
    case $name in one) low=0.19 high=0.25 ;; two) low=0.58 high=0.65 ;; three) low=0.09 high=0.15 ;
    esac
    # The target works for a given CPU time in each thread.
    check "$name: what it used is in the kernel's figure" \
        awk -v k="$(figure kernel_cpu_ns "$file")" \
        -v low=$low 'BEGIN { exit !(k / 1e9 >= low) }'
    about "$name: the kernel's figure" \
        "$(figure kernel_cpu_ns "$file" | awk '{ print $1 / 1e9 }')" $low $high
    is "$name: profiled + unattributed is the kernel's figure" \
        $(($(figure profiled_cpu_ns "$file") + $(figure unattributed_cpu_ns "$file"))) \
            "$(figure kernel_cpu_ns "$file")"
    is "$name: the rows are all of it" \
        "$("$SPROFREPORT" flat --format tsv "$file" |
        awk -F'\t' 'NR > 1 { n += $2 } END { print n }')" \
        "$(figure kernel_cpu_ns "$file")"
    is "$name: one process" "$("$SPROFREPORT" flat --format tsv --split process "$file" |
        awk -F'\t' 'NR > 1 { print $1 }' | sort -u)" "$pid"
    check "$name: it is busy" sh \
        -c "'$SPROFREPORT' flat --format tsv '$file' | awk -F'\t' '\$5 == \"spin\"' | grep -q ."
done <pids
is "two: threads" "$("$SPROFREPORT" flat --format tsv --split thread \
    "p.$(awk '/two/ { print $2 }' pids).pb.gz" |
    awk -F'\t' '$7 == "spin" && $4 > 1e7 { print $1 }' | sort -u | wc -l)" 2

# The pattern of the file name may say where the pid goes.
"$SPROFRUN" -q --per-process -o 'x-%p-%n.folded' "$TARGETS/busy" 1 0.05 0
is "%p and %n" "$(ls x-*-busy.folded | wc -l)" 1
# A file that is not a regular one is written in place.
mkfifo pipe
cat pipe >from-pipe.pb.gz & reader=$!
"$SPROFRUN" --report none --per-process -o pipe \
    sh -c "$TARGETS/busy 1 0.05 0; $TARGETS/busy 1 0.05 0" 2>err
wait $reader
is "a pipe has all processes" "$(figure processes from-pipe.pb.gz) $(ls -d pipe*)" "3 pipe"
check "which is said" grep -q '^sprofrun: pipe is no regular file' err
"$SPROFRUN" -q --per-process -o /dev/null true
is "/dev/null has no company" "$(ls -d /dev/null*)" /dev/null
"$SPROFRUN" -q --per-process -o - true 2>err
is "several files to stdout" $? 2
"$SPROFRUN" --per-thread -o t.pb.gz "$TARGETS/busy" 2 0.2 0 2>report
is "--per-thread: rows of spin" "$(grep -cE 'busy [0-9]+ +spin ' report)" 2

# Processes to which sprofrun attached, and that go on, have a profile, too.
"$TARGETS/busy" 1 3 0 & one=$!
"$TARGETS/busy" 1 3 0 & two=$!
"$SPROFRUN" -q -F 1000 --per-process -o a.pb.gz -p $one,$two -d 0.5
for pid in $one $two; do
    is "attached $pid: all is explained" \
        $(($(figure profiled_cpu_ns a.$pid.pb.gz) + $(figure unattributed_cpu_ns a.$pid.pb.gz))) \
            "$(figure kernel_cpu_ns a.$pid.pb.gz)"
    about "attached $pid: seconds" \
        "$(figure kernel_cpu_ns a.$pid.pb.gz | awk '{ print $1 / 1e9 }')" 0.005 0.6
done
kill $one $two
finish
