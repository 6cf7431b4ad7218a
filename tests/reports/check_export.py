#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads an export by the letter of its published format, and compares it with the flat report.

Usage: check_export.py speedscope|firefox|perf-script|callgrind FILE FLAT.TSV [timed|waits]

timed: the profile has a time line, so samples stand where they were taken, threads have pauses, and
the phases are those of make_timeline.c. waits: the markers are printed, and nothing is summed up.

The fields are those of speedscope's file-format-schema.json, of the Firefox Profiler's
src/types/profile.ts (processed format, version 58), and of what perf script's readers take apart.
"""
import csv
import json
import math
import re
import sys
from collections import Counter


def check(condition, what):
    if not condition:
        sys.exit(f"FAIL: {sys.argv[1]}: {what}")


def read_flat(path):
    """Self and total, in ns, by function; without rows of nothing."""
    own, total = Counter(), Counter()
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            own[row["function"]] += int(row["self_ns"])
            total[row["function"]] += int(row["total_ns"])
    return own, total


def same(what, got, wanted, within=0):
    for name in set(got) | set(wanted):
        check(abs(got[name] - wanted[name]) <= within,
              f"{what} of {name!r} is {got[name]}, not {wanted[name]}")


def add(own, total, stack, weight):
    """A stack is names, root first; a name counts once."""
    if stack:
        own[stack[-1]] += weight
    for name in set(stack):
        total[name] += weight


def phase(name, seconds):
    """Within 5 ms, as samples that follow each other closely give way."""
    for begin, end, of in ((0, 1, "load"), (1, 1.8, "work"), (2, 2.5, "work"), (2.5, 3, "store")):
        if name == of and begin <= seconds <= end + 0.005:
            return
    check(name == "[unsampled]", f"{name} at {seconds}")


def of_type(thing, where, **fields):
    for name, kind in fields.items():
        check(name in thing, f"{where} has no {name}")
        check(isinstance(thing[name], kind) and
              (kind is bool or not isinstance(thing[name], bool)),
              f"{where}.{name} is {thing[name]!r:.40}")


NUMBER = (int, float)


def speedscope(path, flat):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    of_type(data, "file", exporter=str, name=str, activeProfileIndex=int, shared=dict,
            profiles=list)
    check(data["$schema"] == "https://www.speedscope.app/file-format-schema.json", "$schema")
    frames = data["shared"]["frames"]
    for frame in frames:
        of_type(frame, "frame", name=str, file=str)
        check(set(frame) <= {"name", "file", "line", "col"}, f"frame has {set(frame)}")
        check(isinstance(frame.get("line", 1), int), "line")
    sums = []
    for i, profile in enumerate(data["profiles"]):
        of_type(profile, "profile", type=str, name=str, unit=str, startValue=NUMBER,
                endValue=NUMBER, samples=list, weights=list)
        check(profile["type"] == "sampled", "type")
        check(profile["unit"] in ("nanoseconds", "none", "bytes", "microseconds",
                                  "milliseconds", "seconds"), "unit")
        check(len(profile["samples"]) == len(profile["weights"]), "samples and weights")
        check(all(weight > 0 for weight in profile["weights"]), "weights")
        check(sum(profile["weights"]) == profile["endValue"] - profile["startValue"], "endValue")
        own, total = Counter(), Counter()
        at = profile["startValue"]
        for stack, weight in zip(profile["samples"], profile["weights"]):
            if TIMED and i:
                at += weight
                if not stack:
                    continue
                phase(frames[stack[-1]]["name"], (at - weight) / 1e9)
            check(stack and all(0 <= frame < len(frames) for frame in stack), "stack")
            add(own, total, [frames[frame]["name"] for frame in stack], weight)
        sums.append(sum(own.values()))
        if not i:
            check(profile["name"] == "all threads", "the first is all threads")
            own.pop("[unknown]", None)
            total.pop("[unknown]", None)
            same("self", own, flat[0])
            same("total", total, flat[1])
    check(len(sums) == 1 or sum(sums[1:]) == sums[0], "the threads are not all")


COLUMNS = {
    "stackTable": {"frame": "frameTable", "prefix": "stackTable?"},
    "frameTable": {"address": int, "inlineDepth": int, "category": int, "subcategory": int,
                   "func": "funcTable", "nativeSymbol": "nativeSymbols?", "innerWindowID": int,
                   "line": "int?", "column": "int?"},
    "funcTable": {"name": "strings", "isJS": bool, "relevantForJS": bool,
                  "resource": "resourceTable", "source": "sources?", "lineNumber": "int?",
                  "columnNumber": "int?"},
    "resourceTable": {"lib": "libs?", "name": "strings", "host": "strings?", "type": int},
    "nativeSymbols": {"libIndex": "libs", "address": int, "name": "strings",
                      "functionSize": "int?"},
    "markers": {"data": dict, "name": "strings", "startTime": NUMBER, "endTime": NUMBER,
                "phase": int, "category": int},
    "samples": {"stack": "stackTable?", "time": NUMBER, "weight": NUMBER},
}


def column(table, name, values, kind, lengths):
    where = f"{table}.{name}"
    if isinstance(kind, str) and kind.endswith("?"):
        values, kind = [value for value in values if value is not None], kind[:-1]
    if kind == "int":
        kind = int
    if isinstance(kind, str):
        check(all(isinstance(value, int) and 0 <= value < lengths[kind] for value in values),
              f"{where} refers to no row of {kind}")
    else:
        check(all(isinstance(value, kind) for value in values), f"{where} is not of {kind}")


def markers(thread, meta, strings, waits):
    """Waits: intervals (phase 1) of a type that the schema knows, with where they were."""
    table = thread["markers"]
    known = {schema["name"]: {field["key"] for field in schema["fields"]}
             for schema in meta["markerSchema"]}
    last = 0
    for i, data in enumerate(table["data"]):
        of_type(data, "marker", type=str)
        check(set(data) <= {"type", "cause"} | known[data["type"]], f"a marker has {set(data)}")
        check(table["phase"][i] == 1, "phase")
        check(0 <= table["category"][i] < len(meta["categories"]), "category of a marker")
        start, end = table["startTime"][i], table["endTime"][i]
        check(last <= start <= end, f"a marker from {start} to {end}")
        last = start
        if "cause" in data:
            of_type(data["cause"], "cause", stack=int)
            check(0 <= data["cause"]["stack"] < thread["stackTable"]["length"], "cause.stack")
        waits.append((thread["name"], strings[table["name"][i]], data["in"], start, end))


def schemas(meta):
    """MarkerSchema of src/types/markers.ts."""
    for schema in meta["markerSchema"]:
        of_type(schema, "schema", name=str, display=list, fields=list)
        check(set(schema) <= {"name", "display", "fields", "tooltipLabel", "tableLabel",
                              "chartLabel", "description"}, f"a schema has {set(schema)}")
        check(set(schema["display"]) <= {"marker-chart", "marker-table", "timeline-overview"},
              "display")
        for field in schema["fields"]:
            of_type(field, "field", key=str, label=str, format=str)
            check(field["format"] in ("string", "time", "duration", "integer"), "format")


def firefox(path, flat):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    of_type(data, "profile", meta=dict, libs=list, shared=dict, threads=list)
    meta, strings = data["meta"], data["shared"]["stringArray"]
    of_type(meta, "meta", interval=NUMBER, startTime=NUMBER, processType=int, product=str,
            stackwalk=int, version=int, preprocessedProfileVersion=int, markerSchema=list,
            categories=list, symbolicated=bool)
    check(meta["preprocessedProfileVersion"] == 58, "version")
    check(meta["interval"] > 0, "interval")
    for category in meta["categories"]:
        of_type(category, "category", name=str, color=str, subcategories=list)
        check(category["subcategories"][0] == "Other", "subcategory 0")
    check(any(category["color"] == "grey" for category in meta["categories"]), "grey category")
    for lib in data["libs"]:
        of_type(lib, "lib", arch=str, name=str, path=str, debugName=str, debugPath=str,
                breakpadId=str)
        check(lib["codeId"] is None or isinstance(lib["codeId"], str), "codeId")
        check(re.fullmatch("([0-9A-F]{32}0)?", lib["breakpadId"]), "breakpadId")
    sources = data["shared"]["sources"]
    check(sources["length"] == len(sources["uuid"]) == len(sources["filename"]), "sources")
    check(all(0 <= name < len(strings) for name in sources["filename"]), "sources.filename")
    check(all(isinstance(text, str) for text in strings), "strings")
    own, total = Counter(), Counter()
    schemas(meta)
    waits = []
    for thread in data["threads"]:
        of_type(thread, "thread", processType=str, processStartupTime=NUMBER,
                registerTime=NUMBER, pausedRanges=list, name=str, isMainThread=bool,
                processName=str, pid=str, tid=int)
        lengths = {"strings": len(strings), "libs": len(data["libs"]),
                   "sources": sources["length"]}
        for table in COLUMNS:
            lengths[table] = thread[table]["length"]
        for table, columns in COLUMNS.items():
            extra = {"length"} | ({"weightType"} if table == "samples" else set())
            if table == "samples" and "sampleUnits" in meta:
                extra |= {"threadCPUDelta"}
            check(set(thread[table]) == set(columns) | extra, f"columns of {table}")
            for name, kind in columns.items():
                check(len(thread[table][name]) == lengths[table], f"length of {table}.{name}")
                column(table, name, thread[table][name], kind, lengths)
        stacks, frames = thread["stackTable"], thread["frameTable"]
        check(all(prefix is None or prefix < i for i, prefix in enumerate(stacks["prefix"])),
              "a stack's prefix stands behind it")
        check(all(0 <= category < len(meta["categories"]) for category in frames["category"]),
              "category")
        names = []
        for i, prefix in enumerate(stacks["prefix"]):
            name = strings[thread["funcTable"]["name"][frames["func"][stacks["frame"][i]]]]
            names.append((names[prefix] if prefix is not None else ()) + (name,))
            depth = frames["inlineDepth"][stacks["frame"][i]]
            check(not depth or frames["inlineDepth"][stacks["frame"][prefix]] == depth - 1,
                  "an inlined frame without what it is inlined in")
        markers(thread, meta, strings, waits)
        samples = thread["samples"]
        check(samples["weightType"] == "tracing-ms", "weightType")
        check("sampleUnits" in meta or not TIMED or WAITS, "no use of the CPU")
        if "sampleUnits" in meta:
            check(meta["sampleUnits"] == {"time": "ms", "eventDelay": "ms",
                                          "threadCPUDelta": "ns"}, "sampleUnits")
            check(samples["threadCPUDelta"] == [round(weight * 1e6) for weight in
                                                samples["weight"]], "threadCPUDelta")
        end = 0.0
        for stack, time, weight in zip(samples["stack"], samples["time"], samples["weight"]):
            check(math.isclose(time, end, abs_tol=1e-3) if not TIMED else time >= end,
                  f"a sample is at {time}, not {end}")
            end = time if TIMED else time + weight
            if TIMED and not WAITS:
                phase(names[stack][-1], time / 1e3)
            add(own, total, names[stack] if stack is not None else (), weight * 1e6)
    if WAITS:
        for wait in waits:
            print(*wait)
        return
    # Weights are rounded to whole ns, once in each row, and a stack may have thousands of rows.
    within = 1 + sum(thread["samples"]["length"] for thread in data["threads"])
    same("self", own, flat[0], within)
    same("total", total, flat[1], within)


# The patterns by which the collapsing scripts read perf script's output.
HEAD = re.compile(r"^(\S.*?)\s+(\d+)/(\d+)\s+(\d+\.\d+):\s+(\d+)\s+(\S+):$")
FRAME = re.compile(r"^\s+([0-9a-f]+)\s(.*)\s\((.*)\)$")


def perf_script(path, flat):
    own, total = Counter(), Counter()
    stack, weight, last = None, 0, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if stack is None:
                head = HEAD.match(line)
                check(head, f"no head: {line!r}")
                tid, time, weight, stack = head[3], float(head[4]), int(head[5]), []
                check(time >= last.get(tid, 0), "time goes backwards")
                last[tid] = time
            elif not line:
                # For a frame without a symbol, the flat report names the object.
                names = [dso if name == "[unknown]" else name for name, dso in reversed(stack)]
                names = [f"[{name.rsplit('/', 1)[-1]}]" if "/" in name else name
                         for name in names]
                add(own, total, names, weight)
                if TIMED:
                    phase(names[-1], last[tid])
                stack = None
            else:
                frame = FRAME.match(line)
                check(frame, f"no frame: {line!r}")
                stack.append((frame[2], frame[3]))
    check(stack is None, "the last stack does not end")
    # The export has no record for unsampled CPU time.
    for sums in flat:
        sums.pop("[unsampled]", None)
    same("self", own, flat[0])
    same("total", total, flat[1])


def callgrind(path, flat):
    """PATH is what callgrind_annotate --threshold=100 has printed, PATH.inclusive the same with
    --inclusive=yes. A function's second level of recursion, f'2, is a part of its own cost."""
    for part, wanted in zip(("", ".inclusive"), flat):
        got = Counter()
        with open(path + part, encoding="utf-8") as file:
            for line in file:
                row = re.match(r"^ *([0-9,]+) \( *[0-9.]+%\) +(.*)$", line)
                if row and not row[2].startswith("PROGRAM"):
                    name = re.sub(r" \[[^][]*\]$", "", row[2]).split(":", 1)[1]
                    recursive = re.match(r"(.*)'\d+$", name)
                    if recursive and part:
                        continue
                    name = recursive[1] if recursive else name
                    got[name] += int(row[1].replace(",", ""))
        check(got, "callgrind_annotate has printed no row")
        same("inclusive" if part else "self", got,
             Counter({name: value for name, value in wanted.items() if value}))


TIMED = sys.argv[4:] != []
WAITS = sys.argv[4:] == ["waits"]
read = read_flat(sys.argv[3])
{"speedscope": speedscope, "firefox": firefox, "perf-script": perf_script,
 "callgrind": callgrind}[sys.argv[1]](sys.argv[2], read)
