#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests that take minutes: tests/long.sh BUILD-DIRECTORY
set -eu
build=${1:?usage: tests/long.sh BUILD-DIRECTORY}
SPROFIL_SUPERVISOR=$(cd "$build" && pwd)/tools/sprofil-supervisor
export SPROFIL_SUPERVISOR

echo "calls from 64 threads and 50 processes, for a minute"
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
"$build/tests/calls/stress" 60 >"$out"
grep -v '^process' "$out"

echo "doing no harm: kills, attach and detach, a million stops, races under load (two hours)"
"$(dirname "$0")/long_harmless.sh" "$build"
echo "completions of zsh and fish (these packages must be there)"
BUILD=$(cd "$build" && pwd) SOURCE=$(cd "$(dirname "$0")/.." && pwd) \
    "$(dirname "$0")/reports/test_completions.sh" zsh fish
echo "stacks of every CPython that is at hand"
"$(dirname "$0")/long_python.sh" "$build"
echo "packages: built, installed in a fresh Debian, used and removed (root and the network)"
"$(dirname "$0")/long_packages.sh"
echo "the tarball of static programs, and Yama's modes in a machine (root, the network)"
machine=$(mktemp -d) || exit 1
"$(dirname "$0")/../packaging/tarball.sh" "$machine/sprofil.tar.gz"
"$(dirname "$0")/long_tarball.sh" "$machine/sprofil.tar.gz"
YAMA_DIR=$machine "$(dirname "$0")/yama/run.sh" "$machine/sprofil.tar.gz"
rm -rf "$machine"
echo "readers that are no Debian packages: those of npm, FlameGraph (the network)"
BUILD=$build "$(dirname "$0")/long_readers.sh"
echo "every way out of sproftop, and many suspensions of sprofrun"
for run in "SIGNALS=TERM HUP QUIT SEGV KILL:sproftop" "ROUNDS=10:suspended" \
    "ROUNDS=30:check_stacks"; do
    env "${run%:*}" BUILD="$(cd "$build" && pwd)" SOURCE="$(cd "$(dirname "$0")/.." && pwd)" \
        "$(dirname "$0")/e2e/test_${run##*:}.sh"
done
echo "100,000 random keys for the live view"
"$build/tests/fuzz/monkey" 100000 "$(date +%s)"
echo "sproftop on a busy process for ${LONG_LIVE_SECONDS:-1800} seconds: its CPU and memory"
"$(dirname "$0")/long_live.sh" "$build" "${LONG_LIVE_SECONDS:-1800}"
seed=$(date +%s)
echo "races on the scripted kernel, ${LONG_KERNEL_MOST:-100000} orders each, and others: KERNEL_SEED=$seed"
for test in answers births calls engine profile races restarts; do
    KERNEL_COUNT=20000 KERNEL_MOST="${LONG_KERNEL_MOST:-100000}" KERNEL_SEED=$seed \
        "$build/tests/kernel/test_$test"
done
echo "the sampler in the simulator: biases of a tenth of a percent"
SIMULATOR_TIMES="${LONG_SIMULATOR_TIMES:-50}" "$build/tests/unit/test_simulator" -v
