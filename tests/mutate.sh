#!/bin/sh
# SPDX-License-Identifier: MIT
# Do the tests of the calls notice broken code? Changes one operator, constant or statement at a
# time in a copy of the source, builds it, and runs the tests that guard the file, quick ones first,
# until one fails. Takes one or two seconds for a mutant that a unit test kills.
#
#	tests/mutate.sh [-u] [-s SEED/N] [FILE[:LINE[-LINE]]...]	all files of the table below
#
# -u: only unit tests, half a second a mutant; a live test may kill a mutant that survives them.
#
# -s: one of N mutants, chosen at random; the same SEED chooses the same ones.
#
# Unit tests are built with AddressSanitizer, which finds leaks and accesses beside a buffer.
# Several runs at once, with different files, do not disturb each other: each has its own copy.
#
# A mutant that no test kills must be listed in tests/mutants.txt, with the reason why it makes no
# visible difference: "file | line as it is changed | reason"; a statement that is left out is a
# comment in that line. Otherwise the status is 1. It is also 1 if a whole file was tested, and the
# list has a line of that file which is no mutant.
set -eu
unit= seed=1 one_in=1
while getopts us: option; do
	case $option in
	u) unit=yes ;;
	s) seed=${OPTARG%/*} one_in=${OPTARG#*/} ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
cd "$(dirname "$0")/.."
root=$PWD
. tests/scratch.sh

survived=0 killed=0 uncompiled=0 listed=0 stale=0
# shellcheck disable=SC2154
trap 'result=$?
	echo "$killed killed, $survived survived, $listed listed, $uncompiled not compiled"
	end_ours
	rm -rf "$work"
	exit $result' EXIT
trap 'exit 1' INT TERM HUP

# Prints the tests that guard the file $1, quick ones first.
tests_of()
{
	case $1 in
	supervisor/calls/region.c)
		echo region region_table region_aix region_random aix histogram session \
			session_end \
			session_memory live_hpux live_aix ;;
	supervisor/calls/counter.c) echo counter session session_end live_sysv live_hpux ;;
	supervisor/calls/session.c | supervisor/calls/session_ticks.c)
		echo session session_blocked session_end session_memory live_status live_options \
			live_dialects live_sysv live_aix live_life live_helper ;;
	proto/call.c) echo call protocol ;;
	client/aix.c) echo aix live_dialects live_aix ;;
	client/environment.c) echo environment live_dialects ;;
	client/dialects.c) echo dialects live_dialects live_options live_glibc live_hpux live_sysv \
		live_irix ;;
	client/off.c) echo live_off ;;
	client/options.c) echo live_options ;;
	client/monitor.c | client/monitor_file.c) echo monout live_monitor ;;
	client/all.c) echo all live_all ;;
	client/all_read.c) echo all_read live_all ;;
	client/all_symbols.c) echo all_symbols live_all ;;
	profile/monout.c) echo monout monout_read ;;
	client/status.c) echo status live_status live_off live_options ;;
	client/caller_memory.c | client/perform_call.c | client/result.c)
		echo perform_call environment live_answers live_straits live_signals live_dialects \
			live_status live_off live_irix live_life live_helper ;;
	client/converse.c)
		echo converse live_answers live_straits live_signals live_dialects live_status \
			live_off live_irix live_life live_helper ;;
	client/find.c)
		echo find live_answers live_straits live_signals live_dialects live_status \
			live_off live_irix live_life live_helper ;;
	client/start.c)
		echo live_answers live_straits live_signals live_dialects live_status live_off \
			live_irix live_life live_helper ;;
	*) return 1 ;;
	esac
}
all='proto/call.c supervisor/calls/region.c supervisor/calls/counter.c supervisor/calls/session.c
	supervisor/calls/session_ticks.c
	client/aix.c client/caller_memory.c client/perform_call.c client/result.c
	client/converse.c client/dialects.c client/environment.c
	client/find.c client/monitor.c client/monitor_file.c client/off.c client/options.c
	client/start.c client/status.c profile/monout.c
	client/all.c client/all_read.c client/all_symbols.c'

# Prints "NUMBER<TAB>LINE" for each mutant of lines $2 to $3 of the file $1.
mutants()
{
	awk -v first="$2" -v last="$3" -v seed="$seed" -v one_in="$one_in" '
	function chosen()
	{
		seed = (16807 * seed + 1) % 2147483647
		return seed % one_in == 0
	}
	function put(new) { if (new != $0 && chosen()) print NR "\t" new }
	function swap(from, to,   at) {
		at = index(code, from)
		if (at)
			put(substr(code, 1, at - 1) to substr(code, at + length(from)) rest)
	}
	function leave_out(   statement)
	{
		statement = $0
		sub(/^\t+/, "", statement)
		sub(/ *\/\*.*/, "", statement)
		put("\t; /* " statement " */")
	}
	{
		was_comment = comment
		if (/\/\*/) comment = 1
		if (/\*\//) comment = 0
	}
	NR < first || NR > last || was_comment || /^[ \t]*\/\*/ || /^#/ || /^[^\t]/ { next }
	/_Static_assert|^\tstatic const|^\t+\(void\)[a-z]+;$/ { next }
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
	/^\t+(struct|const|unsigned|u?int[0-9]*(_t)?|s?size_t|ssize_t|bool|pid_t) / { next }
	/^\t+(char|static|enum|u128) / {
		next
	}
	# a statement is left out
	/^\t+([a-z_]+[>.a-z_\[\]\/* 0-9-]*( [-+|]?= |\+\+;)|\(void\)|[a-z_]+\().*;$/ {
		leave_out()
	}
	/^\t+(break|continue);$/ { leave_out() }
	' "$root/$1" 2>/dev/null
}

git ls-files -z | xargs -0 cp --parents -t "$work"
configure()
{
	meson setup "$work/$1" "$work" -Dtests=enabled -Doptimization=0 -Ddebug=false \
		-Db_sanitize="$2" >"$work/log" || { cat "$work/log" >&2; exit 1; }
}

configure build none
configure checked address,undefined
# Prints the build target of the test $1.
target_of()
{
	case $1 in
	live_*) echo "tests/calls/$1" ;;
	*) echo "tests/unit/test_$1" ;;
	esac
}

# Prints the build folder of the test $1. Live tests are built without sanitizers, because
# LeakSanitizer cannot work in a process that is traced.
build_of()
{
	case $1 in
	live_*) echo "$work/build" ;;
	*) echo "$work/checked" ;;
	esac
}

SPROFIL_SUPERVISOR=$work/build/tools/sprofil-supervisor
SPROFIL_PROTOCOL_MD=$root/docs/PROTOCOL.md
CMOCKA_TEST_ABORT=1 # at the first failure
export SPROFIL_SUPERVISOR SPROFIL_PROTOCOL_MD CMOCKA_TEST_ABORT
ulimit -c 0

# Runs the test program $1 for at most $2 seconds. The name of the failing test within its group is
# left in $failed.
run_once()
{
	result=0
	timeout --foreground -k 1 "$2" "$1" $3 >"$work/log" 2>&1 || result=$?
	[ $result = 0 ] && return 0
	end_ours
	failed=$(awk '{ kind = $2; name = $4 }
		/^\[ *(RUN|FAILED|ERROR) *\]/ && name ~ /__/ {
			last = name
			if (kind != "RUN") exit
		}
		END { print last }' "$work/log")
	return $result
}

# Runs the test $1. A live test may fail by chance on a busy machine, so a failed one is run again,
# first alone, and then with all others, as it may depend on those before it. A test that does not
# end is not run again.
run_test()
{
	seconds=$(cat "$work/seconds.$1" 2>/dev/null || echo 120) arguments=
	[ "$1" = live_all ] && arguments=$work/build/tests/calls/libloaded.so
	program=$(build_of "$1")/$(target_of "$1") result=0
	run_once "$program" "$seconds" "$arguments" || result=$?
	case $1:$result in
	*:0 | *:124 | *:137) return $result ;;
	live_*)
		first_failed=$failed result=0
		export LIVE_FILTER="${failed:-*}"
		run_once "$program" "$seconds" "$arguments" || result=$?
		unset LIVE_FILTER
		[ $result = 0 ] || return 1
		run_once "$program" "$seconds" "$arguments" || result=$?
		[ $result = 0 ] || [ "$failed" != "$first_failed" ] || return 1 ;;
	*) return 1 ;;
	esac
}

# Runs the tests $1. 0: all pass. 1: one fails, and its name is in $killer. 2: one cannot be
# compiled.
run_tests()
{
	for test in $1; do
		more=
		case $test in live_*) more=tools/sprofil-supervisor ;; esac
		[ "$test" = live_all ] && more="$more tests/calls/libloaded.so"
		# shellcheck disable=SC2086
		ninja -C "$(build_of "$test")" "$(target_of "$test")" $more >"$work/log" 2>&1 ||
			return 2
		run_test "$test" || { killer=$test; return 1; }
	done
}

# Does the test $1 pass without a mutation? The time that it takes limits the time that it gets with
# one.
run_unchanged()
{
	[ -e "$work/seconds.$1" ] && return 0
	run_tests "$1" || run_tests "$1" || return 1
	began=$(date +%s)
	run_tests "$1" || run_tests "$1" || return 1
	echo $((5 + 4 * ($(date +%s) - began))) >"$work/seconds.$1"
}

# Prints the lines of tests/mutants.txt for the file $1 that none of its present mutants matches.
stale_of()
{
	grep -F "$1 | " "$root/tests/mutants.txt" | sed 's/^[^|]* | //; s/ | [^|]*$//' |
		while IFS= read -r text; do
			sed 's/^[0-9]*[	 ]*//' "$work/mutants" | grep -qxF -e "$text" ||
				printf '%s\n' "$text"
		done
}

for argument in ${*:-$all}; do
	file=${argument%%:*} first=1 last=1000000
	case $argument in *:*) first=${argument#*:} last=${first#*-} first=${first%-*} ;; esac
	tests=$(tests_of "$file") || { echo "$file has no tests in mutate.sh" >&2; exit 2; }
	usable=
	for test in $tests; do
		case $unit$test in yeslive_*) continue ;; esac
		if run_unchanged "$test"; then
			usable="$usable $test"
		else
			echo "$file: $test does not pass without any change, and is left out"
		fi
	done
	mutants "$file" "$first" "$last" >"$work/mutants"
	if [ "$first-$last-$one_in" = 1-1000000-1 ]; then
		stale_of "$file" >"$work/stale"
		sed "s|^|$file is listed, and no mutant any more: |" "$work/stale"
		stale=$((stale + $(wc -l <"$work/stale")))
	fi
	n=$(wc -l <"$work/mutants") i=0
	while [ $i -lt "$n" ]; do
		i=$((i + 1))
		number=$(sed -n "${i}s/	.*//p" "$work/mutants")
		line=$(sed -n "${i}s/^[0-9]*	//p" "$work/mutants")
		LINE=$line awk -v n="$number" 'NR == n { print ENVIRON["LINE"]; next } { print }' \
			"$root/$file" >"$work/$file"
		status=0
		run_tests "$usable" || status=$?
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
[ $survived = 0 ] && [ $stale = 0 ]
