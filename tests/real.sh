#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs of other projects give the same output, status and files with and without the profiler.
#   tests/real.sh BUILD-DIRECTORY [PROGRAM...]
# Programs that are not installed are named and left out. If the output differs from run to run
# (times, pids, addresses), only the status is compared.
set -u
build=$(cd "${1:?usage: tests/real.sh BUILD-DIRECTORY [PROGRAM...]}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 left_out=()

under() { "$build/tools/sprofrun" -q -F 1000 -o p.pb.gz "$@"; }

# same NAME FILES COMMAND...: compares output, status, and the contents of FILES (a folder, or -)
same() {
    local name=$1 files=$2 a b
    shift 2
    command -v "$1" >/dev/null || { left_out+=("$name"); return; }
    rm -rf "$files" plain.files; timeout -k 5 300 "$@" >plain 2>plain.err; a=$?
    [ "$files" = - ] || (cd "$files" && find . -type f ! -path './.git/*' -exec md5sum {} + |
        sort) >plain.files
    rm -rf "$files"; under timeout -k 5 300 "$@" >traced 2>traced.err; b=$?
    [ "$files" = - ] || (cd "$files" && find . -type f ! -path './.git/*' -exec md5sum {} + |
        sort) >traced.files
    if [ $a != $b ]; then
        echo "NOT OK: $name: status $b instead of $a"; tail -n 3 traced.err; failed=1
    elif ! cmp -s plain traced; then
        echo "NOT OK: $name: another output"; diff plain traced | head -n 5; failed=1
    elif [ "$files" != - ] && ! cmp -s plain.files traced.files; then
        echo "NOT OK: $name: other files"; failed=1
    else
        echo "ok: $name: status $a, $(wc -c <plain) bytes of output, $(cat plain.files 2>/dev/null |
            wc -l) files; $(figures)"
    fi
}
# passes NAME COMMAND...: compares only the status of COMMAND. NAME: the program, for messages
passes() {
    local name=$1; shift
    same "$name" - sh -c '"$@" >/dev/null 2>&1' sh "$@"
}

t_git() { same git repo sh \
    -c "git init -q repo && cd repo && git config user.email a@b && git config user.name a &&
    export GIT_AUTHOR_DATE=1700000000+0000 GIT_COMMITTER_DATE=1700000000+0000 &&
    for i in 1 2 3 4 5 6 7 8 9 10; do
        seq \$((i * 1000)) >f\$i; git add . && git commit -qm c\$i; done &&
    git log --stat && git fsck --strict && git gc -q && git rev-parse HEAD"; }
t_bash() {
    same bash out bash -c 'mkdir out; for i in {1..300}; do echo $i | sed s/1/x/ | sort >out/$i; done; cat out/* | md5sum'
}
t_make() {
    same make copy sh -c "cp -r '$source' copy && cd copy && rm -rf .git && i=0 && { printf 'all:'; for f in proto/*.c profile/*.c supervisor/sample/plan.c supervisor/calls/region.c; do printf ' %s.o' \$f; done; printf '\n%%.c.o: %%.c\n\t@cc -D_GNU_SOURCE -I. -O1 -c -o \$@ \$<\n'; } >Makefile && make -s -j2 all 2>/dev/null; ls -R | grep -c '\.o$'"
}
# python3's own test suite, without the tests that check their parent process or the time of a call.
t_python() {
    local m python=/usr/bin/python3
    [ -x $python ] || python=python3
    $python -c 'import test.test_subprocess' 2>/dev/null ||
        { left_out+=("python3's test suite (package libpython3-testsuite)"); return; }
    for m in test_subprocess test_signal test_threading test_thread test_asyncio test_selectors \
        test_socket test_select test_fork1 test_wait4 test_posix test_eintr \
        test_multiprocessing_fork; do
        $python -c "import test.$m" 2>/dev/null || continue
        suite "python $m" $python -m test -q "$m"
    done
}
# suite NAME COMMAND...: runs a test suite; one that fails also without us is named and left out.
suite() {
    local name=$1; shift
    if ! timeout -k 5 600 "$@" >plain 2>&1; then
        left_out+=("$name (fails without us too: $(grep -aE '^(FAIL|ERROR):|failed' plain |
            head -n 2 | tr '\n' ';'))")
        return
    fi
    if under timeout -k 5 900 "$@" >traced 2>&1; then
        echo "ok: $name; $(figures)"
    else
        echo "NOT OK: $name: status $?"; failed=1
        grep -aE '^(FAIL|ERROR|Traceback|[A-Za-z]*Error)|Warning|^test_.*(failed|crashed)' traced |
            head -n 8
    fi
}
figures() {
    "$build/tools/sprofreport" summary --format tsv p.pb.gz |
        awk '/^(samples|stops|repaired_calls|unrepaired_eintr|processes)\t/ { printf "%s %s  ", $1, $2 }'
}
t_node() {
    same node - node -e 'const {execSync}=require("child_process");const c=require("crypto");let h="";for(let i=0;i<200000;i++)h=c.createHash("md5").update(h+i).digest("hex");console.log(h,execSync("echo hi").toString());setTimeout(()=>console.log("done"),100)'
}
t_java() {
    cat >H.java <<'J'
import java.util.*; import java.util.concurrent.*;
public class H { public static void main(String[] a) throws Exception {
 ExecutorService e = Executors.newFixedThreadPool(8); List<Future<Long>> l = new ArrayList<>();
 for (int t = 0; t < 32; t++) { final int s = t; l.add(e.submit(() -> { long x = s;
  for (int i = 0; i < 5000000; i++) x = x * 6364136223846793005L + i; return x; })); }
 long sum = 0; for (Future<Long> f : l) sum ^= f.get(); e.shutdown(); System.out.println(sum); } }
J
    same java - java H.java
}
t_redis() {
    same redis - sh -c '
    redis-server --port 0 --unixsocket r.sock --save "" --appendonly no >/dev/null & i=0
    until redis-cli -s r.sock ping >/dev/null 2>&1 || [ $i = 100 ]; do sleep 0.05; i=$((i+1)); done
    redis-benchmark -s r.sock -n 50000 -c 20 -P 4 -t set,get,incr,lpush -q >/dev/null &&
        redis-cli -s r.sock get counter:__rand_int__
    redis-cli -s r.sock dbsize; redis-cli -s r.sock shutdown nosave; wait'
}
t_pgbench() {
    local bin
    bin=$(echo /usr/lib/postgresql/*/bin | cut -d' ' -f1)
    { [ -x "$bin/initdb" ] && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; } ||
        { left_out+=(pgbench); return; }
    chmod 755 "$work"; mkdir -p pg && chown 65534:65534 pg
    same pgbench - sh -c "rm -rf pg/d; exec setpriv --reuid 65534 --regid 65534 --clear-groups sh -c '$bin/initdb -D pg/d >/dev/null && $bin/pg_ctl -D pg/d -o \"-k $work/pg -h \\\"\\\"\" -l pg/log -w start >/dev/null && $bin/createdb -h $work/pg b && $bin/pgbench -h $work/pg -i -s 1 -q b 2>/dev/null && $bin/pgbench -h $work/pg -c 4 -j 2 -t 300 b 2>/dev/null | grep -E \"actually processed|failed\"; $bin/pg_ctl -D pg/d -m fast -w stop >/dev/null'"
}
# nginx serves a file to wrk: no request fails, each body is whole.
t_nginx() {
    { command -v nginx && command -v wrk && command -v curl; } >/dev/null ||
        { left_out+=("nginx with wrk"); return; }
    local port=$((20000 + $$ % 20000))
    mkdir -p web/html && head -c 100000 /dev/urandom >web/html/file
    cat >web/nginx.conf <<N
daemon off; worker_processes 2; pid $work/web/pid; error_log $work/web/error.log;
events { worker_connections 256; }
http { access_log off; client_body_temp_path $work/web;
  proxy_temp_path $work/web; fastcgi_temp_path $work/web;
  uwsgi_temp_path $work/web; scgi_temp_path $work/web;
  server { listen 127.0.0.1:$port; root $work/web/html; } }
N
    [ "$(id -u)" != 0 ] || sed -i '1s/^/user root; /' web/nginx.conf
    cat >web/run <<W
nginx -c $work/web/nginx.conf & server=\$!
i=0
until curl -fs http://127.0.0.1:$port/file >/dev/null || [ \$i = 200 ]; do
    sleep 0.05; i=\$((i+1)); done
wrk -t2 -c16 -d3s http://127.0.0.1:$port/file | grep -cE 'Socket errors|Non-2xx'
n=0; while [ \$n -lt 50 ]; do curl -fs http://127.0.0.1:$port/file; n=\$((n+1)); done | md5sum
kill -QUIT \$server; wait \$server; echo "status \$?"
W
    same nginx - sh web/run
}

# All stressors of stress-ng's classes cpu, scheduler, signal (in "os" and "interrupt"), pipe, ipc
# and threads, four at a time, for a short time each. A stressor that fails without us is named and
# left out. Left out on purpose: ptrace (it traces its children itself); stressors that change the
# machine, or need a privilege that they do not check: apparmor, bind-mount, chroot, clock-set
# (clock), cpu-online, cpu-sched's real-time classes on a shared machine (cyclic, schedpolicy,
# schedmix), efivar, netlink-*, softlockup, sysinfo, sysfs, procfs, resources, watchdog, smi,
# oom-pipe, brk, bigheap, stack, vma; fork bombs (forkheavy, zombie, spawn, without a limit); and
# those that use up the memory. None of them tests anything about us.
STRESSORS='ackermann atomic bitops branch bsearch cpu crypt factor fibonacci fp funccall goto hash
heapsort hrtimers icache insertionsort jpeg judy list loop longjmp matrix mergesort monte-carlo
nop prime qsort queens radixsort rand48 regs shellsort skiplist sparsematrix spinmem str tree trig
tsearch vecmath wcs zlib affinity clone context daemon dekker eventfd exec exit-group fork futex
getrandom hsearch itimer kill loadavg membarrier msg mq mutex nanosleep nice null peterson pidfd
pipe pipeherd poll prctl pthread remap rlimit schedyield sem sem-sysv session set shm shm-sysv
sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigpipe sigq sigrt sigsegv sigsuspend
sigtrap sigvtalrm sigxcpu sigxfsz sleep sock sockpair splice switch tee timer timerfd timermix
vfork vforkmany wait waitcpu workload yield zero epoll epoll-multi fifo sendfile sigbus sigurg
syncload tlb-shootdown udp userfaultfd vm-splice dup eventfd fault fcntl fd-fork file-ioctl flock
futex get inotify io-uring locka lockf lockofd poll pty rtc select sockfd sockmany unshare
usersyscall vdso'
t_stress() {
    command -v stress-ng >/dev/null || { left_out+=(stress-ng); return; }
    local stressor known ran=0 lost=()
    known=" $(stress-ng --stressors 2>/dev/null | tr '\n' ' ') "
    for stressor in $(printf '%s\n' $STRESSORS | sort -u); do
        case $known in *" $stressor "*) ;; *) continue ;; esac
        local command=(stress-ng --oomable --verify --timeout "${STRESS_SECONDS:-1}" "--$stressor" \
            2)
        if ! timeout -k 5 60 "${command[@]}" >plain 2>&1; then
            lost+=("$stressor")
            continue
        fi
        ran=$((ran + 1))
        under timeout -k 5 120 "${command[@]}" >traced 2>&1 && continue
        echo "NOT OK: stress-ng --$stressor: status $?"; failed=1
        grep -aE 'fail|error|terminated' traced | head -n 4
    done
    echo "ok: stress-ng: $ran stressors ran"
    [ ${#lost[@]} = 0 ] || left_out+=("stress-ng (fail without us too): ${lost[*]}")
}

for program in ${*:-git bash make node java redis nginx pgbench python stress}; do
    t_$program
done
for what in "${left_out[@]}"; do
    echo "left out: $what"
done
exit $failed
