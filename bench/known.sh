#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares what sprofrun shows, by system call and function, with the clocks of programs that know
# where their CPU time goes, or with perf in the same run; and with the limits that it is held to.
#
#   known.sh [--busy] [--no-realtime] [--rates "HZ HZ"] [NAME...]
#
#   pool       4, 8 and 16 threads that wait for tasks of 0.1 to 5 ms, by their own clocks and
#              beside perf, which shows a quarter less of the calls of threads that sleep often
#   java       100 threads that work and sleep 1 ms, and 100 busy ones
#   postgres   pgbench -S -c4
#   redis, nginx   under their benchmarks, by their own clocks and beside perf, which makes
#              nginx's writev and redis's epoll_wait take 1.7 times as long
#   timer      0.25 ms of work at each expiry of a timerfd, every 1 ms and every 4 ms
#   stress     stress-ng: futex, switch, pipe
#   loop       five functions, the CPU clock read between them: 250, 1000, 3000 Hz, RUNS times (20)
#   getppid    a call every 20 us, every 2 us; samples delivered at 250 to 10,000 Hz, without a
#              bound on the cost
#   histogram  sprofil(3) of a thread that works and sleeps; of 200 children of 5, 15 and 50 ms
#   busy       found_ratio: 1, 2, 8 busy threads at 100 to 4000 Hz; 2 in lockstep; 1 busy among 100
#
# A row: program, rate, what, truth, shown, difference in points, the same in standard errors; OFF
# where it is more than the limit (3 points; getppid 1) and more than 3 standard errors. Rows
# below 1 % in both are left out. With --busy, loops keep all CPUs busy meanwhile. What is not
# installed is skipped with a message.
. "$(dirname "$0")/lib.sh"
# shellcheck source=bench/oracle.sh
. "$(dirname "$0")/oracle.sh"

all=(pool java postgres redis nginx timer stress loop getppid histogram busy)
rates=250 RUNS=${RUNS:-20} SECONDS_EACH=${SECONDS_EACH:-4} options=() names=() busy='' limit=3
while [ $# -gt 0 ]; do
    case $1 in
    --busy) busy=1 ;;
    --no-realtime) options+=(--no-realtime) ;;
    --rates) rates=$2 && shift ;;
    -*) sed -n '/^#   known.sh/,/^#   busy/s/^# \{0,3\}//p' "$0" >&2 && exit 2 ;;
    *) names+=("$1") ;;
    esac
    shift
done
[ ${#names[@]} -gt 0 ] || names=("${all[@]}")
cd "$WORK" || exit 1
ORACLE_OPTIONS=-g
perf_here=''
oracle_permitted && perf_here=1
ours=() # processes that must not outlive us
trap '[ ${#ours[@]} -eq 0 ] || kill "${ours[@]}" 2>/dev/null; wait; rm -rf "$WORK"' EXIT
spin() {
    for _ in $(seq "$(nproc)"); do
        sh -c 'while :; do :; done' &
        ours+=($!)
    done
}
[ -z "$busy" ] || spin
P=$BUILD/bench/known_program
turns=$("$P" calibrate)

skipped() { echo "$name: skipped: $*"; }
needs() {
    for program in "$@"; do
        command -v "$program" >/dev/null || { skipped "$program is not installed"; return 1; }
    done
}
needs_perf() { [ "$perf_here" ] || { skipped "perf is not permitted"; return 1; }; }

# verdict ROW RATE WHAT TRUTH SHOWN SIGMA LIMIT: prints a row; SIGMA: a standard error in points
verdict() {
    awk -v n="$1" -v hz="$2" -v w="$3" -v t="$4" -v s="$5" -v e="$6" -v most="$7" 'BEGIN {
        d = s - t; a = d < 0 ? -d : d
        printf("%-22s %5s  %-26s %8.2f %8.2f %+8.2f %6.1f  %s\n", n, hz, w, t, s, d,
            e > 0 ? a / e : 0, a > most && a > 3 * e ? "OFF" : "ok") }'
}
# shares PROFILE [own]: prints "CATEGORY<TAB>NANOSECONDS", in oracle_count_calls' categories. With
# own these are the program's functions, and "outside" for all else.
shares() {
    "$SPROFREPORT" flat --no-inline --format tsv "$1" | awk -F'\t' -v OFS='\t' -v own="${2:-}" '
        function category(f) {
            if (f ~ /^f[0-9]$/) return f
            if (own) return "outside"
            return f ~ /^\[syscall\]/ ? f : "user"
        }
        NR > 1 && $5 != "[unsampled]" { n[category($5)] += $2 }
        END { for (f in n) print f, n[f] }'
}
# compare ROW RATE TRUTH [own]: compares p.pb.gz with the file TRUTH, in the categories that shares
# prints
compare() {
    local samples
    samples=$(figure effective_samples p.pb.gz)
    [ -n "$samples" ] || samples=$(figure samples p.pb.gz)
    shares p.pb.gz "${4:-}" >shown
    awk -F'\t' -v n="$samples" '
        NR == FNR { truth[$1] = $2; big += $2; next }
        { shown[$1] = $2; all += $2 }
        END {
            for (f in truth) names[f]
            for (f in shown) names[f]
            for (f in names) {
                p = shown[f] / all; q = truth[f] / big
                if (f ~ /^\[sys/) { calls_p += p; calls_q += q; calls++ }
                if (p > 0.01 || q > 0.01) row(f, p, q)
            }
            if (calls > 1 && (calls_p > 0.01 || calls_q > 0.01))
                row("all calls", calls_p, calls_q)
        }
        function row(f, p, q,  m) {
            m = (p * n + q * big) / (n + big)
            printf("%s\t%.2f\t%.2f\t%.2f\n", f, 100 * q, 100 * p,
                100 * sqrt(m * (1 - m) * (1 / n + 1 / big)))
        }' "$3" shown | sort -t"$(printf '\t')" -k2,2rn >table
    while IFS=$'\t' read -r what truth share sigma; do
        verdict "$1" "$2" "$what" "$truth" "$share" "$sigma" "$limit"
    done <table
    local found
    found=$(figure found_ratio p.pb.gz)
    [ -z "$found" ] || echo "$1: found_ratio $found, late $(figure late_instants p.pb.gz)" \
        "of $(figure samples p.pb.gz)"
}
started() { [ -s pid ]; }
# beside ROW RATE COMMAND...: runs COMMAND under sprofrun at RATE Hz and under perf; prints rows
# named ROW that compare the two.
beside() {
    local row=$1 hz=$2
    shift 2
    needs_perf || return
    rm -f pid go
    mkfifo go
    # shellcheck disable=SC2016 # for sh
    "$SPROFRUN" -q -F "$hz" "${options[@]}" -o p.pb.gz -- \
        sh -c 'echo $$ >pid; read -r x <go; exec "$@"' sh "$@" >out 2>err &
    local main=$!
    wait_until started && oracle_start oracle $ORACLE_HZ "$(cat pid)" || return
    echo >go
    wait $main
    wait "$oracle_pid" 2>/dev/null
    oracle_count_calls oracle >truth
    compare "$row" "$hz" truth
}
# alone ROW RATE COMMAND...: runs COMMAND under sprofrun at RATE Hz; prints rows named ROW that
# compare the profile with the program's own clocks.
alone() {
    local row=$1 hz=$2
    shift 2
    "$SPROFRUN" -q -F "$hz" "${options[@]}" -o p.pb.gz -- "$@" >out 2>err || return
    awk -v OFS='\t' '/^f/ { print $1, $2; sum += $2 } /^all/ { print "outside", $2 - sum }' \
        out >truth
    compare "$row" "$hz" truth own
}
# own_clock COMMAND...: runs COMMAND with libown_clock.so, which measures its system calls.
own_clock() {
    head -c 4096 /dev/zero >own
    chmod 666 own
    OWN_CLOCK=$WORK/own LD_PRELOAD=$BUILD/bench/libown_clock.so exec "$@"
}
# attached ROW RATE PID...: attaches sprofrun, at RATE Hz, and perf to live processes under load;
# prints rows named ROW that compare the two
attached() {
    local row=$1 hz=$2
    shift 2
    needs_perf || return
    oracle_start oracle $ORACLE_HZ "$@" || return
    "$SPROFRUN" -q -F "$hz" "${options[@]}" --max-overhead 100 -d "${SECONDS_EACH}s" -o p.pb.gz \
        -p "$(IFS=,; echo "$*")" >out 2>err
    oracle_stop
    oracle_count_calls oracle >truth
    compare "$row" "$hz" truth
}

# figures: prints the program's own clock, in ns: all, epoll_wait, writev (bench/own_clock.c)
figures() { od -An -v -t d8 -w24 -N 24 own; }
# attached_own ROW RATE PID CALL...: as attached, with the program's own clock instead of perf.
attached_own() {
    local row=$1 hz=$2 pid=$3 before after n names=(all epoll_wait writev)
    shift 3
    # shellcheck disable=SC2207 # numbers
    before=($(figures))
    "$SPROFRUN" -q -F "$hz" "${options[@]}" --max-overhead 100 -d "${SECONDS_EACH}s" -o p.pb.gz \
        -p "$pid" >out 2>err
    # shellcheck disable=SC2207 # numbers
    after=($(figures))
    n=$(figure samples p.pb.gz)
    for i in 1 2; do
        [[ " $* " == *" ${names[$i]} "* ]] || continue
        shares p.pb.gz | awk -F'\t' -v call="[syscall] ${names[$i]}" -v n="$n" \
            -v truth=$((after[i] - before[i])) -v whole=$((after[0] - before[0])) '
            $1 == call { shown = $2 }
            { all += $2 }
            END {
                q = truth / whole
                printf("%s\t%.2f\t%.2f\t%.2f\n", call, 100 * q, 100 * shown / all,
                    100 * sqrt(q * (1 - q) / n))
            }'
    done >table
    while IFS=$'\t' read -r what truth share sigma; do
        verdict "$row" "$hz" "$what" "$truth" "$share" "$sigma" "$limit"
    done <table
    echo "$row: found_ratio $(figure found_ratio p.pb.gz), late $(figure late_instants p.pb.gz)" \
        "of $n"
}

known_pool() {
    local threads us
    for threads in 4 8 16; do
        for us in 100 500 1000 5000; do
            [ $threads = 16 ] || [ $us = 100 ] || [ $us = 1000 ] || continue
            alone "pool $threads, $us us, own" "$1" "$P" "$turns" "$SECONDS_EACH" pool $threads $us
            beside "pool $threads, $us us" "$1" "$P" "$turns" "$SECONDS_EACH" pool $threads $us
        done
    done
}
known_timer() {
    for us in 1000 4000; do
        alone "timer $us us, own" "$1" "$P" "$turns" $((SECONDS_EACH * us / 500)) timer $us
        beside "timer $us us" "$1" "$P" "$turns" $((SECONDS_EACH * us / 500)) timer $us
    done
}
known_java() {
    needs java javac || return
    cat >Many.java <<'J'
public class Many {
    static volatile long sink;
    public static void main(String[] args) throws Exception {
        int nap = Integer.parseInt(args[0]);
        long until = System.nanoTime() + (long) (Double.parseDouble(args[1]) * 1e9);
        Thread[] threads = new Thread[100];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                try {
                    while (System.nanoTime() < until) {
                        long x = sink;
                        for (int j = 0; j < 300000; j++) x = x * 6364136223846793005L + 1;
                        sink = x;
                        if (nap > 0) Thread.sleep(nap);
                    }
                } catch (InterruptedException e) { }
            });
            threads[i].start();
        }
        for (Thread t : threads) t.join();
    }
}
J
    [ -e Many.class ] || javac Many.java || return
    beside "java, 100 sleepers" "$1" java -Xshare:auto -cp "$WORK" Many 1 "$SECONDS_EACH"
    beside "java, 100 busy" "$1" java -Xshare:auto -cp "$WORK" Many 0 "$SECONDS_EACH"
}
serving() { grep -q "$1" server.log; }
known_postgres() {
    local bin
    bin=$(find /usr/lib/postgresql -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n1)
    [ -n "$bin" ] || { skipped "postgresql is not installed"; return; }
    needs pgbench runuser || return
    if [ ! -d pg ]; then
        chmod 711 "$WORK"
        install -d -o postgres pg
        runuser -u postgres -- "$bin/initdb" -D "$WORK/pg" -A trust >pg.log 2>&1 ||
            { cat pg.log; return; }
    fi
    (cd pg && exec runuser -u postgres -- "$bin/postgres" -D "$WORK/pg" -k "$WORK/pg" \
        -c listen_addresses= -c fsync=off) >server.log 2>&1 &
    local server=$!
    ours+=("$server")
    wait_until serving 'ready to accept' || return
    [ -e pg.ready ] || pgbench -h "$WORK/pg" -U postgres -i -s 5 postgres >pg.log 2>&1
    touch pg.ready
    pgbench -h "$WORK/pg" -U postgres -S -c4 -T $((SECONDS_EACH + 5)) postgres >load.log 2>&1 &
    local load=$!
    sleep 1
    # shellcheck disable=SC2046 # process ids
    attached "pgbench -S -c4" "$1" \
        $(pgrep -P "$(head -n1 pg/postmaster.pid)" -f 'postgres: postgres')
    wait $load
    kill -INT "$(head -n1 pg/postmaster.pid)"
    wait $server 2>/dev/null
}
known_redis() {
    needs redis-server redis-benchmark || return
    own_clock redis-server --port 0 --unixsocket "$WORK/redis.sock" --save '' >server.log 2>&1 &
    local server=$!
    ours+=("$server")
    wait_until test -S redis.sock || return
    redis-benchmark -s redis.sock -c 50 -n 100000000 -t get,set -q >load.log 2>&1 &
    local load=$!
    ours+=("$load")
    sleep 0.5
    attached_own "redis, own clock" "$1" $server epoll_wait
    attached redis "$1" $server
    kill $load $server
    wait $load $server 2>/dev/null
    rm -f redis.sock
}
known_nginx() {
    needs nginx || return
    local load port=18089
    mkdir -p www
    head -c 4096 /dev/zero | tr '\0' x >www/index.html
    cat >nginx.conf <<N
daemon off; worker_processes 1; pid $WORK/nginx.pid; error_log $WORK/nginx.err;
events { }
http { access_log off; server { listen 127.0.0.1:$port; root $WORK/www; } }
N
    chmod 711 "$WORK" && chmod -R a+rX www
    own_clock nginx -c "$WORK/nginx.conf" >server.log 2>&1 &
    local server=$!
    ours+=("$server")
    wait_until pgrep -P "$server" >/dev/null || return
    sleep 0.2
    if command -v wrk >/dev/null; then
        wrk -t1 -c20 -d $((2 * SECONDS_EACH + 4)) http://127.0.0.1:$port/ >load.log 2>&1 &
    elif command -v ab >/dev/null; then
        ab -k -c 20 -t $((2 * SECONDS_EACH + 4)) -n 10000000 "http://127.0.0.1:$port/" \
            >load.log 2>&1 &
    else
        skipped "neither wrk nor ab is installed"
        kill $server
        return
    fi
    load=$!
    sleep 0.5
    attached_own "nginx, own clock" "$1" "$(pgrep -P $server)" epoll_wait writev
    # shellcheck disable=SC2046 # process ids
    attached nginx "$1" $(pgrep -P $server)
    wait $load
    kill $server
    wait $server 2>/dev/null
}
known_stress() {
    needs stress-ng || return
    for what in futex switch pipe; do
        beside "stress-ng --$what 1" "$1" stress-ng --$what 1 -t "$SECONDS_EACH" --no-rand-seed \
            --temp-path "$WORK"
    done
}
known_getppid() {
    local us hz
    for us in 20 2; do
        for hz in $1; do
            limit=1
            beside "getppid each $us us" "$hz" "$P" "$turns" "$SECONDS_EACH" getppid $us |
                grep -v f0
            limit=3
        done
        for hz in 250 1000 3000 10000; do
            "$SPROFRUN" -q -F $hz --max-overhead 100 "${options[@]}" -o p.pb.gz -- \
                "$P" "$turns" 2 getppid $us >out
            delivered "getppid each $us us" $hz "$([ $hz -gt 1000 ] && echo 95 || echo 97)"
        done
    done
}
# delivered ROW RATE LEAST: prints a row named ROW: the number of samples in percent of those that
# RATE (Hz) asks for, and "OFF" if that is below LEAST
delivered() {
    awk -v n="$(figure samples p.pb.gz)" -v k="$(figure kernel_cpu_ns p.pb.gz)" -v hz="$2" \
        -v row="$1" \
        -v least="$3" 'BEGIN {
            got = 100 * n / (k / 1e9 * hz)
            printf("%-22s %5s  %-26s %8.2f %8.2f %+8.2f %6.1f  %s\n", row, hz,
                "delivered, %", 100, got, got - 100, 0, got >= least ? "ok" : "OFF") }'
}
# Profiles five functions RUNS times at each rate. Prints "OFF" for a function whose share is more
# than 3 standard errors off in any run. By chance alone that happens in 0.3 % of the runs.
known_loop() {
    local hz
    for hz in 250 1000 3000; do
        rm -f runs
        for _ in $(seq "$RUNS"); do
            "$SPROFRUN" -q -G -F $hz "${options[@]}" -o p.pb.gz -- \
                "$P" "$turns" "$SECONDS_EACH" loop >out
            "$SPROFREPORT" flat --no-inline --format tsv p.pb.gz |
                awk -F'\t' -v n="$(figure samples p.pb.gz)" -v hz=$hz \
                    -v k="$(figure kernel_cpu_ns p.pb.gz)" '
                    NR == FNR { split($0, a, " "); truth[a[1]] = a[2]; next }
                    FNR > 1 && $5 != "[unsampled]" { shown[$5] += $2; all += $2 }
                    END { for (i = 0; i < 5; i++) { f = "f" i
                            q = truth[f] / truth["all"]; p = shown[f] / all
                            print f, 100 * q, 100 * p, (p - q) / sqrt(q * (1 - q) / n),
                                100 * n / (k / 1e9 * hz) } }' out -
        done >runs
        awk -v hz=$hz '
            { q[$1] += $2; p[$1] += $3; chi[$1] += $4 ^ 2; n[$1]++; got += $5; all++
              out[$1] += $4 > 3 || $4 < -3; d = $3 - $2; d = d < 0 ? -d : d
              if (d > worst[$1]) worst[$1] = d }
            END {
                for (i = 0; i < 5; i++) { f = "f" i; m = n[f]
                    e = sqrt(q[f] / m * (100 - q[f] / m) / m); s = (p[f] - q[f]) / m
                    printf("%-22s %5d  %-26s %8.2f %8.2f %+8.2f %6s  %s\n", "loop, " m " runs", hz,
                        f sprintf(", worst %.1f, chi2 %.1f", worst[f], chi[f] / m),
                        q[f] / m, p[f] / m, s, out[f] + 0 "x>3", out[f] ? "OFF" : "ok") }
                printf("%-22s %5d  %-26s %8.2f %8.2f %+8.2f %6s  %s\n", "loop", hz,
                    "delivered, %", 100, got / all, got / all - 100, "",
                    got / all >= (hz > 1000 ? 95 : 97) ? "ok" : "OFF") }' runs
    done
}
known_histogram() {
    export SPROFIL_SUPERVISOR=$BUILD/tools/sprofil-supervisor
    local clock ms what counted expected all
    for clock in tick fast; do
        "$BUILD/bench/known_counts" sleeper $clock 4 >out || return
        all=$(awk '{ n += $2 } /period/ { print n - $2 }' out)
        while read -r what counted expected; do
            case $what in
            f*) verdict "histogram, $clock" - "$what" "$expected" "$counted" \
                "$(awk -v n="$expected" 'BEGIN { print sqrt(n) }')" 0 ;;
            elsewhere) awk -v c="$clock" -v n="$counted" -v all="$all" 'BEGIN { s = 100 * n / all
                printf("%-22s %5s  %-26s %8s %8.2f %8s %6s  %s\n", "histogram, " c, "-",
                    "elsewhere, %", "<= 2", s, "", "", s <= 2 ? "ok" : "OFF") }' ;;
            esac
        done <out
    done
    for clock in fast tick; do
        for ms in 5 15 50; do
            "$BUILD/bench/known_counts" children $clock 200 $ms >out || return
            read -r what counted expected <out
            verdict "200 children, $ms ms" - "$clock" "$expected" "$counted" \
                "$(awk -v n="$expected" 'BEGIN { print sqrt(n) }')" 0
        done
    done
    unset SPROFIL_SUPERVISOR
}
known_busy() {
    local hz
    for hz in 100 250 1000 4000; do
        for n in 1 2 8; do ratio "$n busy" $hz "$TARGETS/busy" $n $((4 / n + 1)); done
    done
    ratio "2 in lockstep, 1 ms" 1000 "$TARGETS/lockstep" 2 10
    ratio "1 busy among 100" 1000 "$TARGETS/sleepers" 100 5
}
# ratio ROW RATE COMMAND...: samples COMMAND at RATE Hz. Prints a row named ROW: found_ratio, or
# samples / expected samples if that is unknown
ratio() {
    local found
    "$SPROFRUN" -q -G -F "$2" "${options[@]}" -o p.pb.gz "${@:3}" >out || return
    found=$(figure found_ratio p.pb.gz)
    awk -v row="$1" -v hz="$2" -v found="$found" -v n="$(figure samples p.pb.gz)" \
        -v k="$(figure kernel_cpu_ns p.pb.gz)" -v late="$(figure late_instants p.pb.gz)" 'BEGIN {
            r = found == "" ? n / (k / 1e9 * hz) : found; d = r > 1 ? r - 1 : 1 - r
            printf("%-22s %5s  %-26s %8.3f %8.3f %+8.3f %6.1f  %s\n", row, hz,
                found == "" ? "samples / expected" : "found_ratio, late " late, 1, r, r - 1,
                d * sqrt(n),
                d <= 0.03 || d < 3 / sqrt(n) ? "ok" : "OFF") }'
}

printf '%-22s %5s  %-26s %8s %8s %8s %6s\n' program Hz what truth shown points sigma
for name in "${names[@]}"; do
    case " ${all[*]} " in
    *" $name "*) ;;
    *) echo "known.sh: no program '$name': ${all[*]}" >&2 && exit 2 ;;
    esac
    case $name in
    loop | histogram | busy) "known_$name" ;;
    getppid) "known_$name" "$rates" ;;
    *) for hz in $rates; do "known_$name" "$hz"; done ;;
    esac
done
