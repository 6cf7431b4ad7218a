#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The format that sprofrun writes, by the name of its output, and its report of the call tree.
. "$(dirname "$0")/../lib.sh"

"$SPROFRUN" -q -F 1000 -o run.folded "$TARGETS/split" 20 4000
is "folded stacks" $? 0
check "each line is a stack and a count" test -s run.folded \
    -a -z "$(grep -vE '^.+ [0-9]+$' run.folded)"
check "of the functions that ran" grep -qE '(^|;)f[0-9]+ [0-9]+$' run.folded

"$SPROFRUN" -F 1000 --report tree -o %n.svg "$TARGETS/split" 20 4000 2>err
is "a flame graph" $? 0
check "is one" grep -q '^</svg>$' split.svg
check "and says where it is" grep -q '^sprofrun: the flame graph is in split.svg$' err
check "the tree has its heading" grep -qE '^ +total +self +samples +function +object$' err
check "and its functions" grep -qE ' f[0-9]+ +split$' err

# gprof reads the gmon.out of a program that was not built for gprof.
# (f0 has one part of 210: the bound on the cost, which lowers the rate, is off.)
"$SPROFRUN" -q -F 1000 --max-overhead 100 -o gmon.out "$TARGETS/split" 20 160000
is "a gmon.out" $? 0
if command -v gprof >/dev/null; then
    gprof -b -p "$TARGETS/split" gmon.out >flat.gprof 2>err
    is "gprof reads it" "$? $(cat err)" '0 '
    is "gprof: functions that ran" "$(grep -c ' f[0-9]*$' flat.gprof)" 20
    # f19 has 20 of 210 parts of the work: 9.5 %. Five standard errors of about 800 samples are
    # allowed.
    about "gprof: share of f19" "$(awk '$NF == "f19" { print $1 }' flat.gprof)" 4.3 14.7
    gprof -b -q "$TARGETS/split" gmon.out >graph.gprof
    check "gprof: main calls f19" grep -qE '^ +[0-9.]+ +[0-9.]+ +([0-9]+)/\1 +main \[' graph.gprof
    "$SPROFRUN" -q -F 1000 -o p.pb.gz "$TARGETS/split" 20 10000
    "$SPROFREPORT" export -o gmon.out p.pb.gz 2>err
    check "gmon.out: what calls are is said" grep -q "gmon.out: its calls are samples" err
    own=$("$SPROFREPORT" --object /split --format tsv p.pb.gz |
        awk -F'\t' 'NR > 1 && $5 != "[unsampled]" { n += $2 } END { print n / 1e9 }')
    sum=$(gprof -b -p "$TARGETS/split" gmon.out | awk '$NF ~ /^f[0-9]+$|^main$/ { n += $3 }
        END { print n }')
    within "gprof: all of the program's time" "$sum" \
        "$(awk -v n="$own" 'BEGIN { print n - 0.11 }')" \
        "$(awk -v n="$own" 'BEGIN { print n + 0.11 }')"
else
    echo "skipped: gprof is not installed (package binutils)"
fi
"$SPROFRUN" -q -i 100s -o gmon.out true 2>err
is "a gmon.out without a sample" "$?" 0
check "it is said what there was none of" grep -q "gmon.out: .*sample" err

# The time line shows a stall of 200 ms between two halves of work.
"$SPROFRUN" -q -o phases.pb.gz "$TARGETS/phases" 100
is "a program of three phases" $? 0
"$SPROFREPORT" timeline phases.pb.gz >out
stall=$(sed -nE 's/.*nothing ran for ([0-9.]+) ms.*/\1/p; s/.*nothing ran for [0-9.]+ s.*/999/p' out |
    sort -rn | head -n 1)
about "its stall is found" "${stall:-0}" 190 999
check "with a strip for its thread" grep -qE '^phases [0-9]+ ' out
all=$("$SPROFREPORT" --format tsv phases.pb.gz |
    awk -F'\t' '$5 != "[unsampled]" { n += $2 } END { print n }')
parts=$(for span in "--to 150ms" "--from 150ms --to 300ms" "--from 300ms"; do
    "$SPROFREPORT" --format tsv $span phases.pb.gz 2>err
done | awk -F'\t' '$5 != "[unsampled]" { n += $2 } END { print n }')
is "its parts are all of it" "$parts" "$all"
"$SPROFRUN" -q --no-timeline -o phases.pb.gz "$TARGETS/phases" 20
"$SPROFREPORT" timeline phases.pb.gz >out 2>err
is "--no-timeline" "$? $(grep -c 'has no time line' err)" "1 1"
OMPI_COMM_WORLD_RANK=3 "$SPROFRUN" -q -o rank.pb.gz "$TARGETS/phases" 20
is "a rank is in the file" \
    "$("$SPROFREPORT" merge --by rank --format tsv rank.pb.gz | sed -n '2p' | cut -f5)" 3

"$SPROFRUN" -F 1000 -o run.json "$TARGETS/split" 20 400 2>err
check "a .json is for speedscope" grep -q '^sprofrun: the profile for speedscope is in run.json' err
check "is it" grep -q '"\$schema":"https://www.speedscope.app/file-format-schema.json"' run.json

# A name that is usual for pprof files, or one without a suffix, gives the native format. A format
# that cannot be recorded is refused before the command runs.
"$SPROFRUN" -o run.prof true 2>err
check "a name of pprof files" grep -q '^sprofrun: the profile is in run.prof, as gzipped pprof' err
check "it is a profile" "$SPROFREPORT" summary run.prof -o summary
for name in run.csv run.txt %n.xyz; do
    "$SPROFRUN" -q -o $name touch ran 2>err
    is "$name: refused" "$? $(ls ran $name 2>/dev/null)" "2 "
    check "$name: it is said" grep -q "^sprofrun: output '$name': .*pb.gz" err
done
: >made.tmp
"$SPROFRUN" -q -o made.tmp true; is "an empty file that was made for it" $? 0
env --ignore-signal=CHLD "$SPROFRUN" -q -o run.txt true 2>err
is "also with SIGCHLD ignored" $? 2

# An existing profile is kept once, under another name; a run that fails keeps both files.
rm -f run.prof*
for i in 1 2 3; do
    "$SPROFRUN" -q -o run.prof true
    cp run.prof run.$i
done
check "the one before is kept" cmp run.2 run.prof.old
check "the last one is there" cmp run.3 run.prof
(ulimit -f 0; "$SPROFRUN" -q -o run.prof true) 2>/dev/null
check "a profile that cannot be written" cmp run.3 run.prof
check "takes no other one's place" cmp run.2 run.prof.old

# Ranks of an MPI job, from the launchers' variables: no rank overwrites the profile of another one.
rm -f run.prof*
for rank in 0 1; do
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 "$SPROFRUN" --report none -o run.pb.gz \
        true 2>err
    check "rank $rank says so" grep -q "^sprofrun: rank $rank of 2: -o run.pb.gz is taken as run.%r.pb.gz" err
    check "rank $rank says where" grep -q "^sprofrun: the profile is in run.$rank.pb.gz" err
    PMI_RANK=$rank PMI_SIZE=2 "$SPROFRUN" -q -o by-%r true
done
is "a profile of each rank" "$(echo run.*.pb.gz by-*)" "run.0.pb.gz run.1.pb.gz by-0 by-1"
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 "$SPROFRUN" -q -o alone.pb.gz "$TARGETS/split" 2 40
is "one rank alone" "$("$SPROFREPORT" --format tsv --split process alone.pb.gz |
    awk -F'\t' 'NR > 1 { print $2 }' | sort -u)" split
for rank in 0 1; do
    PMI_RANK=$rank PMI_SIZE=2 "$SPROFRUN" -q -F 1000 -o rank.%r.pb.gz "$TARGETS/split" 2 400
done
is "ranks are told apart" "$("$SPROFREPORT" --format tsv --split process rank.[01].pb.gz |
    awk -F'\t' 'NR > 1 { print $2 }' | sort -u | tr '\n' ,)" 'split rank 0,split rank 1,'
"$SPROFREPORT" export -o ranks.svg rank.[01].pb.gz
check "a flame graph has a root of each" grep -q '<title>split rank 1' ranks.svg
is "figures that the summary does not explain" \
    "$(sed '/^$/,$d' summary | grep -E '^[a-z_0-9]+ +[0-9-]+( +[0-9.]+ [a-z]+)?$')" ''
"$SPROFRUN" --report none -o $'nowhere/\e[31m\nx' true 2>err
check "names are made fit for a terminal" grep -q 'to nowhere/?\[31m?x: ' err
for what in --help --version; do
    "$SPROFRUN" $what >/dev/full 2>err
    is "$what that cannot be written" "$? $(grep -c '^sprofrun: cannot write' err)" '125 1'
done

"$SPROFRUN" --report callers true 2>err
is "callers needs a function, so it is no report of sprofrun" $? 2
finish
