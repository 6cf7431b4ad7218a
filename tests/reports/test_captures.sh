#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the analyst writes of a capture: each report, format and place of output, and its messages
# about what it cannot read or write. The captured program is not run.
. "$(dirname "$0")/../lib.sh"
ANALYST=$BUILD/tools/sprofil-analyst
program=$TARGETS/busy
command -v objdump >/dev/null || skip "no objdump (binutils)"
code "$program" main | awk '{ print $1, 5 }' |
    "$BUILD/tests/reports/make_capture" c.cap "$(realpath "$program")"

# analyse STATUS ARG...: runs the analyst, with its output in "out" and "err", and expects STATUS
analyse() {
    local wanted=$1
    shift
    "$ANALYST" --replay c.cap "$@" >out 2>err
    is "status of $*" $? "$wanted"
}
said() { check "it says '$1'" grep -q -- "$1" err; }

# Each report appears unless it is switched off.
for report in flat lines tree summary; do
    analyse 0 --output p.pb.gz --report $report
    check "$report has the function" grep -qE "main|samples" err
done
analyse 0 --output p.pb.gz --report none
check "no report" eval "! grep -q main err"
said 'the profile is in p.pb.gz'
analyse 0 --output p.pb.gz --quiet --report none
is "quiet" "$(cat err)" ""
analyse 0 --output p.pb.gz --report flat --color always
check "colours" grep -q "$(printf "\033")" err
analyse 0 --output p.pb.gz --report flat --per-thread
check "by thread" grep -q main err
analyse 0 --output p.pb.gz --verbose --report none
said 'sandbox'
analyse 0 --output - --report none
check "a profile on standard output" eval '"$SPROFREPORT" flat out | grep -q main'

# Each option of the analyst has its effect, or shows as a line in the profile.
analyse 0 --output t.pb.gz --no-timeline --report none --quiet
analyse 0 --output t.pb.gz --user-only --call-graph fp --python only --interpreter-frames \
    --jit-map --threads 'threads 7' --report none --quiet
check "the choice of threads is told" eval '"$SPROFREPORT" summary t.pb.gz | grep -q "threads 7"'
analyse 0 --output a.pb.gz --per-process --report flat
check "a file for each process" eval 'ls a.*.pb.gz >/dev/null'
analyse 0 --output k.pb.gz --keep 3 --report none
analyse 0 --output p.pb.gz --skip "$program" --report flat
check "without its debug information" grep -q main err
analyse 0 --output d.pb.gz --dump
check "a dump is text" grep -q . out

# The name of the output selects the format.
for name in x.svg x.folded x.json x.html x.callgrind; do
    analyse 0 --output $name --report none
    check "$name is there" [ -s $name ]
done
"$ANALYST" --check-output x.svg 2>err; is "a format that is known" $? 0
"$ANALYST" --check-output x.nothing 2>err
is "one that is not" $? 2
check "and why" [ -s err ]

# An output that cannot be written, and a capture that cannot be read, are named with the cause.
analyse 1 --output /nowhere/p.pb.gz --report none
said '/nowhere/p.pb.gz'
(ulimit -f 0; analyse 1 --output f.pb.gz --report none --quiet)
ln -s /dev/full full
analyse 1 --output full --report none
said 'No space'
"$ANALYST" --replay nowhere.cap --output q.pb.gz 2>err; is "no capture" $? 1
said 'nowhere.cap'
echo "no capture" >bad.cap
"$ANALYST" --replay bad.cap --output q.pb.gz --report none 2>err
said 'not a capture'
head -c $(($(wc -c <c.cap) - 9)) c.cap >cut.cap
"$ANALYST" --replay cut.cap --output q.pb.gz --report none 2>err; is "cut short" $? 0
said 'cut short'
"$ANALYST" --no-such-option 2>err; is "an option that is not there" $? 2
"$ANALYST" --live nothing=1 2>err; is "nor that setting" $? 2
"$ANALYST" 2>err; is "without a ring" $? 2

# Programs that contain a supervisor print help, and refuse bad options, without a target.
for program in sprofrun sproftop sprofserve; do
    "$BUILD/tools/$program" --help >out; is "$program: help" $? 0
    check "$program: its usage" grep -q "^Usage: $program" out
    "$BUILD/tools/$program" --version >out; is "$program: version" $? 0
    "$BUILD/tools/$program" 2>err; is "$program: nothing to do" $? 2
    "$BUILD/tools/$program" --no-such-option 2>err; is "$program: bad option" $? 2
    said "try '$program --help'"
    "$BUILD/tools/$program" --name no-such-process-$$ 2>err; is "$program: no such name" $? 125
    "$BUILD/tools/$program" --help >/dev/full 2>err; is "$program: a full disk" $? 125
done
"$SPROFRUN" -o /nowhere/p.pb.gz true 2>err; is "no place for the profile" $? 125
said '/nowhere/p.pb.gz'
"$SPROFRUN" --diagnose 999999999 >out 2>err; check "diagnosis of nobody" [ $? != 0 ]
"$SPROFRUN" --diagnose x 2>err; is "of no number" $? 2
"$BUILD/tools/sproftop" -p $$ </dev/null >out 2>err; is "sproftop without a terminal" $? 2
said 'no terminal'
TERM=dumb "$BUILD/tools/sproftop" -p $$ 2>err >out; is "in a dumb one" $? 2
"$BUILD/tools/sproftop" -s x true 2>err; is "a bad delay" $? 2
"$BUILD/tools/sprofserve" --listen nowhere:x -p $$ 2>err; is "a bad address" $? 2
"$BUILD/tools/sprofserve" --push ftp://x -p $$ 2>err; is "a bad store" $? 2
finish
