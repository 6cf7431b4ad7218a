#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds static libraries for packaging/tarball.sh: libmicrohttpd without TLS, libcurl with HTTP and
# OpenSSL alone. Debian's .a files of the two are of no use, as they need other libraries of which
# Debian has no .a file. Both are built from Debian's source packages, with its patches, in some
# minutes; nothing of the system is changed.
#   packaging/static_libraries.sh PREFIX
# Needs build-essential, dpkg-dev and libssl-dev, and the network.
set -euo pipefail
prefix=$(realpath -m "${1:?usage: packaging/static_libraries.sh PREFIX}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work"

# Makes deb-src entries of the system's deb entries. Package lists and cache are in $work, so those
# of the system stay as they are.
mkdir -p parts lists/partial cache/archives/partial
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >"parts/$(basename "$file")"
done
for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed '/^#/d; s/^Types:.*/Types: deb-src/' "$file" \
        >"parts/$(basename "$file")"
done
apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts" \
        -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update >log 2>&1 && apt source libmicrohttpd curl >log 2>&1 || { tail -5 log >&2; exit 1; }

# build SOURCE FOLDERS CONFIGURE-OPTIONS...: builds and installs the FOLDERS of SOURCE, and its file
# for pkg-config
build() {
    local source=$1 folders=$2
    shift 2
    (
        cd "$work/$source"-*/
        ./configure -q --prefix="$prefix" --disable-shared "$@"
        for folder in $folders; do
            make -s -j"$(nproc)" -C "$folder" install
        done
        make -s install-pkgconfigDATA
    ) >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
}
build libmicrohttpd "src/microhttpd src/include" --disable-https --disable-doc \
    --disable-examples --disable-curl --disable-bauth --disable-dauth --disable-tools
build curl "lib include" --disable-maintainer-mode --with-openssl --with-ca-path=/etc/ssl/certs \
    --without-libpsl --without-brotli --without-zstd --without-zlib --without-nghttp2 \
    --without-libidn2 --without-librtmp --without-libssh2 --disable-ldap --disable-ftp \
    --disable-file --disable-dict --disable-telnet --disable-tftp --disable-pop3 --disable-imap \
    --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-rtsp \
    --disable-manual --disable-threaded-resolver
