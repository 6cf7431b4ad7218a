#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Time that a sample takes from a busy thread, seen from inside (bench/stolen), at 1 kHz: without
# calls, with a call every 20 us and every 2 us, flat and with stacks of 20 frames; sprofrun, perf
# record and none in turn, ROUNDS times (default 8) for half a second each. Others who use the
# machine only add to what is taken, so the least of the rounds counts. What is taken without a
# profiler is subtracted. Then what the default rate of 250 Hz costs a program with calls: time
# taken, and turns of its loop lost.
#   stolen_per_sample.sh [--no-realtime]...    options are sprofrun's
# The limits of the last column: per sample 2.0 x perf without calls, 2.6 x with, stacks 1.25 x
# flat; at the default rate 1 %.
. "$(dirname "$0")/lib.sh"
# shellcheck source=bench/oracle.sh
. "$(dirname "$0")/oracle.sh"
ROUNDS=${ROUNDS:-8} HZ=1000
cd "$WORK" || exit 1
perf_here=''
oracle_permitted && perf_here=1

# under NAME OPTIONS... -- ARGUMENTS...: runs bench/stolen with ARGUMENTS, and adds a line "taken
# elapsed turns samples" to the file NAME. NAME selects the profiler, which gets OPTIONS: alone*
# none, perf* perf, any other sprofrun.
under() {
    local name=$1 samples=0 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    case $name in
    alone*) "$BUILD/bench/stolen" "$@" >out ;;
    perf*)
        perf record -q -e cpu-clock "${options[@]}" -o p.data "$BUILD/bench/stolen" "$@" >out 2>log
        samples=$(perf script -i p.data -F ip -G 2>>log | grep -c .)
        ;;
    *)
        "$SPROFRUN" -q "${options[@]}" -o p.pb.gz -- "$BUILD/bench/stolen" "$@" >out
        samples=$(figure samples p.pb.gz)
        ;;
    esac
    awk -v n="$samples" '{ print $5, $6, $7, n }' out >>"$name"
}
# taken NAME ALONE: prints the us taken for each sample in the runs of the file NAME, less what is
# taken without a profiler (the file ALONE)
taken() {
    awk '{ part = $1 / $2 }
        NR == FNR { if (!alone || part < alone) alone = part; next }
        !least || part < least { least = part; each = $4 ? (part - alone) / ($4 / $2) / 1e3 : 0 }
        END { print each }' "$2" "$1"
}
# lost NAME ALONE: compares the files NAME and ALONE of under(); prints how many percent of the time
# the profiler takes, and how many percent of the loop's turns are lost
lost() {
    awk '{ part = $1 / $2 }
        NR == FNR { if (!alone || part < alone) alone = part; if ($3 > most) most = $3; next }
        { if (!least || part < least) least = part; if ($3 > turns) turns = $3 }
        END { print 100 * (least - alone), 100 * (1 - turns / most) }' "$2" "$1"
}

printf '%-22s %10s %10s %8s %8s  %s\n' "us per sample, 1 kHz" sprofrun perf ratio "samples" limit
options=("$@")
for _ in $(seq "$ROUNDS"); do
    for us in 0 20 2; do
        under alone.$us -- 0.5 $us 20
        under flat.$us -G -F $HZ "${options[@]}" -- 0.5 $us 20
        [ -z "$perf_here" ] || under perf.$us -F $HZ -- 0.5 $us 20
    done
    under stacks.20 -F $HZ "${options[@]}" -- 0.5 20 20
    under default.20 -G "${options[@]}" -- 0.5 20 20
    under default.2 -G "${options[@]}" -- 0.5 2 20
    under stacks_default.20 "${options[@]}" -- 0.5 20 20
    [ -z "$perf_here" ] || under perf_default.20 -F 250 -- 0.5 20 20
done
row() { # WHAT OURS THEIRS LIMIT DELIVERED
    awk -v what="$1" -v a="$2" -v b="$3" -v most="$4" -v n="$5" 'BEGIN {
        r = b > 0 ? a / b : 0
        printf("%-22s %10.1f %10s %8s %8s  %s\n", what, a, b > 0 ? sprintf("%.1f", b) : "-",
            b > 0 ? sprintf("%.2f", r) : "-", n,
            !n ? "OFF (no samples)" : b > 0 ? (r <= most ? "ok" : "OFF") " (" most ")" : "") }'
}
delivered() { awk -v hz=$HZ '{ printf "%.3f\n", $4 / ($2 / 1e9 * hz) }' "$1" | median; }
awk '{ part = 100 * $1 / $2 } NR == 1 || part < least { least = part } part > most { most = part }
    END { printf("without a profiler, %% of the time: %.2f to %.2f%s\n", least, most,
        most > 2 * least + 1 ? "; the machine is not quiet, repeat" : "") }' alone.*
most=2.0
for us in 0 20 2; do
    theirs=0
    [ -z "$perf_here" ] || theirs=$(taken perf.$us alone.$us)
    what="call every $us us"
    [ $us != 0 ] || what="no calls"
    row "$what" "$(taken flat.$us alone.$us)" "$theirs" $most "$(delivered flat.$us)"
    most=2.6
done
row "stacks / flat, 20 us" "$(taken stacks.20 alone.20)" "$(taken flat.20 alone.20)" 1.25 \
    "$(delivered stacks.20)"

printf '\n%-22s %10s %10s\n' "at 250 Hz" "taken, %" "turns lost, %"
for name in default.20 default.2 stacks_default.20 perf_default.20; do
    [ -s $name ] || continue
    read -r share turns <<<"$(lost $name alone.${name##*.})"
    case $name in
    default*) what="sprofrun -G" ;;
    stacks*) what="sprofrun" ;;
    *) what="perf record" ;;
    esac
    awk -v what="$what, ${name##*.} us" -v a="$share" -v b="$turns" 'BEGIN {
        printf("%-22s %10.2f %10.2f  %s\n", what, a, b,
            what ~ /^sprofrun/ ? (a <= 1 ? "ok (1)" : "OFF (1)") : "") }'
done
