#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the tests of a build as lines for guest.sh: name, deadline, command.

list.py FACTOR WORDS... <tests.json: what `meson introspect --tests` says. A word is a test's name
or suite; NAME=A,B: with the arguments A and B. FACTOR makes deadlines longer, for a machine that is
emulated.
"""
import json
import shlex
import sys

factor = float(sys.argv[1])
arguments = dict((word.split("=") + [""])[:2] for word in sys.argv[2:])
tests = json.load(sys.stdin)
def words_of(test):
    return [test["name"]] + [suite.split(":")[-1] for suite in test["suite"]]


unknown = set(arguments).difference(*[words_of(test) for test in tests])
if unknown:
    sys.exit(f"no such test or suite: {' '.join(unknown)}")
chosen = {}  # in the order of the words
for word in arguments:
    for test in tests:
        if word in words_of(test):
            further = [a for a in arguments[word].split(",") if a]
            chosen[test["name"]] = (test, further)
for test, further in chosen.values():
    env = [f"{key}={value}" for key, value in test["env"].items()] + [f"FACTOR={factor:.0f}"]
    command = shlex.join(["env"] + env + test["cmd"] + further)
    print(test["name"], int(test["timeout"] * factor), command, sep="\t")
