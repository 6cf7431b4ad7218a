#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that nobody here wrote, with and without the profiler: the same output, status and files.
#   tests/real.sh BUILD-DIRECTORY [PROGRAM...]
# What is not installed is left out and said. Left out on purpose: output that differs from run to
# run (times, pids, addresses) is not compared, only the status then.
set -u
build=$(cd "${1:?usage: tests/real.sh BUILD-DIRECTORY [PROGRAM...]}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 left_out=()

under() { "$build/tools/sprofrun" -q -F 1000 -o p.pb.gz "$@"; }

# same NAME FILES COMMAND...: output and status, and the contents of FILES (a folder, or -)
same() {
    local name=$1 files=$2 a b
    shift 2
    command -v "$1" >/dev/null || { left_out+=("$name"); return; }
    rm -rf "$files" plain.files; timeout -k 5 300 "$@" >plain 2>plain.err; a=$?
    [ "$files" = - ] || (cd "$files" && find . -type f ! -path './.git/*' -exec md5sum {} + | sort) >plain.files
    rm -rf "$files"; under timeout -k 5 300 "$@" >traced 2>traced.err; b=$?
    [ "$files" = - ] || (cd "$files" && find . -type f ! -path './.git/*' -exec md5sum {} + | sort) >traced.files
    if [ $a != $b ]; then
        echo "NOT OK: $name: status $b instead of $a"; tail -n 3 traced.err; failed=1
    elif ! cmp -s plain traced; then
        echo "NOT OK: $name: another output"; diff plain traced | head -n 5; failed=1
    elif [ "$files" != - ] && ! cmp -s plain.files traced.files; then
        echo "NOT OK: $name: other files"; failed=1
    else
        echo "ok: $name: status $a, $(wc -c <plain) bytes of output, $(cat plain.files 2>/dev/null | wc -l) files; $(
            "$build/tools/sprofreport" summary --format tsv p.pb.gz |
                awk '/^(samples|stops|repaired_calls|unrepaired_eintr|processes)\t/ { printf "%s %s  ", $1, $2 }')"
    fi
}
# passes NAME COMMAND...: only the status counts
passes() {
    local name=$1; shift
    same "$name" - sh -c '"$@" >/dev/null 2>&1' sh "$@"
}

t_git() { same git repo sh -c "git init -q repo && cd repo && git config user.email a@b && git config user.name a &&
    export GIT_AUTHOR_DATE=1700000000+0000 GIT_COMMITTER_DATE=1700000000+0000 &&
    for i in 1 2 3 4 5 6 7 8 9 10; do seq \$((i * 1000)) >f\$i; git add . && git commit -qm c\$i; done &&
    git log --stat && git fsck --strict && git gc -q && git rev-parse HEAD"; }
t_bash() { same bash out bash -c 'mkdir out; for i in {1..300}; do echo $i | sed s/1/x/ | sort >out/$i; done; cat out/* | md5sum'; }
t_make() { same make copy sh -c "cp -r '$source' copy && cd copy && rm -rf .git && i=0 && { printf 'all:'; for f in proto/*.c profile/*.c supervisor/clock.c supervisor/region.c; do printf ' %s.o' \$f; done; printf '\n%%.c.o: %%.c\n\t@cc -D_GNU_SOURCE -I. -O1 -c -o \$@ \$<\n'; } >Makefile && make -s -j2 all 2>/dev/null; ls -R | grep -c '\.o$'"; }
t_python() {
    local m
    for m in test_subprocess test_signal test_threading test_asyncio.test_subprocess test_selectors test_socket; do
        passes "python $m" python3 -m unittest -q "test.$m"
    done
}
t_node() { same node - node -e 'const {execSync}=require("child_process");const c=require("crypto");let h="";for(let i=0;i<200000;i++)h=c.createHash("md5").update(h+i).digest("hex");console.log(h,execSync("echo hi").toString());setTimeout(()=>console.log("done"),100)'; }
t_java() {
    cat >H.java <<'J'
import java.util.*; import java.util.concurrent.*;
public class H { public static void main(String[] a) throws Exception {
 ExecutorService e = Executors.newFixedThreadPool(8); List<Future<Long>> l = new ArrayList<>();
 for (int t = 0; t < 32; t++) { final int s = t; l.add(e.submit(() -> { long x = s; for (int i = 0; i < 5000000; i++) x = x * 6364136223846793005L + i; return x; })); }
 long sum = 0; for (Future<Long> f : l) sum ^= f.get(); e.shutdown(); System.out.println(sum); } }
J
    same java - java H.java
}
t_redis() {
    same redis - sh -c 'redis-server --port 0 --unixsocket r.sock --save "" --appendonly no >/dev/null & i=0; until redis-cli -s r.sock ping >/dev/null 2>&1 || [ $i = 100 ]; do sleep 0.05; i=$((i+1)); done
    redis-benchmark -s r.sock -n 50000 -c 20 -P 4 -t set,get,incr,lpush -q >/dev/null && redis-cli -s r.sock get counter:__rand_int__; redis-cli -s r.sock dbsize; redis-cli -s r.sock shutdown nosave; wait'
}
t_pgbench() {
    local bin
    bin=$(echo /usr/lib/postgresql/*/bin | cut -d' ' -f1)
    { [ -x "$bin/initdb" ] && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; } || { left_out+=(pgbench); return; }
    chmod 755 "$work"; mkdir -p pg && chown 65534:65534 pg
    same pgbench - sh -c "rm -rf pg/d; exec setpriv --reuid 65534 --regid 65534 --clear-groups sh -c '$bin/initdb -D pg/d >/dev/null && $bin/pg_ctl -D pg/d -o \"-k $work/pg -h \\\"\\\"\" -l pg/log -w start >/dev/null && $bin/createdb -h $work/pg b && $bin/pgbench -h $work/pg -i -s 1 -q b 2>/dev/null && $bin/pgbench -h $work/pg -c 4 -j 2 -t 300 b 2>/dev/null | grep -E \"actually processed|failed\"; $bin/pg_ctl -D pg/d -m fast -w stop >/dev/null'"
}
t_stress() {
    command -v stress-ng >/dev/null || { left_out+=(stress-ng); return; }
    passes stress-ng stress-ng --verify --timeout 3 --cpu 2 --switch 2 --pipe 2 --sigq 2 --futex 2 --epoll 2 --poll 2 --sem-sysv 2 --msg 2 --fork 2 --vfork 2 --clone 2 --pthread 2 --timer 2 --sigfd 2 --sigsuspend 2 --eventfd 2
}

for program in ${*:-git bash make python node java redis pgbench stress}; do
    t_$program
done
[ ${#left_out[@]} = 0 ] || echo "not installed, left out: ${left_out[*]}"
echo "not covered by this script: nginx with wrk"
exit $failed
