#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures the stop window on one busy thread at 1 kHz: sprofrun's own figure, beside the raw loop
# INTERRUPT, wait, GETREGSET, CONT; and what each takes from the target, seen from inside. Medians
# of RUNS runs by turns (default 5).
. "$(dirname "$0")/lib.sh"
RUNS=${RUNS:-5}

for _ in $(seq "$RUNS"); do
    "$BUILD/bench/stolen" 2 >>"$WORK/alone"
    "$BUILD/bench/raw_loop" 1000 -- "$BUILD/bench/stolen" 2 >>"$WORK/raw" 2>>"$WORK/raw.stop"
    "$BUILD/bench/raw_loop" 1000 spin -- "$BUILD/bench/stolen" 2 >>"$WORK/spin" 2>>"$WORK/spin.stop"
    "$SPROFRUN" -q -g no -F 1000 -o "$WORK/p.pb.gz" "$BUILD/bench/stolen" 2 >>"$WORK/ours"
    figure stop_ns_p50 "$WORK/p.pb.gz" >>"$WORK/ours.stop"
    command -v perf >/dev/null &&
        perf record -q -e cpu-clock -F 1000 -o "$WORK/perf.data" "$BUILD/bench/stolen" 2 \
            >>"$WORK/perf" 2>/dev/null
done

printf '%-34s %14s %14s %10s\n' "" "stop p50, us" "gap p50, us" "taken, %"
row() {
    [ -s "$WORK/$2" ] || return
    awk -v name="$1" -v stop="$([ -s "$WORK/$2.stop" ] && median <"$WORK/$2.stop")" \
        -v gap="$(cut -d' ' -f2 "$WORK/$2" | median)" \
        -v part="$(cut -d' ' -f4 "$WORK/$2" | median)" \
        'BEGIN { printf "%-34s %14s %14.1f %10s\n", name,
            stop == "" ? "-" : sprintf("%.1f", stop / 1e3), gap / 1e3, part }'
}
row "alone" alone
row "raw loop" raw
row "raw loop that spins" spin
row "sprofrun -g no -F 1000" ours
row "perf record -F 1000" perf
awk -v a="$(median <"$WORK/ours.stop")" -v b="$(median <"$WORK/raw.stop")" \
    -v c="$(median <"$WORK/spin.stop")" \
    'BEGIN { printf "sprofrun / raw loop: %.2f; / raw loop that spins: %.2f\n", a / b, a / c }'
