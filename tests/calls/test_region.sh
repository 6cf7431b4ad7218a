#!/bin/sh
# SPDX-License-Identifier: MIT
# sprofrun --region and --histogram: the supervisor itself keeps counters for a program that makes
# no calls. How many ticks there are is judged in the truth suite only, which sets TRUTH.
# test_region.sh SPROFRUN SPIN-AT
set -eu
sprofrun=$(realpath "$1") target=$(realpath "$2")
work=$(mktemp -d) || exit 1
export TMPDIR="$work" # for what finds no place elsewhere
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
	echo "$*" >&2
	cat h.tsv >&2
	exit 1
}

# Prints the sum of the counts of an object, in ticks of 10 ms.
sum()
{
	awk -F '\t' -v object="$1" 'NR > 1 && $1 == object { n += $4 } END { print n + 0 }' h.tsv
}

between()
{
	[ -z "${TRUTH:-}" ] || [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] ||
		fail "$4: $1 is not between $2 and $3"
}

module=$(basename "$target")
size=$(nm -S "$target" | awk '$4 == "hot_function" { print "0x" $1, "0x" $2 }')
start=${size% *} bytes=${size#* }
end=$(printf '0x%x' $((start + bytes)))
"$sprofrun" -q -i 10ms -o p.pb.gz --histogram h.tsv \
	--region "$module:$start-$end:0x10000:uint64" \
	--region "abs:0x10000000-0x10000010:0x8000:ushort" \
	--region "no-such-module:0x0-0x10:0x8000" --region abs:0-0:2 "$target" 500 2>err
grep -q "no module 'no-such-module' was seen" err ||
    fail "no word about a module that was not there"
[ "$(wc -l <err)" = 1 ] || fail "more than one message: $(cat err)"

head -n 1 h.tsv | grep -q '^object	start	end	count$' || fail "no heading"
# Two processes of 0.5 s each: n = 100 ticks. They share the CPUs with each other and with
# sprofrun's processes, and get three quarters of a CPU at least (share). Five standard deviations,
# 5 sqrt(n (1 - share)) (docs/SAMPLING.md), are 25.
[ "$(sum abs)" -gt 0 ] || fail "no tick at the jump to itself"
between "$(sum abs)" 75 125 "at the jump to itself"
grep -q "^abs	0x10000008	0x1000000c	" h.tsv || fail "not in the counter of 0x10000008"
[ "$(grep -c '^abs' h.tsv)" = 1 ] || fail "more than one counter"
hot=$(sum "$module")
[ "$hot" -gt 0 ] || fail "hot_function has no ticks"
between "$hot" 10 100000 "in hot_function"
[ "$(sum no-such-module)" = 0 ] || fail "counts for what is not there"
# few ticks are outside of all regions
between "$(sum '[overflow]')" 0 15 "elsewhere"

for bad in "" x abs:1-2 abs:2-1:0x8000 abs:1-2:1 abs:1-2:3:byte :1-2:3 \
	abs:1-0x7fffffffffffffff:0x10000; do
	if "$sprofrun" --histogram h.tsv --region "$bad" true 2>err; then
		fail "'$bad' was taken"
	fi
	[ -s err ] || fail "'$bad': no word"
done
if "$sprofrun" --histogram h.tsv --region abs:0-0:2 --region abs:1-9:0x8000 true 2>err; then
	fail "a bin that is not last was taken"
fi
# A bad file name is refused before the command runs, and no file is changed.
for bad in "" - . no/such/folder; do
	for option in --histogram --capture; do
		if "$sprofrun" --region abs:0-0:2 --histogram h.tsv $option \
			"$bad" touch ran 2>err || [ -e ran ]; then
			fail "$option '$bad' was taken"
		fi
		[ "$(wc -l <err)" = 1 ] || fail "$option '$bad': $(cat err)"
	done
done
head -n 1 h.tsv | grep -q '^object' || fail "the old histogram is gone"
# If the command cannot begin, the old histogram stays.
echo kept >h.tsv
for what in "no-such-command" "-p 999999999"; do
	# shellcheck disable=SC2086
	"$sprofrun" --region abs:0-0:2 --histogram h.tsv -o q.pb.gz $what 2>err &&
		fail "$what: it ran"
	[ "$(cat h.tsv)" = kept ] || fail "$what: the histogram is gone"
done
"$sprofrun" -q --region abs:0-0:2 --histogram h.tsv -o q.pb.gz true
head -n 1 h.tsv | grep -q '^object' || fail "no histogram"
echo "hot_function $hot, all good"
