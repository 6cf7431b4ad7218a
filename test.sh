#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Two commands on a fresh machine, the second: install what is missing, build with warnings as
# errors, and run the suites hermetic and live. tests/truth.sh has the statistical tests, and
# tests/long.sh the long ones (fuzzing, soak). Arguments are passed to `meson test`.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=packaging/setup.sh
. packaging/setup.sh
SETUP_BUILD=$SETUP_BUILD-test

# g++: fixtures with C++ inlining. xz-utils, binutils: fixtures with MiniDebugInfo. tmux: a terminal
# for sproftop. protobuf-compiler: protoc reads our files by their schema. zsh, fish: completions.
# The rest is profiled, or reads what we write.
setup_packages g++ binutils valgrind xz-utils file procps util-linux python3 sqlite3 gzip tmux \
    protobuf-compiler zsh fish
# With arguments, optional programs are not installed.
[ $# -gt 0 ] || setup_readers
setup_build "$SETUP_BUILD" --werror -Dtests=enabled
[ $# -gt 0 ] || setup_npm "$SETUP_BUILD/readers"

# Many tests wait rather than work: two more at a time than there are CPUs.
export MESON_TESTTHREADS=${MESON_TESTTHREADS:-$(($(nproc) + 2))}
status=0
# Each test has a deadline of its own; the whole has one, too.
timeout --foreground -k 30 2400 meson test -C "$SETUP_BUILD" --no-rebuild --no-suite truth \
    --print-errorlogs "$@" || status=$?
[ $status != 124 ] || echo "The suite was ended: it ran for more than 40 minutes."
tests/verdict.py "$SETUP_BUILD/meson-logs/testlog.json"
exit $status
