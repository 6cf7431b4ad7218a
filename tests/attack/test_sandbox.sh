#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A fault in a parser lets a file run code in the analyst: it can neither open, connect, execute,
# trace nor signal, nor get from the opener what is not for it. The target, its status and its
# counters are unharmed, and its profile is written.
. "$(dirname "$0")/lib.sh"
mkdir stage && cp "$SPROFRUN" "$SPROFTOP" "$BUILD/tools/sprofil-opener" stage/ &&
    cp "$PLANTED" stage/sprofil-analyst
sleep 60 &
bystander=$!
trap 'kill $bystander 2>/dev/null' EXIT

stage/sprofrun -v -q -o v.pb.gz true 2>err
grep -q "sandbox: .*seccomp" err || skip "no seccomp here: $(grep lacks err)"
check "-v names the layers" grep -qE 'sandbox: .*no capabilities, no_new_privs' err
[ "$(id -u)" != 0 ] || check "it is root no more" grep -qE 'sandbox: user [1-9]' err

# The program that is profiled names itself, then becomes the trap.
# shellcheck disable=SC2016 # for the inner shell
run='cp "$EVIL" trap && echo "PLANTED $$ $0 $PWD" >>trap && exec ./trap 0.5'
export EVIL
for program in "sprofrun --region trap:0x1000-0x3000:0x10000:uint --histogram counts -o p.pb.gz" \
    "sproftop -b -n 0 -d 0.2"; do
    name=${program%% *}
    rm -f trap planted counts p.pb.gz
    # shellcheck disable=SC2086 # words
    stage/$program sh -c "$run" $bystander >out 2>err
    status=$?
    [ $name = sproftop ] || is "$name: status" $status 6
    check "$name: it was tried to the end" grep -q '^planted: all tried' err
    is "$name: what was done" "$(grep '^planted: .*DONE' err | sort -u)" "planted: the opener: DONE"
    check "$name: there were many tries" [ "$(grep -c '^planted: .*refused' err)" -ge 60 ]
    check "$name: nothing was made" [ ! -e planted ]
    check "$name: the bystander lives" kill -0 $bystander
done
check "the death is said" grep -qE 'analyst.*(died|killed)|made the analyst die' err
rm -f trap
# shellcheck disable=SC2086 # words
stage/sprofrun --region trap:0x1000-0x3000:0x10000:uint --histogram counts -o p.pb.gz \
    sh -c "$run" $bystander >out 2>err
check "the file is to blame" grep -q 'trap made the analyst die' err
"$SPROFREPORT" flat --format tsv p.pb.gz >flat
check "the profile is there" grep -q trap flat
check "the counters are" [ "$(awk '{ s += $NF } END { print s + 0 }' counts)" -gt 50 ]
finish
