#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A perf map that is a link, hard link, or pipe, or belongs to a third user, is not read: otherwise
# a process could put lines of files that it may not read into a profile. A map of the process's own
# user or of root is read.
. "$(dirname "$0")/lib.sh"
need_root
STRANGER=1
mkdir secret cell && chmod 700 secret && mkdir cell/tmp && chmod 1777 cell/tmp
[ "$(stat -f -c %T /tmp)" = "$(stat -f -c %T "$WORK")" ] ||
    skip "/tmp is another file system than $WORK"

# profile WHAT ROOT MAKE...: profiles a program whose root folder is ROOT ("": not changed). The
# command MAKE writes $line to the program's perf map, $map. The rows of the report are in "names".
profile() {
    local what=$1 root=$2 run at
    shift 2
    rm -f go out
    "$SPROFRUN" -q -o p.pb.gz "$JITTER" $NOBODY ${root:+"$root"} >out 2>err &
    run=$!
    wait_until "$what: it waits" 30 [ -s out ]
    read -r pid at <out
    map=$root/tmp/perf-$pid.map line="${at#0x} 1000 from_the_map"
    "$@"
    touch go
    wait $run
    is "$what: status" $? 6
    rm -f "$map"
    "$SPROFREPORT" flat --format tsv p.pb.gz >names
}
named() { check "$1: it names" grep -q 'from_the_map' names; }
unnamed() { check "$1: it names nothing" [ "$(grep -c 'from_the_map' names)" = 0 ]; }

owned() { echo "$line" >"$map" && chown "$1" "$map" && chmod "$2" "$map"; }
profile "its own" "" owned $NOBODY 600; named "its own"
profile "root's" "" owned 0 644; named "root's"
profile "root's alone" "" owned 0 600; unnamed "root's alone"
profile "a stranger's" "" owned $STRANGER 644; unnamed "a stranger's"

linked() { echo "$line" >secret/file; as_nobody ln -s "$WORK/secret/file" "$map"; }
profile "a symbolic link" "" linked; unnamed "a symbolic link"
to_own() { echo "$line" >"$map.own"; chown $NOBODY "$map.own"; as_nobody ln -s "$map.own" "$map"; }
profile "a link to its own" "" to_own; unnamed "a link to its own"; rm -f "$map.own"
hard() { echo "$line" >secret/file; chmod 600 secret/file; ln secret/file "$map"; }
profile "a hard link" "" hard; unnamed "a hard link"
pipe() { as_nobody mkfifo "$map"; }
profile "a pipe" "" pipe; unnamed "a pipe"

profile "in a root of its own" "$WORK/cell" owned $NOBODY 600; named "in a root of its own"
out() { echo "$line" >/tmp/outside-$$; as_nobody ln -s /tmp/outside-$$ "$map"; }
profile "a link out of its root" "$WORK/cell" out; unnamed "a link out of its root"; \
    rm -f /tmp/outside-$$
folder() {
    mkdir -m 755 "/tmp/outside-$$" && echo "$line" >"/tmp/outside-$$/perf-$pid.map"
    chown -R $NOBODY "/tmp/outside-$$"
    mv cell/tmp cell/old && ln -s "/tmp/outside-$$" cell/tmp
}
profile "its /tmp a link out of its root" "$WORK/cell" folder
unnamed "its /tmp a link out of its root"; rm -rf /tmp/outside-$$
finish
