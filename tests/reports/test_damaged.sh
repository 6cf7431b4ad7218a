#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs with damaged debug information get names as far as it can be read. No sample is lost, and
# damage costs one message at most.
. "$(dirname "$0")/../lib.sh"
command -v objcopy >/dev/null || skip "objcopy (binutils) is missing"

noise 3000 >noise
code "$TARGETS/busy" main | awk '{ print $1, 10 }' >samples
sections=0
for section in .debug_info .debug_line .debug_abbrev .debug_str .debug_aranges .eh_frame \
    .note.gnu.build-id .comment; do
    objcopy --update-section $section=noise "$TARGETS/busy" damaged 2>/dev/null || continue
    sections=$((sections + 1))
    replayed p.pb.gz damaged <samples 2>err; is "noise in $section: status" $? 0
    check "noise in $section: at most a message" [ "$(wc -l <err)" -le 1 ]
    is "noise in $section: all samples are there" "$(figure samples p.pb.gz)" \
        "$(awk '{ n += $2 } END { print n }' samples)"
done
check "sections were tried: $sections" [ $sections -ge 5 ]
finish
