#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The calls as an ordinary user. For a user, a helper that has ended but is not reaped looks
# different: its /proc folder belongs to root. In this test no helper is ever reaped.
#
#	test_calls_of_user.sh NAME	runs live_NAME of tests/calls
. "$(dirname "$0")/../lib.sh"

as_user=
if [ "$(id -u)" = 0 ]; then
    as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
    $as_user true 2>/dev/null ||
        skip "no other user: setpriv (util-linux) is missing, or this root has no other ids"
fi

# The user may have no access to the build folder: the files are copied to one that it can read.
mkdir -p stage
cp "$BUILD/tools/sprofil-supervisor" "$TARGETS/keep_zombies" stage/
find "$BUILD/client" -maxdepth 1 ! -type d -name 'libsprofil*.so*' -exec cp {} stage/ \;
live=live_$1
cp "$BUILD/tests/calls/$live" stage/
chmod 755 . && chmod -R a+rX stage
export SPROFIL_SUPERVISOR=$WORK/stage/sprofil-supervisor LD_LIBRARY_PATH=$WORK/stage
export ASAN_OPTIONS=detect_leaks=0
preload=
[ "$live" != live_preload ] || preload=LD_PRELOAD=$WORK/stage/libsprofil-preload.so
# shellcheck disable=SC2086
$as_user stage/keep_zombies "$(command -v env)" $preload "$WORK/stage/$live" >"$live.log" 2>&1
status=$?
is "$live as an ordinary user" $status 0
[ $status = 0 ] || tail -n 5 "$live.log"
grep -E -A1 "ERROR|counts, but" "$live.log"
finish
