#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes C strings of text files: embed.py OUT.c NAME FILE [NAME FILE]..."""
import sys


def literal(line):
    return '"' + "".join(
        "\\" + c if c in '"\\?' else c if " " <= c <= "~" else "".join(
            "\\%03o" % b for b in c.encode()) for c in line) + '"'


out, pairs = sys.argv[1], sys.argv[2:]
with open(out, "w", encoding="ascii") as to:
    to.write("/* Made by embed.py. */\n#include \"view/export/svg.h\"\n#include \"view/export/html.h\"\n")
    for name, path in zip(pairs[::2], pairs[1::2]):
        text = open(path, encoding="utf-8").read()
        if "]]>" in text or "</" in text:
            sys.exit(path + ": would end the element that it is put into")
        to.write("\nconst char %s[] =\n" % name)
        for line in text.splitlines(True):
            to.write("\t" + literal(line) + "\n")
        to.write("\t;\n")
