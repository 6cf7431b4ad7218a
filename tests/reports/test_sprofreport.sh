#!/bin/bash
# SPDX-License-Identifier: MIT
# sprofreport as users call it: reports compared with golden files, options, and bad input.
# Usage: test_sprofreport.sh SPROFREPORT MAKE_PROFILE GOLDEN-FOLDER
. "$(dirname "$0")/lib.sh"
report=$(realpath "$1") make=$2 golden=$3

p=$work/p.pb.gz
"$make" "$p" || exit 1

same "flat is the default" flat.txt "$p"
same "flat" flat.txt flat "$p"
same "from standard input" flat.txt - <"$p"
same "lines" lines.txt lines --thread demo --limit 3 "$p"
LC_ALL=C same "filtered, ASCII" filtered.txt flat --focus main --min-pct 20 --sort total \
    --split thread "$p"
same "flat tsv" flat.tsv flat --format tsv "$p"
same "the report behind the file" lines.txt "$p" lines --thread demo --limit 3
(cd "$work" && cp "$p" sprof.pb.gz && "$report" >default && "$report" tree >tree &&
    "$report" callers helper >callers && "$report" export --format folded >folded) ||
    fail "without a file: status $?"
diff -u "$golden/flat.txt" "$work/default" || fail "without a file, sprof.pb.gz is read"
"$report" callers helper "$p" | diff -u - "$work/callers" || fail "of a function, too"
"$report" "$p" callers helper | diff -u - "$work/callers" || fail "behind the file, too"
"$report" tree "$p" | diff -u - "$work/tree" || fail "a report alone"
"$report" --min-pct 0 "$p" | grep -q '^ *0\.0 .* main ' || fail "asked for, callers are listed"
(cd "$work" && rm sprof.pb.gz)
same "options behind the file" flat.tsv "$p" --format=tsv
same "lines tsv" lines.tsv lines --format tsv "$p"
same "threads" threads.tsv --split thread --no-inline --limit 3 --format tsv "$p"
same "by thread" by_thread.txt --by thread "$p"
same "by process" by_process.tsv --by process --format tsv "$p"
same "by object" by_object.txt flat --by object --min-pct 5 "$p"
refused "by thread is not for tree" 2 'for flat' tree --by thread "$p"
same "summary tsv" summary.tsv summary --format tsv "$p"
same "csv" flat.csv --format csv --limit 2 "$p"
same "json" flat.json --format json --limit 2 "$p"

# In a narrow table of lines, the object is dropped before the total, by which rows are ordered.
"$report" lines --width 66 "$p" >"$work/out"
grep -q '^ *self  *total  *function  *line$' "$work/out" || fail "narrow lines: $(cat "$work/out")"
[ -z "$(sed 's/[±…]/+/g' "$work/out" | awk 'length > 66')" ] || fail "narrow: $(cat "$work/out")"

# A protocol buffer that is not compressed can be read, too.
gzip -dc "$p" >"$work/plain.pb"
same "not compressed" flat.tsv --format tsv "$work/plain.pb"

# The same profile twice has twice the figures.
[ "$("$report" --format tsv "$p" "$p" | awk -F'\t' '$5 == "helper" { print $1, $2 }')" = \
    "100 400000000" ] ||
	fail "merge"
[ "$("$report" "$p" "$p" "$p" | head -1)" = "3 files: demo --fast" ] || fail "title of three files"

"$report" -o "$work/saved" --format tsv "$p" && diff -u "$golden/flat.tsv" "$work/saved" ||
    fail "-o"
"$report" --no-demangle --no-inline --format tsv "$p" | grep -q _ZN4demo7computeEi ||
    fail "--no-demangle"
"$report" --color always "$p" | grep -q $'\033\[1;31m' || fail "--color always"
"$report" --color auto "$p" | grep -q $'\033' && fail "--color auto into a pipe"
"$report" --help | grep -q '^usage: sprofreport' || fail "--help"
"$report" --help | grep -q '^  lines ' || fail "--help lists the reports"
"$report" --version | grep -q '^sprofreport [0-9]' || fail "--version"

# A reader that ends before it has read all is no error.
set -o pipefail
"$report" "$p" 2>"$work/err" | true || fail "reader left: status"
[ -s "$work/err" ] && fail "reader left: $(cat "$work/err")"
set +o pipefail

# Bad input and bad options are refused with the reason.
mkdir "$work/dir"
: >"$work/empty"
head -c 200 "$p" >"$work/cut"
{ head -c 100 "$p"; printf X; tail -c +102 "$p"; } >"$work/damaged"
echo "hello world, this is no profile" >"$work/text"
echo "hello" | gzip >"$work/text.gz"
head -c 100000 /dev/zero | gzip >"$work/zeros.gz"
refused "debuginfod of another report" 2 "is for doctor" flat --debuginfod "$p"
refused "an option that does nothing there" 2 \
	"--icicle does nothing in .flat.: it is for svg html" flat --icicle "$p"
refused "nor in that export" 2 "it is for tree svg html" export --format folded --bottom-up "$p"
refused "nor there" 2 "it is for annotate html" --source-path . "$p"
refused "a misspelt option" 2 "--spit is not an option; there is --split" flat --spit thread "$p"
refused "a letter of another program" 2 "-t is not an option" -top "$p"
refused "a misspelt report" 2 "there is no report .flaat." flaat
refused "neither a report nor a file" 2 "there is no report .nonsense., and no file" nonsense
refused "missing" 1 "missing.*No such file" "$work/missing"
refused "missing among others" 1 "missing.*No such file" "$p" "$work/missing"
refused "directory" 1 "directory" "$work/dir"
refused "empty" 1 "empty" "$work/empty"
refused "truncated" 1 "cut short" "$work/cut"
refused "damaged" 1 "cannot use" "$work/damaged"
refused "text" 1 "not a pprof profile" "$work/text"
refused "gzipped text" 1 "not a pprof profile" "$work/text.gz"
refused "zeros" 1 "not a pprof profile" "$work/zeros.gz"
printf 'gmon\1\0\0\0more' >"$work/gmon.out"
{ printf '\0\20\100\0\0\0\0\0\0\40\100\0\0\0\0\0\0\0\0\0\144\0\0\200'; head -c 2048 /dev/zero; } \
    >"$work/mon.out"
refused "gmon.out" 1 "gmon.out, which gprof reads" flat "$work/gmon.out"
refused "mon.out" 1 "mon.out: give its program, --program PROGRAM" flat "$work/mon.out"
refused "no known suffix" 2 "no format's name ends in .zip: give --format" export -o "$work/x.zip" \
	"$p"
refused "no suffix" 2 "export to which format" export -o "$work/x" "$p"
refused "program" 1 "program" "$report"
refused "empty standard input" 1 "empty" -
refused "unwritable output" 1 "cannot write" -o "$work/none/out" "$p"
refused "output is a directory" 1 "cannot write" -o "$work/dir" "$p"
refused "no file" 2 "no profile" 
refused "no file behind the report" 2 "no profile" lines
refused "a file for a function" 2 "is a file.*sprofreport callers FUNC $p" callers "$p"
refused "no such report" 2 "no report 'flit'" flit "$p"
refused "no such option" 2 "not an option" --frobnicate "$p"
while read -r option reports; do
	for name in $reports; do
		case $name in callers | annotate) words="$name main" ;; *) words=$name ;; esac
		# shellcheck disable=SC2086 # words
		refused "--$option in $name" 2 "--${option%=*} does nothing in '$name'" $words \
			--$option "$p"
	done
done <<'OPTIONS'
sort=total annotate timeline balance doctor summary merge
split=thread callers annotate diff balance doctor summary merge
limit=3 annotate summary merge
min-pct=1 summary merge
value=cpu summary merge
focus=main summary
object=demo summary
thread=demo summary
no-inline summary merge
no-demangle summary merge
OPTIONS
while read -r option formats; do
	for name in $formats; do
		refused "--$option in $name" 2 "--${option%=*} does nothing in '$name'" export \
			--format "$name" --$option "$p"
	done
done <<'OPTIONS'
sort=self pprof folded svg speedscope firefox callgrind gmon perf-script
split=thread pprof speedscope firefox callgrind gmon perf-script
limit=3 pprof folded speedscope firefox callgrind gmon perf-script
min-pct=1 pprof folded speedscope firefox callgrind gmon perf-script
value=cpu pprof
no-inline pprof gmon
no-demangle pprof gmon
OPTIONS
refused "a split of processes" 2 "split does nothing with --by" flat --by process \
	--split thread "$p"
refused "a table's order" 2 "sort does nothing with --by" flat --by object --sort total "$p"
refused "a tree by self" 2 "'tree' is always sorted by total" tree --sort self "$p"
refused "no value" 2 "wants a value" "$p" --limit
refused "no such format" 2 "format 'yaml'.*tsv" --format yaml "$p"
refused "no such sort" 2 "sort 'name'" --sort name "$p"
refused "no such split" 2 "split 'cpu'" --split cpu "$p"
refused "limit" 2 "limit '-1'" --limit -1 "$p"
refused "percent" 2 "min-pct 'much'" --min-pct much "$p"
refused "pattern" 2 "focus '(a' is not a regular expression" --focus '(a' "$p"
if [ "$(id -u)" != 0 ]; then
	chmod 0 "$work/empty"
	refused "no permission" 1 "Permission denied" "$work/empty"
fi

# If the output cannot be written in full, a message says so, and the status is 1.
if [ -w /dev/full ]; then
	"$report" "$p" >/dev/full 2>"$work/err" && fail "full device: status 0"
	grep -q '^sprofreport: cannot write.*No space' "$work/err" ||
	    fail "full: $(cat "$work/err")"
	"$report" -o /dev/full "$p" 2>"$work/err" && fail "-o full device: status 0"
	grep -q '^sprofreport: cannot write.*No space' "$work/err" ||
	    fail "-o full: $(cat "$work/err")"
	# With more output than a buffer holds, an early write fails, not the last one. The message
	# and the status are the same.
	for what in "export --format svg" "lines --split thread" --help --version; do
		"$report" $what "$p" >/dev/full 2>"$work/err"
		[ $? = 1 ] || fail "full device: status of $what"
		grep -q '^sprofreport: cannot write.*No space' "$work/err" ||
		    fail "full, $what: $(cat "$work/err")"
	done
fi
"$report" "$p" >&- 2>"$work/err" && fail "closed output: status 0"
grep -q '^sprofreport: cannot write' "$work/err" || fail "closed output: $(cat "$work/err")"
set -o pipefail
"$report" export --format svg "$p" 2>"$work/err" | true || fail "reader of an export left: status"
[ -s "$work/err" ] && fail "reader of an export left: $(cat "$work/err")"
set +o pipefail

# The name of the output selects the format.
"$report" export -o "$work/e.csv" --limit 2 "$p" && diff -u "$golden/flat.csv" "$work/e.csv" ||
    fail "export to .csv"
"$report" export -o "$work/e.JSON" --limit 2 "$p" && diff -u "$golden/flat.json" "$work/e.JSON" ||
    fail "export to .JSON"

# Control characters in a file's name do not reach the terminal.
refused "name with control characters" 1 "'n??\[31m?x'" $'n\xff\e[31m\nx'

# On a terminal, output goes through the pager, has colours, and is no wider than the terminal.
if command -v script >/dev/null; then
	PAGER='sed s/^/P:/' TERM=xterm script -qec "stty cols 60; '$report' '$p'" /dev/null \
		</dev/null >"$work/out"
	grep -q 'P:.*helper' "$work/out" || fail "pager: $(cat "$work/out")"
	grep -q $'\033\[1;31m' "$work/out" || fail "colours on a terminal"
	PAGER=true TERM=xterm script -qec "'$report' '$p'" /dev/null </dev/null >"$work/out" ||
		fail "a pager that leaves at once: status $?"
	grep -q sprofreport: "$work/out" && fail "a pager that leaves at once: $(cat "$work/out")"
else
	echo "skipped: no script(1), so no terminal"
fi

finish
