#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Kernels without a layer of the sandbox (landlock, seccomp, both), and older ones that lack calls
# for opening files and closing descriptors: the other layers still hold, and -v says what is
# missing.
. "$(dirname "$0")/lib.sh"
mkdir stage && cp "$BUILD"/tools/{sprofrun,sprofil-opener} stage/ &&
    cp "$PLANTED" stage/sprofil-analyst
chmod 755 "$WORK" && mkdir -m 777 theirs
sleep 600 &
bystander=$!
trap 'kill $bystander 2>/dev/null; rm -rf "$WORK"' EXIT
echo "secret of root" >secret && chmod 600 secret
plant $bystander

# without LAYERS: runs the planted fault on a kernel that lacks LAYERS, which are layers of the
# sandbox; $done lists what the planted code succeeded in
without() {
    "$LACKING" "$1" stage/sprofrun -v -q -o p.pb.gz sh become 0.3 >out 2>err 9<secret
    local status=$?
    [ $status = 77 ] && skip "no seccomp filter is to be had here"
    grep -q 'sandbox lacks: all' err && skip "no sandbox in a build with a sanitizer"
    is "without $1: status" $status 6
    check "without $1: it was tried to the end" grep -q '^planted: memory of the .*opener' err
    done=$(sed -n 's/^planted: \(.*\): DONE$/\1/p' err | sort -u)
    check "without $1: nothing was made" [ ! -e planted ]
    check "without $1: the bystander lives" kill -0 $bystander
}
built_with_seccomp() { ! grep -q 'built without libseccomp' err; }

without landlock
check "without landlock: that is said" grep -q 'sandbox lacks: .*landlock (Function not impl' err
check "without landlock: and what holds" grep -q 'sandbox: .*no capabilities, no_new_privs' err
! built_with_seccomp || is "without landlock: what was done" "$done" "the opener"

without seccomp
check "without seccomp: that is said" grep -q 'sandbox lacks: .*seccomp (' err
# Without seccomp, the planted code still opens and makes no file, and reaches nothing of the target
# and the bystander but their pidfds and, for processes of its own user, their scheduling and
# limits. (Its parent is the analyst, which does not count.)
own=
[ "$(id -u)" = 0 ] || own='|affinity|priority|limits'
reached() {
    grep -E '^(open|create|mkdir|unlink|exec|a .*)|of the (target|bystander)' <<<"$done" |
        grep -vE "^(pidfd|signal by descriptor$own) of"
}
if grep -q 'sandbox: .*landlock [6-9]' err; then
    is "without seccomp: files and processes that were reached" "$(reached)" ""
else
    echo "not tested: without seccomp, for landlock does not know signals here"
fi

if [ "$(id -u)" = 0 ]; then
    without landlock,seccomp
    is "without both, by root: files and processes that were reached" "$(reached | paste -sd,)" \
        "open,open by hand"
    check "without both: they are said" grep -q 'sandbox lacks: landlock.*, seccomp' err
fi

without close_range
! built_with_seccomp || is "without close_range: what was done" "$done" "the opener"

# Without openat2() and pidfd_getfd(), the opener still finds files and passes them on.
"$LACKING" openat2,pidfd_getfd "$SPROFRUN" --report flat -o p.pb.gz "$TARGETS/busy" 1 0.3 6 2>err
is "without openat2: status" $? 6
check "without openat2: names" grep -q 'spin\|burn\|main' err
mkdir -p fake/tools && ln -s "$SPROFREPORT" fake/tools/
printf '#!/bin/sh\nexec "%s" openat2 "%s" "$@"\n' "$LACKING" "$SPROFRUN" >fake/tools/sprofrun
chmod 755 fake/tools/sprofrun
BUILD=$WORK/fake "$(dirname "$0")/test_perf_maps.sh" >maps 2>&1
status=$?
[ $status = 77 ] || is "without openat2: perf maps" "$status $(grep '^NOT' maps)" "0 "
finish
