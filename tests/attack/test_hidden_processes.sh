#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A /proc that hides the processes of other users (hidepid=2): an ordinary user can still profile
# his own command. If he attaches to another user's process, a message says why that fails.
. "$(dirname "$0")/lib.sh"
need_root
unshare -m true 2>/dev/null || skip "needs mount namespaces"
mkdir -m 755 stage && mkdir -m 777 out.d
cp "$BUILD"/tools/{sprofrun,sprofil-analyst,sprofil-opener,sprofreport} "$TARGETS/busy" stage/
cat >inside <<'END'
mount -t proc -o hidepid=2 proc /proc || exit 77
setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '
    [ ! -e /proc/1/status ] || exit 77
    cd out.d
    ../stage/sprofrun -v -o p.pb.gz ../stage/busy 1 0.4 6 2>err
    echo $? >status
    ../stage/sprofrun -q -p 1 -d 0.1 2>refused'
END
unshare -m sh inside
[ $? != 77 ] || skip "hidepid=2 is not to be had here"
is "status" "$(cat out.d/status)" 6
"$SPROFREPORT" flat --format tsv out.d/p.pb.gz >flat
check "functions have names" grep -q busy flat
check "the refusal tells why" grep -q . out.d/refused
[ -n "$SANITIZED" ] || check "the analyst has its sandbox" grep -q 'sandbox: .*no_new_privs' \
    out.d/err
finish
