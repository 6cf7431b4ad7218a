#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs tests/reports/test_foreign_readers.sh with all readers: those from npm, which test.sh
# installs, and FlameGraph's stackcollapse-perf.pl, which no registry has. Needs the network, npm,
# git and perl; with STACKCOLLAPSE=FILE, a copy of that script, only npm's registry.
# BUILD=build-test tests/long_readers.sh
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${BUILD:-$tests/../build-test}")
cd "$tests/.."
# shellcheck source=packaging/setup.sh
. packaging/setup.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for tool in npm node git perl; do
    command -v $tool >/dev/null || { echo "long_readers: $tool is missing"; exit 1; }
done
setup_npm "$build/readers"
if [ -z "${STACKCOLLAPSE:-}" ]; then
    git clone -q --depth 1 https://github.com/brendangregg/FlameGraph "$work/flamegraph" || {
        echo "long_readers: no FlameGraph; STACKCOLLAPSE=FILE names its stackcollapse-perf.pl"
        exit 1
    }
    STACKCOLLAPSE=$work/flamegraph/stackcollapse-perf.pl
fi
export STACKCOLLAPSE READERS=$build/readers/node_modules
"$tests/reports/test_foreign_readers.sh" "$build/tools/sprofreport" \
    "$build/tests/reports/make_stacks" |
    tee "$work/out"
! grep -q '^skipped' "$work/out"
