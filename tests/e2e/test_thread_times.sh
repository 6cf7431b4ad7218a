#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The CPU time of a thread in reports is the kernel's figure, however few samples the thread has.
. "$(dirname "$0")/../lib.sh"

"$SPROFRUN" -F 1000 -o p.pb.gz "$TARGETS/thread_times" 40 >used 2>err
is "status" $? 0
"$SPROFREPORT" flat --by thread --format tsv p.pb.gz >by_thread
"$SPROFREPORT" flat --split thread --format tsv p.pb.gz >split

# Compares the kernel's figure of each thread in a table with what the thread's own clock showed
# (file "used"). Prints a line for each thread whose figures differ by more than a scheduler tick.
# Small differences are right: the clock of the first thread began before exec, and the kernel also
# charges each thread for its end. The file "compared" gets the number of threads compared.
tick_ns=$((1000000000 / $(getconf CLK_TCK)))
judge() { # TABLE
    awk -F'\t' -v tick=$tick_ns 'BEGIN {
            while ((getline line < "used") > 0) { split(line, a, " "); used[a[1]] = a[2] }
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["tid"] in used {
            seen[$at["tid"]] = 1
            more = $at["kernel_cpu_ns"] - used[$at["tid"]]
            if (more < -tick || more > tick)
                print $at["tid"], "used", used[$at["tid"]], "shown", $at["kernel_cpu_ns"]
        }
        END { n = 0; for (i in seen) n++; print n >"compared" }' "$1"
}
for table in by_thread split; do
    is "$table: each thread's time is that of its own clock" "$(judge $table)" ""
    check "$table: the main thread was compared" [ "$(cat compared)" -ge 1 ]
done
check "the text form has it" grep -qE '^ *used +time .* tid  thread' \
    <("$SPROFREPORT" flat --by thread p.pb.gz)
check "and per function" grep -qE '^ *self .* used  thread' \
    <("$SPROFREPORT" flat --split thread --width 200 p.pb.gz)
finish
