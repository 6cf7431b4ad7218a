# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Functions of the scripts that boot a virtual machine (tests/aarch64, tests/yama). MACHINE_DIR is
# the folder of the machine's parts and of the log of its serial line.
set -eu
mkdir -p "$MACHINE_DIR"

# need PROGRAM=PACKAGE...: installs the packages of missing programs, or says how to.
need() {
    local missing='' pair
    for pair; do
        command -v "${pair%%=*}" >/dev/null || missing+=" ${pair#*=}"
    done
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] || { echo "as root: apt-get install$missing" >&2; exit 1; }
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing \
        >/dev/null
}

# machine QEMU OPTIONS...: boots the machine, shows the output of its serial line, and waits for its
# end. The last line must be "GUEST done".
machine() {
    "$@" -nodefaults -display none -serial stdio -no-reboot </dev/null | stdbuf -oL tr -d '\r' |
        tee "$MACHINE_DIR/serial.log"
    grep -q '^GUEST done' "$MACHINE_DIR/serial.log" || { echo "the machine died" >&2; exit 1; }
}
