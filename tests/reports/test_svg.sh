#!/bin/bash
# SPDX-License-Identifier: MIT
# The flame graph in other readers: XML parsers, and with the argument "browser" a headless browser
# that searches and zooms it (flame_probe.js).
# Usage: test_svg.sh SPROFREPORT MAKE_STACKS PROBE [browser]; pictures go to $SVG_PICTURES if set.
. "$(dirname "$0")/lib.sh"
report=$1 make=$2 probe=$3

for kind in stacks hostile deep empty large; do
	"$make" $kind "$work/$kind.pb.gz" &&
		"$report" export --split none -o "$work/$kind.svg" "$work/$kind.pb.gz" ||
		fail "export $kind"
done
"$report" export --icicle --split thread -o "$work/icicle.svg" "$work/stacks.pb.gz" || fail "icicle"
"$report" export --bottom-up -o "$work/bottom.svg" "$work/stacks.pb.gz" || fail "bottom-up"

parsers=0
for svg in "$work"/*.svg; do
	if command -v xmllint >/dev/null; then
		parsers=1
		xmllint --noout --nonet "$svg" || fail "xmllint: $svg"
	fi
	if command -v python3 >/dev/null; then
		parsers=1
		python3 -c 'import sys, xml.parsers.expat
xml.parsers.expat.ParserCreate().ParseFile(open(sys.argv[1], "rb"))' "$svg" || fail "expat: $svg"
	fi
	# Nothing is loaded: the only addresses are names of XML languages.
	grep -oE '[a-z]+://[^"'\'' ]*' "$svg" |
	    grep -vE '^http://www\.w3\.org/(2000/svg|1999/xhtml)$' &&
		fail "address in $svg"
	grep -qE '(href|src|url)[=(]' "$svg" && fail "reference in $svg"
done
[ $parsers = 1 ] || echo "skipped: neither xmllint (libxml2-utils) nor python3"

if [ "${4-}" != browser ]; then
	finish
fi
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
	echo "skipped: no browser (package chromium)"
	[ $failed = 0 ] && exit 77
	exit 1
fi

command -v python3 >/dev/null || {
	echo "skipped: no python3 to ask the browser with"
	[ $failed = 0 ] && exit 77
	exit 1
}
coproc BROWSER { exec python3 "$(dirname "$0")/browser.py" "$browser" "$work/browser"; }

ask() { # ORDER URL FILE
	local answer=
	echo "$*" >&"${BROWSER[1]}"
	read -r -t 120 answer <&"${BROWSER[0]}"
	[ "$answer" = "done" ] || fail "$*: $answer $(tail -n3 "$work/browser/log")"
}

# Makes a picture of the graph KIND in the state given by the URL's fragment.
picture() { # KIND NAME STATE
	ask picture "file://$work/$1.svg#$3" "$work/$2.png"
	[ "$(head -c 4 "$work/$2.png" | tail -c 3)" = PNG ] || fail "no picture $2"
	[ -n "${SVG_PICTURES:-}" ] && cp "$work/$2.png" "$SVG_PICTURES"
}

# Opens the graph KIND in the browser, together with the script flame_probe.js. Writes what the
# script has found to $work/seen, in lines "step=value".
use() { # KIND
	{
		sed '/^<title>/,$d' "$work/$1.svg"
		echo '<script>window.bad = [];'
		echo 'window.alert = function (x) { window.bad.push("alert " + x); };'
		echo 'window.onerror = function (x) { window.bad.push(String(x)); };</script>'
		sed -n '/^<title>/,$p' "$work/$1.svg" | sed '$d'
		echo '<script><![CDATA['
		cat "$probe"
		echo ']]></script></svg>'
	} >"$work/probed.svg"
	ask dom "file://$work/probed.svg" "$work/dom"
	head -c 20000 "$work/dom" | grep -oE 'data-probe-[a-z-]+="[^"]*"' |
		sed 's/^data-probe-//; s/="/=/; s/"$//' >"$work/seen"
	[ -s "$work/seen" ] ||
	    fail "$1: the browser has seen nothing: $(tail -n3 "$work/browser/log")"
}

expect() { # STEP=VALUE…
	local line
	for line; do
		grep -qxF -- "$line" "$work/seen" ||
			fail "expected $line, seen $(grep -F -- "${line%%=*}=" "$work/seen")"
	done
}

# Counted by hand in tests/unit/stacks_fixture.h: 95 of the 146 ms are in or below lex and eval.
# These are 6 frames: lex, three of eval below main, and two below start_thread. libc has two
# frames, start_thread with 27 ms, and read inside of it.
use stacks
expect frames=21 too-long=0 root-margin=20 bad=nothing \
	"search=found 65.1 %, 95 samples, in 6 frames" hits=6 "hash=#q=eval%7CLEX" \
	slash=true next=lex next-again=eval "half-typed=found 1.4 %, 0 samples, in 1 frame" \
	"not-found=not found" "cleared=|0" "object=found 18.5 %, 27 samples, in 2 frames" \
	"zoom=all main fib fib fib" zoom-margin=0 unzoom=21 up=main right=start_thread \
	"enter=all start_thread work eval apply eval read" reset=21 above=true flipped=true \
	"from-hash=found 8.2 %, 12 samples, in 1 frame|14"
grep -q '^status=fib .*/opt/app .*17.1 ' "$work/seen" || fail "$(grep ^status= "$work/seen")"

# Names stay text: there are no other elements than ours, and no other scripts than ours and the two
# of this test.
use hostile
expect bad=nothing scripts=3 too-long=0 \
	"elements=button div foreignObject g input output rect script style text title"

use deep
expect frames=3 bad=nothing
use empty
expect frames=0 bad=nothing
grep -q '>no samples</text>' "$work/empty.svg" || fail "empty says nothing"
use large
expect too-long=0 bad=nothing
[ "$(sed -n 's/^labels=//p' "$work/seen")" -ge 50 ] || fail "large: $(grep ^labels "$work/seen")"

picture stacks stacks ""
picture stacks search "q=eval"
picture icicle icicle ""
picture hostile hostile ""
picture large large ""
picture large zoom "z=4"

browser_pid=$BROWSER_PID # it goes with the process
exec {BROWSER[1]}>&-
wait "$browser_pid"
finish
