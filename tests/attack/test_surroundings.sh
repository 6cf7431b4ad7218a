#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Unusual surroundings: closed standard descriptors, full disks, folders that are removed, low
# limits, no /proc, namespaces, a reader that ends. The command runs and ends with its own status;
# if nothing can be profiled, it is not run. The cause is reported, and what was measured is kept.
. "$(dirname "$0")/lib.sh"
export TMPDIR=$WORK
busy="$TARGETS/busy"

# ran WHAT STATUS: asserts that STATUS is the command's own, and that $profile is a profile. WHAT:
# the case, for messages
profile=p.pb.gz
ran() {
    is "$1: status" "$2" 7
    check "$1: a profile" "$SPROFREPORT" summary "$profile" -o summary.txt
    rm -f "$profile"
}
# kept WHAT STATUS: asserts that the profile was kept elsewhere, as it could not be written where it
# should be
kept() {
    profile=$(sed -n 's/.*it is kept in //p' err)
    check "$1: the cause is said" grep -q 'cannot write the profile to .*: .*; it is kept in' err
    ran "$1" "$2"
    profile=p.pb.gz
}

for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    eval "\"$SPROFRUN\" -q -o p.pb.gz $busy 1 0.1 7 $closed"
    ran "closed: $closed" $?
done
"$SPROFRUN" -q -o p.pb.gz sh -c 'echo 1 2>/dev/null >&0' <&- 2>/dev/null
is "what was closed is so for the command" $? 2

# The disk is full, or a folder is removed or renamed while the command runs.
"$SPROFRUN" -q -o /dev/full "$busy" 1 0.1 7 2>err
kept "a full device" $?
mkdir gone && "$SPROFRUN" -q -o gone/p.pb.gz sh -c "rm -r gone; '$busy' 1 0.1 7" 2>err
kept "a folder that is gone" $?
mkdir cwd && (cd cwd && exec "$SPROFRUN" -q sh -c "rm -r ../cwd; '$busy' 1 0.1 7") 2>err
kept "its own folder is gone" $?
mkdir -p before && "$SPROFRUN" -q -o before/p.pb.gz \
    sh -c "mv before after; mkdir before; '$busy' 1 0.1 7"
status=$?
mv before/p.pb.gz p.pb.gz
ran "another folder of that name" $status
(ulimit -f 0; exec "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7) 2>&1 | cat >err
is "no file may be long: status" "${PIPESTATUS[0]}" 7
check "no file may be long: that is said" grep -q "ulimit -f" err

# The reader of sprofrun's output ends before the profile is written.
leaves() { exec <&-; : >left; } # the reader, and only then the command goes on
after_it() {
    "$SPROFRUN" "$@" sh -c "until [ -e left ]; do sleep 0.01; done; exec '$busy' 1 0.1 7"
}
rm -f left
after_it -q -o - 2>err | leaves
kept "nobody reads the profile" "${PIPESTATUS[0]}"
rm -f left
after_it -o p.pb.gz 2>&1 | leaves
ran "nobody reads the report" "${PIPESTATUS[0]}"
sleep 60 & sleeper=$!
"$SPROFRUN" --dump $sleeper 2>err | true
is "nobody reads the stacks" "${PIPESTATUS[0]} $(cat err)" "0 "
"$SPROFRUN" --dump $sleeper 2>err >/dev/full
is "stacks on a full disk" "$? $(cat err)" \
    "125 sprofrun: cannot write to standard output: No space left on device"
kill $sleeper

# Low resource limits do not keep the command from running. (Sanitizers need memory of their own.)
if [ -z "${SANITIZED:-}" ]; then
    for limit in '-v 500000' '-s 128' '-l 0' '-t 1' '-c 0'; do
        # shellcheck disable=SC2086 # words
        (ulimit $limit; exec "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7) 2>err
        ran "ulimit $limit" $?
    done
    (ulimit -v 30000; exec "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7) 2>err
    is "little memory: status" $? 7
    check "little memory: that is said" grep -q 'there will be no profile' err
    (ulimit -d 1000; exec "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7) 2>err
    is "no memory for a thread: status" $? 125
    check "no memory for a thread: the limit is named" grep -q 'cannot begin: .*-d' err
fi

# The environment may be large, empty, or full of wrong values.
many=$(printf "export BIG%d=$(head -c 120000 /dev/zero | tr '\0' x);" 1 2 3 4 5 6 7 8 9 10)
(eval "$many"; exec "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7)
ran "a megabyte of environment" $?
env -i "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7
ran "no environment" $?
TERM=$'\033]0;x\a' TZ=../../../../etc/shadow LC_ALL=/../x TERMINFO=$WORK COLUMNS=99999999999 \
    "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7
ran "an environment that lies" $?
setpriv --no-new-privs true 2>/dev/null &&
    { setpriv --no-new-privs "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7; ran "no_new_privs" $?; }

# sprofrun or its command runs in namespaces of its own, with the /proc of another pid namespace, or
# without /proc.
if unshare -Urpf --mount-proc true 2>/dev/null; then
    unshare -Urpf --mount-proc "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7
    ran "a user and pid namespace" $?
    unshare -Urpf "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7
    is "a pid namespace with the /proc of another: status" $? 7
    rm -f p.pb.gz
    "$SPROFRUN" -q -o p.pb.gz unshare -Urpf --mount-proc "$busy" 1 0.1 7
    ran "the command makes them" $?
    unshare -Urm sh -c 'mount -t tmpfs none /proc && exec "$@"' sh \
        "$SPROFRUN" -q -o p.pb.gz "$busy" 1 0.1 7 2>err
    status=$?
    # Without /proc LeakSanitizer does not work, and cannot read the option that switches it off.
    grep -q 'LeakSanitizer has encountered' err || is "without /proc: status" $status 125
    check "without /proc: the cause" grep -q 'without /proc; mount it' err
else
    echo "not tested: namespaces are not permitted here"
fi
finish
