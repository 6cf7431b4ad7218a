#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Small files that need much memory: debug information that is shared or compressed, one symbol
# table listed many times, a perf map of 255 MiB. One message names the file, and the profile
# contains everything else. RLIMIT_AS protects the machine if a limit does not work.
. "$(dirname "$0")/lib.sh"
[ -z "${SANITIZED:-}" ] || skip "a sanitizer takes memory of its own"
command -v objcopy >/dev/null || skip "objcopy (binutils) is missing"
MOST_MIB=450
LIMIT_MIB=3072
objcopy --strip-debug "$EVIL" plain

# watched WHAT BLAMED COMMAND...: asserts that sprofrun COMMAND has status 6, needs little memory,
# and has one message with BLAMED
watched() {
    local what=$1 blamed=$2
    shift 2
    "$PEAK" $LIMIT_MIB peak "$SPROFRUN" -o p.pb.gz "$@" >out 2>err
    is "$what: status" $? 6
    within "$what: MiB resident" $(($(cat peak) / 1024)) 1 $MOST_MIB
    check "$what: a profile" [ "$(figure samples p.pb.gz)" -gt 0 ]
    is "$what: nothing died" \
        "$(figure analyst_restarts p.pb.gz) $(grep -c 'made the analyst die' err)" "0 0"
    is "$what: the file is blamed, once" "$(grep -c "$blamed" err)" 1
}
for kind in ranges lines abbreviations inflated; do
    rm -rf sections && mkdir sections
    "$MAKE_BOMB" $kind plain sections
    status=$?
    [ $status = 77 ] && skip "the bombs are of 64 bits"
    add=()
    for section in sections/*; do add+=(--add-section ".$(basename "$section")=$section"); done
    objcopy "${add[@]}" plain bomb 2>/dev/null && chmod 755 bomb
    within "$kind: MiB of file" $(($(stat -c %s bomb) >> 20)) 0 4
    watched "$kind" 'bomb: its debug information is left out: it takes far more memory' ./bomb 0.4
    check "$kind: symbols there are" grep -q ' spin  ' err
done
"$MAKE_BOMB" symtabs plain bomb && chmod 755 bomb
watched "symbol tables" 'bomb: its debug information is left out: it takes far more memory' ./bomb \
    0.4

# A file that is mostly a hole: all addresses would be taken for it.
cp plain bomb && truncate -s 60G bomb && chmod 755 bomb
"$SPROFRUN" -o p.pb.gz ./bomb 0.4 2>err
is "60 GiB: status" $? 6
is "60 GiB: nothing died" \
    "$(figure analyst_restarts p.pb.gz) $(grep -c 'made the analyst die' err)" "0 0"
check "60 GiB: a profile" [ "$(figure samples p.pb.gz)" -gt 0 ]

# A name of 3 MiB is cut, without a message.
rm -rf sections && mkdir sections
"$MAKE_BOMB" names plain sections
add=()
for section in sections/*; do add+=(--add-section ".$(basename "$section")=$section"); done
objcopy "${add[@]}" plain bomb 2>/dev/null && chmod 755 bomb
"$SPROFRUN" -q -o p.pb.gz ./bomb 0.4
"$SPROFREPORT" flat --format tsv p.pb.gz >rows
within "a name of 3 MiB: bytes of the longest row" "$(wc -L <rows)" 60000 70000

# The reader stops when a list of DIEs leads back to its beginning, and keeps what it read.
rm -rf sections && mkdir sections
"$MAKE_BOMB" siblings plain sections
add=()
for section in sections/*; do add+=(--add-section ".$(basename "$section")=$section"); done
objcopy "${add[@]}" plain bomb 2>/dev/null && chmod 755 bomb
"$SPROFRUN" -o p.pb.gz ./bomb 0.4 2>err
is "its own sibling: nobody is to blame" "$(grep -c 'is left out' err)" 0
check "its own sibling: the function" grep -q ' by_unit  ' err

# In this mangled name each part stands for twice the part before. The demangled name would be huge,
# so the mangled one is kept.
digits=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ name=_Z1f1aIiiE part=S0_
for level in $(seq 33); do name+="S_I$part${part}E" part=S${digits:$level:1}_; done
objcopy --redefine-sym "spin=$name" plain bomb
"$PEAK" $LIMIT_MIB peak "$SPROFRUN" -q -o p.pb.gz ./bomb 0.4
is "a name that doubles: status" $? 6
within "a name that doubles: MiB resident" $(($(cat peak) / 1024)) 1 $MOST_MIB
"$SPROFREPORT" flat --format tsv p.pb.gz >rows
check "a name that doubles: as it is" grep -qF "$name" rows

rm -f go out
mkfifo pids
"$PEAK" $LIMIT_MIB peak "$SPROFRUN" -o p.pb.gz "$JITTER" "$(id -u)" >pids 2>err &
run=$!
read -r pid at <pids
{ echo "${at#0x} 1000 from_the_map"; yes "0 1 a" | head -c 267386880; } >"/tmp/perf-$pid.map"
touch go
wait $run
is "a perf map of 255 MiB: status" $? 6
rm -f "/tmp/perf-$pid.map"
within "a perf map of 255 MiB: MiB resident" $(($(cat peak) / 1024)) 1 $MOST_MIB
is "a perf map of 255 MiB: the file is blamed, once" \
    "$(grep -c "perf-$pid.map: it is too large" err)" 1
check "a perf map of 255 MiB: what could be read names" grep -q from_the_map err
finish
