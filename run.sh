#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# On a fresh machine: installs the packages that are missing, builds, and profiles.
#   ./run.sh            profiles a small demo program and prints where its time went
#   ./run.sh ARGS...    the same set-up, then: sprofrun ARGS...
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=packaging/setup.sh
. packaging/setup.sh

setup_packages
setup_build "$SETUP_BUILD"
bin=$PWD/$SETUP_BUILD/tools
if [ $# -gt 0 ]; then
    cd "$SETUP_CALLER"
    exec "$bin/sprofrun" "$@"
fi

profile=$PWD/$SETUP_BUILD/demo.pb.gz
echo "+ sprofrun -o ${profile#"$PWD"/} -- demo" >&2
"$bin/sprofrun" -o "$profile" -- "$PWD/$SETUP_BUILD/tests/targets/demo"
echo "By line: $SETUP_BUILD/tools/sprofreport lines $SETUP_BUILD/demo.pb.gz" >&2
