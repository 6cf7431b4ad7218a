#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A fault in a parser lets an ELF file run code in the inspector, which reads it for sprofreport:
# for a mon.out of that program and for annotate. The code can neither open files, connect, execute,
# trace nor signal, nor get files from the opener that it should not have. The report is still
# written, without the file's names.
. "$(dirname "$0")/lib.sh"
mkdir stage && cp "$BUILD"/tools/{sprofrun,sprofreport,sprofil-analyst,sprofil-opener} stage/ &&
    cp "$PLANTED_INSPECTOR" stage/sprofil-inspector
sleep 600 &
target=$!
sleep 600 &
bystander=$!
trap 'kill $target $bystander 2>/dev/null; rm -rf "$WORK"' EXIT

stage/sprofrun -v -q -o v.pb.gz true 2>err
grep -q "sandbox: .*seccomp" err || skip "no seccomp here: $(grep lacks err)"

cp "$TARGETS/busy" trap
stage/sprofrun -q -F 500 -o p.pb.gz ./trap 1 0.3 0
echo "PLANTED $target $(trap_words $bystander)" >>trap

# a mon.out with 16 counters of the program's text, one tick in each
text=$(readelf -lW trap | awk '$1 == "LOAD" && / R E / { print $3; exit }')
perl -e '$low = hex shift; print pack("Q<Q<l<S<S<S<16", $low, $low + 0x2000, 0, 100, 256, (1) x 16)' \
    "$text" >mon.out

# tried WHAT TIMES: asserts that the planted code ran TIMES times, and could do nothing but ask the
# opener. WHAT: the case, for messages
tried() {
    is "$1: it was tried to the end" "$(grep -c '^planted: all tried' err)" "$2"
    is "$1: what was done" "$(grep '^planted: .*DONE' err | sort -u)" "planted: the opener: DONE"
    check "$1: there were many tries" [ "$(grep -c '^planted: .*refused' err)" -ge 60 ]
    check "$1: nothing was made" [ ! -e "$WORK/planted" ]
    check "$1: nobody is harmed" kill -0 $target $bystander
}

stage/sprofreport flat --format tsv --program trap mon.out >flat 2>err
is "mon.out: status" $? 0
tried mon.out 2
is "mon.out: all ticks are there" "$(awk -F'\t' 'NR > 1 { n += $1 } END { print n }' flat)" 16
check "mon.out: the file is to blame" grep -q 'trap made what reads it die: its names are' err

stage/sprofreport annotate --format tsv spin p.pb.gz >lines 2>err
tried annotate 2
stage/sprofreport doctor p.pb.gz >doctor 2>err
is "doctor: status" $? 0
tried doctor 2

# Without the inspector nothing is parsed.
rm stage/sprofil-inspector
stage/sprofreport flat --program trap mon.out >flat 2>err
is "without the inspector: status" $? 1
check "without the inspector: the way out" grep -q 'belongs into libexec/sprofil' err
finish
