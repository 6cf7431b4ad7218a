#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs whose file is replaced or deleted while they run are profiled as far as possible: the
# command and its status are unharmed.
. "$(dirname "$0")/../lib.sh"

# The program's file is deleted, or replaced, while it runs.
for how in 'rm running' 'cp /bin/true new && mv new running'; do
    cp "$TARGETS/busy" running
    "$SPROFRUN" --max-overhead 100 -o p.pb.gz sh -c "./running 1 0.5 6 &
        until [ /proc/\$!/exe -ef running ]; do :; done; $how; wait \$!" 2>err
    is "status with '$how'" $? 6
    check "there are samples" [ "$(figure samples p.pb.gz)" -gt 0 ]
    about "samples" "$(figure samples p.pb.gz)" 60 250
done
finish
