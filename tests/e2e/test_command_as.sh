#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# -E sets the command's environment, -u its user; our own programs are not changed by either.
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
# A library that is preloaded into the command is not preloaded into our programs: the analyst would
# complain, too.
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
    # The command has a session and a terminal of its own: on our terminal, it could type into our
    # shell (TIOCSTI).
    if command -v script >/dev/null; then
        # in_terminal COMMAND: prints what COMMAND writes to a terminal
        in_terminal() { (cd / && script -qec "$1" /dev/null) </dev/null | tr -d '\r\004\b'; }
        as="$SPROFRUN -q -o $WORK/t.pb.gz -u nobody"
        in_terminal "cat /proc/self/stat; $as cat /proc/self/stat" >typescript
        own='{ sub(/.*\) /, ""); session[NR] = $4; tty[NR] = $5 }
            END { print NR, $3 == $6, session[1] != session[2], tty[1] != tty[2], tty[2] != 0 }'
        is "its process group is in the foreground of another session and terminal" \
            "$(sed 's/^^D//' typescript | awk "$own")" "2 1 1 1 1"
        in_terminal "stty rows 17 cols 71 -echo; $as stty -a" >typescript
        is "the size, and the modes" \
            "$(grep -oE 'rows 17|columns 71|-echo ' typescript | tr '\n' ' ')" \
            "rows 17 columns 71 -echo  "
        in_terminal "stty -a >$WORK/before; $as true; $as stty raw; stty -a >$WORK/after" \
            >typescript
        check "ours are as they were" cmp before after
        in_terminal "$as sh -c 'exit 5'; echo \$?; $as sh -c 'kill -TERM \$\$'; echo \$?" \
            >typescript
        is "the status" "$(grep -oE '[0-9]+$' typescript | tr '\n' ' ')" "5 143 "
        (cd / && script -qec "bash -c 'set -m; $as seq 3 & wait'" /dev/null) </dev/null >typescript
        is "in the background: line ends" "$(grep -oE '^[123].*' typescript |
            od -An -c | tr -d ' \n')" \
            '1\r\n2\r\n3\r\n'
        # The command's last output arrives before our report.
        in_terminal "${as/-q/} seq 20000" >typescript
        sed -n '/^20000$/,$p' typescript >rest
        is "all that it writes" "$(awk '$0 == 20000 { print NR; exit }' typescript)" 20000
        check "and then the report" grep -q '^audit' rest
        # Pipes and files are passed to the command unchanged.
        in_terminal "$as head -c 3000000 /dev/zero | wc -c" >typescript
        is "a pipe behind it" "$(grep -oE '[0-9]+$' typescript)" 3000000
        noise 300000 >bytes
        in_terminal "cat $WORK/bytes | $as cksum >$WORK/sum" >typescript
        check "a pipe before it" cmp -s sum <(cksum <bytes)
        in_terminal "echo x | $as cat" >typescript
        is "no line ends are added" "$(od -An -c typescript | tr -d ' ')" 'x\n'
        # ^C reaches the command although it has another terminal. (The first line of `seen` has
        # the command itself.)
        (cd / && script -fqec "$SPROFRUN -q -o $WORK/i.pb.gz -u nobody sh -c \
            'trap \"echo interrupted; exit 9\" INT; echo ready; while :; do sleep 0.1; done'" \
            "$WORK/seen") < <(wait_until "it is ready" 20 grep -qs '^ready' "$WORK/seen"
            printf '\003'; wait_until "it ends" 20 grep -qsE '^(\^C)?interrupted' \
                "$WORK/seen") >interrupted
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
