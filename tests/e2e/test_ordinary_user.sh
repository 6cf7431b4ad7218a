#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# test_wrapper.sh and test_deaths.sh once more, as an ordinary user (if the suite runs as root).
. "$(dirname "$0")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "this is no root already: the other tests are it"
command -v setpriv >/dev/null || skip "setpriv (util-linux) is missing"

# The user may have no access to the build folder: the files are copied to one that it can read.
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

# The file of the program was deleted or replaced: the owner of the process reads it through
# /proc/PID/exe.
user=(setpriv --reuid=65534 --regid=65534 --clear-groups env "PATH=$WORK/stage/tools:$PATH")
# named WHAT FILE: checks names and lines in a profile
named() {
    local before=$failures
    "$SPROFREPORT" lines --format tsv "$2" >rows
    check "$1: names and lines" grep -qP '\tspin\t[^\t]*busy\.c\t' rows
    [ $failures = "$before" ] || { cat rows; "$SPROFREPORT" summary --format tsv "$2"; }
}
cd home || exit 1
for how in deleted replaced; do
    "${user[@]}" cp ../stage/tests/targets/busy own
    "${user[@]}" ./own 1 600 0 & target=$!
    wait_until "the target runs" 20 grep -qsx own /proc/$target/comm
    if [ $how = deleted ]; then
        rm own
    else
        "${user[@]}" cp ../stage/tests/targets/named new && mv new own
    fi
    "${user[@]}" sprofrun -q -F 500 -d 1s -o $how.pb.gz -p $target
    named $how $how.pb.gz
    "${user[@]}" sprofrun --dump $target >dump
    check "$how: stacks" grep -q ' main  *busy\.c' dump
    kill $target
done
# The first thread has ended, too: only a thread that lives still shows the file.
"${user[@]}" cp ../stage/tests/targets/leaderless own
"${user[@]}" ./own work 60000 & target=$!
first_has_ended() { [ "$(awk '/^State:/ { print $2 }' /proc/$target/status)" = Z ]; }
wait_until "its first thread has ended" 20 first_has_ended
rm own
"${user[@]}" sprofrun -q -F 500 -d 1s -o leaderless.pb.gz -p $target
"$SPROFREPORT" lines --format tsv leaderless.pb.gz >rows
check "leaderless: names and lines" grep -qP '\tinner\t[^\t]*leaderless\.c\t' rows
kill $target
"${user[@]}" python3 -c 'import os, sys
fd = os.memfd_create("hidden")
with open(sys.argv[1], "rb") as file: os.write(fd, file.read())
os.execve(fd, ["hidden", "1", "600", "0"], os.environ)' ../stage/tests/targets/busy & target=$!
is_memfd() { [[ $("${user[@]}" readlink /proc/$target/exe) == /memfd:hidden* ]]; }
wait_until "the target runs" 20 is_memfd
"${user[@]}" sprofrun -q -F 500 -d 1s -o memfd.pb.gz -p $target
named memfd memfd.pb.gz
kill $target
finish
