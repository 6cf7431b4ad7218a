#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Profiles random programs (bench/truth_program.c) by sprofrun and, in the same run, by perf's
# cpu-clock at 4787 Hz. Prints the chi-square per degree of freedom over the eight functions and
# "other" (calls, and all else outside of the functions), with the variance of both; and the worst
# deviation in points and in sigma. At the end prints, for each rate, median, 98th percentile and
# worst, how many are above 2 and 3, and how many functions are off by more than 1.5 points and 3
# sigma.
#
#   truth.sh [--seeds A-B,C] [--rates "HZ HZ"] [--seconds CPU_SECONDS] [--busy]
#            [--other-session] [--no-realtime] [--sprofrun PATH] [--sampler sprofrun|perf]
#            [--oracle perf|own] [--tsv]
#
#   --busy           loops keep all CPUs busy meanwhile, in the same session
#   --other-session  the program runs in a session of its own; sprofrun -p attaches
#   --sampler perf   the control: perf at HZ instead of sprofrun. It judges the bench.
#   --oracle own     the program's own clocks; the default where perf is not permitted. Each call
#                    is then between two readings of the thread's CPU clock. perf shows less of
#                    "other" than these clocks do: its timer stops when a thread falls asleep, and
#                    while perf's timer is due next, a timed sleep need not program the CPU's timer.
#   --tsv            a row for each run, with a line of names in front
#
# chi-square = sum of (p - q)^2 / (m (1/n + 1/N)). p is the share shown, of n effective samples; q
# is the oracle's, of N; m is their mean, weighted by n and N. Functions with less than 5 samples
# expected are pooled with "other". Samples at independent instants give 1. One sample in each
# period gives less, as the noise is less: perf against itself gives 0.5. The second chi-square is
# that of the functions among themselves, without "other": in a virtual machine, perf itself raises
# the cost of calls that set timers, so the two need not agree on "other". steal% is the share of
# the CPUs that a hypervisor gave to others. With more than some percent the machine is not quiet,
# since a virtual CPU is taken away mostly where it sets a timer, in calls that sleep.
. "$(dirname "$0")/lib.sh"
# shellcheck source=bench/oracle.sh
. "$(dirname "$0")/oracle.sh"

usage() {
    sed -n '/^#   truth.sh/,/^#   --tsv/s/^# \{0,3\}//p' "$0" >&2
    exit 2
}

seeds=1-12 rates="250 1000" seconds=4 busy='' other_session='' sampler=sprofrun oracle='' tsv=''
options=()
while [ $# -gt 0 ]; do
    case $1 in
    --seeds) seeds=$2 && shift ;;
    --rates) rates=$2 && shift ;;
    --seconds) seconds=$2 && shift ;;
    --busy) busy=1 ;;
    --other-session) other_session=1 ;;
    --no-realtime) options+=(--no-realtime) ;;
    --sprofrun) SPROFRUN=$2 && shift ;;
    --sampler) sampler=$2 && shift ;;
    --oracle) oracle=$2 && shift ;;
    --tsv) tsv=1 ;;
    *) usage ;;
    esac
    shift
done
PROGRAM=$BUILD/bench/truth_program
if [ -z "$oracle" ]; then
    oracle=own
    oracle_permitted && oracle=perf
fi
cd "$WORK" || exit 1
spinners=()
trap '[ ${#spinners[@]} -eq 0 ] || kill "${spinners[@]}"; rm -rf "$WORK"' EXIT
if [ "$busy" ]; then
    for _ in $(seq "$(nproc)"); do
        sh -c 'while :; do :; done' &
        spinners+=($!)
    done
fi
turns=$("$PROGRAM" calibrate)

pid_of() { awk '$1 == "pid" { print $2 }' "$1" 2>/dev/null; }
traced() { grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$1/status" 2>/dev/null; }

# start SEED HZ: starts the program, which waits for its start signal, and the sampler if that is
# sprofrun.
start() {
    local run=("$PROGRAM" run "$1" "$seconds" "$turns" go)
    [ "$oracle" = perf ] || run+=(own)
    rm -f go out p.pb.gz
    mkfifo go
    if [ "$sampler" = perf ]; then
        ${other_session:+setsid} "${run[@]}" >out &
        main=$!
    elif [ "$other_session" ]; then
        setsid "${run[@]}" >out &
        wait_until started || return
        "$SPROFRUN" -q -G -F "$2" --max-overhead 100 "${options[@]}" -o p.pb.gz -p "$(pid_of out)" &
        main=$!
        wait_until traced "$(pid_of out)" || return
        sleep 0.2 # all of sprofrun's threads are there
    else
        "$SPROFRUN" -q -G -F "$2" "${options[@]}" -o p.pb.gz -- "${run[@]}" >out &
        main=$!
    fi
    wait_until started
}
# Prints the ticks that the hypervisor gave to others, and all ticks.
steal() { awk '$1 == "cpu" { for (i = 2; i <= 9; i++) n += $i; print $9, n }' /proc/stat; }
started() { [ -n "$(pid_of out)" ]; }

# one SEED HZ: profiles one program, and prints a row of figures
one() {
    local pid found='' late='' samples effective stolen
    start "$1" "$2" || return
    pid=$(pid_of out)
    oracle_functions "$PROGRAM" "$pid" >functions
    if [ "$oracle" = perf ]; then
        oracle_start oracle $ORACLE_HZ "$pid" || return
    fi
    if [ "$sampler" = perf ]; then
        oracle_start sampler "$2" "$pid" || return
    fi
    stolen=$(steal)
    : >go
    wait "$main" 2>/dev/null
    stolen=$(awk -v a="$stolen" -v b="$(steal)" 'BEGIN {
        split(a, x); split(b, y); printf "%.1f", 100 * (y[1] - x[1]) / (y[2] - x[2]) }')
    # shellcheck disable=SC2046 # process ids
    wait $(jobs -p | grep -vxF "$(printf '%s\n' none "${spinners[@]}")") 2>/dev/null
    if [ "$oracle" = perf ]; then
        oracle_count oracle functions >truth
    else
        awk '/^f[0-9]/ { print; sum += $2 } /^all/ { print "other", $2 - sum }' out >truth
    fi
    if [ "$sampler" = perf ]; then
        oracle_count sampler functions >shown
        samples=$(awk '{ n += $2 } END { print n }' shown) effective=$samples
    else
        "$SPROFREPORT" flat --no-inline --format tsv p.pb.gz | awk -F'\t' -v OFS='\t' '
            NR > 1 && $5 != "[unsampled]" { n[$5 ~ /^f[0-9]$/ ? $5 : "other"] += $2 }
            END { for (f in n) print f, n[f] }' >shown
        "$SPROFREPORT" summary --format tsv p.pb.gz >summary
        samples=$(key samples) effective=$(key effective_samples)
        found=$(key found_ratio) late=$(key late_instants)
    fi
    # shellcheck disable=SC2094 # read only
    awk -v seed="$1" -v hz="$2" -v own="$([ "$oracle" = own ] && echo 1)" -v samples="$samples" \
        -v n="${effective:-$samples}" -v found="${found:--}" -v late="${late:--}" \
        -v stolen="$stolen" '
        NR == FNR { truth[$1] = $2; all_truth += $2; next }
        { shown[$1] = $2; all_shown += $2 }
        # Adds the chi-square term of one share to chi, and 1 to ways, the number of terms. p: the
        # share that sprofrun shows, from n samples; q: the true share, from big samples (0: exact).
        # Returns the common estimate m of both.
        function add(p, q, n, big,  m) {
            m = big ? (p * n + q * big) / (n + big) : q
            if (m <= 0 || m >= 1) return
            variance = 1 / n + (big ? 1 / big : 0)
            chi += (p - q) ^ 2 / (m * variance)
            ways++
            return m
        }
        function compare(f, p, q, n, big,  m, d, sigma) {
            m = add(p, q, n, big)
            if (!m) return
            d = p > q ? p - q : q - p
            sigma = d / sqrt(m * (1 - m) * variance)
            off += d > 0.015 && sigma > 3
            if (d > worst) { worst = d; worst_points = 100 * (p - q); worst_f = f }
            if (sigma > most) { most = sigma; most_f = f }
        }
        function take_chi_df(  result) {
            df = ways > 1 ? ways - 1 : 1
            result = chi / df
            chi = ways = 0
            return result
        }
        END {
            other_truth = truth["other"] / all_truth; other_shown = shown["other"] / all_shown
            if (!own) big = all_truth
            inside_shown = 1 - other_shown; inside_truth = 1 - other_truth
            inside_n = n * inside_shown
            for (i = 0; i < 8; i++) {
                p = shown["f" i] / all_shown / inside_shown
                q = truth["f" i] / all_truth / inside_truth
                if (q * inside_n < 5) { few_p += p; few_q += q }
                else add(p, q, inside_n, big * inside_truth)
            }
            if (few_q * inside_n >= 1) add(few_p, few_q, inside_n, big * inside_truth)
            functions_chi_df = take_chi_df(); functions_df = df
            for (i = 0; i < 8; i++) {
                f = "f" i; p = shown[f] / all_shown; q = truth[f] / all_truth
                if (q * n < 5) { small_p += p; small_q += q } else compare(f, p, q, n, big)
            }
            small_p += other_shown; small_q += other_truth
            if (small_q * n >= 1 || small_p * n >= 5) compare("other", small_p, small_q, n, big)
            all_chi_df = take_chi_df()
            OFS = "\t"
            print seed, hz, sprintf("%.3f", all_chi_df), df, sprintf("%.2f", worst_points), worst_f,
                sprintf("%.1f", most), most_f, off + 0, sprintf("%.2f", 100 * other_truth),
                sprintf("%.2f", 100 * other_shown), samples, sprintf("%.0f", n),
                big ? big : "-", found, late, stolen,
                sprintf("%.3f", functions_chi_df), functions_df }' truth shown
}
key() { awk -F'\t' -v k="$1" '$1 == k { print $2 }' summary; }

header='seed\thz\tchi2_df\tdf\tworst_points\tworst_function\tmost_sigma\tmost_function\toff'
header+='\tother_truth\tother_shown\tsamples\teffective\toracle_samples\tfound_ratio'
header+='\tlate_instants\tsteal_percent\tfunctions_chi2_df\tfunctions_df'
if [ "$tsv" ]; then
    printf '%b\n' "$header"
else
    judge="the program's clocks"
    [ "$oracle" != perf ] || judge="perf at $ORACLE_HZ Hz"
    echo "$sampler against $judge"
    printf '%5s %5s %8s %9s %14s %10s %15s %8s %7s %6s %6s\n' \
        seed Hz chi2/df functions "worst, points" "sigma" "other, shown" samples found late \
        "steal%"
fi
for seed in $(for range in ${seeds//,/ }; do seq "${range%-*}" "${range#*-}"; done); do
    for hz in $rates; do
        one "$seed" "$hz" >row || continue
        cat row >>rows
        if [ "$tsv" ]; then
            cat row
        else
            awk -F'\t' '{
                printf("%5d %5d %8.2f %9.2f %7.2f %-6s %5.1f %-6s %7.1f %6.1f %8d %7s %6s %6s%s\n",
                    $1, $2, $3, $18, $5, $6, $7, $8, $10, $11, $12, $15, $16, $17,
                    $9 > 0 ? "  OFF" : "") }' row
        fi
    done
done
[ -s rows ] || exit 1
[ -z "$tsv" ] || exec >&2
# summarise HZ COLUMN WHAT: prints how the chi-squares in COLUMN are distributed over the rows at HZ
summarise() {
    awk -F'\t' -v hz="$1" -v column="$2" '$2 == hz { print $column "\t" $9 }' rows | sort -n |
        awk -v hz="$1" -v what="$3" '
        { v[NR] = $1; off += $2; two += $1 > 2; three += $1 > 3; sum += $1 }
        function at(q,  i) { i = q * NR; i = i > int(i) ? int(i) + 1 : i; return v[i < 1 ? 1 : i] }
        END { if (NR) printf "%d Hz%s: %d programs, median %.2f, mean %.2f, " \
                "98th percentile %.2f, worst %.2f; above 2: %d, above 3: %d; functions off: %d\n",
                hz, what, NR, at(0.5), sum / NR, at(0.98), v[NR], two, three, off }'
}
for hz in $rates; do
    summarise "$hz" 3 ""
    summarise "$hz" 18 ", functions among themselves"
done
