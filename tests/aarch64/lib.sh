# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts here. DIR: where root, kernel, images and the build lie, some 3 GB.
set -eu
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
HERE=$SOURCE/tests/aarch64
DIR=${AARCH64_DIR:-$SOURCE/build-aarch64-machine}
BUILD=$DIR/build
mkdir -p "$DIR"

# need PROGRAM=PACKAGE...: installs what is missing, or says how.
need() {
    local missing='' pair
    for pair; do
        command -v "${pair%%=*}" >/dev/null || missing+=" ${pair#*=}"
    done
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] || { echo "as root: apt-get install$missing" >&2; exit 1; }
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
