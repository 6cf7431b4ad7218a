#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the analyst's sandbox and its opener cost. Measures, both with them and with an analyst that
# keeps its rights and opens files itself (bench/bare_analyst.c): the time from the command's end to
# the written profile and its report; the CPU time for the same records replayed; the time from the
# start of sproftop to the first name on its terminal. By turns, ROUNDS times (default 15): medians
# and least.
. "$(dirname "$0")/lib.sh"
[ -x "$BUILD/bench/bare_analyst" ] || { echo "no bench/bare_analyst in $BUILD" >&2; exit 1; }
command -v python3 >/dev/null || { echo "python3 is not installed" >&2; exit 1; }
ROUNDS=${ROUNDS:-15}
mkdir "$WORK/with" "$WORK/without" && cd "$WORK" || exit 1
for stage in with without; do
    cp "$BUILD"/tools/{sprofrun,sproftop,sprofil-opener,sprofil-analyst} $stage/
done
cp "$BUILD/bench/bare_analyst" without/sprofil-analyst
without/sprofrun -v -q -o p.pb.gz true 2>&1 | grep -q 'lacks: all of it' ||
    { echo "the analyst without a sandbox is not the one that runs" >&2; exit 1; }

# Three kinds of work: a small program, one with line tables, one with large libraries.
cat >lines.c <<'C'
int main(void)
{
	volatile unsigned n = 0;

	while (n < 400000000)
		n = n + 1;
	return 0;
}
C
cc -g -O1 -o lines lines.c
small="$TARGETS/busy 1 0.3 0"
lines=./lines
large="python3 -c 'import json, sqlite3; [json.dumps(list(range(90000))) for _ in range(30)]'"
if command -v clang >/dev/null; then
    for i in $(seq 300); do echo "int f$i(int n) { return n * $i; }"; done >large.c
    large="clang -g -O2 -c -o large.o large.c"
fi

# STAGE below is a folder with the programs: "with" or "without" a sandbox. KIND is one of the kinds
# of work: "small", "lines" or "large".
# after STAGE KIND: prints the ms from the command's end to sprofrun's end
after() {
    "$1/sprofrun" -o "$1.pb.gz" bash -c "${!2} >/dev/null; echo \$EPOCHREALTIME >ended" 2>report
    awk -v a="$(cat ended)" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", (b - a) * 1e3 }'
}
# replay STAGE KIND: prints the ms of CPU time that the analyst and its children take for the same
# records
replay() {
    TIMEFORMAT='%3U %3S'
    { time "$1/sprofil-analyst" --replay "$2.capture" --output "$1.pb.gz" --report flat \
        2>report; } 2>&1 | awk '{ printf "%.3f\n", ($1 + $2) * 1e3 }'
}
# first STAGE: prints the ms from the start of sproftop to the name of a function on its terminal
first() {
    python3 - "$1/sproftop" -p $target <<'P'
import os, pty, re, select, signal, sys, time
began = time.monotonic()
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while b"spin" not in seen and time.monotonic() < began + 20:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            seen += os.read(fd, 65536)
        except OSError:
            break
took = time.monotonic() - began
if b"spin" not in seen:
    sys.exit("no name on the terminal of %s:\n%r" % (sys.argv[1], seen[-2000:]))
os.write(fd, b"q")
end = time.monotonic() + 5
while time.monotonic() < end and os.waitpid(pid, os.WNOHANG)[0] == 0:
    if select.select([fd], [], [], 0.01)[0]:
        try:
            os.read(fd, 65536)
        except OSError:
            os.waitpid(pid, 0)
            break
print("%.3f" % (took * 1e3))
P
}

for kind in small lines large; do
    eval "with/sprofrun -q --capture $kind.capture -o p.pb.gz ${!kind}" >/dev/null
done
"$TARGETS/busy" 1 600 0 & target=$!
trap 'kill $target 2>/dev/null; rm -rf "$WORK"' EXIT
for ((i = 0; i < ROUNDS; i++)); do
    for stage in with without; do
        for kind in small lines large; do
            after $stage $kind >>"after.$kind.$stage"
            replay $stage $kind >>"replay.$kind.$stage"
        done
        first $stage >>first.top.$stage || exit 1
    done
done

least() { sort -n | head -1; }
printf '%-34s %22s %22s %14s\n' "ms, median (least) of $ROUNDS" "with the sandbox" without \
    "more, ms (times)"
for row in after.small after.lines after.large replay.small replay.lines replay.large first.top; do
    awk -v row="$row" -v w="$(median <"$row.with")" -v o="$(median <"$row.without")" \
        -v wl="$(least <"$row.with")" -v ol="$(least <"$row.without")" 'BEGIN {
            split(row, a, ".")
            what["after"] = "report after the run, " a[2]
            what["replay"] = "CPU time of the same records, " a[2]
            what["first"] = "first name in sproftop"
            printf "%-34s %12.1f (%7.1f) %12.1f (%7.1f) %6.1f (%.2f)\n",
                what[a[1]], w, wl, o, ol, w - o, w / o
        }'
done
