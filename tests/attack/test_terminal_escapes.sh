#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Control characters in names of threads, symbols, and files never reach a terminal: not by --dump,
# a report, a note, a message, -v, or the live view. No cell of CSV can be read as a formula.
. "$(dirname "$0")/lib.sh"
command -v objcopy >/dev/null || skip "objcopy (binutils) is missing"
name=$'ev\e[31mil\x9b\xc2\x9b\x7f'
objcopy --strip-debug --redefine-sym "spin==cmd|'"$'\e[2J\xc2\x9b\x9b\x7f' "$EVIL" "$name" ||
    skip "objcopy cannot rename"

# clean WHAT FILE: asserts that FILE has text, but nothing that controls a terminal
clean() {
    check "$1: there is text" [ -s "$2" ]
    check "$1: no control characters" \
        [ -z "$(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$2" | cat -v)" ]
    check "$1: UTF-8" iconv -f UTF-8 -t UTF-16 -o /dev/null "$2"
}
for report in flat lines tree summary; do
    "$SPROFRUN" -v -t --color never --report $report -o p.pb.gz "./$name" 0.4 >out 2>err
    is "$report: status" $? 6
    clean "-v and the $report" err
done
for report in flat lines tree summary "callers .*cmd.*"; do
    for format in text tsv csv json; do
        # shellcheck disable=SC2086 # words
        "$SPROFREPORT" $report --format $format --split thread p.pb.gz >out 2>err || continue
        clean "$report as $format" out
    done
done
"$SPROFREPORT" flat --format csv p.pb.gz >out
check "a formula is text" grep -q ",\"'=cmd|'?\[2J" out
is "no cell begins as a formula" "$(grep -cP '(^|,)"?[=+@-](?![0-9])' out)" 0
"$SPROFREPORT" flat --format tsv p.pb.gz >out
check "so it is in TSV, and what is not text is escaped" \
    grep -qF $'\t\'=cmd|'"'"'\x1b[2J\xc2\x9b\x9b\x7f' out
"$SPROFREPORT" export --format folded p.pb.gz >out; clean folded out
"$SPROFREPORT" callers nothing p.pb.gz 2>err; clean "what is not found" err
"$SPROFREPORT" "$name.none" 2>err; clean "a file that is not there" err
"$SPROFREPORT" "$name" 2>err; clean "a file that is no profile" err

"./$name" 30 & evil=$!
wait_until "it works" 10 grep -q ']0;x' /proc/$evil/comm
"$SPROFRUN" --dump $evil >out 2>err
is "--dump" $? 0
clean --dump out
check "and it is the thread" grep -q '^thread [0-9]* (?\]0;x?' out
"$SPROFRUN" --diagnose $evil >out 2>err; clean --diagnose out
"$SPROFRUN" -q -p $evil -d 100ms -o "none/$name" 2>err; clean "a file that cannot be written" err
"$BUILD/tools/sproftop" -b -n 1 -s 0.3 -p $evil >out 2>err
clean "sproftop -b" out
kill $evil
finish
