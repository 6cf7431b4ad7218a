# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the attacks: attackers, victims, and checks of what must not change.
. "$(dirname "$0")/../lib.sh"
NOBODY=65534

need_root() {
    [ "$(id -u)" = 0 ] || skip "needs root: an attack by another user on what root runs"
    command -v setpriv >/dev/null || skip "setpriv (util-linux) is missing"
    chmod 755 "$WORK"
}

# as_nobody COMMAND...: runs COMMAND as user nobody
as_nobody() {
    setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups "$@"
}

# trap_words BYSTANDER: prints what planted.c needs: the pid of a process that it must not be able
# to harm, a folder, and two mappings of that process
trap_words() {
    local bystander=$1 memory
    memory=$(awk '/\[vdso\]/ { sub("-", " ", $1); print $1 }' "/proc/$bystander/maps") || return
    memory="$memory $(awk '$5 > 0 && $2 ~ /^r-x/ { sub(":", " ", $4); print $4, $5; exit }' \
        "/proc/$bystander/maps")"
    echo "$bystander $WORK $memory"
}

# plant BYSTANDER: writes the script "become SECONDS". It replaces itself by a program that uses
# SECONDS of CPU time and exits with 6. An analyst with a planted fault (planted.c) that reads the
# program's file finds there the pids of the program and of BYSTANDER.
plant() {
    cat >become <<END
cp "$TARGETS/busy" trap && echo "PLANTED \$\$ $(trap_words "$1")" >>trap && exec ./trap 1 \$1 6
END
}

# state FILE: prints what must not change: inode, owner, mode, size, checksum
state() {
    stat -c '%i:%u:%a:%s' "$1"; cksum <"$1"
}
