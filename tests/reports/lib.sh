# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by tests of sprofreport. Each test sets $report, the program, and for same() $golden, the
# folder of the golden files. $work is a folder that is removed at the end.
set -u
export LC_ALL=C.UTF-8
unset PAGER LESS NO_COLOR COLUMNS
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# is WHAT GOT WANTED: asserts that the strings are equal
is() {
	[ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"
}

# same WHAT GOLDEN ARGS…: expects the output of the golden file, status 0, and nothing on stderr
same() {
	local what=$1 file=$2
	shift 2
	"$report" "$@" >"$work/out" 2>"$work/err" || fail "$what: status $?"
	[ -s "$work/err" ] && fail "$what: $(cat "$work/err")"
	[ "${SPROFIL_GOLDEN:-}" = write ] && cp "$work/out" "$golden/$file"
	diff -u "$golden/$file" "$work/out" || fail "$what"
}

# refused WHAT STATUS WORD ARGS…: expects STATUS, nothing on stdout, and one message with WORD
refused() {
	local what=$1 status=$2 word=$3 got
	shift 3
	timeout 20 "$report" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ $got = "$status" ] || fail "$what: status $got, not $status"
	[ -s "$work/out" ] && fail "$what: output"
	head -n1 "$work/err" | grep -q "^sprofreport: .*$word" || fail "$what: $(cat "$work/err")"
}

finish() {
	[ $failed = 0 ] && echo "all as it should be"
	exit $failed
}
