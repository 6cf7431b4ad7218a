#!/bin/bash
# SPDX-License-Identifier: MIT
# diff as users call it: columns, sides, significance, the status for scripts, errors.
# Usage: test_diff.sh SPROFREPORT MAKE_STACKS
. "$(dirname "$0")/lib.sh"
report=$(realpath "$1") make=$(realpath "$2")
cd "$work" || exit 1

for kind in stacks slower empty deep even loaded; do
	"$make" $kind $kind || exit 1
done

# fib takes 25 ms on side A and 125 ms on side B, where the program's file has another name.
"$report" diff --format tsv stacks slower >tsv || fail "status $?"
is "columns" "$(head -n1 tsv | cut -f1-8)" \
    "$(printf 'self_ns_a\tself_ns_b\tdelta_pct\tlow_pct\thigh_pct\tsignificant\tfunction\tobject')"
is "the first row" "$(awk -F'\t' 'NR == 2 { print $1, $2, $3, $6, $7, $8 }' tsv)" \
    "25000000 125000000 400 1 fib app"
awk -F'\t' '$7 == "fib" { exit !($4 > 100 && $4 < 400 && $5 > 400 && $5 < 1000) }' tsv ||
    fail "interval: $(grep fib tsv)"
is "others changed" "$(awk -F'\t' 'NR > 1 && $6 == 1' tsv | grep -cv fib)" 0
is "rows without samples of B alone" "$(grep -c 'app.new' tsv)" 0

# A total of samples is counted, so it has an error, and the interval is wider.
low() { "$report" diff --format tsv "$@" even loaded | awk -F'\t' '$7 == "f0" { print $4 }'; }
awk -v counted="$(low --value samples)" -v measured="$(low --value cpu)" \
    'BEGIN { exit !(counted != "" && counted < measured) }' ||
    fail "low end: counted $(low --value samples), measured $(low --value cpu)"

# A row that was not tested has no interval; unsampled time is not tested.
is "unsampled" "$(awk -F'\t' '$7 == "[unsampled]" { print $1, $2, $3, $4, $5, $6 }' tsv)" \
    "2000000 0 -100   0"

is "how many were not tested is said, and why" \
    "$("$report" diff stacks slower | grep 'not tested')" \
    "1 not tested: too few samples, unsampled time, or one has all of the time"

# A function with all of the time: where its change stands, and why it is not tested. That it was
# measured is said of the kernel's CPU time only, and not if a common factor was taken out of it.
measured='^a function with all of the time .* [(]in all, above[)], which is measured, not sampled'
rest='^a function that has all cannot be tested against the rest$'
said() { "$report" diff "$@" | awk -v a="$measured" -v b="$rest" '$0 ~ a { m++ } $0 ~ b { r++ }
    END { print m + 0, r + 0 }'; }
is "all of the time, in all" "$("$report" diff --sort total even loaded | grep '^in all')" \
    "in all +20.0 %"
is "all of the time" "$(said --sort total even loaded)" "1 0"
is "all of the time, of several runs" "$(said --sort total even even -- loaded loaded)" "1 0"
is "all of the samples" "$(said --value samples --sort total even loaded)" "0 1"
is "all of another tool's time" "$(said deep deep)" "0 1"
is "all of the time, by share" "$(said --by share --sort total even loaded)" "0 0"
is "no function has all" "$(said even loaded)" "0 0"
"$report" diff --sort total even loaded -- even loaded | grep -q 'it is taken out$' ||
    fail "no common factor"
is "all of the time, without a factor" "$(said --sort total even loaded -- even loaded)" "0 1"

# A function that ran only on side B has the object's name of that side.
"$report" diff --format tsv deep slower >alone || fail "status $?"
is "object of what is new" "$(awk -F'\t' '$7 == "fib" { print $1, $8 }' alone)" "0 app.new"
is "object of what is gone" "$("$report" diff --format tsv slower deep |
    awk -F'\t' '$7 == "fib" { print $2, $8 }')" "0 app.new"

# By total time, main has changed, too: it calls fib.
"$report" diff --sort total --format tsv stacks slower >total
is "total of main" "$(awk -F'\t' '$7 == "main" { print $9, $10 }' total)" "113000000 213000000"
awk -F'\t' '$7 == "main" && $6 == 1 { n++ } END { exit n != 1 }' total || fail "total: $(cat total)"

# If names are long, they are cut, and the figures of the change stay.
"$make" large large || exit 1
"$report" diff --width 80 large large >out
grep -qE '^ +change +95 % +function' out || fail "no interval: $(grep -m1 function out)"
grep -qE ' ms +\+0\.0 % +-[0-9.]+ … \+[0-9.]+ +[a-z(]' out || fail "no figures: $(sed -n 7,9p out)"
is "no line is wider" "$(wc -L <out | awk '$1 > 80')" ""

# Call paths are cut in the middle: the leaf stays, and no two paths look the same.
"$report" diff --paths --width 80 --limit 20 large large >out
grep -qE '  …;.*\(…\);…;[a-z_(]' out || fail "no frames of a path: $(sed -n 7,12p out)"
is "paths that read alike" "$(sed -n '/call path/,/^\.\.\./p' out | cut -c 37- | sort | uniq -d)" ""

# By share: fib's growth makes all other shares smaller.
is "by share, what each side used is as recorded" \
    "$("$report" diff --by share stacks slower | grep '^[AB]: ')" \
    "$("$report" diff stacks slower | grep '^[AB]: ')"
"$report" diff --by share --format tsv stacks slower >share
awk -F'\t' '$7 == "lex" { exit !($3 < -35 && $3 > -45) }' share || fail "share: $(grep lex share)"

"$report" diff --paths --format tsv stacks slower >paths
is "a call path" "$(awk -F'\t' 'NR == 2 { print $7, $6 }' paths)" "main;fib 1"

# Several runs on each side; equal runs show no change.
"$report" diff --format tsv stacks stacks stacks -- stacks stacks >equal
is "equal runs" "$(awk -F'\t' 'NR > 1 && ($6 != 0 || $1 != $2)' equal)" ""
"$report" diff stacks stacks -- slower slower slower >text || fail "sides"
"$report" diff stacks -- slower --width 100 >text2 2>err
[ "$? $(grep -c 'options come before the files' err)" = "2 1" ] || fail "options behind --"
grep -q '^A: stacks and 1 more, 146.00 ms of CPU time each: app --run$' text || fail "side A"
grep -q '^B: slower and 2 more, 244.00 ms of CPU time each$' text || fail "side B"
grep -q '^in all +67.1 % ± 0.0$' text || fail "in all: $(cat text)"
grep -qE '^ *25.00 ms +125.00 ms +\+100.00 ms +\+400.0 % .* \* +fib +app$' text || fail "row"
grep -q 'run a side' text && fail "a warning about one run"
"$report" diff stacks slower | grep -q '^one run a side: how runs differ' || fail "no warning"
LC_ALL=C "$report" diff stacks slower | LC_ALL=C grep -q $'[\200-\377]' && fail "ASCII"
"$report" diff --color always stacks slower >color
grep -q $'\033\\[1;31m.*fib' color || fail "slower is not red"
grep -q $'\033\\[2m.*lex' color || fail "unchanged is not dim"

# A flame graph of both sides: a frame is as wide as the mean of both, in the colour of its change.
"$report" export --format svg --diff -o sides.svg stacks slower || fail "svg of two sides"
[ -z "$(command -v xmllint)" ] || xmllint --noout --nonet sides.svg || fail "xml"
grep -o 'data-o="[0-9-]*"><title>fib&#10;app&#10;[^<]*' sides.svg | head -n1 >fib
grep -q 'data-o="0".*A 25.00 ms, B 125.00 ms: +400.0 % (.*), significant' fib ||
    fail "fib is not red: $(cat fib)"
grep -q 'data-w="75000000" .*<title>fib&#10;app' sides.svg || fail "width of fib"
grep -q 'data-o="2"><title>lex&#10;.*may be chance' sides.svg || fail "lex is not grey"
"$report" export --format svg --diff slower -- stacks | grep -q 'data-o="1"><title>fib&#10;app' ||
    fail "fib is not blue"
"$report" export --format svg --diff stacks stacks | grep -q 'class="f".*data-o="[01]"' &&
    fail "equal sides have colours"
"$make" hostile hostile && "$report" export --format svg --diff -o hostile.svg hostile stacks ||
    fail "hostile names"
[ -z "$(command -v xmllint)" ] || xmllint --noout --nonet hostile.svg || fail "xml of hostile names"
"$report" export --format svg --diff empty empty >empty.svg || fail "svg of nothing"
refused "a format of one side" 2 'diff is for flame graphs' export --format folded --diff stacks \
    slower
refused "a report" 2 'diff is for flame graphs' flat --diff stacks slower
refused "a split of two sides" 2 "split does nothing with --diff" export --format svg --diff \
    --split thread stacks slower
refused "leaves first of two sides" 2 "bottom-up does nothing with --diff" export --format svg \
    --diff --bottom-up stacks slower
"$make" semicolon semicolon && "$report" export --format svg --diff semicolon semicolon |
    grep -q '<title>&lt;\[u8; 4\] as Hash&gt;::hash&#10;.*A 10.00 ms, B 10.00 ms' ||
    fail "a semicolon in a name"
refused "one side of a flame graph" 2 'compares two sides' export --format svg --diff stacks

# --fail-above is for scripts: the status says whether something is slower, a message says what.
"$report" diff --fail-above 50 stacks slower >out 2>err
is "slower by more" $? 1
grep -q fib out || fail "no report beside the status"
is "what is slower" "$(cat err)" "sprofreport: slower by more than 50 %:
    fib, +400.0 %"
"$report" diff --fail-above 50 --paths stacks slower >out 2>err
is "which path is slower" "$(tail -n 1 err)" "    main;fib, +400.0 %"
head -c 200 slower >damaged
"$report" diff --fail-above 50 stacks damaged >out 2>err
is "a damaged file is no slowdown" "$? $(grep -c damaged err)" "2 1"
"$report" diff --fail-above 50 stacks missing >out 2>err
is "nor is a missing one" $? 2
"$report" diff --fail-above 50 -o none/out stacks slower 2>err
is "nor what cannot be written" $? 2
"$report" diff stacks damaged >out 2>err
is "without the option, as for other reports" $? 1
"$report" diff --fail-above 500 stacks slower >out
is "slower by less" $? 0
"$report" diff --fail-above 0 slower stacks >out
is "faster" $? 0
"$report" diff --fail-above 0 stacks stacks >out
is "equal" $? 0

"$report" diff empty empty | grep -q '^nothing could be tested' || fail "empty"
refused "one side" 2 'diff compares two sides' diff stacks
refused "three without --" 2 'diff compares two sides' diff stacks stacks slower
refused "not diff" 2 'fail-above is for diff' flat --fail-above 5 stacks
refused "by time is of two sides" 2 'by time and --by share are for diff' flat --by time stacks
refused "no number" 2 "fail-above 'x' is not a number" diff --fail-above x stacks slower
refused "by what" 2 "by 'size' is not known; there is time, share" diff --by size stacks slower
refused "other values" 2 "no values 'wall'" diff --value wall stacks slower

finish
