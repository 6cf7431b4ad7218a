#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a tarball that runs on any Linux of this machine type, whatever libraries it has: all
# programs are linked statically with Debian's libraries.
#   packaging/tarball.sh [OUT]: OUT is sprofil-VERSION-MACHINE.tar.gz by default
# packaging/static_libraries.sh builds libmicrohttpd and libcurl, unless $STATIC_LIBRARIES names the
# folder to which it has installed them before. Needs what run.sh installs and what that script
# needs. libsprofil is left out, because a program links its own; so is the preload library, which
# must be made for the C library of the program that loads it.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n "s/^    version: '\(.*\)',/\1/p" "$source/meson.build" | head -1)
name=sprofil-$version-$(uname -m)
out=$(realpath -m "${1:-$name.tar.gz}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

libraries=${STATIC_LIBRARIES:-$work/libraries}
[ -e "$libraries/lib/libcurl.a" ] || "$source/packaging/static_libraries.sh" "$libraries"
export PKG_CONFIG_PATH=$libraries/lib/pkgconfig

# An archive does not name the libraries that it needs: with --prefer-static, pkg-config names them.
meson setup "$work/build" "$source" --prefix=/usr/local --libdir=lib --libexecdir=libexec \
    --buildtype=release --prefer-static -Dc_link_args=-static -Db_pie=false \
    -Dtests=disabled -Dstop_window_checks=disabled -Ddebuginfod=disabled \
    -Dcheck_stacks=disabled -Dhttp=enabled -Dpush=enabled >"$work/log" 2>&1 ||
    { tail -20 "$work/log" >&2; exit 1; }
programs="sprofrun sproftop sprofreport sprofserve sprofil-analyst sprofil-opener
    sprofil-inspector sprofil-supervisor sprofil-server sprofil-push"
# shellcheck disable=SC2086
ninja -C "$work/build" $(printf 'tools/%s ' $programs) >"$work/log" 2>&1 ||
    { tail -20 "$work/log" >&2; exit 1; }

mkdir -p "$work/$name/bin" "$work/$name/libexec/sprofil" "$work/$name/share/man/man1"
for program in $programs; do
    if readelf -l "$work/build/tools/$program" | grep -q INTERP; then
        echo "tarball: $program is not static" >&2
        exit 1
    fi
    case $program in
    sprofil-*) to=libexec/sprofil ;;
    *) to=bin ;;
    esac
    strip -o "$work/$name/$to/$program" "$work/build/tools/$program"
done
cp "$source"/man/*.1 "$work/$name/share/man/man1"
cp "$source/LICENSE" "$source/README.md" "$work/$name"
tar -C "$work" --owner=0 --group=0 --sort=name -czf "$out" "$name"
echo "$out"
