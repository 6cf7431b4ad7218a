#!/bin/bash
# SPDX-License-Identifier: MIT
# sproftop at 250 Hz on a process with many stacks, for a long time: it uses less than 3 % of a CPU,
# and in the second half of the time its memory grows by less than a tenth. Usage:
# tests/long_live.sh BUILD-DIRECTORY SECONDS [PID]
set -eu
build=$(cd "$1" && pwd)
seconds=$2
target=${3:-}
command -v tmux >/dev/null || { echo "tmux is not installed"; exit 77; }
socket=long-live-$$
own=
cleanup() {
    tmux -L $socket kill-server 2>/dev/null || true
    [ -z "$own" ] || kill "$own" 2>/dev/null || true
}
trap cleanup EXIT
if [ -z "$target" ]; then
    "$build/tests/targets/show" 100000 >/dev/null 2>&1 &
    own=$! target=$own
fi
tmux -L $socket -f /dev/null new-session -d -s t -x 120 -y 40 "$build/tools/sproftop -p $target"
deadline=$((SECONDS + 30))
until tmux -L $socket capture-pane -p -t t | grep -q 'found '; do
    [ $SECONDS -lt $deadline ] || { echo "sproftop does not start"; exit 1; }
    sleep 0.1
done
top=$(tmux -L $socket display -p -t t '#{pane_pid}')
top=$(pgrep -x sprofil-tracer -P "$top" || echo "$top")
analyst=$(pgrep -P "$top" -x sprofil-analyst)
# CPU time of both processes, in clock ticks.
used() { cat /proc/$top/stat /proc/$analyst/stat | awk '{ n += $14 + $15 } END { print n }'; }
resident() {
    awk '/^VmRSS|^RssAnon/ { v[$1] = $2 } END { print v["RssAnon:"] }' /proc/$analyst/status
}
begin=$(used) began=$SECONDS half=0
while [ $((SECONDS - began)) -lt "$seconds" ]; do
    sleep 5 # sproftop works meanwhile
    [ $((SECONDS - began)) -lt $((seconds / 2)) ] || [ $half != 0 ] || half=$(resident)
done
took=$((SECONDS - began))
awk -v t=$(($(used) - begin)) -v s=$took -v hz="$(getconf CLK_TCK)" -v h="$half" \
    -v r="$(resident)" 'BEGIN {
    printf "%d s: %.2f %% of a CPU, %d KiB after half the time, %d KiB at the end\n", s, t * 100 / hz / s, h, r
    exit !(t * 100 / hz / s < 3 && r < h * 1.1 + 1024) }'
