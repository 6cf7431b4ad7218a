#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzes every entry of tests/fuzz for SECONDS each (default 600) with libFuzzer, ASan and UBSan,
# within 2 GiB of memory. Needs clang. Further seeds are made with the compilers that are installed
# (tests/fuzz/make_elf_seeds.sh). Failing inputs are kept in a folder that the script names.
#   tests/fuzz.sh [SECONDS [ENTRY...]]
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
build=${FUZZ_BUILD:-build-fuzz}
found=$(mktemp -d) || exit 1
[ -f "$build/build.ninja" ] || CC=clang meson setup "$build" -Dfuzz=true \
    -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
if [ $# -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        entry=${source##*/fuzz_}
        set -- "$@" "${entry%.c}"
    done
fi
ninja -C "$build" "${@/#/tests/fuzz/libfuzzer_}" "${@/#/tests/fuzz/fuzz_}" \
    >"$found/build.log" 2>&1 || { cat "$found/build.log" >&2; exit 1; }
tests/fuzz/make_elf_seeds.sh "$found/seeds" >/dev/null || echo "only the corpus is the seed" >&2
status=0
for entry in "$@"; do
    mkdir -p "$found/$entry" "$found/seeds/$entry"
    corpus=tests/fuzz/corpus/$entry
    [ "$entry" != symbols ] || corpus=tests/fuzz/corpus/elf
    [ -d "$corpus" ] || corpus=$found/seeds/$entry
    "$build/tests/fuzz/fuzz_$entry" --write "$found/seeds/$entry" >/dev/null
    if "$build/tests/fuzz/libfuzzer_$entry" -max_total_time="$seconds" -timeout=60 \
        -rss_limit_mb=2048 -artifact_prefix="$found/$entry-" "$found/$entry" \
        "$corpus" "$found/seeds/$entry" >"$found/$entry.log" 2>&1; then
        echo "$entry: $(grep '^Done' "$found/$entry.log"), no fault"
    else
        echo "$entry: a fault, see $found/$entry.log"
        status=1
    fi
done
exit $status
