#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Targets that rename their threads all the time, write a perf map without end, or are 500 processes
# at once: they end with their own status, and the profile is complete.
. "$(dirname "$0")/lib.sh"

disturbed() {
    "$SPROFRUN" --report none -o p.pb.gz "$DISTURBER" "$@" >out 2>err
    is "$1: status" $? 6
    "$SPROFREPORT" summary --format tsv p.pb.gz >summary
    check "$1: no analyst died" [ "$(figure analyst_restarts p.pb.gz)" = 0 ]
    within "$1: the time that was accounted for" \
        "$(awk -v p="$(figure profiled_cpu_ns p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" \
            -v u="$(figure unattributed_cpu_ns p.pb.gz)" 'BEGIN { print (p + u) / k }')" 0.995 1.005
}
disturbed names 0.5
"$SPROFREPORT" flat --split thread p.pb.gz >flat
check "no name reaches the terminal" [ "$(tr -d '\n\t\40-\176\302-\364\200-\277' <flat | wc -c)" \
    = 0 ]
[ "$(uname -m)" = x86_64 ] && disturbed map 1.5
rm -f /tmp/perf-"$(figure pid p.pb.gz 2>/dev/null)".map
disturbed bomb 0
check "all of them were seen" [ "$(figure processes p.pb.gz)" = 501 ]

# The kernel withholds a program's file capabilities if its tracer may not have them. A message says
# so.
if [ "$(id -u)" = 0 ] && command -v setcap >/dev/null && command -v setpriv >/dev/null; then
    chmod 755 "$WORK"
    cp /bin/grep privileged
    if setcap cap_net_raw+ep privileged 2>/dev/null; then
        mkdir -m 777 out.d stage && cp "$BUILD"/tools/{sprofrun,sprofil-analyst,sprofil-opener} \
            stage/
        wanted=$(as_nobody ./privileged CapEff /proc/self/status)
        check "the capability works here" [ "$wanted" != \
            "$(as_nobody grep CapEff /proc/self/status)" ]
        stage/sprofrun -q -o p.pb.gz setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups \
            ./privileged CapEff /proc/self/status >out
        is "a file capability, traced by root: it is kept" "$(cat out)" "$wanted"
        as_nobody stage/sprofrun -q -o out.d/p.pb.gz ./privileged CapEff /proc/self/status \
            >out 2>err
        is "a file capability, traced by its user: status" $? 0
        check "a file capability, traced by its user: its loss is said" grep -q 'privilege' err
    else
        echo "no file capabilities on this file system"
    fi
else
    echo "file capabilities: needs root, setcap (libcap2-bin) and setpriv"
fi
finish
