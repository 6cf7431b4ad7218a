#!/bin/sh
# SPDX-License-Identifier: MIT
# The files that monitor(3) writes: gmon.out for gprof, mon.out for sprofreport. The reports contain
# every tick that was counted, three quarters of them in often(). How many are in often() is judged
# in the truth suite only, which sets TRUTH: of some 80 ticks, binomially distributed at worst, less
# than half or more than 95 % are in often() in less than one of a million runs.
#
#	test_monitor.sh SPROFREPORT PROGRAM...
set -eu
report=$(realpath "$1")
shift
work=$(mktemp -d) || exit 1
export TMPDIR="$work" # for what finds no place elsewhere
trap 'rm -rf "$work"' EXIT
start=$PWD
cd "$work"

fail()
{
	echo "$*" >&2
	exit 1
}

# Compares $1, the ticks counted, with $2, "often seldom all" of a report; $3 names the report.
compare()
{
	# shellcheck disable=SC2086
	echo "$3: counted $1, in often, seldom and all: $2"
	echo "$1 $2" | awk -v truth="${TRUTH:-}" '{ exit !($1 > 0 && $1 == $4 && (!truth ||
		$1 >= 30 && $2 >= 0.5 * $4 && $2 <= 0.95 * $4 && $3 > 0)) }' || fail "$3: wrong"
}

sum()
{
	awk '{ n += $1 } END { print n + 0 }'
}

for program; do
	program=$(cd "$start" && realpath "$program")
	name=$(basename "$program")
	counted=$("$program" mon | sum)
	"$report" flat --format tsv --program "$program" mon.out >flat.tsv
	compare "$counted" "$(awk -F'\t' 'NR > 1 { all += $1; of[$5] += $1 }
		END { print of["often"] + 0, of["seldom"] + 0, all }' flat.tsv)" "$name mon.out"

	if command -v gprof >/dev/null; then
		counted=$("$program" gmon | sum)
		gprof -b -p "$program" gmon.out >flat.txt
		# lines "% time  cumulative  self  name", with times in seconds of 100 ticks each
		compare "$counted" "$(awk '$1 + 0 > 0 { all += $3; of[$NF] += $3 }
			END { printf "%.0f %.0f %.0f",
				of["often"] * 100, of["seldom"] * 100, all * 100 }' \
			flat.txt)" "$name gmon.out"
	else
		echo "no gprof: its part is skipped"
	fi
done

# The variables that say where the files are written.
mkdir d
rm -f mon.out gmon.out
PROFDIR=d "$program" mon 0.1 >/dev/null
[ "$(echo d/*."$name")" != "d/*.$name" ] && [ ! -e mon.out ] || fail "PROFDIR: $(ls . d)"
PROFDIR='' "$program" mon 0.1 >/dev/null
[ ! -e mon.out ] || fail "PROFDIR is empty, and there is a mon.out"
GMON_OUT_PREFIX=d/g "$program" gmon 0.1 >/dev/null
[ "$(echo d/g.*)" != 'd/g.*' ] && [ ! -e gmon.out ] || fail "GMON_OUT_PREFIX: $(ls . d)"

# A file that is no mon.out, or that of another program, is refused with the reason.
refused()
{
	if "$report" flat --program "$1" "$2" >out 2>&1; then
		fail "$2 with $1 is not refused"
	fi
	grep -q "$3" out || fail "$2 with $1: $(cat out)"
}
mv d/*."$name" mon.out
refused "$program" "$program" 'no mon.out'
refused mon.out mon.out 'no ELF file'
refused /nonexistent mon.out 'No such file'
head -c 20 mon.out >short
refused "$program" short 'too short'
head -c 40 mon.out >short
refused "$program" short 'middle of its c.*; copy it again'
head -c -1 mon.out >short
refused "$program" short 'middle of its counters; copy it again'
# a mon.out with both addresses 16 TiB higher
{
	head -c 5 mon.out
	printf '\20'
	head -c 13 mon.out | tail -c 7
	printf '\20'
	tail -c +15 mon.out
} >far
refused "$program" far 'another program'
echo "all good"
