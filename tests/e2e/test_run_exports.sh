#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What sprofrun writes by the name of its output, and its report of the call tree.
. "$(dirname "$0")/lib.sh"

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

# Of any other name it is the native format, and says so where the name tells otherwise.
"$SPROFRUN" -o run.json true 2>err
check "a name of another format" grep -q '^sprofrun: the profile is in run.json, as gzipped pprof' \
    err
check "it is a profile" "$SPROFREPORT" summary run.json -o summary
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
