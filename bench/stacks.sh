#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures stacks: what their copy adds to the stop window, what unwinding costs, and perf's DWARF
# mode beside it. Medians of RUNS runs by turns (default 3).
#   stacks.sh [window|keep_up|perf]...
. "$(dirname "$0")/lib.sh"
RUNS=${RUNS:-3}
what=${*:-window keep_up perf}

# stop NAME KIB OPTIONS...: appends to NAME.KIB the median stop of a busy thread with KIB of stack,
# in ns.
stop() {
    "$SPROFRUN" -q -F 1000 -o "$WORK/p.pb.gz" "${@:3}" "$BUILD/bench/deep" "$2" 2 >/dev/null
    figure stop_ns_p50 "$WORK/p.pb.gz" >>"$WORK/$1.$2"
}
window() {
    printf '%-12s %10s %12s %8s\n' "stack, KiB" "flat, us" "copied, us" "more, us"
    for kib in 4 32 256; do
        for _ in $(seq "$RUNS"); do
            stop flat "$kib" -G
            stop dwarf "$kib"
        done
        awk -v k="$kib" -v a="$(median <"$WORK/flat.$kib")" -v b="$(median <"$WORK/dwarf.$kib")" \
            'BEGIN { printf "%-12s %10.1f %12.1f %8.1f\n", k, a / 1e3, b / 1e3, (b - a) / 1e3 }'
    done
}

# At 4 kHz, with 35 frames: does the analyst keep up, and what CPU time does it take?
keep_up() {
    local spent
    "$SPROFRUN" -q -F 4000 --max-overhead 100 -o "$WORK/p.pb.gz" --capture "$WORK/capture" \
        "$TARGETS/recursive" 31 5 >/dev/null
    printf '4 kHz, 35 frames, 5 s: %s samples, %s lost, %s incomplete\n' \
        "$(figure samples "$WORK/p.pb.gz")" "$(figure lost_samples "$WORK/p.pb.gz")" \
        "$(figure incomplete_stacks "$WORK/p.pb.gz")"
    # Replays the capture: the CPU time of all of the analyst's work, with the look-up of names and
    # the writing of the file.
    TIMEFORMAT='%U'
    spent=$( { time "$BUILD/tools/sprofil-analyst" --replay "$WORK/capture" --report none --quiet \
        --output "$WORK/again.pb.gz" 2>/dev/null; } 2>&1)
    printf 'analysing them: %s s of CPU time\n' "$spent"
}

seconds() {
    local TIMEFORMAT='%R'
    { time "$@" >/dev/null 2>&1; } 2>&1
}
least() { sort -n "$1" | head -n1; }
complete_perf() {
    perf script -i "$1" -F ip,sym 2>/dev/null | awk 'BEGIN { RS = "" } { n++; if (/ main/) good++ }
        END { printf "%.1f", n ? 100 * good / n : 0 }'
}
complete_ours() {
    "$SPROFREPORT" export --format folded -o - "$1" |
        awk '{ n += $NF; if (/(^|;)main;/) good += $NF }
            END { printf "%.1f", n ? 100 * good / n : 0 }'
}
# row NAME TIME FILE COMPLETE REPORT: prints a row. TIME: seconds of the run; COMPLETE: percent of
# samples that reach main; REPORT: seconds that the report took.
row() {
    awk -v name="$1" -v d="$depth" -v a="$alone" -v b="$2" -v s="$(stat -c %s "$3")" -v c="$4" \
        -v m="$5" 'BEGIN { printf "%-30s %8d %10.1f %10.0f %12s   report ready %.1f s %s\n",
            name, d, 100 * (b / a - 1), s / 1024, c, b + m, "after the start" }'
}
by_perf() {
    command -v perf >/dev/null || { echo 'no perf here'; return; }
    printf '%-30s %8s %10s %10s %12s\n' "" "frames" "slower, %" "file, KiB" "to main, %"
    for depth in 30 200; do
        rm -f "$WORK"/t.*
        # A fixed amount of work, timed: what the profiler takes makes it longer. The least of RUNS
        # counts.
        for _ in $(seq "$RUNS"); do
            seconds "$BUILD/bench/deep" work $depth >>"$WORK/t.alone"
            seconds "$SPROFRUN" -q -F 1000 -o "$WORK/p.pb.gz" "$BUILD/bench/deep" work $depth \
                >>"$WORK/t.ours"
            seconds perf record -q -e cpu-clock -F 1000 --call-graph dwarf -o "$WORK/perf.data" \
                "$BUILD/bench/deep" work $depth >>"$WORK/t.perf"
        done
        alone=$(least "$WORK/t.alone") ours=$(least "$WORK/t.ours") theirs=$(least "$WORK/t.perf")
        report=$(seconds perf report -i "$WORK/perf.data" --stdio --no-children)
        row "sprofrun -g dwarf" "$ours" "$WORK/p.pb.gz" "$(complete_ours "$WORK/p.pb.gz")" 0
        row "perf record --call-graph dwarf" "$theirs" "$WORK/perf.data" \
            "$(complete_perf "$WORK/perf.data")" "$report"
    done
}

for part in $what; do
    case $part in
    window) window ;;
    keep_up) keep_up ;;
    perf) by_perf ;;
    *) echo "stacks.sh: no part '$part': window, keep_up, perf" >&2; exit 2 ;;
    esac
done
