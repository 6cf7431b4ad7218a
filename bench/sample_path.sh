#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How many functions work between an instant and its record? Builds sprofrun so that it notes each
# function that is entered (bench/entered.c), and samples a busy thread with stacks. Prints a row
# for each function of the usual sample: the part of the way to which it belongs (a waiter's
# instant, its call of the tracing thread, the stop), its name, its file. The rows "total" give the
# number of functions, a folder, and its number of files. Takes some minutes, most of it to build.
#   bench/sample_path.sh                 BUILD: the built tree, from which the analyst is taken
. "$(dirname "$0")/lib.sh"
SOURCE=$(cd "$(dirname "$0")/.." && pwd)
noting="-O1 -g1 -finstrument-functions -finstrument-functions-exclude-file-list=/usr"
cc -O2 -D_GNU_SOURCE -c -o "$WORK/entered.o" "$SOURCE/bench/entered.c" || exit 1
{
    meson setup "$WORK/noting" "$SOURCE" -Dtests=disabled --buildtype=plain \
        -Dc_args="$noting" -Dc_link_args="$WORK/entered.o" &&
        ninja -C "$WORK/noting" tools/sprofrun
} >"$WORK/log" 2>&1 || { tail "$WORK/log" >&2; exit 1; }
ln -s "$BUILD"/tools/sprofil-* "$WORK/noting/tools/" 2>"$WORK/log"
ENTERED=$WORK/entered "$WORK/noting/tools/sprofrun" -q --max-cost 100 -o "$WORK/p.pb.gz" -- \
    "$BUILD/bench/busy_threads" 1 2000 2000 >"$WORK/out" 2>"$WORK/log" ||
    { cat "$WORK/log" >&2; exit 1; }
cd "$WORK/noting" && python3 "$SOURCE/bench/sample_path.py" "$WORK/entered" tools/sprofrun
