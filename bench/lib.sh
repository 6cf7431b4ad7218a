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
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

figure() {
    "$SPROFREPORT" summary --format tsv "$2" | awk -F'\t' -v k="$1" '$1 == k { print $2 }'
}
median() {
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
