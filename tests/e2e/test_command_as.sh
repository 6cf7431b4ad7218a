#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# -E and -u: the command's environment and user.
. "$(dirname "$0")/../lib.sh"
run() { "$SPROFRUN" -q -o p.pb.gz "$@" 2>err; }

export KEPT=kept GONE=gone CHANGED=old
is "set, changed, removed, and the rest as it was" \
    "$(run -E NEW='a b=c' -E GONE -E CHANGED=1 -E CHANGED=2 -E EMPTY= \
        sh -c 'echo "$KEPT|${GONE-none}|$CHANGED|$NEW|${EMPTY-none}"')" "kept|none|2|a b=c|"
is "what is not there can be removed" "$(run -E NOWHERE sh -c 'echo ${NOWHERE-none}')" none
mkdir bin
printf '#!/bin/sh\necho other\n' >bin/which-one
chmod +x bin/which-one
run -E PATH="$PWD/bin" which-one; is "the command is looked for along our PATH" $? 127
is "and has its own" "$(run -E PATH=/nowhere /bin/sh -c 'echo $PATH')" /nowhere
is "a script without #!, too" "$(echo 'echo $NEW' >plain; chmod +x plain; run -E NEW=1 ./plain)" 1
# What is loaded into the command is not loaded into us: the analyst would say so.
run -E LD_PRELOAD=/no/such/library.so true; is "a library for the command alone: status" $? 0
is "it is missed once" "$(grep -c 'no/such/library' err)" 1

run -E =x true; is "no name: status" $? 2
check "is said" grep -q "bad variable '=x': give NAME=VALUE, or NAME to remove it" err
run -E A=1 -p $$; is "with -p: status" $? 2
check "is said" grep -q "are for a command that is started" err
run -u no-such-user true; is "no such user: status" $? 2
check "is said" grep -q "no user 'no-such-user'" err

if [ "$(id -u)" = 0 ]; then
    is "the user, and its groups" "$(cd / && "$SPROFRUN" -q -o "$WORK/u.pb.gz" -u nobody \
        sh -c 'id -u; id -g; id -G; grep -c "CapEff:.0*$" /proc/self/status' | tr '\n' ' ')" \
        "$(id -u nobody) $(id -g nobody) $(id -G nobody) 1 "
    is "by number" "$(cd / && "$SPROFRUN" -q -o "$WORK/n.pb.gz" -u "$(id -u nobody)" id -u)" \
        "$(id -u nobody)"
    is "the profile is ours" "$(stat -c %u u.pb.gz)" 0
    # Its session is its own, without our terminal: there TIOCSTI would type into our shell.
    if command -v script >/dev/null; then
        (cd / && script -qec "$SPROFRUN -q -o $WORK/t.pb.gz -u nobody cat /proc/self/stat" \
            /dev/null) </dev/null >typescript
        is "session and terminal" "$(tr -d '\r' <typescript | awk '{ print ($1 == $6), $7 }')" "1 0"
        # ^C goes to it nevertheless.
        (cd / && script -fqec "$SPROFRUN -q -o $WORK/i.pb.gz -u nobody sh -c \
            'trap \"echo interrupted; exit 9\" INT; echo ready; while :; do sleep 0.1; done'" \
            "$WORK/seen") < <(wait_until "it is ready" 20 grep -qs ready "$WORK/seen"
            printf '\003'; wait_until "it ends" 20 grep -qs interrupted "$WORK/seen") >interrupted
        check "^C reaches it" grep -q interrupted interrupted
    else
        echo "not tested: the terminal (script is missing)"
    fi
    chmod 755 "$WORK"
    install -m 755 "$TARGETS/busy" busy
    "$SPROFRUN" -q -F 500 --max-overhead 100 -o b.pb.gz -u nobody "$WORK/busy" 1 0.5 7 2>err
    is "a command that computes: status" $? 7
    check "is profiled" [ "$(figure samples b.pb.gz)" -gt 0 ]
    about "samples" "$(figure samples b.pb.gz)" 101 100000
    printf '#!/bin/sh\n' >secret
    chmod 700 secret
    run -u nobody ./secret; is "what that user may not run: status" $? 126
    check "is said" grep -q 'Permission denied' err
else
    run -u root true; is "another user, not as root: status" $? 125
    check "is said" grep -q 'only root may; use sudo' err
fi
run -u "$(id -un)" true; is "the user that we are" $? 0
finish
