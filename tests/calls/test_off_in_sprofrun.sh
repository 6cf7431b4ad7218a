#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The cases of live_off.c under sprofrun, which goes on tracing after "off"; also as an ordinary
# user.
. "$(dirname "$0")/../lib.sh"
OFF=$BUILD/tests/calls/live_off
export SPROFIL_SUPERVISOR=/nonexistent

# turned_off WHAT CASE COMMAND-PREFIX...: runs CASE of live_off under sprofrun, and both under
# COMMAND-PREFIX. CASE must succeed, or not be possible here. WHAT names it in messages
turned_off() {
    local what=$1 case=$2 status
    shift 2
    timeout -k 5 30 "$@" "$SPROFRUN" -q --report none -o r.pb.gz "$OFF" child "$case"
    status=$?
    if [ $status = 77 ]; then
        echo "not tested: $what"
    else
        is "$what" $status 0
    fi
}
for case in setuid chroot undumpable blocked signals; do
    turned_off "$case" $case
done
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && chmod 777 "$WORK" &&
    $nobody "$SPROFRUN" --version >/dev/null 2>&1; then
    rm -f r.pb.gz
    # shellcheck disable=SC2086
    turned_off "undumpable, as nobody" undumpable_as_nobody $nobody
    rm -f r.pb.gz
    # shellcheck disable=SC2086
    turned_off "on while undumpable, as nobody" hidden_on $nobody
fi
finish
