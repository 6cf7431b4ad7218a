#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Two commands on a fresh machine, the second: install what is missing, build with warnings as
# errors, and run the whole test suite. Long runs (fuzzing, soak) are tests/long.sh.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=packaging/setup.sh
. packaging/setup.sh
SETUP_BUILD=$SETUP_BUILD-test

# g++: fixtures with C++ inlining. xz-utils, binutils: fixtures with MiniDebugInfo. tmux: a terminal
# for sproftop. protobuf-compiler: protoc reads our files by their schema. The rest is profiled, or
# reads what we write.
setup_packages g++ binutils valgrind xz-utils file procps util-linux python3 sqlite3 gzip tmux \
    protobuf-compiler
# With arguments, what is there is enough.
[ $# -gt 0 ] || setup_readers
setup_build "$SETUP_BUILD" --werror -Dtests=enabled
[ $# -gt 0 ] || setup_npm "$SETUP_BUILD/readers"

# Many tests wait rather than work: two more at a time than there are CPUs.
export MESON_TESTTHREADS=${MESON_TESTTHREADS:-$(($(nproc) + 2))}
status=0
meson test -C "$SETUP_BUILD" --no-rebuild --print-errorlogs "$@" || status=$?

# Once more why, for a log whose head was cut; then the plain closing line that test runners are
# known by.
python3 - "$SETUP_BUILD/meson-logs/testlog.json" <<'P'
import json, re, sys

tests = [json.loads(line) for line in open(sys.argv[1])]
for test in tests:
    if test["result"] in ("OK", "EXPECTEDFAIL", "SKIP"):
        continue
    output = (test.get("stdout") or "").splitlines()
    errors = (test.get("stderr") or "").splitlines()
    marks = r"not ok\b|\[ *(ERROR|FAILED) *\]|^SUMMARY: |runtime error:"
    print(f"\n=== {test['name']}: {test['result']}, status {test['returncode']}, "
          f"after {test['duration']:.1f} s ===")
    for line in output + errors:
        if re.search(marks, line, re.IGNORECASE):
            print(line)
    for what, lines in (("output", output), ("errors", errors)):
        if lines:
            print(f"--- the last lines of its {what} ---", *lines[-40:], sep="\n")
if any(test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP") for test in tests):
    print()
rows = [test["result"] for test in tests]
passed = sum(r in ("OK", "EXPECTEDFAIL") for r in rows)
skipped = rows.count("SKIP")
print(f"{passed} passed, {len(rows) - passed - skipped} failed, {skipped} skipped")
P
exit $status
