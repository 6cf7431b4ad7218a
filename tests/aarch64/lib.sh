# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts here. DIR is the folder of root, kernel, images and build, some 3 GB.
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
HERE=$SOURCE/tests/aarch64
DIR=${AARCH64_DIR:-$SOURCE/build-aarch64-machine}
BUILD=$DIR/build
MACHINE_DIR=$DIR
. "$SOURCE/tests/machine.sh"
