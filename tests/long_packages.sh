#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Debian packages, checks them with lintian, installs, uses and removes them in a fresh
# Debian, and builds the RPMs. Takes minutes and the network; run as root.
# long_packages.sh [ROOT]: ROOT is a fresh Debian by debootstrap, which this script changes
# Needs the packages debhelper, lintian, debootstrap, rpm.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 1
trap 'umount "$work/root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
for tool in dpkg-buildpackage dh lintian debootstrap rpmbuild; do
    command -v $tool >/dev/null || { echo "long_packages: $tool is missing"; exit 1; }
done
fail() { echo "NOT OK: $*"; exit 1; }
ok() { echo "ok: $*"; }

mkdir "$work/sprofil"
git -C "$source" ls-files | tar -C "$source" -cf - -T - | tar -C "$work/sprofil" -xf -
cd "$work/sprofil"
status=0
tests/layers.sh . . >/dev/null 2>&1 || status=$?
[ $status = 77 ] || fail "layers is not skipped in an unpacked tarball: status $status"
DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc -b >"$work/log" 2>&1 ||
    { tail -30 "$work/log"; fail "dpkg-buildpackage"; }
grep -E 'dpkg-gensymbols: (warning|error)' "$work/log" && fail "symbols"
ok "dpkg-buildpackage"

# The maintainers' mail address in the package does not exist.
lintian --fail-on none --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog \
    ../sprofil_*.changes >"$work/lintian" 2>&1
grep -E '^[EWI]:' "$work/lintian" && fail "lintian"
ok "lintian has nothing to say"

cd "$work"
if [ $# -gt 0 ]; then
    ln -s "$(cd "$OLDPWD" && realpath "$1")" root
else
    debootstrap --variant=minbase bookworm root >log 2>&1 || { tail -5 log; fail "debootstrap"; }
fi
in_root() { chroot root env LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
mount -t proc proc root/proc
find root -xdev \( -path root/var -o -path root/tmp \) -prune -o -type f -print | sort >before
in_root apt-get update -qq
in_root sh -c 'dpkg-query -W -f "\${Package}\n" | sort >/tmp/packages'
mkdir -p root/tmp/debs
cp ./*_*.deb root/tmp/debs
rm -f root/tmp/debs/*dbgsym*
in_root sh -c 'apt-get install -y -qq --no-install-recommends /tmp/debs/*.deb' >log 2>&1 ||
    { tail -20 log; fail "install"; }
ok "installed"

# Use of the packages: a profile, its report, an export, a live screen, a program with the calls.
in_root sh -c 'cd /tmp && seq 400000 >n &&
    sprofrun -F 1000 -o p.pb.gz sort -R n >/dev/null 2>report'
grep -q 'sort$' root/tmp/report || { cat root/tmp/report; fail "sprofrun"; }
in_root sprofreport --format tsv /tmp/p.pb.gz | grep >/dev/null 'sort$' || fail "sprofreport"
in_root sprofreport export -o /tmp/p.svg /tmp/p.pb.gz || fail "export"
in_root sh -c 'cd /tmp && sproftop -b -n 1 -s 300ms -- sort -R n -o sorted' |
    grep >/dev/null 'CPU' ||
    fail "sproftop"
in_root sh -c 'LD_PRELOAD=libsprofil-preload.so true' || fail "preload"
in_root bash -c 'cd /tmp && { sprofserve --listen 127.0.0.1:47163 -- sort -R n >/dev/null \
        2>served & } &&
    until grep -q /debug/pprof/ served; do sleep 0.1; done && exec 3<>/dev/tcp/127.0.0.1/47163 &&
    printf "GET /debug/pprof/ HTTP/1.1\r\nHost: 127.0.0.1:47163\r\nConnection: close\r\n\r\n" >&3 &&
    cat <&3; kill %1; wait' >log 2>&1
grep -q 'href="/debug/pprof/profile?seconds=30"' log ||
    { cat log root/tmp/served; fail "sprofserve"; }
in_root sh -c 'cd /tmp && timeout 60 sprofrun --push http://127.0.0.1:1/ -q -o q.pb.gz seq 9' \
    >log 2>&1
grep -q 'built without' log && fail "push"
in_root sh -c 'sleep 60 & sprofrun --check-stacks $!; s=$?; kill $!; exit $s' >log 2>&1 ||
    { cat log; fail "check-stacks"; }
for file in usr/libexec/sprofil/sprofil-{server,push,opener,inspector,supervisor,debuginfod} \
    usr/share/bash-completion/completions/sprofserve \
    usr/share/fish/vendor_completions.d/sprofserve.fish \
    usr/share/zsh/vendor-completions/_sprofserve usr/share/man/man1/sprofserve.1.gz; do
    [ -s "root/$file" ] || fail "$file is missing"
done
ok "used"

# No file has the path of a file in another package: dpkg would refuse to install the second one.
# Checked against packages with manual pages and headers about profiling.
in_root apt-get install -y -qq --no-install-recommends manpages-dev libc6-dev google-perftools \
    strace >log 2>&1 || { tail -20 log; fail "collision"; }
ok "beside other packages"
in_root apt-get install -y -qq --no-install-recommends gcc pkg-config >log 2>&1
in_root sh -c 'cd /tmp && cc -o hottest /usr/share/doc/libsprofil-dev/examples/hottest.c \
    $(pkg-config --cflags --libs sprofil) && ./hottest' >log 2>&1 || { cat log; fail "the calls"; }
grep -q 'the hottest is' log || { cat log; fail "the calls"; }
ok "a program with the calls: $(head -1 log)"

in_root apt-get purge -y -qq 'sprofil' 'libsprofil*' >log 2>&1 || { tail log; fail "removal"; }
# glibc's program sprof and its manual page are not ours.
left=$(find root -xdev \( -path root/var -o -path root/tmp -o -path root/proc \) -prune -o \
    -name '*sprof*' ! -name sprof ! -name sprof.1.gz -print)
[ -z "$left" ] || fail "left over: $left"
ok "removed"

mkdir -p rpm/SOURCES
version=$(sed -n 's/^Version: *//p' "$source/packaging/sprofil.spec")
[ "$version" = "$(sed -n "s/^    version: '\(.*\)',/\1/p" "$source/meson.build" | head -1)" ] ||
    fail "the spec's version"
(cd "$source" && git ls-files | tar --transform "s,^,sprofil-$version/," -czf - -T -) \
    >"rpm/SOURCES/sprofil-$version.tar.gz"
rpmbuild --define "_topdir $work/rpm" -bb "$source/packaging/sprofil.spec" >log 2>&1 ||
    { tail -30 log; fail "rpmbuild"; }
rpm -qlp rpm/RPMS/*/sprofil-libs-*.rpm | grep >/dev/null 'libsprofil.so.1$' || fail "rpm"
ok "RPMs: $(cd rpm/RPMS && echo */*.rpm)"
