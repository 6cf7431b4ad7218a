#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The CPU time that sproftop takes on live programs, in percent of a core: its own process and the
# analyst, over 6 s from 4 s after the start; medians of RUNS runs (default 3). With SCREENS=FOLDER
# the last screen of each is kept there. The programs: a redis-server under its benchmark, a Java
# program of a hundred threads that deflate some milliseconds twice a second, and a node program of
# a hundred workers that compute 0.7 ms three times a second each.
#
#   live_servers.sh [NAME...]    of redis, java, node; options of sproftop in OPTIONS
. "$(dirname "$0")/lib.sh"
command -v tmux >/dev/null || { echo "tmux is not installed" >&2; exit 1; }
RUNS=${RUNS:-3} OPTIONS=${OPTIONS:-}
[ $# -gt 0 ] || set -- redis java node
socket=bench-live-$$
ours=()
trap 'tmux -L $socket kill-server 2>/dev/null; kill "${ours[@]}" 2>/dev/null; wait
rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1

start() {
    "$@" >server.log 2>&1 &
    ours+=($!)
    server=$!
}
start_redis() {
    start redis-server --port 0 --unixsocket "$WORK/redis.sock" --save ''
    local redis=$server
    wait_until test -S redis.sock || exit
    start redis-benchmark -s redis.sock -c 50 -n 100000000 -t get,set -q
    server=$redis
}
start_java() {
    cat >Bursts.java <<'J'
import java.util.zip.Deflater;
public class Bursts {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 100; i++) {
            Thread t = new Thread(() -> {
                byte[] in = new byte[16384], out = new byte[20000];
                for (int k = 0; k < in.length; k++) in[k] = (byte) (k * k >> 5);
                try {
                    while (true) {
                        Deflater d = new Deflater();
                        for (int n = 0; n < 4; n++) {
                            d.reset();
                            d.setInput(in);
                            d.finish();
                            d.deflate(out);
                        }
                        d.end();
                        Thread.sleep(500);
                    }
                } catch (InterruptedException e) { }
            }, "worker-" + i);
            t.start();
        }
    }
}
J
    javac Bursts.java && start java -cp "$WORK" Bursts
}
start_node() {
    cat >many.js <<'J'
const { Worker } = require('worker_threads');
const work = `let x = 0;
setInterval(() => { const t = process.hrtime.bigint();
  while (process.hrtime.bigint() - t < 700000n) for (let i = 0; i < 1000; i++) x += i * i;
}, 333);`;
for (let i = 0; i < 100; i++) new Worker(work, { eval: true });
J
    start node many.js
}

printf '%-8s %8s %8s %8s   %s\n' program median least most 'first lines of the last screen'
for name in "$@"; do
    case $name in redis) needs=redis-benchmark ;; java) needs=javac ;; *) needs=node ;; esac
    command -v $needs >/dev/null || { echo "$name: skipped: $needs is not installed"; continue; }
    "start_$name"
    sleep 3
    rm -f cpu
    for _ in $(seq "$RUNS"); do
        tmux -L $socket -f /dev/null new-session -d -x 100 -y 24 \
            "'$BUILD/tools/sproftop' $OPTIONS -p $server"
        sleep 4
        top=$(tracer_in $socket)
        analyst=$(below "$top" sprofil-analyst)
        before=$(($(cpu_time "$top") + $(cpu_time "$analyst")))
        sleep 6
        after=$(($(cpu_time "$top") + $(cpu_time "$analyst")))
        echo $((after - before)) "$(getconf CLK_TCK)" | awk '{ print $1 / $2 / 6 * 100 }' >>cpu
        tmux -L $socket capture-pane -p >screen
        tmux -L $socket send-keys q
        wait_until eval "! tmux -L $socket has-session 2>/dev/null" || exit
    done
    [ -z "${SCREENS:-}" ] || cp screen "$SCREENS/$name.txt"
    printf '%-8s %8.2f %8.2f %8.2f   ' "$name" "$(median <cpu)" "$(sort -n cpu | head -n1)" \
        "$(sort -n cpu | tail -n1)"
    head -n2 screen | tail -n1
    kill "${ours[@]}" 2>/dev/null
    wait "${ours[@]}" 2>/dev/null
    ours=()
done
