#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Targets in a mount and pid namespace of their own, profiled from outside: by attaching, and by
# launching the program that makes the namespace. The target's file lies where only processes inside
# can see it.
. "$(dirname "$0")/../lib.sh"

command -v unshare >/dev/null || skip "unshare (util-linux) is missing"
name=in$$ # the process is looked for by this name
cp "$TARGETS/busy" "$WORK/program"
chmod 755 "$WORK" "$WORK/program"

# The script "inside": what a container's first program does. ROOT is a folder, or / for no chroot.
cat >inside <<'I'
set -e
mount -t tmpfs none "$MOUNT"
mkdir -p "$MOUNT/only/here"
cp "$WORK/program" "$MOUNT/only/here/$NAME"
if [ "$ROOT" = / ]; then
    "$MOUNT/only/here/$NAME" 2 "$SECONDS_BUSY" 7 usr1 &
else
    for dir in usr lib lib64 bin; do
        [ -e "/$dir" ] || continue
        if [ -L "/$dir" ]; then cp -P "/$dir" "$MOUNT/$dir"; else
            mkdir -p "$MOUNT/$dir"
            mount --rbind "/$dir" "$MOUNT/$dir"
        fi
    done
    chroot "$MOUNT" "/only/here/$NAME" 2 "$SECONDS_BUSY" 7 usr1 &
fi
echo "$!" >"$WORK/inner"
wait $!
I
mkdir -p mnt
export WORK MOUNT=$WORK/mnt NAME=$name SECONDS_BUSY ROOT

# contain COMMAND-PREFIX...: runs the script "inside" in new namespaces, which the prefix makes.
contain() { rm -f inner; "$@" sh inside; }
outer_pid() { pgrep -x "$name" | head -n 1; }
# Has the outer process used 50 ms of CPU time? While it is being loaded, some addresses have no
# names.
has_outer() {
    local pid
    pid=$(outer_pid) && [ -n "$pid" ] && [ -s inner ] &&
        awk '{ exit !($14 >= 5) }' "/proc/$pid/stat" 2>/dev/null
}

traced() { grep -q '^TracerPid:.[1-9]' "/proc/$1/status"; }
ticks() { awk '{ print $14 }' "/proc/$1/stat"; }
has_run() { [ "$(ticks "$1")" -ge "$2" ]; }

# profile_is WHAT FILE: checks the names in a profile
profile_is() {
    local before=$failures
    "$SPROFREPORT" flat --format tsv "$2" >rows
    check "$1: its functions have names" sh \
        -c "awk -F'\t' '\$5 == \"spin\" && \$6 ~ /only\/here\/$name\$/' rows | grep -q ."
    check "$1: libc's too" sh -c "awk -F'\t' '\$5 ~ /start_main/ && \$6 ~ /libc/' rows | grep -q ."
    # Only rows of the program and the libraries count: the program that made the namespace has no
    # symbols.
    within "$1: hardly anything of it is unresolved, in percent" \
        "$(awk -F'\t' 'NR > 1 && $6 ~ /only\/here|libc\.so|ld-linux/ {
                n += $1; u += $5 ~ /^\[.*\+0x/ ? $1 : 0 }
            END { print n ? 100 * u / n : 100 }' rows)" 0 1
    [ $failures = "$before" ] || { cat rows; "$SPROFREPORT" summary --format tsv "$2"; }
}

# both WHAT COMMAND-PREFIX...: profiles a container by attaching, and by launching it
both() {
    local what=$1 outer box
    shift
    SECONDS_BUSY=60
    rm -f attach.pb.gz launch.pb.gz
    contain "$@" 2>box.err & box=$!
    if wait_until "$what: it runs" 20 has_outer; then
        outer=$(outer_pid)
        check "$what: the pid namespace is another" [ "$outer" != "$(cat inner)" ]
        is "$what: and NSpid tells" "$(awk '/^NSpid/ { print $NF }' "/proc/$outer/status")" \
            "$(cat inner)"
        "${as[@]}" "$SPROFRUN" -q -F 1000 --max-overhead 100 -o attach.pb.gz -p "$outer" 2>err &
        front=$!
        wait_until "$what: it is attached to" 20 traced "$outer"
        wait_until "$what: it works for half a second" 60 has_run "$outer" \
            $(($(ticks "$outer") + 50))
        kill -INT $front
        wait $front; is "$what, attached: status" $? 0
        is "$what, attached: no messages" "$(cat err)" ""
        profile_is "$what, attached" attach.pb.gz
        "${as[@]}" "$SPROFRUN" --dump "$outer" >out 2>err
        check "$what: --dump" grep -qE "(#[0-9]+ +|in )spin " out
        kill -USR1 "$outer" # it has shown enough
    fi
    wait $box
    is "$what: it ends as it would" $? 7
    cat box.err
    SECONDS_BUSY=0.6
    rm -f inner
    "${as[@]}" "$SPROFRUN" -q -F 1000 --max-overhead 100 -o launch.pb.gz \
        "${@:$((${#as[@]} + 1))}" sh inside 2>err
    is "$what, launched: status" $? 7
    is "$what, launched: no messages" "$(cat err)" ""
    profile_is "$what, launched" launch.pb.gz
    about "$what, launched: profiled" "$(awk -v p="$(figure profiled_cpu_ns launch.pb.gz)" \
        -v k="$(figure kernel_cpu_ns launch.pb.gz)" 'BEGIN { print p / k }')" 0.9 1.001
}

as=()
ran=0
if [ "$(id -u)" = 0 ] && unshare -mpf --mount-proc true 2>/dev/null; then
    ran=1
    ROOT=/ both "a mount and pid namespace" unshare -mpf --mount-proc
    ROOT=$WORK/mnt both "and a root of its own" unshare -mpf --mount-proc
else
    echo "not tested: namespaces as root (unshare is refused)"
fi

# An ordinary user, who is root in a user namespace, profiles such containers, too.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
if "${as[@]}" unshare -Urmpf --mount-proc true 2>/dev/null; then
    ran=1
    mkdir -p stage
    cp "$BUILD"/tools/{sprofrun,sprofreport,sprofil-analyst,sprofil-opener} stage/
    chmod -R a+rX stage && chmod 1777 "$WORK"
    SPROFRUN=$WORK/stage/sprofrun
    ROOT=/ both "a user namespace" "${as[@]}" unshare -Urmpf --mount-proc
    ROOT=$WORK/mnt both "a user namespace and a root of its own" "${as[@]}" unshare \
        -Urmpf --mount-proc
else
    echo "not tested: user namespaces (unshare -U is refused)"
fi
[ $ran = 1 ] || skip "this machine lets nobody make namespaces"

finish
