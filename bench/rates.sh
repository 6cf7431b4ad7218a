#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the ticks per second of CPU time that one busy thread really gets: from sprofrun, glibc's
# sprofil, and gperftools where it is installed (package google-perftools).
. "$(dirname "$0")/lib.sh"

for hz in 250 1000 4000; do
    "$SPROFRUN" -q -F $hz -o "$WORK/p.pb.gz" "$TARGETS/busy" 1 4
    awk -v hz=$hz -v s="$(figure samples "$WORK/p.pb.gz")" \
        -v k="$(figure kernel_cpu_ns "$WORK/p.pb.gz")" \
        'BEGIN { printf "sprofrun asked for %d: %.1f a second\n", hz, s / k * 1e9 }'
done
"$BUILD/bench/glibc_ticks" 2 |
    awk '{ printf "glibc sprofil says %d us (%d): %.1f a second\n", $2, 1e6 / $2, $1 }'
library=$(ls /usr/lib/*/libprofiler.so.0 2>/dev/null | head -n 1)
if [ -n "$library" ]; then
    for hz in 250 1000 4000; do
        CPUPROFILE=$WORK/g.prof CPUPROFILE_FREQUENCY=$hz LD_PRELOAD=$library "$TARGETS/busy" 1 2 \
            2>"$WORK/err"
        awk -v hz=$hz '/PROFILE: interrupts/ {
            sub(/.*= */, ""); split($0, a, "/")
            print "gperftools asked for " hz ": " a[1] / 2 " a second" }' "$WORK/err"
    done
fi
