#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles with a time line. The report "timeline" finds phases and a stall in them; reports with
# --from and --to show only that part; exports have each sample at its time. Other programs can
# still read such a profile.
# Usage: test_timeline.sh SPROFREPORT MAKE_TIMELINE CHECK_EXPORT.PY PROFILE.PROTO
. "$(dirname "$0")/lib.sh"
report=$(realpath "$1") make=$(realpath "$2") check=$3 proto=$4
cd "$work" || exit 1

of() { # FUNCTION ARG...: "self_samples self_ns"
	local function=$1
	shift
	"$report" flat --format tsv "$@" | awk -F'\t' -v f="$function" '$5 == f { print $1, $2 }'
}

"$make" phases p || exit 1
"$report" timeline --width 80 p >out
is "no line is wider than 80 columns" "$(LC_ALL=C.UTF-8 wc -L <out | awk '$1 > 80')" ""
is "all of work" "$(of work p)" "450 1800000000"
is "from the beginning" "$(of load --to 500ms p)" "100 500000000"
is "up to the end" "$(of load --from 0.5 p) $(of store --from 0.5 p)" "100 500000000 125 500000000"
is "before the end" "$(of work --from -750ms p) $(of store --from -750ms p)" \
    "126 504000000 125 500000000"
is "the stall is empty" "$(of work --from 1.8 --to 2 p)" ""
is "spans are all" "$(of work --to 1.23456 p) $(of work --from 1.23456 p)" \
    "59 236000000 391 1564000000"
is "one side of a diff" "$("$report" diff --format tsv --from 0 --to 1s p p | cut -f1,2,7 |
    tail -n +2 | tr '\t\n' '  ')" "1000000000 1000000000 load "
"$report" flat --from 1 --to 2 p >out
grep -q '^800.00 ms of CPU time in 1.00 s, 200 samples' out || { cat out; failed=1; }
grep -q '^note: a part of the profile: from 1.000 s to 2.000 s$' out || { cat out; failed=1; }
grep -q '0.007 s of CPU time without a sample' out || { cat out; failed=1; }
"$report" flat --from 1 --to 1.1 p >out
grep -q '^few samples (25): shares are uncertain by up to 18 points; ' out || { cat out; failed=1; }

# Above a part of the samples, each report says what was chosen, and how much of all that is.
for what in flat lines tree 'callers work' 'annotate work' timeline 'balance --by process' \
    doctor; do
	read -ra words <<<"$what"
	"$report" "${words[@]}" --thread main p >out || fail "$what of a thread: status $?"
	is "$what of a thread" "$(grep -x 'only thread .*' out)" \
	    "only thread /main/: 2.81 s of CPU time, 84.9 % of all"
done

"$report" timeline --width 100 p >out || failed=1
grep -qE '^1\.798 s to 2\.002 s  nothing ran for 204\.00 ms; before: work; after: work$' out ||
    { echo "FAIL: the stall"; cat out; failed=1; }
grep -qE '^main 10 +[0-9.]+ % [▇█]{40}' out &&
    grep -qE '^helper 11 +16\.7 % {46}.[▇█]{10,11}.? {10}' out ||
    { echo "FAIL: strips"; cat out; failed=1; }
is "phases" "$(awk 'NF == 9 && $7 == "%" { print $8, ($5 > 1.8) + ($5 > 0.9) }' out | tr '\n' \
    ';')" \
    "load 1;work 1;work 2;store 1;"
# If the bound of the cost made ticks rarer, only a gap of twenty of the longer periods is a pause.
"$make" slow slow && "$report" timeline --width 100 slow >out || failed=1
is "its rate, of a part, too" "$("$report" flat --from 1s --to 5s slow | sed -n 2p |
    grep -o 'at .* Hz')" "at 24 of 250 Hz"
is "pauses between few ticks" "$(grep 'nothing ran' out)" \
    "19.980 s to 21.220 s  nothing ran for 1.24 s, waiting for a CPU; before: work; after: work"
# In the part with a fiftieth of a CPU, a gap of four times the usual length may be chance: no
# sample, but no pause. In the part with a whole CPU, a shorter gap is a pause: nothing ran. The
# table makes the same difference.
"$make" seldom seldom && "$report" timeline --width 100 seldom >out || failed=1
is "pauses of a program with a small share of a CPU" \
    "$(grep -E 'no sample|nothing ran' out)" \
    "48.0 s to 60.8 s  no sample for 12.80 s; before: work; after: work
105.0 s to 115.0 s  nothing ran for 10.05 s; before: work; after: work"
is "in its table" "$(awk '$1 == "107.6" || $1 == "45.5" { print $6, $7, $8 }' out | tr '\n' ';')" \
    "(hardly a sample);(hardly anything ran);"
"$report" timeline --width 100 p | LC_ALL=C grep -q '[^ -~]' || failed=1
LC_ALL=C "$report" timeline --width 100 p | LC_ALL=C grep -q '[^ -~]' && fail "ASCII"
is "columns of a sheet" "$("$report" timeline --format tsv p | head -1)" \
    "from_ns	to_ns	self_ns	top_ns	function	object"
is "its sum" "$("$report" timeline --format tsv p |
    awk -F'\t' '{ n += $3 } END { printf "%.0f", n }')" 3300000000
is "of threads" "$("$report" timeline --split thread --format tsv p |
    awk -F'\t' '$2 == 11 { n += $6 } END { printf "%.0f", n }')" 500000000
"$report" timeline --format json p | python3 -m json.tool >/dev/null || failed=1

"$report" flat --format tsv p >flat
for format in speedscope firefox perf-script; do
	"$report" export --format $format -o $format p || failed=1
	python3 "$check" $format $format flat timed || failed=1
done
# Waits are markers; consecutive observations of one wait are one marker.
"$make" waits waiting || exit 1
"$report" flat --format tsv waiting >flat
"$report" export --format firefox -o firefox waiting || failed=1
is "waits" "$(python3 "$check" firefox firefox flat waits)" "main Blocked work 1800.0 2000.0
main Blocked work 2100.0 2200.0
helper Waits for a CPU work 2550.0 2600.0"
"$report" export --format firefox --thread helper -o firefox waiting || failed=1
is "waits of one thread" "$(python3 "$check" firefox firefox flat waits)" \
    "helper Waits for a CPU work 2550.0 2600.0"
# A wall-clock profile shows when a thread ran, and on request when it did not.
"$make" wall wall || exit 1
strip() { "$report" timeline --width 72 "$@" wall | sed -n '/^main 10 /s/.*% //p'; }
twenty='█{20}'
[[ $(strip) =~ ^$twenty\ {20}$ ]] || fail "when it ran: [$(strip)]"
[[ $(strip --value blocked) =~ ^\ {20}$twenty$ ]] || fail "when it did not"
is "its head" "$("$report" timeline wall |
    awk '$1 == "CPU" || $1 == "from" { print $1, $2, $3 }' | tr '\n' ';')" \
    "CPU 0.000 s;from to CPUs;"
is "and of what is asked for" "$("$report" timeline --value blocked wall |
    awk '$1 == "blocked" || $1 == "from" { print $1, $2, $3 }' | tr '\n' ';')" \
    "blocked 0.000 s;from to threads;"
is "half of it ran" "$("$report" timeline --format tsv wall |
    awk -F'\t' '{ n += $3 } END { printf "%.0f", n }')" \
    1000000000
# The HTML page has both time lines, of CPU and of blocked time, and the columns of a wall-clock
# profile. A narrow table drops the column of blocked time last.
"$report" export -o wall.html wall || failed=1
is "columns of the page" "$(grep -o '<th>cpu</th><th>queue</th><th>blocked</th>' wall.html)" \
    "<th>cpu</th><th>queue</th><th>blocked</th>"
is "time lines of the page" "$(grep -oE ' (CPU|blocked)  0\.000 s' wall.html | tr -s ' ' |
    tr '\n' ';')" " CPU 0.000 s; blocked 0.000 s;"
is "columns of a narrow table" "$("$report" flat --width 40 wall | grep '^ *self' | tr -s ' ')" \
    " self blocked function object"
# Time without samples has no place on the time line, and no known thread.
for value in cpu blocked wall; do
	is "threads by $value" "$(
	    "$report" timeline --split thread --value $value --format tsv wall |
	    tail -n +2 | cut -f1-3 | sort -u)" "10	10	main"
done

# A row for each process has the sum of its threads.
is "threads" "$("$report" timeline --split thread --format tsv p | cut -f2,3 | sort -u | tr '\t\n' ' ;')" \
    "10 main;11 helper;tid thread;"
is "processes" "$("$report" timeline --split process --format tsv p | cut -f1,2 | sort -u |
    tr '\t\n' ' ;')" "10 phases;pid process;"
is "time of the process" "$("$report" timeline --split process --format tsv p |
    awk -F'\t' '{ n += $5 } END { printf "%.0f", n }')" "$("$report" timeline --split thread \
    --format tsv p | awk -F'\t' '{ n += $6 } END { printf "%.0f", n }')"
is "threads with a fifth of all" "$("$report" timeline --split thread --min-pct 20 --format tsv p |
    cut -f3 | sort -u | tr '\n' ' ')" "main thread "

# A part of the time, exported to a file, is a complete profile.
"$report" export --from 2 --to 2.5 -o part.pb.gz p
is "a part in a file" "$(of work part.pb.gz)" "250 1000000000"
is "and of that a part" "$(of work --from 2 --to 2.2 part.pb.gz)" "100 400000000"
"$report" merge -o both.pb.gz p p 2>/dev/null &&
    is "merged" "$(of work --to 1.4 both.pb.gz)" "200 800000000"

# A profile without a time line: the message says how to get one. Values that are no times are
# refused.
"$report" export -o none.pb.gz --from 1.85 --to 1.9 p
"$report" timeline none.pb.gz >out 2>err
is "no time line" "$? $(grep -c 'has no time line: sprofrun writes one' err)" "1 1"
"$report" flat --from 1 none.pb.gz 2>err
is "no time line for --from" "$? $(grep -c 'need a profile with a time line' err)" "1 1"
# Imitates a file of a newer format: each field 7001 begins with another version number.
python3 - p newer.pb <<'P'
import gzip, sys
data = bytearray(gzip.open(sys.argv[1]).read())
at, found = 0, []
def varint():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value
while at < len(data):
    tag = varint()
    if tag & 7 == 0:
        varint()
        continue
    size = varint()
    if tag >> 3 == 7001:
        found.append(at)
    at += size
for at in found:
    data[at] += 1
open(sys.argv[2], "wb").write(data)
P
"$report" timeline newer.pb >out 2>err
is "a newer time line" "$? $(cat out err)" \
    "1 sprofreport: the time line of the profile cannot be used: it is of a newer version of sprofil"
"$report" timeline newer.pb p 2>&1 | grep -q 'it is of a newer version' || fail "merged"
"$report" flat --from 1 newer.pb 2>err
is "a newer time line for --from" "$? $(grep -c \
    'which cannot be used: it is of a newer version' err)" "1 1"
for bad in "--from x" "--to 3q" "--from -" "--from=" "--from .s" "--from 0..0"; do
	"$report" flat $bad p 2>err
	is "$bad" "$? $(grep -c 'is not a time; give it as' err)" "2 1"
done
"$report" flat --from 4 p 2>err
is "beyond the end" "$? $(grep -c 'is at 4.00 s, but the profile ends at 3.00 s; --from -1s' err)" \
    "1 1"
for to in 0 0s -100s; do
	"$report" flat --to $to p 2>err
	is "--to $to" "$? $(grep -c 'is at the beginning, so nothing .* lasts 3.00 s' err)" "1 1"
done
is "--from 0s is the beginning" "$(of work --from 0s p)" "$(of work p)"
"$report" flat --from 2 --to 5 p >out
is "an end beyond the end" "$? $(grep -c '^note: --to is at 5.00 s, but the profile ends at 3.00 s$' out)" \
    "0 1"
"$report" flat --from 2 --to 3 p | grep -q '^note: --to' && fail "to the end"
"$report" flat --from 2 --to 1 p 2>err
is "the wrong way round" "$? $(grep -c '2.00 s and --to at 1.00 s: --from must be the earlier' err)" \
    "1 1"

# Other readers skip the field: protoc prints its number only.
if command -v protoc >/dev/null; then
	zcat p | protoc --decode=perftools.profiles.Profile -I "$(dirname "$proto")" \
		"$proto" >text ||
	    fail "protoc"
	is "a field of its own" "$(grep -c '^7001: ' text) $(grep -c '^sample {' text)" "1 5"
fi

finish
