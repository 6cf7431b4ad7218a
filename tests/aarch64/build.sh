#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles the whole tree for aarch64, warnings being errors, against the libraries of root.sh.
. "$(dirname "$0")/lib.sh"
need aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu aarch64-linux-gnu-g++=g++-aarch64-linux-gnu \
    qemu-aarch64-static=qemu-user-static
[ -e "$DIR/root.done" ] || "$HERE/root.sh"
if [ ! -e "$BUILD/build.ninja" ]; then
    cat >"$DIR/cross.ini" <<INI
[constants]
root = '$DIR/root'
[binaries]
c = ['aarch64-linux-gnu-gcc', '--sysroot=' + root]
cpp = ['aarch64-linux-gnu-g++', '--sysroot=' + root]
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64-static', '-L', root]
[properties]
sys_root = root
pkg_config_libdir = root + '/usr/lib/aarch64-linux-gnu/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
INI
    meson setup "$BUILD" "$SOURCE" --cross-file "$DIR/cross.ini" --werror -Dtests=enabled \
        >"$DIR/setup.log" ||
        { cat "$DIR/setup.log" >&2; exit 1; }
fi
ninja -C "$BUILD" -j "${JOBS:-$(nproc)}"
