#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The wrapper and the deaths once more, as an ordinary user (when the suite runs as root).
. "$(dirname "$0")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "this is no root already: the other tests are it"
command -v setpriv >/dev/null || skip "setpriv (util-linux) is missing"

# The user may not be able to get at the build: a copy lies where it can.
mkdir -p stage/tools stage/tests/targets home
cp "$BUILD"/tools/{sprofrun,sprofreport,sproftop,sprofil-analyst,sprofil-opener} stage/tools/
find "$BUILD/tests/targets" -maxdepth 1 -type f -perm -u+x -exec cp {} stage/tests/targets/ \;
cp -r "$SOURCE/tests/e2e" stage/e2e && cp "$SOURCE/tests/lib.sh" stage/
chmod 755 . && chmod -R a+rX stage && chmod 1777 home
for name in wrapper deaths; do
    BUILD=$WORK/stage TMPDIR=$WORK/home HOME=$WORK/home setpriv --reuid=65534 --regid=65534 \
        --clear-groups bash "stage/e2e/test_$name.sh" >"$name.log" 2>&1
    is "test_$name.sh as user 65534" $? 0
    grep -v '^ok' "$name.log"
done
finish
