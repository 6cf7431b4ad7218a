#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# doctor says which debug information is missing and how to get it. Once that is there, doctor no
# longer says so. debuginfod is a server that this test runs.
. "$(dirname "$0")/../lib.sh"

cc=$(command -v gcc || command -v cc) || skip "no C compiler"
command -v objdump >/dev/null || skip "no objdump and strip (binutils)"
export LC_ALL=C.UTF-8 DEBUGINFOD_CACHE_PATH=$WORK/cache
unset DEBUGINFOD_URLS
cat >spin.c <<'C'
static __attribute__((noinline)) unsigned spin(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += i * sum ^ i >> 3;
	return sum;
}

int main(void)
{
	volatile unsigned n = 100000;
	unsigned sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += spin(n);
	return sum == 7;
}
C
"$cc" -g -O1 -Wl,--build-id -o whole "$PWD/spin.c" || exit 1
"$cc" -O1 -Wl,--build-id -o plain spin.c || exit 1
strip -o bare whole
# profile PROGRAM SYMBOLS FUNCTION...: makes a profile with samples at these functions; the file
# SYMBOLS has their addresses
profile() {
    local function
    for function in "${@:3}"; do
        code "$2" "$function" | awk -v n="$([ "$function" = spin ] && echo 100 || echo 5)" \
            '{ print $1, n }'
    done |
        replayed "$1.pb.gz" "$1" $cut || exit 1
}
cut=
doctor() { "$SPROFREPORT" doctor "$@"; }
# cell COLUMN PROGRAM ARG...: prints column COLUMN of the row of PROGRAM in doctor's table
cell() { doctor --format tsv "$2.pb.gz" "${@:3}" | awk -F'\t' -v c="$1" -v o="/$2" \
    'substr($8, length($8) - length(o) + 1) == o { print $c }'; }
# added PROGRAM: prints the number of samples in the functions that the C library adds to a program
# ("_start", ...). They never have lines.
added() { "$SPROFREPORT" --format tsv "$1.pb.gz" | awk -F'\t' -v o="/$1" \
    '$5 !~ /^(spin|main)$/ && substr($6, length($6) - length(o) + 1) == o { n += $1 }
    END { print n + 0 }'; }
for program in whole plain bare; do
    [ $program = plain ] && symbols=plain || symbols=whole
    profile $program $symbols spin main _start
done

is "columns" "$(doctor --format tsv whole.pb.gz | head -n1)" "$(printf '%s\t' samples \
    unnamed_samples unlined_samples incomplete_stacks truncated_stacks symbols lines object \
    build_id cause)mend"
is "one row" "$(doctor --format tsv --limit 1 whole.pb.gz | wc -l)" 2
is "rows with half of all" "$(doctor --format tsv --min-pct 50 whole.pb.gz | wc -l)" 2
is "no name is missing of the whole one" "$(cell 2 whole)" 0
is "no line but of what was added" "$(cell 3 whole)" "$(added whole)"
is "its symbols" "$(cell 6 whole)" symtab
is "its lines" "$(cell 7 whole)" "$WORK/whole"
is "without lines" "$(cell 2 plain)" 0
check "all lines are missing" [ "$(cell 3 plain)" = "$(cell 1 plain)" ]
is "where from" "$(cell 6 plain) $(cell 7 plain)" "symtab none"
check "-g is named" grep -q '^compile it with -g' <<<"$(cell 11 plain)"
check "no names" [ "$(cell 2 bare)" = "$(cell 1 bare)" ]
is "no symbols" "$(cell 6 bare)" none
check "why" grep -q 'it was stripped, and no debug file is here' <<<"$(cell 10 bare)"
check "how" grep -q 'do not strip it' <<<"$(cell 11 bare)"
is "build-id" "$(cell 9 bare)" "$(cell 9 whole)"
doctor --width 80 bare.pb.gz >text; is "status" $? 0
check "row" grep -qE '^ +[0-9]+ .* none +none +.*/bare$' text
check "cause" grep -qE '/bare: [0-9]+ samples without a name$' text
check "advice" grep -q '^    link it without -s' text
is "no line is wider" "$(grep -vF "$WORK" text | sed 's,[±…],+,g' | awk 'length > 80')" ""
grep -q 'sprofreport doctor names' text; is "it does not recommend itself" $? 1
check "but another report does" grep -q 'sprofreport doctor names' \
    <<<"$("$SPROFREPORT" bare.pb.gz)"
is "no cause for the whole one" "$(doctor whole.pb.gz | grep -c 'whole: ')" \
    $(($(added whole) > 0))

# Stacks that end early have another cause than missing names and lines.
cat >cut.c <<'C'
static __attribute__((noinline)) unsigned leaf(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += i * sum ^ i >> 3;
	return sum;
}

static __attribute__((noinline)) unsigned middle(unsigned n)
{
	volatile unsigned char room[3000];
	unsigned sum = 0;

	for (int i = 0; i < 10; i++) {
		room[i * 7] = (unsigned char)sum;
		sum += leaf(n) + room[i];
	}
	return sum;
}

int main(void)
{
	volatile unsigned n = 100000;
	unsigned sum = 0;

	for (int i = 0; i < 100; i++)
		sum += middle(n);
	return sum == 7;
}
C
"$cc" -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer -o named cut.c &&
    strip -o cut named || exit 1
cut=cut
for program in named cut; do
    profile $program named leaf middle
    is "$program: all stacks are cut" "$(cell 4 $program)" "$(cell 1 $program)"
    check "$program: its stacks" grep -q '; stacks end here: it has no unwind information' \
        <<<"$(cell 10 $program)"
    check "and how they get whole" grep -q '; compile it with -fasynchronous-unwind-tables' \
        <<<"$(cell 11 $program)"
    doctor --width 80 $program.pb.gz >text
    check "both are said" [ "$(grep -cE "/$program: [0-9]+ samples? without a (name|line|whole stack)\$" text)" = 2 ]
    check "and advised" grep -q '^    compile it with -fasynchronous-unwind-tables' text
done
cut=
doctor whole.pb.gz | grep -q 'without a whole stack'; is "none of the whole one" $? 1

# Debug information that is there but cannot be read is called damaged, not missing.
printf '\377\377\377\377\377\377\377\377' >garbage
objcopy --update-section .debug_info=garbage whole broken 2>/dev/null && profile broken whole spin
check "damage" grep -q 'none for what ran: .*or it is damaged' <<<"$(cell 10 broken)"

# doctor notices a file that was replaced or deleted after the profile.
cp bare kept && cp plain bare
check "another build" grep -q 'another build-id' <<<"$(cell 10 bare)"
rm bare
check "gone" grep -q 'not on this machine' <<<"$(cell 10 bare)"
mv kept bare
"$SPROFREPORT" summary --format tsv whole.pb.gz >before
doctor whole.pb.gz >/dev/null && "$SPROFREPORT" summary --format tsv whole.pb.gz | cmp - before
is "the profile is left as it is" $? 0

if command -v dpkg-query >/dev/null && dpkg-query -S /usr/bin/sort >/dev/null 2>&1 &&
    [ -x /usr/bin/sort ]; then
    readelf -hW /usr/bin/sort | awk '/Entry point/ { print $NF, 100 }' |
        replayed sort.pb.gz /usr/bin/sort
    if [ "$(cell 7 sort)" = none ]; then
        check "the package" grep -q 'apt install coreutils-dbgsym' <<<"$(cell 11 sort)"
    fi
fi

# --debuginfod gets files from a server, and says what is missing for that.
if [ ! -x "$BUILD/tools/sprofil-debuginfod" ]; then
    doctor --debuginfod bare.pb.gz >text
    check "without libdebuginfod" grep -q 'this was built without libdebuginfod (Debian: libdebuginfod-dev)' text
    finish
fi
doctor --debuginfod bare.pb.gz >text; is "no server is named" $? 0
check "that is said" grep -q 'no debuginfod server is named: export DEBUGINFOD_URLS=' text
command -v python3 >/dev/null || { echo "no python3 for a server"; finish; }
id=$(cell 9 bare)
mkdir -p "server/buildid/$id" && objcopy --only-keep-debug whole "server/buildid/$id/debuginfo"
cat >serve.py <<'P'
import http.server, os, sys, time
class Serve(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if os.path.exists("silent"):
            time.sleep(120)
        super().do_GET()
    def log_message(self, form, *args):
        open("log", "a").write(self.path + "\n")
os.chdir("server")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Serve)
server.daemon_threads = True
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
P
python3 serve.py &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$WORK"' EXIT
wait_until "the server serves" 20 [ -e server/port ] || finish
export DEBUGINFOD_URLS=http://127.0.0.1:$(cat server/port)
is "nothing is asked without --debuginfod" \
	"$(doctor bare.pb.gz >/dev/null; cat server/log 2>/dev/null)" ""
doctor --debuginfod plain.pb.gz >text
check "a file that no server has" grep -q 'no debuginfod server has its debug file' text
touch server/silent
DEBUGINFOD_TIMEOUT=1 DEBUGINFOD_MAXTIME=2 timeout 60 "$SPROFREPORT" doctor --debuginfod \
    bare.pb.gz >text; is "a silent server is left" $? 0
check "that is said, too" grep -q 'the debuginfod server' text
rm server/silent
rm -rf cache
doctor --debuginfod bare.pb.gz >text
check "the debug file is in the cache" cmp -s "cache/$id/debuginfo" "server/buildid/$id/debuginfo"
check "names can be had now" grep -q 'the profile lacks names that can be had now' text
check "only what is hot and lacks names is asked for" [ \
    "$(sort -u server/log | grep -c "$id")" = 1 ]
profile bare whole spin main _start
is "a new profile has names" "$("$SPROFREPORT" --format tsv bare.pb.gz |
    awk -F'\t' 'NR == 2 { print $5 }')" spin
is "and lines" "$(cell 3 bare) $(cell 6 bare)" "$(added bare) build-id"
check "of the cache" grep -q "^$WORK/cache/" <<<"$(cell 7 bare)"
"$SPROFREPORT" annotate spin bare.pb.gz | grep -q 'sum += i'; is "and a source" $? 0
finish
