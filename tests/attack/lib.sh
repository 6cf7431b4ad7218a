# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the attacks: those who attack, and those who are attacked.
. "$(dirname "$0")/../e2e/lib.sh"
NOBODY=65534

need_root() {
    [ "$(id -u)" = 0 ] || skip "needs root: an attack by another user on what root runs"
    command -v setpriv >/dev/null || skip "setpriv (util-linux) is missing"
    chmod 755 "$WORK"
}

# as_nobody COMMAND...
as_nobody() {
    setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups "$@"
}

# state FILE: what must not change, in one word
state() {
    stat -c '%i:%u:%a:%s' "$1"; cksum <"$1"
}
