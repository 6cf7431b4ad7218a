#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What sampling costs: runs busy threads with a fixed amount of work (bench/busy_threads.c,
# busy_go.go) alone and under each sampler by turns, in rounds, until TIME is over. Prints a TSV row
# for each program and sampler, with medians over the rounds. Only figures of one run compare.
#   bench/cost.sh [FILE]      BUILD: the built tree. Needs nothing else; perf and go are used if
#                             they are there. On a terminal, progress goes to stderr.
# Samplers: perf (record -e cpu-clock; with stacks --call-graph dwarf), plain (bench/plain_sampler),
# product (sprofrun at that rate), default (sprofrun without a rate: its promise of at most 1 %),
# and old (sprofrun of another build, in the folder $OLD).
# Variables that choose, with their defaults: TIME (seconds, 540), THREADS ("1 2 4 8" and twice the
# CPUs), CALLS (us of work between system calls, "0 20"; 0 none), LANGS ("c go"), RATES
# ("250 1000"), STACKS ("0 1"), SAMPLERS ("perf plain product default"), MS (wall time of the work,
# 500), FAIR (1: without real-time priority).
# Columns: class: the scheduling class that the sampler really had (realtime, fair; several if the
# rounds differ; - for perf). lost_pct: the wall time lost, against the mean of the runs alone
# before and after in the same round; low, high: its range. reached_pct: samples in percent of those
# that the rate asks for. cpu_us_sample: the sampler's CPU time a sample, in us (- for perf, which
# works in the kernel, in the target's time). stop_us: the median stop (plain: the mean, from the
# request on). cost_pct: the cost that the product itself states.
. "$(dirname "$0")/lib.sh"
FILE=${1:-/dev/stdout}
CPUS=$(nproc) TIME=${TIME:-540} MS=${MS:-500} FAIR=${FAIR:-0}
THREADS=${THREADS:-$(printf '%s\n' 1 2 4 8 $((2 * CPUS)) | sort -nu)}
CALLS=${CALLS:-0 20} LANGS=${LANGS:-c go} RATES=${RATES:-250 1000} STACKS=${STACKS:-0 1}
SAMPLERS=${SAMPLERS:-perf plain product default${OLD:+ old}}
ROOT=$(cd "$(dirname "$0")/.." && pwd)
ended=$((SECONDS + TIME))
cd "$WORK" || exit 1
command -v perf >/dev/null && perf record -q -e cpu-clock -o p.data true 2>/dev/null ||
    SAMPLERS=${SAMPLERS/perf/}
case $LANGS in
*go*)
    command -v go >/dev/null && HOME=$WORK GOFLAGS=-mod=mod GO111MODULE=off \
        go build -o busy_go "$ROOT/bench/busy_go.go" 2>/dev/null || LANGS=${LANGS/go/}
    ;;
esac
program() { [ "$1" = c ] && echo "$BUILD/bench/busy_threads" || echo "$WORK/busy_go"; }

# under SAMPLER RATE STACKS COMMAND...: runs COMMAND alone (SAMPLER is "alone") or under one of the
# samplers above, at RATE Hz, with stacks if STACKS is 1. Prints
# "wall_ns samples reached cpu_us stop_us cost class"; -: not known
under() {
    local sampler=$1 rate=$2 stacks=$3 options=() run=$SPROFRUN
    shift 3
    case $sampler in
    alone) "$@" >out ;;
    perf)
        [ "$stacks" = 0 ] || options=(--call-graph dwarf)
        perf record -e cpu-clock -F "$rate" "${options[@]}" -o p.data "$@" >out 2>log
        ;;
    plain)
        [ "$stacks" = 0 ] || options+=(-s)
        [ "$FAIR" = 0 ] || options+=(-f)
        "$BUILD/bench/plain_sampler" -F "$rate" "${options[@]}" "$@" >out 2>log
        ;;
    *)
        [ "$stacks" = 1 ] || options+=(-G)
        [ "$FAIR" = 0 ] || options+=(--no-realtime)
        [ "$sampler" = default ] || options+=(-F "$rate")
        [ "$sampler" != old ] || run=$OLD/tools/sprofrun
        "$run" -q "${options[@]}" -o p.pb.gz -- "$@" >out 2>log
        "$SPROFREPORT" summary --format tsv p.pb.gz >summary 2>>log
        ;;
    esac
    read -r wall cpu <out || return
    case $sampler in
    alone) echo "$wall - - - - - -" ;;
    perf)
        sed -n 's/.*(\([0-9]*\) samples).*/\1/p' log | awk -v w="$wall" -v c="$cpu" -v r="$rate" \
            'END { n = $1 + 0; print w, n, 100 * n / (r * c / 1e9), "-", "-", "-", "-" }'
        ;;
    plain)
        awk -v w="$wall" -v c="$cpu" -v r="$rate" -v fair="$FAIR" '/^samples/ {
            for (i = 1; i < NF; i += 2) v[$i] = $(i + 1) }
            /no real-time priority/ { fair = 1 }
            END { print w, v["samples"], 100 * v["samples"] / (r * c / 1e9), v["cpu_us_sample"],
                v["stop_us"], "-", fair ? "fair" : "realtime" }' log
        ;;
    *)
        awk -F'\t' -v w="$wall" -v r="$rate" '{ v[$1] = $2 }
            END { n = v["samples"] ? v["samples"] : 1; print w, v["samples"],
                100 * v["samples"] / (r * v["kernel_cpu_ns"] / 1e9),
                v["supervisor_cpu_ns"] / n / 1e3, v["stop_ns_p50"] / 1e3,
                "cost_pct" in v ? v["cost_pct"] : "-", v["realtime"] ? "realtime" : "fair" }' \
            summary
        ;;
    esac
}

# plans: prints what is measured of one program, a line "SAMPLER RATE STACKS" for each run
plans() {
    for sampler in $SAMPLERS; do
        for stacks in $STACKS; do
            [ "$sampler" != default ] || { echo "default 250 $stacks"; continue; }
            for rate in $RATES; do echo "$sampler $rate $stacks"; done
        done
    done | shuf
}

# group LANG THREADS CALLS: measures one round of one program: its language (c or go), number of
# threads, and us of work between system calls. Adds a line for each run to the file "runs".
group() {
    local ms=$MS before after line command
    [ "$2" -le "$CPUS" ] || ms=$((MS * CPUS / $2))
    # A profiler's first second may cost more, so the work is measured after 1100 ms.
    command=("$(program "$1")" "$2" "$ms" 1100 "$3")
    before=$(under alone 0 0 "${command[@]}")
    : >group
    plans >plan
    while read -r -u 5 sampler rate stacks; do
        line=$(under "$sampler" "$rate" "$stacks" "${command[@]}")
        [ -z "$line" ] || echo "$1 $2 $3 $rate $stacks $sampler $line" >>group
    done 5<plan
    after=$(under alone 0 0 "${command[@]}")
    [ -z "$before" ] || [ -z "$after" ] ||
        awk -v a="${before%% *}" -v b="${after%% *}" \
            '{ $7 = 100 * ($7 / ((a + b) / 2) - 1); print }' group >>runs
}

: >runs
for lang in $LANGS; do
    eval "turns_$lang=$("$(program "$lang")" 1 0)"
done
round=0
while [ $SECONDS -lt $ended ] && [ $round -lt "${ROUNDS:-1000}" ]; do
    round=$((round + 1))
    for lang in $LANGS; do
        declare -n turns=turns_$lang
        export TURNS_PER_MS=$turns
        for threads in $THREADS; do
            for calls in $CALLS; do
                # A group that would not end in time is not begun.
                [ $((SECONDS + ${took:-0})) -lt $ended ] || break 4
                began=$SECONDS
                group "$lang" "$threads" "$calls"
                took=$((SECONDS - began + 1))
                [ ! -t 2 ] || printf '\rround %d: %s, %d threads, calls %s ' \
                    $round "$lang" "$threads" "$calls" >&2
            done
        done
    done
done
[ ! -t 2 ] || echo >&2

machine="$CPUS CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n1)"
machine+=", Linux $(uname -r)"
commit=$(git -C "$ROOT" rev-parse --short HEAD 2>/dev/null || echo unknown)
{
    printf 'date\tmachine\tcommit\tcommand\tlang\tthreads\tcalls_us\trate\tstacks\tsampler\tclass\t'
    printf 'rounds\tlost_pct\tlow\thigh\tsamples\treached_pct\tcpu_us_sample\tstop_us\tcost_pct\n'
    sort -s -k1,1 -k2,2n -k3,3n -k4,4n -k5,5n -k6,6 -k7,7g runs | awk -v OFS='\t' \
        -v head="$(date +%F)"$'\t'"$machine"$'\t'"$commit"$'\tbench/cost.sh' '
        function middle(column,   i, n, v, x, j) {
            for (i = 1; i <= rows; i++) if (row[i, column] != "-") {
                x = row[i, column] + 0
                for (j = n++; j > 0 && v[j - 1] > x; j--) v[j] = v[j - 1]
                v[j] = x }
            if (!n) return "-"
            return sprintf("%.4g", n % 2 ? v[(n - 1) / 2] : (v[n / 2 - 1] + v[n / 2]) / 2) }
        function put() {
            if (rows) print head, was, classes, rows, middle(7), sprintf("%.4g", row[1, 7]),
                sprintf("%.4g", row[rows, 7]), middle(8), middle(9), middle(10), middle(11),
                middle(12)
            rows = 0; classes = "" }
        { key = $1 OFS $2 OFS $3 OFS $4 OFS $5 OFS $6
          if (key != was) put()
          was = key; rows++
          if (index(classes, $13) == 0) classes = classes (classes ? "/" : "") $13
          for (i = 7; i <= 12; i++) row[rows, i] = $i }
        END { put() }'
} >"$FILE"
