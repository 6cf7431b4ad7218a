#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A thread whose stack another process of the target delivers, page by page (userfaultfd): that one
# stands still in its stops, so whoever waits for it there waits for ever. Before, the profile ended
# after the first such page.
. "$(dirname "$0")/../lib.sh"
"$TARGETS/uffd" fast 1
[ $? = 7 ] || skip "no userfaultfd for accesses of the kernel"
for mode in "fast 200" "slow 3"; do
    for options in "-F 4000" "-F 1000 -w wall"; do
        # shellcheck disable=SC2086
        timeout -k 5 60 "$SPROFRUN" -q $options -o uffd.pb.gz "$TARGETS/uffd" $mode >out 2>err
        is "$mode, $options: status" $? 7
        is "$mode, $options: it says nothing" "$(cat out)" ""
        # A page given back between pagemap's answer and the access ends the profile (PTRACE.md).
        [ "${TRUTH:-}" ] || continue
        is "$mode, $options: sprofrun says nothing" "$(cat err)" ""
        is "$mode, $options: it goes on to the end" "$(figure processes uffd.pb.gz)" 2
        about "$mode, $options: no page is waited for (ns)" "$(figure stop_ns_max uffd.pb.gz)" \
            0 30000000
    done
done
finish
