#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Profiles over HTTP: sprofserve and sprofrun --listen, with good and with hostile clients.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "needs python3"
SPROFSERVE=$BUILD/tools/sprofserve
CLIENT="python3 $SOURCE/tests/e2e/serve_client.py"

# begin COMMAND...: starts a server, waits until it listens, and sets $server to its pid and $port.
# The messages of the previous server are deleted first: otherwise the wait would end at once, and a
# SIGINT sent before the server has blocked signals would be lost, because a shell starts background
# jobs with SIGINT ignored.
begin() {
    rm -f err
    "$@" 2>err & server=$!
    wait_until "it listens" 20 grep -qs '/debug/pprof/$' err || return
    port=$(sed -nE 's|.*http://127\.0\.0\.1:([0-9]+)/debug/pprof/$|\1|p' err)
}
# Prints the pid of sprofil-server, a child of $server or of its child (tools/front/own_session.h).
server_of() { pgrep -P "$server$(pgrep -P "$server" | sed 's/^/,/' | tr -d '\n')" sprofil-server; }
cpu_of() { awk '{ print $1 }' "/proc/$1/schedstat"; }

"$TARGETS/busy" 1 600 0 secret-argument & target=$!
wait_until "the target runs" 20 grep -qx busy /proc/$target/comm
begin "$SPROFSERVE" --listen 0 -F 500 --max-overhead 100 -p $target
if grep -q 'built without libmicrohttpd' err; then
    kill $target
    skip "built without libmicrohttpd"
fi
# The whole path, as a browser resolves a shorter one beside the page's own address.
for path in /debug/pprof/ /debug/pprof /; do
    check "the page at $path leads to the profile" \
        grep -q 'href="/debug/pprof/profile?seconds=30"' < <($CLIENT get $port $path)
done
before=$(cpu_of $target)
$CLIENT get $port '/debug/pprof/profile?seconds=2' >p.pb.gz; is "a profile: status" $? 0
after=$(cpu_of $target)
check "of the function that runs" \
    grep -qP '\tspin\t' <("$SPROFREPORT" --format tsv p.pb.gz)
within "it tells of two seconds" "$(figure wall_ns p.pb.gz)" 2000000000 2000000000
check "and of no more CPU time than was used" \
    [ "$(figure profiled_cpu_ns p.pb.gz)" -le $((after - before)) ]
check "no argument of a command is in it" \
    [ "$(gzip -dc p.pb.gz | grep -ac secret-argument)" = 0 ]

# Without a request, no samples are taken. Voluntary switches of a thread that never sleeps are
# stops.
stops() { awk '/^voluntary/ { print $2 }' /proc/$target/status; }
before=$(stops)
sleep 0.5 # in which nothing may happen
is "nobody wants anything: stops" $(($(stops) - before)) 0
$CLIENT get $port '/debug/pprof/profile?seconds=1' >s.pb.gz
check "somebody does: stops" [ $(($(stops) - before)) -gt 20 ]

# Overlapping requests for profiles, each of its own length.
for seconds in 1 2 3; do
    $CLIENT get $port "/debug/pprof/profile?seconds=$seconds" >o$seconds.pb.gz &
    clients[seconds]=$!
done
for seconds in 1 2 3; do
    wait ${clients[seconds]}; is "overlapping, $seconds s: status" $? 0
    is "its length" "$(figure wall_ns o$seconds.pb.gz)" ${seconds}000000000
done
check "the longer, the more" [ "$(figure profiled_cpu_ns o1.pb.gz)" -lt \
    "$(figure profiled_cpu_ns o3.pb.gz)" ]

# Invalid requests are refused, with a remedy.
wanted() { cut -d' ' -f1 requests; }
cat >requests <<'END'
400 GET /debug/pprof/profile?seconds=0 HTTP/1.1
400 GET /debug/pprof/profile?seconds=601 HTTP/1.1
400 GET /debug/pprof/profile?seconds=-1 HTTP/1.1
400 GET /debug/pprof/profile?seconds= HTTP/1.1
400 GET /debug/pprof/profile?seconds=99999999999999999999 HTTP/1.1
404 GET /debug/pprof/cmdline HTTP/1.1
404 GET /../../etc/passwd HTTP/1.1
405 POST /debug/pprof/profile HTTP/1.1
405 HEAD /debug/pprof/profile HTTP/1.1
200 GET / HTTP/1.1
END
is "each request has the status that it should" "$($CLIENT status $port <requests | tr '\n' ' ')" \
    "$(wanted | tr '\n' ' ')"
is "a page with a name of its own for 127.0.0.1" \
    "$(echo '403 GET /debug/pprof/ HTTP/1.1' | $CLIENT status $port evil.example)" 403

$CLIENT half $port '/debug/pprof/profile?seconds=1' >h.pb.gz
is "a client that sends no more after its request gets a profile: status" $? 0
is "its length" "$(figure wall_ns h.pb.gz)" 1000000000

# Hostile clients, which send nonsense, hang, or go away. There are many of each kind at once.
$CLIENT attack $port; is "clients that attack: what still answers" $? 0
$CLIENT crowd $port; is "a thousand connections that come and go: what still answers" $? 0
check "the server lives" [ -n "$(server_of)" ]
# The server may still profile for clients of the crowd that are gone. The next tests need a new
# server with no other client.
kill $server; wait $server
begin "$SPROFSERVE" --listen 0 -F 500 --max-overhead 100 -p $target

# The target ends during a request: the answer is the profile until then.
$CLIENT get $port '/debug/pprof/profile?seconds=60' >end.pb.gz & client=$!
before=$(stops)
has_stopped() { [ $(($(stops) - before)) -gt "$1" ]; }
wait_until "it is profiled" 20 has_stopped 50
kill $target
wait $client; is "the target ended: status of the answer" $? 0
check "it has what ran" grep -qP '\tspin\t' <("$SPROFREPORT" --format tsv end.pb.gz)
check "and its own length" [ "$(figure wall_ns end.pb.gz)" -lt 30000000000 ]
wait $server; is "then it ends" $? 0
is "it says why, and nothing else" "$(grep -v '/debug/pprof/$' err)" \
    "sprofserve: the target has ended (signal 15): the server answers requests that wait, then ends"

# sprofrun --listen with a command: its status is passed on, a request spans the change of files
# (--rotate), and the files are complete.
begin "$SPROFRUN" -F 500 --listen 0 --rotate 1s -o r.pb.gz "$TARGETS/busy" 1 60 7 usr1
$CLIENT get $port '/debug/pprof/profile?seconds=2' >r2.pb.gz; is "over a rotation: status" $? 0
is "its length" "$(figure wall_ns r2.pb.gz)" 2000000000
kill -USR1 "$(pgrep -P "$(tracing $server)" -x busy)" # it has run for long enough
wait $server; is "the command's status" $? 7
set -- r.2*.pb.gz
check "files are written" [ $# -ge 2 ]

# Without a target no address is printed. A port chosen by the kernel is printed even with -q.
sh -c 'exit 3' & dead=$!
wait $dead
"$SPROFSERVE" --listen 0 -p $dead 2>err; is "a process that is gone: status" $? 125
is "an address for it" "$(grep -c /debug/pprof/ err)" 0
"$SPROFSERVE" --listen 0 ./no-such-command 2>err; is "no such command: status" $? 127
is "an address for that" "$(grep -c /debug/pprof/ err)" 0
begin "$SPROFSERVE" --listen 0 sh -c 'read line; exit 3' <<<"a line"
wait $server; is "a command that ends: status" $? 3
check "and what is said" grep -q 'the target has ended (status 3): the server answers' err
begin "$SPROFSERVE" -q --listen 0 "$TARGETS/busy" 1 60 7 usr1
is "quiet: what is said" "$(wc -l <err)" 1
kill -TERM $server; wait $server # SIGINT is ignored by a shell's job in the background
is "quiet: the command's end is ours" $? 143

# Only threads that are chosen by name or by tid are in the profile.
"$TARGETS/named" 600 & named=$!
thread() { grep -lx "$1" /proc/$named/task/*/comm 2>/dev/null | cut -d/ -f5; }
named() { for name in work-0 work-1 rest-0 changing; do [ "$(thread $name)" ] || return; done; }
wait_until "its threads have their names" 20 named
begin "$SPROFSERVE" -v --listen 0 -F 500 -p $named --thread-name '^work-' --tid "$(thread rest-0)"
$CLIENT get $port '/debug/pprof/profile?seconds=2' >n.pb.gz; is "of some threads: status" $? 0
check "the rest is left out" [ -z "$("$SPROFREPORT" --split thread --format tsv n.pb.gz |
    awk -F'\t' 'NR > 1 && $2 != "rest-0" && $2 !~ /^work-/')" ]
check "those are in it" [ "$("$SPROFREPORT" --split thread --format tsv n.pb.gz | tail -n +2 |
    cut -f1 | sort -u | wc -l)" = 3 ]
kill $named
wait $server; is "it ends with them: status" $? 0

# SIGINT ends a server; a request that waits then gets the profile so far. Also a server that hangs,
# and one that is killed.
"$TARGETS/busy" 1 600 0 & target=$!
wait_until "the target runs" 20 grep -qx busy /proc/$target/comm
begin "$SPROFSERVE" --listen 0 -p $target
kill -INT $server; wait $server; is "^C ends it" $? 0
is "the target has not ended" "$(grep -c 'has ended' err)" 0
begin "$SPROFSERVE" --listen 0 -F 500 --max-overhead 100 -p $target
before=$(stops)
$CLIENT get $port '/debug/pprof/profile?seconds=60' >int.pb.gz & client=$!
wait_until "it is profiled" 20 has_stopped 50
kill -INT $server; wait $server; is "^C ends it while somebody waits for a profile" $? 0
wait $client; is "who gets what there is: status" $? 0
check "what ran" grep -qP '\tspin\t' <("$SPROFREPORT" --format tsv int.pb.gz)
# A server that hangs is not waited for after a second SIGINT.
is_let_go() { grep -q '^TracerPid:[[:space:]]*0$' /proc/$target/status; }
before=$(stops)
begin "$SPROFRUN" --listen 0 -F 500 -o hang.pb.gz -p $target
wait_until "it is profiled" 20 has_stopped 10
stuck=$(server_of)
kill -STOP $stuck
began=$(date +%s%N)
kill -INT $server
wait_until "it lets go at ^C" 20 is_let_go
wait_until "the profile is written" 20 [ -s hang.pb.gz ]
check "it waits for its server" kill -0 $server
kill -INT $server; wait $server; is "a second ^C: status" $? 0
about "a second ^C: ms until the end" $((($(date +%s%N) - began) / 1000000)) 0 6000
check "is told" grep -q 'interrupted: who still waited for a profile got none' err
check "nothing is left behind" [ ! -e /proc/$stuck ]
check "the profile is whole" grep -qP '\tspin\t' <("$SPROFREPORT" --format tsv hang.pb.gz)
begin "$SPROFSERVE" --listen 0 -p $target
kill -KILL $(server_of); wait $server; is "its server's death, too" $? 0
check "which is said" grep -q 'the server has ended before its time' err
begin "$SPROFSERVE" --listen 0 -p $target
"$SPROFSERVE" --listen $port -p $target 2>again; is "a port that is taken: status" $? 125
check "is said" grep -q 'cannot listen on.*give another port' again
# 203.0.113.0/24 is for documentation (RFC 5737): no machine has such an address.
"$SPROFSERVE" --listen 203.0.113.7:6060 -p $target 2>again
is "an address of nobody: status" $? 125
check "the remedy" grep -q 'this machine has no such address: 127.0.0.1 it has' again
kill $target; wait $server

bad() { # ADDRESS
    "$SPROFSERVE" --listen "$1" true 2>bad
    is "$1: status" $? 2
    check "$1: said" grep -q "bad address '$1': give ADDRESS:PORT" bad
}
bad ""
bad example.com:6060
bad 127.0.0.1:
bad 127.0.0.1:65536
bad "::1:60606060"
"$SPROFRUN" --listen 0 --live true 2>bad; is "with --live: status" $? 2

# Two SIGINTs without a server: the message names no server.
env --default-signal=INT "$SPROFRUN" --report none -o two.pb.gz "$TARGETS/busy" 1 30 2>err & run=$!
wait_until "it profiles" 60 pgrep -P "$(tracing $run)" -x busy >/dev/null
kill -INT $run; kill -INT $run
wait $run
is "nobody waited for a profile" "$(grep -c 'still waited' err)" 0
finish
