#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Names random addresses of a file with DWARF and compares names, lines and time with
# addr2line -f -i in the same run.
# usage: bench/symbolize.sh BUILD-FOLDER [FILE [NUMBER-OF-ADDRESSES]]
# FILE defaults to the debug build of libpython3.11 (package libpython3.11-dbg).
set -eu
bench=$1/bench/symbolize_bench
file=${2:-$(find /usr/lib -name 'libpython3.11d.so.1.0' 2>/dev/null | head -1)}
n=${3:-20000}
if [ ! -f "$file" ]; then
	echo "no file to read: install libpython3.11-dbg, or name one" >&2
	exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Always the same addresses: a linear congruential generator over .text.
readelf -SW "$file" | sed 's/\[ */[/' |
	awk '$2 == ".text" { print "0x" $4, "0x" $6 }' | head -1 | {
	read -r begin bytes
	state=12345
	for ((i = 0; i < n; i++)); do
		state=$(((state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff))
		printf '0x%x\n' $((begin + (state >> 20) % bytes))
	done
} >"$work/addresses"

seconds() {
	local begin=$EPOCHREALTIME
	"$@"
	local end=$EPOCHREALTIME
	awk -v a="${begin/,/.}" -v b="${end/,/.}" 'BEGIN { printf "%.3f\n", b - a }' \
	    >"$work/seconds"
}
theirs() { addr2line -a -f -i -e "$file" <"$work/addresses" >"$work/theirs"; }
ours() { "$bench" -c "$file" <"$work/addresses" >"$work/ours"; }

echo "$file, $n addresses in .text; whole processes, in seconds"
best() { sort -n "$1" | head -1; }
for round in 1 2 3 4 5; do
	seconds theirs
	cat "$work/seconds" >>"$work/times.theirs"
	seconds ours
	cat "$work/seconds" >>"$work/times.ours"
done
echo "addr2line -a -f -i: $(tr '\n' ' ' <"$work/times.theirs")"
echo "symbolizer:         $(tr '\n' ' ' <"$work/times.ours")"
awk -v t="$(best "$work/times.theirs")" -v o="$(best "$work/times.ours")" \
	'BEGIN { printf "best of five: %.2f times the time of addr2line\n", o / t }'
"$bench" -t "$file" <"$work/addresses" 2>&1 >/dev/null | sed 's/^/inside one process: /'

# Makes one line for each address, without addr2line's discriminators and gcc's marks of clones.
records() {
	sed -e 's/ (discriminator [0-9]*)//' -e 's/:?$/:0/' \
		-e 's/\.\(cold\|part\.[0-9]*\|constprop\.[0-9]*\|isra\.[0-9]*\)*$//' "$1" |
		awk '/^0x/ { if (r) print r; r = $0; next } { r = r " | " $0 } END { print r }'
}
records "$work/theirs" >"$work/want"
records "$work/ours" >"$work/got"
echo "frames: addr2line $(grep -c -v '^0x' "$work/theirs" | awk '{ print $1 / 2 }')," \
	"symbolizer $(grep -c -v '^0x' "$work/ours" | awk '{ print $1 / 2 }')"
paste -d'\n' "$work/want" "$work/got" |
	awk 'NR % 2 { want = $0; next }
	    want != $0 { print "addr2line:  " want; print "symbolizer: " $0 }' \
		>"$work/differences"
echo "differences: $(($(wc -l <"$work/differences") / 2)) of $n"
cat "$work/differences"
