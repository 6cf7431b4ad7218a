#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How long the way is from an instant to its record: builds sprofrun with a note of each function
# that is entered (bench/entered.c), samples a busy thread with stacks, and prints the functions of
# the usual sample: part of the way (a waiter's instant, its call of the tracing thread, the stop),
# name, file. Rows "total": functions, folder, files. Takes some minutes, most of it to build.
#   bench/sample_path.sh                 BUILD: the built tree, from which the analyst is taken
# shellcheck source=bench/lib.sh
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
