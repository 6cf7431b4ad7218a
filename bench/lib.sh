# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the measurements: BUILD is the folder of a build (default: build).
set -u
BUILD=${BUILD:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build}
[ -x "$BUILD/tools/sprofrun" ] || {
    echo "no build in $BUILD: run ./run.sh first, or set BUILD" >&2
    exit 1
}
BUILD=$(cd "$BUILD" && pwd)
SPROFRUN=$BUILD/tools/sprofrun
SPROFREPORT=$BUILD/tools/sprofreport
TARGETS=$BUILD/tests/targets
WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT

figure() {
    "$SPROFREPORT" summary --format tsv "$2" | awk -F'\t' -v k="$1" '$1 == k { print $2 }'
}
# Waits for 10 s until COMMAND... succeeds.
wait_until() {
    for _ in $(seq 500); do
        "$@" && return
        sleep 0.02
    done
    echo "waited in vain: $*" >&2
    return 1
}
# below PID NAME: prints the pid of the last process, of PID and its descendants, whose name matches
# NAME (a regular expression).
below() {
    local pid=$1 child
    {
        [[ ! $(cat "/proc/$pid/comm" 2>/dev/null) =~ ^($2)$ ]] || echo "$pid"
        for child in $(pgrep -P "$pid"); do below "$child" "$2"; done
    } | tail -n 1
}
# cpu_time PID: prints its user and system time, in clock ticks
cpu_time() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
# tracer_in SOCKET: prints the pid of the tracing process of the sproftop that runs in that tmux.
tracer_in() {
    below "$(tmux -L "$1" display-message -p '#{pane_pid}')" 'sproftop|sprofil-tracer'
}
median() {
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
