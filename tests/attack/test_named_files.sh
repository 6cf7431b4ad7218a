#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Hostile files name others for the analyst to open: .gnu_debugaltlink and .gnu_debuglink lead to a
# device node or a pipe. Only regular files are opened, as opening others has effects.
. "$(dirname "$0")/lib.sh"
command -v objcopy >/dev/null || skip "objcopy (binutils) is missing"

printf '\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24' >id
mkfifo "$WORK/pipe"
traps=$WORK/pipe
cp /bin/true "$WORK/real" # the watcher can see
traps="$traps $WORK/real"
[ "$(id -u)" = 0 ] && mknod "$WORK/device" c 1 3 2>/dev/null && traps="$traps $WORK/device"
[ -e device ] || echo "no device node: needs root"

for trap in $traps; do
    { printf '%s\0' "$trap"; cat id; } >altlink
    objcopy --add-section .gnu_debugaltlink=altlink \
        --set-section-flags .gnu_debugaltlink=noload,readonly \
        "$EVIL" evil || skip "objcopy cannot add a section"
    # shellcheck disable=SC2086 # words
    "$OPENED" $traps -- "$SPROFRUN" --report lines -o p.pb.gz ./evil 0.2 >out 2>err
    is "an alternate link to $trap: status" $? 6
    wanted=
    [ "$trap" = "$WORK/real" ] && wanted="opened: $trap"
    is "an alternate link to $trap: opened" "$(sort -u out)" "$wanted"
    check "an alternate link to $trap: there are lines all the same" grep -q 'evil.c' err
done
objcopy --strip-debug "$EVIL" bare
for trap in $traps; do
    name=$(basename "$trap")
    {
        printf '%s\0' "$name"
        head -c $(((4 - (${#name} + 1) % 4) % 4)) /dev/zero
        printf '\1\2\3\4'
    } >link
    objcopy --add-section .gnu_debuglink=link bare evil
    # shellcheck disable=SC2086 # words
    "$OPENED" $traps -- "$SPROFRUN" -q -o p.pb.gz ./evil 0.2 >out 2>err
    is "a debug link to $name: status" $? 6
    wanted=
    [ "$name" = real ] && wanted="opened: $trap"
    is "a debug link to $name: opened" "$(sort -u out)" "$wanted"
done
finish
