#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --jit-map: names of code that Java compiled, from jcmd; processes for which jcmd must not be run,
# and users as whom it must not run.
. "$(dirname "$0")/../lib.sh"
command -v jcmd >/dev/null || skip "needs jcmd (Debian: openjdk-17-jdk-headless)"
command -v python3 >/dev/null || skip "needs python3"

cat >Loop.java <<'END'
public class Loop {
    static long spin(long x) {
        for (int i = 0; i < 100000; i++)
            x = x * 31 + (x >> 7);
        return x;
    }
    public static void main(String[] args) {
        long x = 1;
        for (long rounds = Long.parseLong(args[0]); rounds > 0; rounds--) // of some 0.2 ms
            x = spin(x);
        System.out.println(x == 7 ? "" : "done");
    }
}
END
javac Loop.java || skip "needs javac"
share() { # PROFILE: percent of its samples in rows of Loop.spin
    "$SPROFREPORT" --format tsv "$1" |
        awk -F'\t' 'NR > 1 { all += $1 } $5 ~ /spin/ { spin += $1 } END {
            print all ? spin * 100 / all : 0 }'
}

# A Java process to which sprofrun attaches: it is asked for its map at the end of the profile, and
# goes on. An old map is not used.
java -XX:TieredStopAtLevel=1 Loop 1000000000 & jvm=$!
wait_until "Java computes" 30 sh -c "awk '{ exit !(\$14 > 60) }' /proc/$jvm/stat"
[ ! -e /tmp/perf-$jvm.map ] || rm -f /tmp/perf-$jvm.map
echo '1000 10 an old map' >/tmp/perf-$jvm.map
"$SPROFRUN" -q -F 500 -d 1s --jit-map -p $jvm -o live.pb.gz 2>err
is "status" $? 0
is "nothing is complained of" "$(cat err)" ""
check "what Java compiled has its name" [ "$(share live.pb.gz)" != 0 ]
about "its part" "$(share live.pb.gz)" 60 100
check "Java goes on" kill -0 $jvm
rm -f /tmp/perf-$jvm.map
"$SPROFRUN" -F 500 -d 500ms -p $jvm -o without.pb.gz 2>err
# With Java 11 to 22 and 25 to 27, names are read from memory.
check "without the option, it has its name, too, or what would name it is said" \
    sh -c "[ '$(share without.pb.gz)' != 0 ] || grep -q 'sprofrun --jit-map does it' err"
check "and nothing was asked" [ ! -e /tmp/perf-$jvm.map ]
kill $jvm

# Java as the command of sprofrun writes its map when it ends.
"$SPROFRUN" -q -F 500 --jit-map -o run.pb.gz sh -c 'echo $$ >pid; exec java Loop 8000' \
    >out 2>err
is "the command's status" $? 0
is "its output" "$(cat out)" "done"
check "named" [ "$(share run.pb.gz)" != 0 ]
about "the part that is named" "$(share run.pb.gz)" 40 100
rm -f "/tmp/perf-$(cat pid).map"

# A program that looks like Java to us, and a jcmd that reports how it was run.
cat >fake.py <<'END'
import mmap, os, signal, sys
if "catch" in sys.argv:
    signal.signal(signal.SIGQUIT, lambda *_: None)
if "user" in sys.argv:
    os.setgroups([65533])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
file = os.open(sys.argv[1], os.O_RDONLY)
code = mmap.mmap(file, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
print("ready", flush=True)
while True:
    sum(range(1000))
END
mkdir bin
chmod 755 . bin
cat >bin/jcmd <<'END'
#!/bin/sh
{
    echo "$(id -u) $(id -g) $(id -G) $*"
    grep -E '^(NoNewPrivs|SigBlk)' /proc/self/status
    ls /proc/self/fd | tr '\n' ' '
    echo
    env
} >"$0.log"
echo first
echo "what it said"
exit 3
END
chmod 755 bin/jcmd
install -m 666 /dev/null bin/jcmd.log
head -c 4096 /dev/zero >libjvm.so
fake() { # ARGUMENT...: $fake is its process
    rm -f ready # the last one's
    python3 fake.py "$PWD/libjvm.so" "$@" >ready & fake=$!
    wait_until "it is ready" 20 grep -q ready ready
}
profile() {
    PATH=$PWD/bin:$PATH SECRET=hidden "$SPROFRUN" -q -d 300ms --jit-map "$@" -o f.pb.gz 2>err
}

fake catch
profile -p $fake; is "jcmd fails: status" $? 0
check "said" grep -q "'jcmd $fake Compiler.perfmap' failed (Java 17 and later know it): what it said" err
check "it was asked for the map" grep -q " $fake Compiler.perfmap$" bin/jcmd.log
check "without what the environment has" [ "$(grep -c hidden bin/jcmd.log)" = 0 ]
is "with no descriptor of ours" "$(sed -n 4p bin/jcmd.log)" "0 1 2 3 "
check "with no signal blocked, and no way to more rights" \
    [ "$(grep -cE '^NoNewPrivs:.1$|^SigBlk:.0*$' bin/jcmd.log)" = 2 ]
cat >bin/jcmd <<'END'
#!/bin/bash
# A jcmd that hangs: prints its age in seconds again and again. It waits by a read with a time-out,
# so that it starts no processes.
here=${0%/*}
exec 9<>"$here/pause"
while :; do
    echo $SECONDS >&3
    read -rt 0.5 -u 9
done 3>>"$here/jcmd.age"
END
mkfifo -m 666 bin/pause
install -m 666 /dev/null bin/jcmd.age
SECONDS=0
profile -p $fake
check "one that hangs is ended" grep -q "did not answer in time" err
about "in ten seconds" "$(tail -n 1 bin/jcmd.age)" 1 30
check "not sooner" [ $SECONDS -ge 9 ]
check "and leaves nothing behind" [ -z "$(pgrep -f "$PWD/bin/jcmd")" ]
rm bin/jcmd bin/pause
PATH=$PWD/bin:$(dirname "$(command -v python3)")/none "$SPROFRUN" -q -d 300ms --jit-map \
    -p $fake -o f.pb.gz 2>err
check "no jcmd is said" /bin/grep -q "jcmd is not in PATH; it comes with a JDK" err
kill $fake

# SIGQUIT would end this process: it must not be sent.
fake
profile -p $fake
check "java -Xrs is not asked" grep -q "does not catch SIGQUIT" err
check "and lives" kill -0 $fake
kill $fake

if [ "$(id -u)" = 0 ]; then
    chmod 755 "$WORK"
    printf '#!/bin/sh\necho "$(id -u) $(id -g) $(id -G)" >"$0.log"\n' >bin/jcmd
    chmod 755 bin/jcmd
    fake catch user
    profile -p $fake
    is "root runs jcmd as the process's user" "$(cat bin/jcmd.log)" "65534 65534 65534"
    kill $fake
    if unshare -m true 2>/dev/null; then
        echo untouched >bin/jcmd.log
        rm -f ready
        unshare -m python3 fake.py "$PWD/libjvm.so" catch >ready & fake=$!
        wait_until "it is ready" 20 grep -q ready ready
        profile -p $fake
        check "root's with a file system of its own is not asked" \
            grep -q "it is root's in a container" err
        is "no jcmd ran" "$(cat bin/jcmd.log)" untouched
        kill $fake
    fi
fi

for other in "--rotate 1m" "--ring 1m" "--listen 0" --live "--dump $$"; do
    "$SPROFRUN" --jit-map $other true 2>err
    is "with $other: status" $? 2
done
"$TARGETS/busy" 1 60 0 & busy=$!
"$SPROFRUN" -d 200ms --jit-map -p $busy -o b.pb.gz 2>err
check "no Java at all is said" grep -q "none of the 1 processes is Java's" err
kill $busy
finish
