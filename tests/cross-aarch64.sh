#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shows that the parts that know the machine compile for aarch64: everything that links libc only.
# Installs the cross compiler where it can (Debian: gcc-aarch64-linux-gnu). Not part of test.sh.
set -eu
cd "$(dirname "$0")/.."
cc=aarch64-linux-gnu-gcc
if ! command -v $cc >/dev/null; then
    [ "$(id -u)" = 0 ] || { echo "install gcc-aarch64-linux-gnu first" >&2; exit 1; }
    apt-get update -qq && apt-get install -y -qq --no-install-recommends \
        gcc-aarch64-linux-gnu libc6-dev-arm64-cross >/dev/null
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
objects=()
for source in proto/*.c supervisor/*/*.c tools/units.c tools/standard.c view/text.c \
    tools/front.c tools/live_front.c tools/output_log.c tools/processes.c tools/target_options.c \
    tools/sprofrun.c; do
    case $source in supervisor/os/arch_x86_64.c) continue ;; esac
    object=$out/$(echo "$source" | tr / _).o
    $cc -std=gnu11 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -DSPROFIL_VERSION='"cross"' \
        -DSPROFIL_BIN_TO_LIBEXEC='"../libexec/sprofil"' -DSPROFIL_STOP_WINDOW_CHECKS -I. \
        -c "$source" -o "$object"
    objects+=("$object")
done
$cc -o "$out/sprofrun" "${objects[@]}" -pthread -lm
file "$out/sprofrun"
