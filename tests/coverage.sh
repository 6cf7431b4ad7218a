#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Lines that the hermetic suite reaches, by folder (gcov). Builds once more, in a folder of its own.
#
#	tests/coverage.sh [BUILD-DIR]		the table
#	tests/coverage.sh -l FILE [BUILD-DIR]	the lines of a file that no test reaches
set -euo pipefail
cd "$(dirname "$0")/.."
file=
if [ "${1:-}" = -l ]; then
    file=$2
    shift 2
fi
build=${1:-build-coverage}
[ -d "$build" ] || meson setup "$build" -Db_coverage=true -Dtests=enabled -Doptimization=0 \
    >/dev/null
ninja -C "$build" >/dev/null
if [ -z "$file" ]; then
    find "$build" -name '*.gcda' -delete
    # All orders of a race reach the same lines: some are enough.
    KERNEL_MOST=100 KERNEL_COUNT=50 \
        meson test -C "$build" --no-rebuild --suite hermetic -t 5 >/dev/null ||
        echo "some tests fail: see $build/meson-logs/testlog.txt" >&2
fi

python3 - "$build" "$file" <<'P'
import collections, json, os, subprocess, sys

build, wanted = sys.argv[1:]
root = os.getcwd()
reached = collections.defaultdict(dict)  # file: line: count
notes = [os.path.join(folder, name) for folder, _, names in os.walk(build)
         for name in names if name.endswith(".gcno")]
for i in range(0, len(notes), 200):
    out = subprocess.run(["gcov", "--json-format", "--stdout",
                          *(os.path.abspath(n) for n in notes[i:i + 200])], cwd=build,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    for text in out.splitlines():
        for entry in json.loads(text)["files"]:
            path = os.path.relpath(os.path.join(os.path.abspath(build), entry["file"]), root)
            # Files that were renamed or removed since still have notes of gcov in the build folder.
            if path.startswith(("..", "tests/", build)) or not os.path.exists(path):
                continue
            for line in entry["lines"]:
                lines = reached[path]
                number = line["line_number"]
                lines[number] = lines.get(number, 0) + line["count"]
if wanted:
    source = open(wanted).read().splitlines()
    for number, count in sorted(reached[wanted].items()):
        if not count:
            print(f"{number:5} {source[number - 1]}")
    sys.exit()
folders = collections.defaultdict(lambda: [0, 0])
for path, lines in reached.items():
    if not path.endswith(".c"):
        continue
    of = folders[os.path.dirname(path)]
    of[0] += sum(count > 0 for count in lines.values())
    of[1] += len(lines)
print(f"{'folder':24}{'reached':>9}{'lines':>9}{'':>6}")
for folder, (hit, lines) in sorted(folders.items()):
    print(f"{folder:24}{hit:9}{lines:9}{100 * hit // lines:5} %")
if os.environ.get("FILES"):
    for path, lines in sorted(reached.items()):
        if path.endswith(".c"):
            hit = sum(count > 0 for count in lines.values())
            print(f"{path:44}{hit:6}{len(lines):6}{100 * hit // len(lines):5} %")
P
