# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the attacks: those who attack, and those who are attacked.
. "$(dirname "$0")/../lib.sh"
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

# trap_words BYSTANDER: what planted.c is to know of somebody who must not be harmed, and where
trap_words() {
    local bystander=$1 memory
    memory=$(awk '/\[vdso\]/ { sub("-", " ", $1); print $1 }' "/proc/$bystander/maps") || return
    memory="$memory $(awk '$5 > 0 && $2 ~ /^r-x/ { sub(":", " ", $4); print $4, $5; exit }' \
        "/proc/$bystander/maps")"
    echo "$bystander $WORK $memory"
}

# plant BYSTANDER: makes the script "become SECONDS". It becomes a program that works so long and
# exits with 6, and names itself and the bystander to an analyst with a planted fault (planted.c).
plant() {
    cat >become <<END
cp "$TARGETS/busy" trap && echo "PLANTED \$\$ $(trap_words "$1")" >>trap && exec ./trap 1 \$1 6
END
}

# state FILE: what must not change, in one word
state() {
    stat -c '%i:%u:%a:%s' "$1"; cksum <"$1"
}
