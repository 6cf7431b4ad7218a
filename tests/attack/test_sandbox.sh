#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A fault in a parser lets a file run code in the analyst. The code can neither open files, connect,
# execute, trace nor signal, nor get files from the opener that it should not have. The target, its
# status and its counters are unharmed, and its profile is written.
. "$(dirname "$0")/lib.sh"
mkdir stage && cp "$BUILD"/tools/{sprofrun,sproftop,sprofil-opener} stage/ &&
    cp "$PLANTED" stage/sprofil-analyst
sleep 600 &
bystander=$!
trap 'kill $bystander 2>/dev/null; rm -rf "$WORK"' EXIT

stage/sprofrun -v -q -o v.pb.gz true 2>err
grep -q "sandbox: .*seccomp" err || skip "no seccomp here: $(grep lacks err)"
check "-v names the layers" grep -qE 'sandbox: .*no capabilities, no_new_privs' err
[ "$(id -u)" != 0 ] || check "it is root no more" grep -qE 'sandbox: user [1-9]' err

# The profiled program writes its pid into a copy of "busy", the trap, and executes it.
plant $bystander

# tried PROGRAM: asserts that the planted code ran, and could do nothing but ask the opener
tried() {
    check "$1: it was tried to the end" grep -q '^planted: all tried' err
    is "$1: what was done" "$(grep '^planted: .*DONE' err | sort -u)" "planted: the opener: DONE"
    check "$1: there were many tries" [ "$(grep -c '^planted: .*refused' err)" -ge 60 ]
    check "$1: nothing was made" [ ! -e "$WORK/planted" ]
    check "$1: the bystander lives" kill -0 $bystander
}

stage/sprofrun --region trap:0x1000-0x3000:0x10000:uint --histogram counts -o p.pb.gz \
    sh become 0.5 >out 2>err
is "sprofrun: status" $? 6
tried sprofrun
check "the file is to blame" grep -q 'trap made the analyst die' err
"$SPROFREPORT" flat --format tsv p.pb.gz >flat
check "the profile is there" grep -q trap flat
check "the counters are" [ "$(awk '{ s += $4 } END { print s + 0 }' counts)" -gt 0 ]

# The analyst of root's target may read what root may. With a target of another user it may not.
mkdir -m 777 theirs && chmod 755 "$WORK" && cd theirs || exit 1
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups"
# shellcheck disable=SC2086 # words
../stage/sproftop -b -s 0.2 $as sh -c 'sh ../become 1.5; echo $? >status' >out 2>err
tried sproftop
check "sproftop: the death is said" grep -q 'analyst .*was killed' err
is "sproftop: the target goes on to its end" "$(cat status)" 6
finish
