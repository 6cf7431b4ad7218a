#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes C strings of text files: embed.py OUT.c HEADER[,HEADER...] NAME FILE [NAME FILE]...

The headers declare the names. A line "@include FILE" is replaced by the lines of FILE, which is in
the same folder.
"""
import os
import sys


def literal(line):
    return '"' + "".join(
        "\\" + c if c in '"\\?' else c if " " <= c <= "~" else "".join(
            "\\%03o" % b for b in c.encode()) for c in line) + '"'


def lines_of(path):
    for line in open(path, encoding="utf-8"):
        if line.startswith("@include "):
            yield from lines_of(os.path.join(os.path.dirname(path), line.split()[1]))
        else:
            yield line


out, headers, pairs = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
with open(out, "w", encoding="ascii") as to:
    to.write("/* Made by embed.py. */\n")
    to.writelines('#include "%s"\n' % header for header in headers)
    for name, path in zip(pairs[::2], pairs[1::2]):
        lines = list(lines_of(path))
        if path.endswith((".css", ".js")) and any("]]>" in line or "</" in line for line in lines):
            sys.exit(path + ": would end the element that it is put into")
        to.write("\nconst char %s[] =\n" % name)
        for line in lines:
            to.write("\t" + literal(line) + "\n")
        to.write("\t;\n")
