#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles are read by other programs: protoc (package protobuf-compiler) and "go tool pprof"
# (package golang-go). A profile written by Go is read by ours.
# Usage: test_pprof_readers.sh SPROFREPORT MAKE_PROFILE PROFILE.PROTO
set -u
report=$1 make=$2 proto=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 done=0

expect() { # WHAT PATTERN FILE
	grep -qE "$2" "$3" || { echo "FAIL: $1: no /$2/ in"; cat "$3"; failed=1; }
}

p=$work/p.pb.gz
"$make" "$p" || exit 1

if command -v protoc >/dev/null; then
	done=1
	gzip -dc "$p" | protoc \
	    --decode=perftools.profiles.Profile --proto_path="$(dirname "$proto")" \
		"$(basename "$proto")" >"$work/decoded" || { echo "FAIL: protoc"; failed=1; }
	# protoc sees five samples, two mappings and six locations, as they were made, and no field
	# unknown to the schema.
	for count in "sample 5" "mapping 2" "location 6" "function 6"; do
		set -- $count
		[ "$(grep -c "^$1 {" "$work/decoded")" = "$2" ] ||
		    { echo "FAIL: protoc: $count"; failed=1; }
	done
	expect "protoc: first string is empty" '^string_table: ""$' "$work/decoded"
	expect "protoc: period" '^period: 4000000$' "$work/decoded"
	grep -qE '^ *[0-9]+:' "$work/decoded" && { echo "FAIL: protoc: unknown fields"; failed=1; }

	# Fields of a foreign file that mean nothing to us are kept, also by a merge.
	cat >"$work/foreign.txt" <<-'END'
		sample_type { type: 1 unit: 2 }
		sample_type { type: 3 unit: 4 }
		sample { location_id: 1 value: 7 value: 700
		  label { key: 5 str: 6 } label { key: 7 num: 512 num_unit: 4 }
		  label { key: 8 num: 42 } }
		sample { location_id: 1 value: 5 value: 50 label { key: 5 str: 9 } }
		location { id: 1 address: 4096 line { function_id: 1 line: 3 } }
		function { id: 1 name: 10 system_name: 10 }
		string_table: ""
		string_table: "alloc_objects" string_table: "count"
		string_table: "alloc_space" string_table: "bytes"
		string_table: "request" string_table: "GET /a" string_table: "size"
		string_table: "thread_id" string_table: "GET /b" string_table: "allocate"
		string_table: "made elsewhere"
		string_table: "space" string_table: "runtime" string_table: "main"
		string_table: "https://example.org/"
		comment: 11
		period_type { type: 12 unit: 4 } period: 524288
		drop_frames: 13 keep_frames: 14 doc_url: 15
	END
	protoc --encode=perftools.profiles.Profile --proto_path="$(dirname "$proto")" \
	    "$(basename "$proto")" <"$work/foreign.txt" >"$work/foreign" || failed=1
	"$report" merge -o "$work/one.pb.gz" "$work/foreign" || failed=1
	"$report" merge -o "$work/merged.pb.gz" "$work/foreign" "$work/one.pb.gz" || failed=1
	gzip -dc "$work/merged.pb.gz" | protoc --decode=perftools.profiles.Profile \
	    --proto_path="$(dirname "$proto")" "$(basename "$proto")" >"$work/decoded"
	python3 - "$work/decoded" <<-'END' || { echo "FAIL: labels of others"; \
		cat "$work/decoded"; failed=1; }
		import re, sys
		text = open(sys.argv[1]).read()
		strings = re.findall(r'^string_table: "(.*)"$', text, re.M)
		strings_at = lambda pattern, part, flags=0: [
		    strings[int(i)] for i in re.findall(pattern, part, flags)]
		name = lambda field, part: strings_at(rf"{field}: (\d+)", part)
		samples = sorted(re.findall(r"^sample \{\n(.*?)^\}", text, re.M | re.S))
		assert len(samples) == 2, samples
		values = sorted([int(v) for v in re.findall(r"value: (\d+)", s)] for s in samples)
		assert values == [[10, 100], [14, 1400]], values
		many = max(samples, key=len)
		assert {"request", "size", "thread_id"} <= set(name("key", many)), many
		assert "GET /a" in name("str", many) and name("num_unit", many) == ["bytes"], many
		assert "num: 512" in many and "num: 42" in many, many
		kinds = re.findall(r"^sample_type \{\n(.*?)^\}", text, re.M | re.S)
		assert [name("type", k) + name("unit", k) for k in kinds] == [
		    ["alloc_objects", "count"], ["alloc_space", "bytes"]], kinds
		period = re.search(r"^period_type \{\n(.*?)^\}\nperiod: (\d+)$", text, re.M | re.S)
		assert name("type", period[1]) == ["space"], period
		assert name("unit", period[1]) == ["bytes"], period
		assert period[2] == "524288", period
		assert name(r"\ndrop_frames", text) == ["runtime"]
		assert name(r"\nkeep_frames", text) == ["main"]
		assert name(r"\ndoc_url", text) == ["https://example.org/"]
		assert "made elsewhere" in strings_at(r"^comment: (\d+)", text, re.M)
	END
else
	echo "skipped: protoc is not installed (package protobuf-compiler)"
fi

if command -v go >/dev/null; then
	done=1
	export HOME=$work PPROF_TMPDIR=$work GOFLAGS=-mod=mod GOTOOLCHAIN=local TZ=UTC
	go tool pprof -raw "$p" >"$work/raw" 2>&1 || { echo "FAIL: pprof -raw"; failed=1; }
	expect "values" '^samples/count cpu/nanoseconds' "$work/raw"
	expect "stack" '^ +25 +100000000: 3 3 3 2' "$work/raw"
	expect "labels" 'process:\[demo\] thread:\[worker\]' "$work/raw"
	expect "numbers" 'pid:\[100\] tid:\[101\]' "$work/raw"
	expect "inlined" '0x1200 M=1 helper src/inline.h:7' "$work/raw"
	expect "the real one" 'demo::compute\(int\) src/compute.cc:25 .*_ZN4demo7computeEi' \
	    "$work/raw"
	expect "mapping" '^2: 0x2000/0x3000/0x2000 /usr/lib/libfoo.so.1 bb02' "$work/raw"
	expect "command" '^Comment: sprofil command: demo --fast$' "$work/raw"
	expect "audit" '^Comment: sprofil audit: 100 samples, 248 of 250 Hz reached, cost 0.93 % of the CPU time, found 98.0 % of the expected samples, stopped for 0.62 % of the running time, lost 1$' "$work/raw"
	expect "note" '^Comment: sprofil note: made by hand$' "$work/raw"
	[ "$(grep -c '^Comment' "$work/raw")" = 3 ] || { echo "FAIL: other comments"; failed=1; }
	go tool pprof -top "$p" >"$work/top" 2>&1 || { echo "FAIL: pprof -top"; failed=1; }
	expect "leaf" '^ +200ms 49.50% .* 200ms 49.50%  helper' "$work/top"
	expect "recursion" '^ +100ms 24.75% .* 100ms 24.75%  walk' "$work/top"
	expect "callers" '^ +0 +0% .* 400ms 99.01%  main' "$work/top"
	# pprof's reports have the total of our summary.
	total=$("$report" summary --format tsv "$p" | awk -F'\t' '
	    $1 == "profiled_cpu_ns" || $1 == "unattributed_cpu_ns" { n += $2 }
	    END { printf "%.0fms", n / 1e6 }')
	expect "total of -top" "^Showing nodes accounting for $total, 100% of $total total" \
		"$work/top"
	go tool pprof -tree "$p" >"$work/tree" 2>&1 || { echo "FAIL: pprof -tree"; failed=1; }
	expect "total of -tree" "^Showing nodes accounting for $total, 100% of $total total" \
		"$work/tree"
	expect "an edge of -tree" '^ +100ms 25.00% \| +walk' "$work/tree"
	go tool pprof -top -diff_base "$p" "$p" >"$work/none" 2>&1 ||
	    { echo "FAIL: pprof -diff_base"; failed=1; }
	expect "-diff_base with itself" "^Showing nodes accounting for 0, 0% of $total total" \
		"$work/none"
	mkdir -p "$work/src" && seq 20 | sed 's/^/line /' >"$work/src/inline.h"
	go tool pprof -source_path "$work" -list helper "$p" >"$work/list" 2>&1 ||
	    { echo "FAIL: pprof -list"; failed=1; }
	expect "total of -list" "^Total: $total" "$work/list"
	expect "a line of -list" '^ +200ms +200ms +7:line 7$' "$work/list"

	# A file that pprof has rewritten: fields and ids are in another order.
	if go tool pprof -proto -output="$work/again.pb.gz" "$p" >/dev/null 2>&1; then
		"$report" --format tsv "$p" >"$work/ours" &&
		    "$report" --format tsv "$work/again.pb.gz" >"$work/theirs"
		diff -u "$work/ours" "$work/theirs" ||
		    { echo "FAIL: through pprof and back"; failed=1; }
		# pprof drops the figures of sprofil's audit. The summary then has those that follow
		# from the samples, and the report a note with the audit's text.
		for file in p again; do
			"$report" summary --format tsv "$work/$file.pb.gz" | grep -E \
'^(samples|period_ns|profiled_cpu_ns|wall_ns|unresolved_samples|processes|threads)	'
		done >"$work/figures"
		[ "$(sort "$work/figures" | uniq -c | grep -c '^ *2 ')" = 7 ] ||
		    { echo "FAIL: audit through pprof and back"; cat "$work/figures"; failed=1; }
		"$report" "$work/again.pb.gz" >"$work/again"
		expect "the line of the audit" 'note: sprofil audit: 100 samples' "$work/again"
	else
		echo "FAIL: pprof -proto"
		failed=1
	fi
else
	echo "skipped: go is not installed (package golang-go)"
fi

[ $done = 0 ] && exit 77
[ $failed = 0 ] && echo "the readers agree"
exit $failed
