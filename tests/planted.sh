#!/bin/sh
# SPDX-License-Identifier: MIT
# Do the hermetic tests notice faults in the code that acts on the kernel? Plants the faults of
# planted.txt, one at a time, in a copy of the source, builds the tests on the scripted kernel, and
# runs them until one fails. Prints which test found each fault; the status is 1 if fewer than nine
# in ten are found, or if a fault cannot be planted any more.
#
#	tests/planted.sh [NUMBER...]
set -eu
cd "$(dirname "$0")/.."
root=$PWD
. tests/scratch.sh
# shellcheck disable=SC2154
trap 'result=$?; rm -rf "$work"; exit $result' EXIT
trap 'exit 1' INT TERM HUP
ulimit -c 0
export CMOCKA_TEST_ABORT=1

git ls-files -z | xargs -0 cp --parents -t "$work"
meson setup "$work/build" "$work" -Dtests=enabled -Doptimization=1 -Ddebug=false >"$work/log" || {
	cat "$work/log" >&2
	exit 1
}
tests="unit/test_tracee $(cd tests && echo kernel/test_*.c)"
targets=
for test in $tests; do
	targets="$targets tests/${test%.c}"
done

# Builds and runs the tests. $found: the test that failed; empty if all pass.
run_tests()
{
	found=
	# shellcheck disable=SC2086
	if ! ninja -C "$work/build" $targets >"$work/log" 2>&1; then
		tail -5 "$work/log"
		echo "it does not compile" >&2
		exit 1
	fi
	for test in $targets; do
		timeout 120 "$work/build/$test" >"$work/log" 2>&1 && continue
		found=${test##*/}.$(sed -n 's/^\[ RUN *\] //p' "$work/log" | tail -1)
		return
	done
}

tab=$(printf '\t')
found_n=0 all=0 stale=0
run_tests
[ -z "$found" ] || { echo "$found fails without any fault" >&2; exit 1; }
while IFS="$tab" read -r number file what from to; do
	case $number in '#'* | '') continue ;; esac
	case " $* " in "  " | *" $number "*) ;; *) continue ;; esac
	all=$((all + 1))
	if ! python3 - "$root/$file" "$work/$file" "$from" "$to" <<-'P'
		import sys
		source, to, old, new = sys.argv[1:]
		text = open(source).read()
		old, new = (s.replace("\\n", "\n").replace("\\t", "\t") for s in (old, new))
		if text.count(old) != 1:
		    sys.exit(f"{source}: {text.count(old)} times: {old}")
		open(to, "w").write(text.replace(old, new))
	P
	then
		stale=$((stale + 1))
		continue
	fi
	run_tests
	cp "$root/$file" "$work/$file"
	if [ -n "$found" ]; then
		found_n=$((found_n + 1))
		echo "$number $what: $found"
	else
		echo "$number $what: NOT FOUND"
	fi
done <tests/planted.txt
echo "$found_n of $all found, $stale do not apply"
[ $stale = 0 ] && [ $((found_n * 20)) -ge $((all * 18)) ]
