# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts that boot a machine of their own (tests/aarch64, tests/yama). MACHINE_DIR is
# where its parts and its serial line's log lie.
set -eu
mkdir -p "$MACHINE_DIR"

# need PROGRAM=PACKAGE...: installs what is missing, or says how.
need() {
    local missing='' pair
    for pair; do
        command -v "${pair%%=*}" >/dev/null || missing+=" ${pair#*=}"
    done
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] || { echo "as root: apt-get install$missing" >&2; exit 1; }
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# machine QEMU OPTIONS...: boots it, shows what it says on its serial line, and awaits its end. The
# guest says "GUEST done" last.
machine() {
    "$@" -nodefaults -display none -serial stdio -no-reboot </dev/null | stdbuf -oL tr -d '\r' |
        tee "$MACHINE_DIR/serial.log"
    grep -q '^GUEST done' "$MACHINE_DIR/serial.log" || { echo "the machine died" >&2; exit 1; }
}
