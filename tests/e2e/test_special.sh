#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that behave differently under a tracer: set-user-ID programs, and tracers. Messages say
# so, with a remedy.
. "$(dirname "$0")/../lib.sh"

# A set-user-ID program of root runs without its privilege if another user profiles it.
as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir -p stage out && chmod 755 "$WORK" && chmod 1777 out
    cp "$BUILD"/tools/{sprofrun,sprofil-analyst,sprofil-opener} stage/
    cp "$(command -v id)" stage/rootly
    chmod -R a+rX stage && chmod 4755 stage/rootly
    if [ "$("${as[@]}" stage/rootly -u)" = 0 ]; then
        # The program runs twice, but the message about the withheld privilege comes only once.
        "${as[@]}" stage/sprofrun -q -o out/p.pb.gz \
            sh -c 'stage/rootly -u; stage/rootly -u; exit 3' >said 2>err
        is "set-user-ID: status" $? 3
        is "set-user-ID: it runs as its caller" "$(tr '\n' ' ' <said)" "65534 65534 "
        is "set-user-ID: one message" "$(grep -c . err)" 1
        check "set-user-ID: names it, the cause and the way out" \
            grep -qE '^sprofrun: .*/rootly \(pid [0-9]+\) runs without its set-user-ID privilege.*-p' err
        stage/sprofrun -q -o out/r.pb.gz "${as[@]}" stage/rootly -u >said 2>err
        is "set-user-ID, traced by root: it has its privilege" "$(cat said)" 0
        is "set-user-ID, traced by root: no message" "$(cat err)" ""
    else
        echo "not tested: set-user-ID (the file system has nosuid)"
    fi
    "${as[@]}" stage/sprofrun -q -o out/q.pb.gz true 2>err
    is "an ordinary program: no message" "$(cat err)" ""
else
    echo "not tested: set-user-ID (needs root and setpriv)"
fi

# sprofrun fails under another tracer, which traces its command already, and names that tracer.
"$SPROFRUN" -q -o outer.pb.gz "$SPROFRUN" --report none -o inner.pb.gz true >out.txt 2>err
is "sprofrun under sprofrun fails" $? 125
check "it names the tracer" \
    grep -qE '^sprofrun: cannot trace: sprofrun \(pid [0-9]+\) traces this process' err

# A program that traces its children fails unless sprofrun leaves them alone (--no-follow).
for tracer in strace gdb; do
    command -v $tracer >/dev/null || { echo "not tested: $tracer (not installed)"; continue; }
    case $tracer in
    strace) command=(strace -o trace sh -c 'exit 7') ;;
    gdb) command=(gdb -nx -batch -ex run -ex 'quit $_exitcode' --args sh -c 'exit 7') ;;
    esac
    "${command[@]}" >plain 2>&1
    [ $? = 7 ] || { echo "not tested: $tracer (does not work here)"; continue; }
    "$SPROFRUN" --report none -o s.pb.gz "${command[@]}" >out.txt 2>err
    check "$tracer: it fails while we follow" [ $? != 7 ]
    check "$tracer: says why, and the way out" \
        grep -qE "^sprofrun: .*/$tracer \(pid [0-9]+\) seems to trace its children.*--no-follow" err
    "$SPROFRUN" --report none --no-follow -o s.pb.gz "${command[@]}" >out.txt 2>err
    is "$tracer: with --no-follow it works" $? 7
    is "$tracer: with --no-follow, no such message" "$(grep -c 'seems to trace' err)" 0
    check "$tracer: with --no-follow, it is profiled itself" [ "$(figure kernel_cpu_ns s.pb.gz)" \
        -gt 0 ]
    is "$tracer: with --no-follow, processes" "$(figure processes s.pb.gz)" 1
done
"$SPROFRUN" --report none -o s.pb.gz bash -c '(exit 4)' >out.txt 2>err
is "a program that makes children and traces none: no message" "$(grep -c 'seems to trace' err)" 0
finish
