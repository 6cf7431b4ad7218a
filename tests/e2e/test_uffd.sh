#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A thread whose stack is delivered page by page by another process of the target (userfaultfd).
# That process delivers nothing while it is stopped, so a tracer that waits for a page then waits
# for ever. With an earlier version the profile ended after the first such page.
. "$(dirname "$0")/../lib.sh"
"$TARGETS/uffd" fast 1
[ $? = 7 ] || skip "no userfaultfd for accesses of the kernel"
for mode in "fast 50" "slow 3"; do
    for options in "-F 4000" "-F 1000 -w wall"; do
        # shellcheck disable=SC2086
        timeout -k 5 60 "$SPROFRUN" -q $options -o uffd.pb.gz "$TARGETS/uffd" $mode >out 2>err
        is "$mode, $options: status" $? 7
        is "$mode, $options: it says nothing" "$(cat out)" ""
        # The profile ends early if the program removes a page between the supervisor's check in
        # pagemap and its access (docs/PTRACE.md). This is a matter of chance, so the rest is judged
        # only in the truth suite.
        [ "${TRUTH:-}" ] || continue
        is "$mode, $options: sprofrun says nothing" "$(cat err)" ""
        is "$mode, $options: it goes on to the end" "$(figure processes uffd.pb.gz)" 2
        about "$mode, $options: no page is waited for (ns)" "$(figure stop_ns_max uffd.pb.gz)" \
            0 30000000
    done
done
finish
