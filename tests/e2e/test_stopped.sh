#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The live view says that a target is stopped by a signal, whether it was stopped before or during
# the view. It does not say so of a target that only sleeps, nor of two targets of which one runs or
# sleeps. The states come from the opener, because the analyst may not open /proc.
. "$(dirname "$0")/../lib.sh"

# look WHAT ARGUMENTS...: starts sproftop -b ARGUMENTS, with its output in the file "screens"; WHAT
# names the case in messages
look() {
    what=$1
    shift
    "$BUILD/tools/sproftop" -b -s 0.2 "$@" >screens 2>err &
    view=$!
}
# state: prints the state that the newest screen shows
state() { grep -aoE '(  running|idle|stopped by a signal|watching|starting)  ' screens | tail -1; }
tells() { [ "$(state | tr -d ' ')" = "$1" ]; }
tell() { wait_until "$what: the view tells: $1" 30 tells "$1" && echo "ok: $what: $1"; }
has_screens() { [ "$(grep -ac '^ Functions' screens)" -ge "$1" ]; }
# never STATE: waits for three more screens, and asserts that none shows STATE
never() {
    wait_until "$what: three screens" 30 \
        has_screens $(($(grep -ac '^ Functions' screens) + 3))
    is "$what: not told: $1" "$(grep -ac "$1" screens)" 0
}
leave() {
    kill -INT $view
    wait $view
    status=$?
    is "$what: the view's status" $status 0
    [ $status = 0 ] || cat err
}
is_stopped() { grep -q '^State:.T' "/proc/$1/status"; }

"$TARGETS/busy" 2 300 5 & target=$!
sleep 600 & sleeper=$!
trap 'kill -KILL $target $sleeper 2>/dev/null; rm -rf "$WORK"' EXIT
look "stopped meanwhile" -p $target
tell running
kill -STOP $target
tell stoppedbyasignal
kill -CONT $target
tell running
leave

kill -STOP $target
wait_until "it is stopped" 20 is_stopped $target
look "stopped before" -p $target
tell stoppedbyasignal
leave
wait_until "it is stopped as before" 20 is_stopped $target

look "one of two" -p $target,$sleeper
tell idle
never 'stopped by a signal'
kill -STOP $sleeper
tell stoppedbyasignal
leave
kill -CONT $sleeper

look "a sleeper" -p $sleeper
tell idle
never 'stopped by a signal'
leave
kill -KILL $target; wait $target 2>/dev/null

# The states are also right for a command that sproftop starts as an ordinary user.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$WORK" && mkdir -m 777 theirs stage
    cp "$BUILD"/tools/{sproftop,sprofil-analyst,sprofil-opener} "$TARGETS/busy" stage/
    what="by an ordinary user"
    setpriv --reuid=65534 --regid=65534 --clear-groups \
        sh -c 'cd theirs && exec ../stage/sproftop -b -s 0.2 \
            sh -c "echo \$\$ >pid; exec ../stage/busy 1 300 5"' >screens 2>err & view=$!
    tell running
    wait_until "its pid is known" 20 [ -s theirs/pid ]
    kill -STOP "$(cat theirs/pid)"
    tell stoppedbyasignal
    kill -CONT "$(cat theirs/pid)"
    tell running
    kill -KILL "$(cat theirs/pid)"
    wait $view 2>/dev/null
fi
finish
