#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Names every address of small programs, built in many ways, and compares with addr2line and nm.
# Usage: test_symbolize.sh --build SHAPES: builds the programs into SHAPES; the build does it once
#        test_symbolize.sh SYMBOLIZE_BENCH SHAPES: compares; a program that the tools here could not
#            build is skipped, with the reason
set -u
if [ "$1" = --build ]; then
	bench=true
	rm -rf "$2"
	mkdir -p "$2"
else
	bench=$(realpath "$1")
fi
shapes=$(realpath "$2")
work=$(mktemp -d) || exit 1
test -n "${KEEP-}" || trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 passed=0 skipped=0

ok() { passed=$((passed + 1)); echo "ok: $1"; }
bad() { failed=$((failed + 1)); echo "NOT OK: $1"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $1: $2"; }
have() { command -v "$1" >/dev/null 2>&1; }

cat >a.c <<'C'
#ifdef BARE
int puts(const char *);
unsigned long strlen(const char *);
#else
#include <stdio.h>
#include <string.h>
#endif
#include "a.h"
volatile int sink;
static int leaf(int n) { return sink += n; }
static inline __attribute__((always_inline)) int middle(int n)
{
	int sum = leaf(n);
	if (n > 2)
		sum += header_leaf(sum);
	return sum;
}
__attribute__((noinline)) int outer(int n)
{
	int sum = middle(n);
	for (int i = 0; i < n; i++)
		sum += middle(i);
	return sum;
}
__attribute__((noinline, cold)) static void rare(const char *text) { puts(text); }
int main(int argc, char **argv)
{
	if (argc > 3)
		rare(argv[1]);
	return outer(argc) + (int)strlen(argv[0]) > 1000;
}
C
cat >a.h <<'C'
extern volatile int sink;
static inline __attribute__((always_inline)) int header_leaf(int n)
{
	sink -= n;
	return sink * 2;
}
C
cat >b.cc <<'C'
#include <algorithm>
#include <string>
#include <vector>
namespace space {
struct thing {
	int n;
	__attribute__((noinline)) int act(int m) { return n += m; }
	int inlined(int m) const { return n * m + helper(m); }
	static int helper(int m) { volatile int v = m; return v; }
};
template <class T> __attribute__((noinline)) T twice(const T &t) { return t + t; }
}
namespace { __attribute__((noinline)) int hidden(int n) { volatile int v = n; return v; } }
int main(int argc, char **argv)
{
	std::vector<std::string> words(argv, argv + argc);
	space::thing t{argc};
	std::sort(words.begin(), words.end());
	auto lambda = [&](int n) __attribute__((noinline)) { return t.act(n) + hidden(n); };
	struct local {
		__attribute__((noinline)) int method(int n) { volatile int v = n; return v * 3; }
	};
	return local().method(argc) + (int)space::twice(words[0]).size() +
		t.inlined(lambda(argc)) + space::twice(argc) > 9999;
}
C
cat >c.cc <<'C'
volatile int sink;
#define INLINED __attribute__((always_inline))
namespace space {
namespace { INLINED inline int hidden(int n) { return sink + n; } }
struct thing {
	template <class F> INLINED int each(F f, int n) { return f(n) + f(sink) + hidden(n); }
	int run(int n);
};
int thing::run(int n)
{
	return each([](int m) INLINED {
		return [m](int k) INLINED { return sink - k * m; }(sink); }, n);
}
}
int main(int argc, char **)
{
	return space::thing().run(argc) + [](int n) INLINED { return n + sink; }(argc) > 99;
}
C

# Prints an address for every four bytes of .text; some lie inside of an instruction, which does no
# harm.
addresses() {
	readelf -SW "$1" | sed 's/\[ */[/' | awk '$2 == ".text" { print $4, $6 }' | {
		read -r begin bytes
		for ((at = 0x$begin; at < 0x$begin + 0x$bytes; at += 4)); do
			printf '0x%x\n' $at
		done
	}
}

# Makes addr2line's output comparable: the form of addresses, "?" for an unknown line,
# discriminators.
plain() { sed -e 's/^0x0*/0x/' -e 's/ (discriminator [0-9]*)//' -e 's/:?$/:0/'; }

# Joins the frames of each address to one line.
records() { awk '/^0x/ { if (r) print r; r = $0; next } { r = r " | " $0 } END { print r }'; }

# Prints differences between two files of records that matter. symbols.txt has the symbols
# ("0xaddress name"). addr2line stretches symbols over the padding after a function, and without
# line information guesses a file from the symbol table: there our output may have nothing. Of
# several names for an address it may print another one.
differences() {
	paste -d'\n' "$1" "$2" | awk -F' [|] ' '
		FILENAME != "-" { split($0, symbol, " "); at[symbol[2]] = symbol[1]; next }
		FNR % 2 { want = $0; name = $2; line = $3; frames = NF; next }
		want == $0 { next }
		frames == 3 && NF == 3 &&
			($2 == name || $2 == "??" || (at[$2] && at[$2] == at[name])) &&
			($3 == line || line ~ /:0$/ && $3 ~ /:0$/) { next }
		{ print "want " want; print "got  " $0 }' symbols.txt -
}

# compare NAME FILE [DEBUG-FILE]: compares all frames, names and lines of every address with
# addr2line
compare() {
	local clones='s/\.\(cold\|part\.[0-9]*\|constprop\.[0-9]*\|isra\.[0-9]*\)*$//'
	addresses "$2" >addresses.txt
	addr2line -a -f -i -e "${3:-$2}" <addresses.txt | plain | sed "$clones" | records >want.txt
	"$bench" -c -d "$work/debug" "$2" <addresses.txt | plain | sed "$clones" | records >got.txt
	nm "${3:-$2}" | awk 'NF == 3 { sub(/@.*/, "", $3); print "0x" $1, $3 }' >symbols.txt
	differences want.txt got.txt >differences.txt
	if [ "$(wc -l <addresses.txt)" -gt 20 ] && [ "$(grep -c '\(a\.c\|b\.cc\):[1-9]' got.txt)" \
	    -gt 10 ] &&
		[ ! -s differences.txt ]
	then ok "$1 ($(wc -l <addresses.txt) addresses)"
	else bad "$1"; head -20 differences.txt; fi
}

# build NAME COMPILER FLAGS...: builds out/NAME, or skips and fails. With --build it always fails,
# so that nothing is compared.
build() {
	local name=$1
	shift
	mkdir -p out
	if [ "$bench" = true ]; then
		"$@" -o "$shapes/$name" 2>build.log || head -1 build.log >"$shapes/$name.why"
		return 1
	fi
	cp "$shapes/$name" "out/$name" 2>/dev/null && return 0
	skip "$name" "$* fails: $(cat "$shapes/$name.why")"
	return 1
}

for version in 4 2 3 5; do
	for optimize in -O0 -O2; do
		name=gcc-dwarf$version$optimize
		build $name gcc -gdwarf-$version $optimize a.c && compare $name out/$name
	done
	if have clang; then
		name=clang-dwarf$version-O2
		# binutils before 2.41 cannot read clang's DWARF 5: compare with the same code built
		# with DWARF 4.
		twin=out/$name
		[ $version = 5 ] && twin=out/clang-dwarf4-O2
		build $name clang -gdwarf-$version -O2 a.c && compare $name out/$name $twin
	else
		skip clang-dwarf$version "no clang"
	fi
done
build non-pie gcc -g -O2 -no-pie a.c && compare non-pie out/non-pie
build static gcc -g -O2 -static a.c && compare static out/static
build static-pie gcc -g -O2 -static-pie a.c && compare static-pie out/static-pie
build shared gcc -g -O2 -shared -fPIC a.c && compare shared out/shared
build sections gcc -g -O2 -ffunction-sections -Wl,--gc-sections a.c && compare sections out/sections
build gz gcc -gdwarf-5 -O2 -gz a.c && compare gz out/gz out/gcc-dwarf5-O2
build gz-gnu gcc -gdwarf-5 -O2 -gz=zlib-gnu a.c && compare gz-gnu out/gz-gnu out/gcc-dwarf5-O2
# libelf before 0.189 cannot read zstd: the message must say that, not that debug information is
# missing.
if build zstd gcc -gdwarf-5 -O2 a.c; then
	if ! objcopy --compress-debug-sections=zstd out/zstd 2>/dev/null; then
		skip zstd "objcopy knows no zstd"
	elif "$bench" -s out/zstd <addresses.txt | grep -q '^problem: .*compressed in a way'; then
		ok "zstd: what cannot be read"
	else
		compare zstd out/zstd out/gcc-dwarf5-O2
	fi
fi
# In DWARF 5, binutils up to 2.40 begin each sequence with file 0; the standard says file 1.
build lto gcc -gdwarf-4 -O2 -flto a.c && compare lto out/lto
# libdwarf up to 0.4 also begins sequences with file 0, which is "<artificial>" in this program.
build lto5 gcc -gdwarf-5 -O2 -flto a.c && compare lto5 out/lto5 out/lto
build elf32 gcc -m32 -g -O2 -DBARE -shared -nostdlib -fPIC a.c && compare elf32 out/elf32
if have g++; then
	for version in 4 5; do
		build g++-dwarf$version g++ -gdwarf-$version -O2 b.cc &&
		    compare g++-dwarf$version out/g++-dwarf$version
	done
	if have clang++; then
		build clang++ clang++ -gdwarf-4 -O2 b.cc && compare clang++ out/clang++
	else
		skip clang++ "no clang++"
	fi
	# Inlined functions that have no linkage name are shown with their scopes.
	for flags in -gdwarf-4 -gdwarf-5 '-gdwarf-4 -fdebug-types-section'; do
		kind=${flags##*-}
		build scopes-$kind g++ $flags -O2 c.cc || continue
		addresses out/scopes-$kind | "$bench" out/scopes-$kind >named.txt
		for name in 'space::(anonymous namespace)::hidden' main::{lambda}::operator\(\) \
			space::thing::run::{lambda}::operator\(\) \
			space::thing::run::{lambda}::operator\(\)::{lambda}::operator\(\); do
			grep -qxF "$name" named.txt && ok "$kind: $name" || bad "$kind: $name"
		done
		grep -q '^space::thing::each<' named.txt && ok "$kind: each" || bad "$kind: each"
	done
	build g++-types g++ -gdwarf-4 -fdebug-types-section -O1 b.cc &&
	    compare g++-types out/g++-types
else
	skip g++ "no g++"
fi

# symbols_from NAME FILE WANT TWIN: asserts what -s prints, and the function at each address of nm
symbols_from() {
	local name=$1 file=$2 want=$3 twin=$4 from
	nm --defined-only "$twin" |
	    awk '$2 ~ /[tT]/ && $3 ~ /^(outer|leaf|main|rare)$/ { print "0x" $1, $3 }' |
		sort >functions.txt
	from=$(cut -d' ' -f1 functions.txt | "$bench" -s -n -d "$work/debug" "$file" |
		sed -n 's/^symbols: //p')
	cut -d' ' -f1 functions.txt | "$bench" -n -d "$work/debug" "$file" |
	    grep -v '^0x\|:0$' >named.txt
	if [ "$from" = "$want" ] && cut -d' ' -f2 functions.txt | cmp -s - named.txt; then
		ok "$name: names from $from"
	else
		bad "$name: names from $from, want $want"
		cut -d' ' -f2 functions.txt | diff - named.txt
	fi
}

build other gcc -g -O1 -Wl,--build-id a.c
if build whole gcc -g -O2 -Wl,--build-id -fno-inline -rdynamic a.c; then
	mkdir -p debug
	symbols_from symtab out/whole symtab out/whole
	objcopy --only-keep-debug out/whole whole.debug
	strip -o out/stripped out/whole

	id=$(readelf -n out/whole | sed -n 's/.*Build ID: //p')
	mkdir -p debug/.build-id/${id:0:2}
	cp whole.debug debug/.build-id/${id:0:2}/${id:2}.debug
	symbols_from build-id out/stripped build-id out/whole
	compare build-id out/stripped out/whole
	# A file with another build-id is not used, even if it has the right name.
	cp out/other debug/.build-id/${id:0:2}/${id:2}.debug
	from=$(echo 0x1000 | "$bench" -s -d "$work/debug" out/stripped | sed -n 's/^symbols: //p')
	[ "$from" = dynsym ] && ok "build-id of another file" ||
	    bad "build-id of another file: $from"
	rm -rf debug/.build-id

	for place in out out/.debug "debug$work/out"; do
		mkdir -p "$place"
		cp whole.debug "$place/linked.debug"
		(cd "$place" && objcopy --add-gnu-debuglink=linked.debug "$work/out/stripped" \
		    "$work/out/linked")
		symbols_from "debuglink in ${place#"$work"/}" out/linked debuglink out/whole
		compare "debuglink in $place" out/linked out/whole
		echo damage >>"$place/linked.debug"
		from=$(echo 0x1000 | "$bench" -s -d "$work/debug" out/linked |
			sed -n 's/^symbols: //p')
		[ "$from" = dynsym ] && ok "debuglink with another CRC" ||
		    bad "debuglink with another CRC: $from"
		rm "$place/linked.debug"
	done

	if have xz; then
		nm out/whole -f posix --defined-only | awk '$2 == "T" || $2 == "t" { print $1 }' \
		    >keep.txt
		objcopy -S --remove-section .gnu_debuglink --remove-section .comment \
		    --keep-symbols=keep.txt whole.debug mini
		xz -c mini >mini.xz
		objcopy --add-section .gnu_debugdata=mini.xz out/stripped out/mini
		if echo 0x1000 | "$bench" -s out/mini | grep -q 'without liblzma'; then
			skip gnu_debugdata "built without liblzma"
		else
			symbols_from gnu_debugdata out/mini .gnu_debugdata out/whole
		fi
	else
		skip gnu_debugdata "no xz"
	fi
fi

# dwz moves debug information that two files have in common to a third one.
build two gcc -gdwarf-4 -O2 -Wl,--build-id -DTWO a.c
if ! build one gcc -gdwarf-4 -O2 -Wl,--build-id a.c; then
	:
elif ! have dwz; then
	skip dwz "no dwz"
else
	mkdir -p debug/.dwz
	cp out/one one.whole
	cp out/two two.whole
	if (cd out && dwz -m "$work/debug/.dwz/common" -M "$work/debug/.dwz/common" one two) \
	    2>dwz.log &&
		readelf -S out/one | grep -q gnu_debugaltlink; then
		compare dwz out/one one.whole
		mv debug/.dwz/common elsewhere
		"$bench" -s -d "$work/debug" out/one <addresses.txt |
		    grep -q '^problem: .*supplement is missing' &&
			ok "dwz without its supplement" || bad "dwz without its supplement"
		# The name of an inlined function is in the file of common information. Without that
		# file, an address gets the name of the function into which the other one was
		# inlined.
		[ "$("$bench" -d "$work/debug" out/one <addresses.txt | grep -cxF '??')" = \
		    "$("$bench" one.whole <addresses.txt | grep -cxF '??')" ] &&
			ok "dwz: as many names" || bad "dwz: functions without a name"
	else
		skip dwz "dwz finds nothing to share: $(head -1 dwz.log)"
	fi
fi

# Stubs of the procedure linkage table: names as objdump prints them.
for kind in "lazy -Wl,-z,lazy" "now -Wl,-z,now" "ibt -fcf-protection -Wl,-z,ibtplt" "got -fno-plt"
do
	set -- $kind
	name=plt-$1
	shift
	build $name gcc -g -O2 "$@" a.c || continue
	objdump -d -j .plt -j .plt.sec -j .plt.got out/$name 2>/dev/null |
		sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/0x\1 \2/p' | grep -v ' \*ABS\*' |
		    sort >functions.txt
	cut -d' ' -f1 functions.txt | "$bench" -c out/$name | grep -v '^0x\|:0$' >named.txt
	if cut -d' ' -f2 functions.txt | cmp -s - named.txt; then
		ok "$name ($(wc -l <functions.txt) stubs)"
	else
		bad "$name"
		cut -d' ' -f2 functions.txt | diff - named.txt
	fi
done

# Mangled names of three languages, without their compilers.
cat >names.s <<'S'
	.text
	.macro function name
	.globl \name
	.type \name, @function
\name:	nop
	nop
	.size \name, 2
	.endm
	function _ZN4core3fmt9Formatter3new17h0123456789abcdefE
	function _RNvC6_123foo3bar
	function _D3std5stdio7writelnFZv
	function _ZN5space5thing3actEi.constprop.0
	function plain.isra.0
	function plain.cold
	.size_0: nop
zero:	nop
	nop
	.globl __alias, alias
	.type __alias, @function
	.type alias, @function
__alias:
alias:	nop
	.size __alias, 1
	.size alias, 1
S
if build names gcc -shared -nostdlib names.s; then
	nm out/names | awk '$2 ~ /[tT]/ { print "0x" $1, $3 }' | sort -u >symbols.txt
	at() { awk -v s="$1" '$2 == s { print $1 }' symbols.txt; }
	expect() {
		local got
		got=$(at "$1" | "$bench" out/names | sed -n 2p)
		[ "$got" = "$2" ] && ok "name $1" || bad "name $1: $got, want $2"
	}
	if [ "$(at _RNvC6_123foo3bar | "$bench" out/names | sed -n 2p)" = _RNvC6_123foo3bar ]; then
		skip demangling "built without libiberty"
	else
		expect _ZN4core3fmt9Formatter3new17h0123456789abcdefE core::fmt::Formatter::new
		expect _RNvC6_123foo3bar 123foo::bar
		expect _D3std5stdio7writelnFZv "std.stdio.writeln()"
		expect _ZN5space5thing3actEi.constprop.0 "space::thing::act(int)"
	fi
	expect plain.isra.0 plain
	expect plain.cold plain
	expect zero zero
	expect __alias alias
fi

# A running program prints the address of its function, which must be named, however the program's
# file is changed.
cat >live.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int target(int n) { volatile int v = n; return v + 1; }
int main(int argc, char **argv)
{
	void *library = NULL, *address = (void *)target;
#ifdef DLOPEN
	library = dlopen(argv[1], RTLD_NOW);
	address = library ? dlsym(library, "target") : NULL;
#endif
	printf("%p\n", address);
	fflush(stdout);
	(void)argv; (void)library;
	return target(argc) == 77 || read(0, &argc, 1) < 0;
}
C
# live NAME FUNCTION [HOOK]: runs out/NAME, calls HOOK, resolves the address that out/NAME printed
live() {
	local name=$1 want=$2 hook=${3:-true} address got
	coproc program { exec ${as-} "$work/out/$name" "$work/out/library"; }
	read -r address <&"${program[0]}"
	$hook
	got=$(echo "$address" | ${as-} "$bench" -d "$work/debug" -p "$program_PID" |
		sed -n 2,3p | tr '\n' ' ')
	case $got in
	"$want "*".c:"[1-9]*) ok "live $name ${3-}: $got" ;;
	*) bad "live $name ${3-}: $got" ;;
	esac
	eval "exec ${program[1]}>&-"
	wait "$program_PID" 2>/dev/null
}
remove() { rm out/gone; }
build new gcc -g -O0 a.c
replace() { cp "$shapes/new" out/new && mv out/new out/gone; }
if echo 0 | "$bench" -p $$ >/dev/null 2>&1; then
	build live-pie gcc -g -O1 -pie -fPIE live.c && live live-pie target
	build live-non-pie gcc -g -O1 -no-pie live.c && live live-non-pie target
	build live-static gcc -g -O1 -static live.c && live live-static target
	build live-static-pie gcc -g -O1 -static-pie live.c && live live-static-pie target
	build live-noseparate gcc -g -O1 -Wl,-z,noseparate-code live.c &&
	    live live-noseparate target
	build live-offset gcc -g -O1 -no-pie -Wl,-Ttext-segment=0x10000000 live.c &&
	    live live-offset target
	build library gcc -g -O1 -shared -fPIC live.c -ldl
	build live-dlopen gcc -g -O1 -DDLOPEN live.c -ldl && live live-dlopen target
	if [ "$bench" = true ]; then
		:
	elif [ "$(id -u)" = 0 ]; then
		cp out/live-pie out/gone && live gone target remove
		cp out/live-pie out/gone && live gone target replace
	else
		skip "deleted files by map_files" "only root may read it"
	fi
	# Without the right to read the process's files, headers are read from memory, and the debug
	# file is found by build-id.
	if [ "$(id -u)" != 0 ] || have setpriv; then
		if build kept gcc -g -O1 -Wl,--build-id live.c; then
			id=$(readelf -n out/kept | sed -n 's/.*Build ID: //p')
			mkdir -p debug/.build-id/${id:0:2}
			objcopy --only-keep-debug out/kept debug/.build-id/${id:0:2}/${id:2}.debug
			strip -o out/gone out/kept
			chmod -R a+rX "$work"
			[ "$(id -u)" = 0 ] &&
			    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
			live gone target remove
			as=
		fi
	fi
fi

[ "$bench" != true ] || exit 0
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
