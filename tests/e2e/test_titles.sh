#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Processes have the titles that they give themselves by writing over their arguments: in tables by
# process, in rows of processes, and in the live view.
. "$(dirname "$0")/../lib.sh"
padding=$(printf '%64s' | tr ' ' x)
names() { "$SPROFREPORT" "$@" --format tsv p.pb.gz | awk -F'\t' 'NR > 1 { print $2 }' | sort -u; }
wanted=$'titled: master process\ntitled: worker 1'

"$SPROFRUN" -q -F 500 -o p.pb.gz "$TARGETS/titled" 1 "$padding"
is "a command: status" $? 0
is "by process" "$(names --by process)" "$wanted"
is "split by process" "$(names --split process)" "$wanted"

"$TARGETS/titled" 1000 "$padding" & target=$!
titled() { [ "$(tr '\0' '\n' <"/proc/$1/cmdline" | head -n 1)" = "$2" ]; }
wait_until "it has its title" 30 titled $target "titled: master process"
child=$(pgrep -P $target)
wait_until "its child, too" 30 titled "$child" "titled: worker 1  "
"$SPROFRUN" -q -F 500 -o p.pb.gz -p $target --tree -d 1s
is "attached: by process" "$(names --by process)" "$wanted"
"$BUILD/tools/sproftop" -b -n 1 -s 2 --view threads --size 120x20 -p $target --tree >screen
check "live: the master" grep -qE " $target  titl.*process " screen
check "live: the worker" grep -qE " $child  titled: worker 1 " screen
kill -KILL $target "$child"
finish
