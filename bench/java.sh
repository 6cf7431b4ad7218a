#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures with Java as the target: the median stop, by turns with that of a native program with 32
# KiB of stack; the cost at default settings; the analyst's time for a frame. Medians of RUNS runs
# (default 3). JAVA: the java to run, with javac beside it (default: that of PATH).
. "$(dirname "$0")/lib.sh"
RUNS=${RUNS:-3}
JAVA=${JAVA:-$(command -v java)}
cd "$WORK" || exit 1
"$(dirname "$JAVA")/javac" -d . "$BUILD/../tests/targets/Truth.java" || exit 1

for _ in $(seq "$RUNS"); do
    "$SPROFRUN" -q -F 500 -o p.pb.gz "$BUILD/bench/deep" 32 3 >/dev/null
    figure stop_ns_p50 p.pb.gz >>native.stop
    "$SPROFRUN" -q -F 500 -o p.pb.gz -- "$JAVA" Truth run 3
    figure stop_ns_p50 p.pb.gz >>java.stop
    "$SPROFRUN" -q -o p.pb.gz -- "$JAVA" Truth run 6
    figure cost_pct p.pb.gz >>java.cost
done
awk -v n="$(median <native.stop)" -v j="$(median <java.stop)" -v c="$(median <java.cost)" \
    'BEGIN { printf "stop p50, us: native %.1f, Java %.1f; default cost %.2f %%\n",
        n / 1e3, j / 1e3, c }'

"$SPROFRUN" -q -F 2000 --max-overhead 100 --capture capture -o p.pb.gz -- "$JAVA" Truth run 8
# Replays the capture: the CPU time of all of the analyst's work, with the look-up of names and the
# writing of the file.
TIMEFORMAT=%U
spent=$( { time "$BUILD/tools/sprofil-analyst" --replay capture --report none --quiet \
    --output again.pb.gz 2>/dev/null; } 2>&1)
"$SPROFREPORT" export --format folded -o - again.pb.gz |
    awk -v s="$spent" '{ frames += (gsub(/;/, ";") + 1) * $NF; n += $NF }
        END { printf "analysing %d samples of %.0f frames: %.2f s, %.0f ns a frame\n",
            n, frames / n, s, s * 1e9 / frames }'
"$BUILD/bench/hotspot_step"
