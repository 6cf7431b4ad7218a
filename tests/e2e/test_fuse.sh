#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A file system in user space (FUSE) whose server is profiled together with the programs that it
# provides. The server does not answer while it is stopped, so the process that stops it must not
# read its files. An earlier version hung at the first exec, and the target with it.
. "$(dirname "$0")/../lib.sh"
if [ "$(id -u)" != 0 ] || [ ! -c /dev/fuse ]; then skip "needs root and /dev/fuse"; fi
shell=$(readlink -f "$(command -v sh)")
mkdir mnt
# The script body.sh is not in the server's file system. It runs executables that are, and these
# make children.
cat >body.sh <<'B'
server=$1 source=$2 mode=$3 times=$4
exec 3<&0
mkfifo ready 2>/dev/null
$server "$source" mnt $mode >ready & pid=$!
read -r word <ready
[ "$word" = mounted ] || exit 77
n=0
while [ $n -lt $times ]; do
    [ "$(mnt/prog -c '(exit 3); echo $?')" = 3 ] || echo failed
    n=$((n + 1))
done
umount -l mnt
wait $pid
exit 42
B
unshare -m sh body.sh "$TARGETS/fuse" "$shell" one 1 >out 2>&1
[ $? = 42 ] || skip "no such file system can be mounted: $(cat out)"
for mode in one many slow; do
    for rate in 1000 4000; do
        timeout -k 5 60 unshare -m "$SPROFRUN" -q -F $rate -o $mode.pb.gz \
            sh body.sh "$TARGETS/fuse" "$shell" $mode 8 >out 2>err
        is "$mode, $rate Hz: status" $? 42
        is "$mode, $rate Hz: output" "$(cat out err)" ""
    done
    check "$mode: processes" [ "$(figure processes $mode.pb.gz)" -ge 18 ]
done

# An ordinary user runs the server in namespaces of its own. On some machines only root may open the
# device, so a copy of it is made. The server ends when no file of it is open any more, so it does
# not end if we keep one open.
mknod fuse c 10 229 && chmod 666 fuse ready && chmod 777 . mnt
printf 'mount --bind fuse /dev/fuse && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' \
    >as.sh
timeout 60 unshare -m sh as.sh unshare -Urm sh body.sh "$TARGETS/fuse" "$shell" one 1 >out 2>&1
if [ $? = 42 ]; then
    timeout -k 5 60 unshare -m sh as.sh "$SPROFRUN" -q -F 1000 -o user.pb.gz \
        unshare -Urm sh body.sh "$TARGETS/fuse" "$shell" many 8 >out 2>err
    is "ordinary user: status" $? 42
    is "ordinary user: output" "$(cat out err)" ""
    check "ordinary user: processes" [ "$(figure processes user.pb.gz)" -ge 18 ]
else
    echo "not tested: an ordinary user ($(cat out))"
fi

# A thread's stack is in a mapped file of that file system. Only a courier, a thread that may wait
# for the server, reads its pages.
noise 600000 >pages
cat >mapped.sh <<'B'
server=$1 source=$2 mode=$3 program=$4
$server "$source" mnt $mode >ready & pid=$!
read -r word <ready
[ "$word" = mounted ] || exit 77
$program mnt/prog 20
status=$?
umount -l mnt
wait $pid
exit $status
B
for mode in one many slow; do
    timeout -k 5 60 unshare -m "$SPROFRUN" -q -F 2000 -o $mode.pb.gz \
        sh mapped.sh "$TARGETS/fuse" pages $mode "$TARGETS/uffd" >out 2>err
    is "mapped, $mode: status" $? 7
    is "mapped, $mode: output" "$(cat out err)" ""
    check "mapped, $mode: it goes on to the end" [ "$(figure processes $mode.pb.gz)" -ge 4 ]
done

# A server that no longer answers: the program goes on, because its pages are in memory, and the
# analyst gives up the names.
cat >silent.sh <<'B'
server=$1 program=$2 sprofrun=$3
mkfifo running
$server "$program" mnt one >ready & server_pid=$!
read -r word <ready
[ "$word" = mounted ] || exit 77
mnt/prog -c "echo runs; while :; do :; done" >running & pid=$!
read -r word <running
kill -STOP $server_pid
timeout -k 5 120 "$sprofrun" -q -o silent.pb.gz -p $pid -d 1s
status=$?
kill -KILL $pid
kill -CONT $server_pid
umount -l mnt
wait $server_pid
exit $status
B
unshare -m sh silent.sh "$TARGETS/fuse" "$shell" "$SPROFRUN" >out 2>err
is "silent: status" $? 0
is "silent: output" "$(cat out err)" ""
check "silent: a profile" [ "$(figure samples silent.pb.gz)" -gt 0 ]

# A server that no longer answers once the file is open: the analyst does not wait for parts of the
# file that are not in memory. An earlier version waited for ever.
{ cat "$shell"; head -c 8000000 /dev/zero; } >long
cat >unread.sh <<'B'
server=$1 program=$2 sprofrun=$3
$server "$program" mnt one >ready & server_pid=$!
read -r word <ready
[ "$word" = mounted ] || exit 77
mnt/prog -c "echo runs; while :; do :; done" >running & pid=$!
read -r word <running
echo >silent
timeout -k 5 120 "$sprofrun" -q -o unread.pb.gz -p $pid -d 1s
status=$?
rm silent
kill -KILL $pid $server_pid
umount -l mnt
exit $status
B
unshare -m sh unread.sh "$TARGETS/fuse" long "$SPROFRUN" >out 2>err
is "unread: status" $? 0
is "unread: output" "$(cat out err)" ""
check "unread: a profile" [ "$(figure samples unread.pb.gz)" -gt 0 ]
"$SPROFREPORT" flat unread.pb.gz >report
check "unread: said" grep -q 'server of the file did not answer' report

# A server that was started before us, and lets only root read its file: the analyst is not root.
cat >served.sh <<'B'
server=$1 program=$2 sprofrun=$3
$server "$program" mnt one >ready & server_pid=$!
read -r word <ready
[ "$word" = mounted ] || exit 77
"$sprofrun" -q -F 1000 --max-overhead 100 -o served.pb.gz mnt/prog 1 0.3 7
status=$?
kill -KILL $server_pid
umount -l mnt
exit $status
B
unshare -m sh served.sh "$TARGETS/fuse" "$TARGETS/busy" "$SPROFRUN" >out 2>&1
is "served: status" $? 7
"$SPROFREPORT" flat --format tsv served.pb.gz >rows
check "served: names" grep -q spin rows
finish
