#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests that take minutes: tests/long.sh BUILD-DIRECTORY
set -eu
build=${1:?usage: tests/long.sh BUILD-DIRECTORY}
SPROFIL_SUPERVISOR=$(cd "$build" && pwd)/tools/sprofil-supervisor
export SPROFIL_SUPERVISOR

echo "calls from 64 threads and 50 processes, for a minute"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$build/tests/calls/stress" 60 >"$out"
grep -v '^process' "$out"

echo "doing no harm: kills, attach and detach, a million stops, races under load (two hours)"
"$(dirname "$0")/long_harmless.sh" "$build"
