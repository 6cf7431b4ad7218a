#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs with damaged debug information are profiled as far as it goes: the command and its status
# are unharmed, and whatever is wrong costs at most a message.
. "$(dirname "$0")/../lib.sh"
command -v objcopy >/dev/null || skip "objcopy (binutils) is missing"

noise 3000 >noise
sections=0
for section in .debug_info .debug_line .debug_abbrev .debug_str .debug_aranges .eh_frame \
    .note.gnu.build-id .comment; do
    objcopy --update-section $section=noise "$TARGETS/busy" damaged 2>/dev/null || continue
    ./damaged 1 0.01 6 2>/dev/null; [ $? = 6 ] || continue # it does not run by itself
    sections=$((sections + 1))
    "$SPROFRUN" --max-overhead 100 -o p.pb.gz ./damaged 1 0.3 6 2>err; is "status with noise in $section" $? 6
    check "the profile can be read" "$SPROFREPORT" summary p.pb.gz -o summary.txt
    check "there are samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
    about "samples" "$(figure samples p.pb.gz)" 30 120
    is "no analyst was lost" "$(figure analyst_restarts p.pb.gz)" 0
done
within "sections tried" $sections 5 8

# A file that is replaced, or deleted, while it runs.
for how in 'rm running' 'cp /bin/true new && mv new running' ': >debug'; do
    cp "$TARGETS/busy" running
    "$SPROFRUN" --max-overhead 100 -o p.pb.gz sh -c "./running 1 0.5 6 &
        until [ /proc/\$!/exe -ef running ]; do :; done; $how; wait \$!" 2>err
    is "status with '$how'" $? 6
    check "there are samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
    about "samples" "$(figure samples p.pb.gz)" 60 250
done
finish
