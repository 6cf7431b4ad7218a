#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Links: when root writes, no symbolic link of another user is followed, wherever it stands in the
# path and whatever fs.protected_symlinks is. This also holds if the other user replaces parts of
# the path while they are checked.
. "$(dirname "$0")/lib.sh"
need_root
export TMPDIR=$WORK
mkdir sticky nobodys && chmod 1777 sticky && chown $NOBODY nobodys
echo precious >victim
"$SPROFRUN" -q -o some.pb.gz true

# refused WHAT PATH: asserts that each program that writes files refuses PATH. WHAT: the case, for
# messages
refused() {
    local before
    before=$(state victim)
    "$SPROFRUN" --report none -o "$2" sh -c 'echo ran' >out 2>err
    is "$1: -o: refused" "$? $(cat out)" "125 "
    check "$1: -o: it is said" grep -q 'symbolic link' err
    "$SPROFRUN" -q --capture "$2" -o p.pb.gz true 2>err
    is "$1: --capture" "$? $(grep -c 'cannot write the capture.*symbolic link' err)" "125 1"
    "$SPROFRUN" -q --region abs:0-1000:2 --histogram "$2" -o p.pb.gz true 2>err
    is "$1: --histogram" "$? $(grep -c 'cannot write the histogram.*symbolic link' err)" "125 1"
    "$SPROFREPORT" export --format folded -o "$2" some.pb.gz 2>err
    is "$1: export" "$? $(grep -c 'symbolic link' err)" "1 1"
    is "$1: nothing is changed" "$(state victim)" "$before"
}
as_nobody ln -s "$WORK/victim" sticky/link
refused "a stranger's link in a sticky folder" sticky/link
as_nobody ln -s "$WORK/victim" nobodys/link
refused "a link in a stranger's folder" nobodys/link
ln -s "$WORK/victim" nobodys/ours
refused "our link in a stranger's folder" nobodys/ours
as_nobody ln -s "$WORK" sticky/way
refused "a stranger's link on the way" sticky/way/victim
ln -s "$WORK/sticky/link" chain
refused "our link to a stranger's" chain
as_nobody ln -s "$WORK/none" sticky/dangling
"$SPROFRUN" -q -o sticky/dangling true 2>err
check "a link to nothing makes nothing" [ ! -e none ]

# Links of our own are followed, and stay.
ln -s sticky/own here && ln -s "$WORK/here" sticky/mine
for link in here sticky/mine; do
    rm -f sticky/own
    "$SPROFRUN" -q -o $link true
    check "our link $link is followed" [ -s sticky/own ]
    check "and stays" [ -L $link ]
done
# A link to /proc/self/fd/1, as /dev/stdout is one. Not /dev/stdout itself: a faulty sprofrun would
# replace it.
ln -s /proc/self/fd/1 stdout
"$SPROFRUN" -q -o stdout true >redirected
check "/dev/stdout that is a file" "$SPROFREPORT" summary redirected -o s.txt
"$SPROFRUN" -q -o stdout true | cat >piped
check "/dev/stdout that is a pipe" "$SPROFREPORT" summary piped -o s.txt
"$SPROFRUN" -q -o >(cat >substituted) true; wait_until "it is written" 10 [ -s substituted ]

# A file and a link to the victim are exchanged under one name all the time.
cp "$SWAP" swap && chmod 755 swap
before=$(state victim)
as_nobody sh -c "echo own >nobodys/a; ln -s $WORK/victim nobodys/b"
as_nobody ./swap nobodys/a nobodys/b & swapper=$!
for _ in $(seq 200); do
    "$SPROFREPORT" export --format folded -o nobodys/a some.pb.gz 2>/dev/null
done
kill $swapper; wait $swapper 2>/dev/null
is "200 races for the last name" "$(state victim)" "$before"

# A folder and a link to the victim's folder are exchanged all the time.
mkdir safe && cp victim safe/file && before=$(state safe/file)
as_nobody sh -c "mkdir nobodys/d; ln -s $WORK/safe nobodys/e"
as_nobody ./swap nobodys/d nobodys/e & swapper=$!
for _ in $(seq 200); do
    "$SPROFREPORT" export --format folded -o nobodys/d/file some.pb.gz 2>/dev/null
done
kill $swapper; wait $swapper 2>/dev/null
is "200 races for the folder" "$(state safe/file)" "$before"
is "no file is left behind" "$(find . -name '.sprofil-*')" ""
finish
