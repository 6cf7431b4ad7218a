#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The truth suite: tests of shares, rates, and the number and accuracy of samples. It takes a
# quarter of an hour, on a machine that must have nothing else to do.
#
#	tests/truth.sh BUILD-DIRECTORY [TEST...]
set -euo pipefail
build=${1:?usage: tests/truth.sh BUILD-DIRECTORY [TEST...]}
shift
read -r load _ </proc/loadavg
echo "load of the last minute: $load, CPUs: $(nproc)"
awk '/^cpu / { printf "of all CPU time since boot a hypervisor took %.1f %%\n", 100 * $9 / ($2 + $3 + $4 + $5 + $6 + $7 + $8 + $9) }' \
    /proc/stat
exec meson test -C "$build" --suite truth --print-errorlogs --num-processes 1 "$@"
