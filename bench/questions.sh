#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What it costs to find out which thread was preempted (a question). Runs busy threads at 250 Hz
# without --max-cost: first with the scheduling class that sprofrun gets (real time if permitted),
# then with --no-realtime. Prints a TSV row for each number of threads. Runs on any machine, in half
# a minute.
#   bench/questions.sh [THREADS...]      BUILD: the built tree. Default: 1 2 4 8 and CPUs, 2 x CPUs
# Columns: reached_pct: samples in percent of those that the rate asks for. late_pct: the instants
# that were lost; busy_pct: those of them at which the sampler was occupied. unproved: stops of a
# thread that may have run since the instant. questions, p50_us, p99_us, max_us: how often a waiter
# had its turn, and for how long; turn_pct: questions times p50_us, in percent of the wall time.
# cpu_us_sample: the supervisor's CPU time a sample.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
CPUS=$(nproc)
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(printf '%s\n' 1 2 4 8 "$CPUS" $((2 * CPUS)) | sort -nu)
cd "$WORK" || exit 1
printf 'class\tthreads\treached_pct\tfound_ratio\tlate_pct\tbusy_pct\tunproved\tquestions\t'
printf 'p50_us\tp99_us\tmax_us\tturn_pct\tcpu_us_sample\n'
for options in "" --no-realtime; do
    for threads in "$@"; do
        run=("$SPROFRUN" -q -G -F 250 --max-cost 100 ${options:+"$options"} -o p.pb.gz
            -- "$BUILD/bench/busy_threads" "$threads" 1000 500)
        "${run[@]}" >out 2>log || { cat log >&2; exit 1; }
        "$SPROFREPORT" summary --format tsv p.pb.gz | awk -F'\t' -v OFS='\t' -v threads="$threads" '
            { v[$1] = $2 } END {
            n = v["samples"] ? v["samples"] : 1; i = v["instants"] ? v["instants"] : 1
            print v["realtime"] ? "realtime" : "fair", threads,
                sprintf("%.1f", 100 * v["samples"] * v["period_ns"] / v["kernel_cpu_ns"]),
                v["found_ratio"], sprintf("%.2f", 100 * v["late_instants"] / i),
                sprintf("%.2f", 100 * v["busy_instants"] / i), v["unproved_stops"] + 0,
                v["questions"] + 0, v["question_ns_p50"] / 1e3, v["question_ns_p99"] / 1e3,
                v["question_ns_max"] / 1e3,
                sprintf("%.2f", 100 * v["question_ns_p50"] * v["questions"] / v["wall_ns"]),
                sprintf("%.1f", v["supervisor_cpu_ns"] / n / 1e3) }'
    done
done
