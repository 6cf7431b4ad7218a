#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tarball of static programs: made, and used in a root that has nothing else. Takes minutes; as
# root. Needs what run.sh installs.
#   long_tarball.sh [TARBALL]: one that is there already
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'umount "$work/root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "NOT OK: $*"; exit 1; }
ok() { echo "ok: $*"; }

tarball=${1:-$work/sprofil.tar.gz}
[ $# -gt 0 ] || "$source/tools/tarball.sh" "$tarball" >/dev/null
mkdir -p "$work/root/proc" "$work/root/tmp"
tar -C "$work/root" --strip-components=1 -xzf "$tarball"
mkdir "$work/root/dev"
mknod -m 666 "$work/root/dev/null" c 1 3 # as every container has
mount -t proc proc "$work/root/proc"
in_root() { chroot "$work/root" "$@"; }

# A target that needs no library either.
printf '%s\n' 'static volatile unsigned long n;' \
    'static __attribute__((noinline)) void spin(void) { while (n < 900000000) n++; }' \
    'int main(void) { spin(); return 7; }' >"$work/spin.c"
cc -g -O1 -static -o "$work/root/spin" "$work/spin.c"
[ "$(find "$work/root" -xdev -name '*.so*')" = "" ] || fail "there are libraries in the root"

status=0
in_root /bin/sprofrun -o /tmp/p.pb.gz -- /spin 2>"$work/report" || status=$?
[ $status = 7 ] || { cat "$work/report"; fail "sprofrun: status $status"; }
grep -q '\<spin\>' "$work/report" || { cat "$work/report"; fail "the report names no function"; }
ok "sprofrun in an empty root"
in_root /bin/sprofreport --format tsv lines /tmp/p.pb.gz | grep -q 'spin\.c' || fail "sprofreport"
in_root /bin/sprofreport export -o /tmp/p.svg /tmp/p.pb.gz && [ -s "$work/root/tmp/p.svg" ] ||
    fail "export"
in_root /bin/sprofreport annotate spin /tmp/p.pb.gz >"$work/sheet" || fail "annotate"
ok "sprofreport in an empty root"
in_root /bin/sproftop -b -n 1 -s 300ms -- /spin | grep -q 'spin' || fail "sproftop"
ok "sproftop in an empty root"
