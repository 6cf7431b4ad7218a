#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a live view costs the target: time taken from a busy thread, seen from inside (bench/stolen),
# alone, under sprofrun, under sproftop in a terminal of 100x30, and under sproftop with its display
# paused; all at the default rate of 250 Hz. And the CPU time of sproftop's own two processes.
# Medians of RUNS runs in turn (default 5). Needs tmux.
. "$(dirname "$0")/lib.sh"
command -v tmux >/dev/null || { echo "tmux is not installed" >&2; exit 1; }
RUNS=${RUNS:-5}
SPROFTOP=$BUILD/tools/sproftop
socket=bench-live-$$
trap 'tmux -L $socket kill-server 2>/dev/null; rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1

# view NAME KEYS: runs sproftop in a terminal and presses KEYS. Appends what bench/stolen printed to
# NAME, and sproftop's CPU time in percent to NAME.cpu.
view() {
    rm -f log done
    tmux -L $socket -f /dev/null new-session -d -x 100 -y 30 \
        "$SPROFTOP --log log --keys '$2' $BUILD/bench/stolen 5; touch done"
    sleep 4 # into the run
    local top
    top=$(tracer_in $socket)
    awk -v hz="$(getconf CLK_TCK)" '{ n += $14 + $15 } END { print n / hz / 4 * 100 }' \
        "/proc/$top/stat" "/proc/$(below "$top" sprofil-analyst)/stat" >>"$1.cpu"
    wait_until test -s log || exit
    tmux -L $socket send-keys q
    wait_until test -e done || exit
    cat log >>"$1"
}

for _ in $(seq "$RUNS"); do
    "$BUILD/bench/stolen" 5 >>alone
    "$SPROFRUN" -q -o p.pb.gz "$BUILD/bench/stolen" 5 >>run
    view top ''
    view paused p
done
printf '%-28s %14s %12s %14s\n' "" "gap p50, us" "taken, %" "own CPU, %"
for row in "alone:alone" "sprofrun:run" "sproftop:top" "sproftop, paused:paused"; do
    awk -v name="${row%%:*}" -v gap="$(cut -d' ' -f2 "${row#*:}" | median)" \
        -v part="$(cut -d' ' -f4 "${row#*:}" | median)" \
        -v own="$([ -s "${row#*:}.cpu" ] && median <"${row#*:}.cpu")" \
        'BEGIN { printf "%-28s %14.1f %12s %14s\n", name, gap / 1e3, part, own }'
done
