#!/bin/busybox sh
# SPDX-License-Identifier: MIT
# The first program of the machine of run.sh: tries what Yama permits in each of its modes, to root,
# to an ordinary user, and to that user with a program that has CAP_SYS_PTRACE ("capable"). Prints a
# line for each attempt,
#   TRY MODE USER WHAT STATUS
# and, indented, sprofil's messages. Modes are tried in ascending order, as mode 3 cannot be left.
serve() { # sprofserve PID, asked for a second: its status, and 1 where no profile came
    sprofserve --listen 127.0.0.1:6060 -p "$1" 2>said &
    server=$!
    until grep -q /debug/pprof/ said || ! kill -0 $server 2>/dev/null; do
        sleep 0.1
    done
    if kill -0 $server 2>/dev/null; then
        timeout 30 wget -O profile 'http://127.0.0.1:6060/debug/pprof/profile?seconds=1' 2>wgot ||
            cat wgot >>said
        kill -INT $server
    fi
    wait $server
    status=$?
    cat said >&2
    [ $status != 0 ] || sprofreport summary profile >/dev/null || status=1
    return $status
}
if [ "$1" = serve ]; then
    serve "$2"
    exit
fi

export PATH=/usr/local/bin:/bin HOME=/tmp
export SPROFIL_SUPERVISOR=/usr/local/libexec/sprofil/sprofil-supervisor
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
exec </dev/null >/dev/ttyS0 2>&1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmp /tmp
mount -t tmpfs capable /capable
cp -r /usr/local/* /capable
for program in sprofrun sproftop sprofserve; do
    give_ptrace /capable/bin/$program || echo "no file capabilities here"
done
chmod 1777 /tmp
ip link set lo up
echo 0 >/proc/sys/kernel/printk
echo "GUEST $(uname -srm), $(cat /sys/kernel/security/lsm 2>/dev/null)"

as() { # USER COMMAND...
    user=$1
    shift
    case $user in
    root) "$@" ;;
    *) su -s /bin/sh -c 'exec "$0" "$@"' -- user "$@" ;;
    esac
}
try() { # MODE USER WHAT COMMAND...: deadline 60 s
    mode=$1 user=$2 what=$3
    shift 3
    rm -rf /tmp/work
    mkdir -m 777 /tmp/work
    cd /tmp/work || exit
    as "$user" timeout 60 "$@" >out 2>err
    echo "TRY $mode $user $what $?"
    grep -hE '^sprof|^wget| samples ' err out | grep -v 'the profile is in' | head -n 3 |
        cut -c 1-240 | sed 's/^/    /'
}
su -s /bin/sh -c 'exec spin' user &
mine=$!
sleep 9999 &
roots=$!
for mode in 0 1 2 3; do
    echo $mode >/proc/sys/kernel/yama/ptrace_scope
    echo "MODE $(cat /proc/sys/kernel/yama/ptrace_scope)"
    for user in root user capable; do
        PATH=/usr/local/bin:/bin
        [ $user != capable ] || PATH=/capable/bin:$PATH
        try $mode $user command sprofrun -o p.pb.gz -- spin 0.3
        try $mode $user attach sprofrun -d 500ms -o p.pb.gz -p $mine
        try $mode $user sproftop sproftop -b -n 1 -s 500ms -p $mine
        try $mode $user serve /init serve $mine
        try $mode $user call hottest
    done
    PATH=/usr/local/bin:/bin
    try $mode user diagnose sprofrun --diagnose $mine
    try $mode user attach-other sprofrun -d 500ms -o p.pb.gz -p $roots
done
echo "GUEST done"
poweroff -f
