#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the tarball of static programs, and uses it in a root folder without any other file. Takes
# minutes; run as root. Needs the packages that run.sh installs.
# long_tarball.sh [TARBALL [ROOT]]: uses TARBALL instead of building one; also uses it in ROOT, a
# tarball of another system's root, such as alpine-minirootfs-*.tar.gz
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 1
pids=
clean() {
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill $pids 2>/dev/null || true
    umount "$work"/*/proc 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT
fail() { echo "NOT OK: $*"; exit 1; }
ok() { echo "ok: $*"; }

tarball=${1:-$work/sprofil.tar.gz}
[ $# -gt 0 ] || "$source/packaging/tarball.sh" "$tarball" >/dev/null
mkdir -p "$work/root/proc" "$work/root/tmp"
tar -C "$work/root" --strip-components=1 -xzf "$tarball"
mkdir "$work/root/dev"
mknod -m 666 "$work/root/dev/null" c 1 3 # as every container has
mount -t proc proc "$work/root/proc"
in_root() { chroot "$work/root" "$@"; }

# The target is a static program, too.
printf '%s\n' 'static volatile unsigned long n;' \
    'static __attribute__((noinline)) void spin(void) { while (n < 900000000) n++; }' \
    'int main(int argc, char **argv) { (void)argv; do { n = 0; spin(); } while (argc > 1);' \
    'return 7; }' >"$work/spin.c"
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
# On a fast machine spin ends before the update, and sproftop has its status.
in_root /bin/sproftop -b -n 1 -s 300ms -- /spin >"$work/top" || [ $? = 7 ] || fail "sproftop ends"
grep -q 'spin' "$work/top" || fail "sproftop"
ok "sproftop in an empty root"

# await WHAT COMMAND...: repeats the command until it succeeds; fails after 20 s
await() {
    local what=$1 deadline=$((SECONDS + 20))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $deadline ] || fail "waited in vain until $what: $(cat "$work/serving")"
        sleep 0.1
    done
}
# serve_in ROOT TARGET-PID [PATH]: runs PATH/bin/sprofserve with the root folder ROOT, and requests
# a profile from outside. sprofserve also sends profiles to a store, which is given by a host name.
serve_in() {
    local root=$1 pid=$2 server port store
    mkdir -p "$work/stored"
    rm -rf "$work"/stored/* "$work/serving"
    store=$(python3 "$source/tests/e2e/store.py" free)
    python3 "$source/tests/e2e/store.py" serve "$store" "$work/stored" all & pids+=" $!"
    mkdir -p "$root/etc"
    grep -qs localhost "$root/etc/hosts" || echo 127.0.0.1 localhost >>"$root/etc/hosts"
    chroot "$root" "${3:-}/bin/sprofserve" --listen 0 --push "http://localhost:$store" \
        --push-every 1s -p "$pid" 2>"$work/serving" & server=$!
    pids+=" $server"
    await "it serves" grep -q '/debug/pprof/$' "$work/serving"
    port=$(sed -nE 's|.*http://127\.0\.0\.1:([0-9]+)/.*|\1|p' "$work/serving")
    python3 "$source/tests/e2e/serve_client.py" get "$port" '/debug/pprof/profile?seconds=1' \
        >"$root/tmp/served.pb.gz" || fail "sprofserve: no profile"
    await "a profile is in the store" ls "$work/stored/0001/profile.pb.gz"
    cp "$work/stored/0001/profile.pb.gz" "$root/tmp/pushed.pb.gz"
    kill -INT $server
    wait $server || fail "sprofserve: status $?"
}
chroot "$work/root" /spin for ever & target=$!
pids+=" $target"
in_root /bin/sprofrun -d 1s -o /tmp/a.pb.gz -p $target 2>"$work/report" ||
    { cat "$work/report"; fail "-p"; }
grep -q '\<spin\>' "$work/report" || { cat "$work/report"; fail "-p: no function"; }
in_root /bin/sproftop -b -n 1 -s 300ms -p $target | grep -q '\<spin\>' || fail "sproftop -p"
ok "sprofrun -p and sproftop -p in an empty root"
serve_in "$work/root" $target
for profile in served pushed; do
    in_root /bin/sprofreport --format tsv /tmp/$profile.pb.gz >"$work/rows"
    grep -q '\<spin\>' "$work/rows" || { cat "$work/rows"; fail "sprofserve: $profile"; }
done
kill $target
ok "sprofserve, its server and what sends to a store in an empty root"
[ $# -gt 1 ] || exit 0

# Programs of another C library: one that sprofrun starts, children of that system's shell, and one
# to which it attaches.
mkdir "$work/other"
tar -C "$work/other" -xzf "$2"
mkdir -p "$work/other/usr/local" "$work/other/proc" "$work/other/dev"
tar -C "$work/other/usr/local" --strip-components=1 -xzf "$tarball"
[ -e "$work/other/dev/null" ] || mknod -m 666 "$work/other/dev/null" c 1 3
mount -t proc proc "$work/other/proc"
in_other() { chroot "$work/other" /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin "$@"; }
echo "the root: $(sed -n 's/^PRETTY_NAME=//p' "$work/other/etc/os-release")," \
    "$(cd "$work/other" && echo lib/ld-*)"
status=0
in_other sprofrun -F 1000 -o /tmp/p.pb.gz -- sh -c \
    'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; seq 900000 | sort | tail -1; exit 5' \
    >"$work/out" 2>"$work/report" || status=$?
[ $status = 5 ] || { cat "$work/report"; fail "sprofrun: status $status"; }
[ "$(cat "$work/out")" = 99999 ] || fail "the command's output"
in_other sprofreport --format tsv /tmp/p.pb.gz >"$work/rows"
grep -q '/ld-musl\|/busybox' "$work/rows" || { cat "$work/rows"; fail "its objects"; }
head -6 "$work/rows"
in_other sprofreport summary /tmp/p.pb.gz | grep -E 'samples|found_ratio' || true
chroot "$work/other" /bin/sh -c "while :; do :; done" & target=$!
pids+=" $target"
sleep 0.5
in_other sprofrun -d 1s -o /tmp/a.pb.gz -p $target 2>"$work/report" ||
    { cat "$work/report"; fail "-p"; }
[ "$(in_other sprofreport summary --format tsv /tmp/a.pb.gz |
    awk -F'\t' '$1 == "samples" { print $2 }')" -gt 50 ] || fail "-p: samples"
in_other sproftop -b -n 1 -s 300ms -p $target | grep -q busybox || fail "sproftop"
serve_in "$work/other" $target /usr/local
for profile in served pushed; do
    in_other sprofreport --format tsv /tmp/$profile.pb.gz | grep -q busybox ||
        fail "sprofserve: $profile"
done
kill $target
ok "sprofrun, sprofreport, sproftop and sprofserve in that root"
