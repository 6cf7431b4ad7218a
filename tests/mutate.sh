#!/bin/sh
# SPDX-License-Identifier: MIT
# Do the tests of the calls see that the code is broken? Changes one operator, constant or statement
# at a time in a copy of the source, builds, and runs the tests that guard the file until one fails.
# Long: some seconds a mutant.
#
#	tests/mutate.sh [FILE[:LINE[-LINE]]...]		all files of the table below
#
# A mutant that no test kills must stand in tests/mutants.txt with the reason why nobody could tell:
# "file | line as it is changed | reason". Otherwise the status is 1.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Tests that guard a file: quick ones first.
tests_of()
{
	case $1 in
	supervisor/calls/region.c) echo region aix histogram live_hpux live_aix ;;
	supervisor/calls/counter.c) echo counter live_hpux live_sysv ;;
	supervisor/calls/session.c)
		echo live_status live_dialects live_sysv live_aix live_irix live_life ;;
	proto/call.c) echo call protocol ;;
	client/aix.c) echo aix live_dialects live_aix ;;
	client/environment.c) echo environment live_dialects ;;
	client/dialects.c) echo live_dialects live_hpux live_irix live_glibc live_sysv ;;
	client/off.c) echo live_off ;;
	client/monitor.c | client/monitor_file.c) echo monout live_monitor ;;
	profile/monout.c) echo monout ;;
	client/status.c) echo live_status ;;
	client/call.c | client/converse.c | client/find.c | client/start.c)
		echo environment live_dialects live_status live_off live_irix live_life ;;
	*) return 1 ;;
	esac
}
all='proto/call.c supervisor/calls/region.c supervisor/calls/counter.c supervisor/calls/session.c
	client/aix.c client/call.c client/converse.c client/dialects.c client/environment.c
	client/find.c client/monitor.c client/monitor_file.c client/off.c client/start.c
	client/status.c profile/monout.c'

# "NUMBER<TAB>LINE" for each mutant of the file $1, lines $2 to $3.
mutants()
{
	awk -v first="$2" -v last="$3" '
	function put(new) { if (new != $0) print NR "\t" new }
	function swap(from, to,   at) {
		at = index(code, from)
		if (at)
			put(substr(code, 1, at - 1) to substr(code, at + length(from)) rest)
	}
	{
		was_comment = comment
		if (/\/\*/) comment = 1
		if (/\*\//) comment = 0
	}
	NR < first || NR > last || was_comment || /^[ \t]*\/\*/ || /^#/ || /^[^\t]/ { next }
	/_Static_assert|^\tstatic const/ { next }
	{
		at = index($0, "/*")
		code = at ? substr($0, 1, at - 1) : $0
		rest = at ? substr($0, at) : ""
		swap(" < ", " <= "); swap(" <= ", " < "); swap(" > ", " >= "); swap(" >= ", " > ")
		swap(" == ", " != "); swap(" != ", " == ")
		swap(" && ", " || "); swap(" || ", " && ")
		swap(" + ", " - "); swap(" - ", " + "); swap(" << ", " >> "); swap(" >> ", " << ")
		swap(" += ", " -= "); swap(" -= ", " += "); swap(" |= ", " &= "); swap("++", "--")
		swap(" = true;", " = false;"); swap(" = false;", " = true;")
		swap("return true;", "return false;"); swap("return false;", "return true;")
		swap("(!", "("); swap(" !", " "); swap(" 1)", " 2)"); swap(" 0)", " 1)")
		swap("-EINVAL", "-EPERM"); swap("-EFAULT", "-EPERM"); swap("-E2BIG", "-EPERM")
		swap("return 0;", "return -EPERM;")
	}
	/^\t+(struct|const|unsigned|u?int[0-9]*(_t)?|s?size_t|ssize_t|bool|pid_t|char|static|enum|u128) / {
		next
	}
	# a statement is left out
	/^\t+([a-z_]+[>.a-z_\[\]\/* 0-9-]*( [-+|]?= |\+\+;)|\(void\)|[a-z_]+\().*;$/ {
		left_out = $0
		sub(/[^\t].*/, ";", left_out)
		put(left_out)
	}
	/^\t+(break|continue);$/ { left_out = $0; sub(/[^\t].*/, ";", left_out); put(left_out) }
	' "$root/$1" 2>/dev/null
}

git ls-files -z | xargs -0 cp --parents -t "$work"
meson setup "$work/build" "$work" -Dtests=enabled -Doptimization=1 >/dev/null
# What the tests of a file are built from.
target_of()
{
	case $1 in
	live_*) echo "tests/calls/$1" ;;
	protocol) echo tests/calls/test_protocol ;;
	*) echo "tests/unit/test_$1" ;;
	esac
}
SPROFIL_SUPERVISOR=$work/build/tools/sprofil-supervisor
SPROFIL_PROTOCOL_MD=$root/docs/PROTOCOL.md
ASAN_OPTIONS=detect_leaks=0
export SPROFIL_SUPERVISOR SPROFIL_PROTOCOL_MD ASAN_OPTIONS

# A live test may fail by chance on a busy machine: it is run again before that is believed.
run_test()
{
	result=0
	timeout -k 5 60 "$1" >"$work/log" 2>&1 || result=$?
	case $1:$result in
	*:0 | *:124 | *:137) return $result ;;
	*/live_*) timeout -k 5 60 "$1" >"$work/log" 2>&1 ;;
	*) return 1 ;;
	esac
}

# 0: all pass. 1: one fails, its name is in $killer. 2: it cannot be compiled.
run_tests()
{
	for test in $1; do
		target=$(target_of "$test")
		ninja -C "$work/build" "$target" tools/sprofil-supervisor >"$work/log" 2>&1 || return 2
		run_test "$work/build/$target" || { killer=$test; return 1; }
	done
}

survived=0 killed=0 uncompiled=0 listed=0
for argument in ${*:-$all}; do
	file=${argument%%:*} first=1 last=1000000
	case $argument in *:*) first=${argument#*:} last=${first#*-} first=${first%-*} ;; esac
	tests=$(tests_of "$file") || { echo "$file has no tests in mutate.sh" >&2; exit 2; }
	run_tests "$tests" || run_tests "$tests" || { echo "$file: $killer fails without any change" >&2; exit 2; }
	mutants "$file" "$first" "$last" >"$work/mutants"
	n=$(wc -l <"$work/mutants") i=0
	while [ $i -lt "$n" ]; do
		i=$((i + 1))
		number=$(sed -n "${i}s/	.*//p" "$work/mutants")
		line=$(sed -n "${i}s/^[0-9]*	//p" "$work/mutants")
		LINE=$line awk -v n="$number" 'NR == n { print ENVIRON["LINE"]; next } { print }' \
			"$root/$file" >"$work/$file"
		status=0
		run_tests "$tests" || status=$?
		case $status in
		0)
			text=$(printf '%s' "$line" | sed 's/^[	 ]*//')
			if grep -qF "$file | $text |" "$root/tests/mutants.txt"; then
				listed=$((listed + 1))
			else
				survived=$((survived + 1))
				echo "$file:$number survives: $text"
			fi ;;
		1) killed=$((killed + 1)) ;;
		2) uncompiled=$((uncompiled + 1)) ;;
		esac
	done
	cp "$root/$file" "$work/$file"
done
echo "$killed killed, $survived survived, $listed listed, $uncompiled not compiled"
[ $survived = 0 ]
