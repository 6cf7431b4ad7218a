#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Gets the readers that are no Debian packages, and runs tests/e2e/test_foreign_readers.sh with
# them: speedscope (npm checks what it gets by the registry's checksum) and FlameGraph's
# stackcollapse-perf.pl. Needs the network, npm, git, perl; with STACKCOLLAPSE=FILE, which names
# that script, npm's registry alone.
#   BUILD=build-test tests/long_readers.sh [SPEEDSCOPE_VERSION]
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${BUILD:-$tests/../build-test}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in npm node git perl; do
    command -v $tool >/dev/null || { echo "long_readers: $tool is missing"; exit 1; }
done
cd "$work"
npm pack --silent "speedscope@${1:-1.25.0}" >tarball
tar -xzf "$(tail -n1 tarball)"
if [ -z "${STACKCOLLAPSE:-}" ]; then
    git clone -q --depth 1 https://github.com/brendangregg/FlameGraph flamegraph || {
        echo "long_readers: no FlameGraph; STACKCOLLAPSE=FILE names its stackcollapse-perf.pl"
        exit 1
    }
    STACKCOLLAPSE=$work/flamegraph/stackcollapse-perf.pl
fi
export STACKCOLLAPSE SPEEDSCOPE=$work/package
exec_test() {
    "$tests/e2e/test_foreign_readers.sh" "$build/tools/sprofreport" \
        "$build/tests/e2e/make_stacks" "$tests/e2e/import_speedscope.js"
}
exec_test | tee out
! grep -q '^skipped' out
