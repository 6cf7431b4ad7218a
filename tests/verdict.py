#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What test.sh says last: of what failed once more why, for a log whose head was cut; the tests
that took longest; and the plain line that test runners are known by. verdict.py TESTLOG.JSON"""
import json
import os
import re
import sys

GOOD = ("OK", "EXPECTEDFAIL")
MARKS = re.compile(r"not ok\b|\[ *(ERROR|FAILED) *\]|^SUMMARY: |runtime error:", re.IGNORECASE)
LONGEST = 5


def explain(test):
    output = (test.get("stdout") or "").splitlines()
    errors = (test.get("stderr") or "").splitlines()
    print(f"\n=== {test['name']}: {test['result']}, status {test['returncode']}, "
          f"after {test['duration']:.1f} s ===")
    for line in output + errors:
        if MARKS.search(line):
            print(line)
    for what, lines in (("output", output), ("errors", errors)):
        if lines:
            print(f"--- the last lines of its {what} ---", *lines[-40:], sep="\n")


def main():
    log = sys.argv[1]
    if not os.path.exists(log):
        sys.exit("no test has run")
    with open(log, encoding="utf-8", errors="replace") as file:
        tests = [json.loads(line) for line in file]
    failed = [test for test in tests if test["result"] not in GOOD + ("SKIP",)]
    for test in failed:
        explain(test)
    print("\nThese took longest:")
    for test in sorted(tests, key=lambda test: -test["duration"])[:LONGEST]:
        print(f"{test['duration']:7.1f} s  {test['name']}")
    print(f"The log is {os.path.splitext(os.path.realpath(log))[0]}.txt")
    passed = sum(test["result"] in GOOD for test in tests)
    print(f"{passed} passed, {len(failed)} failed, {len(tests) - passed - len(failed)} skipped")


main()
