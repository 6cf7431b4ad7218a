#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Split DWARF: at each address, a program built with -gsplit-dwarf gets the names, lines and inlined
# functions of the same program built without it: from .dwo files, from a .dwp, from moved files.
# doctor says which file is missing.
# Usage: test_split_dwarf.sh --build SHAPES: builds the programs into SHAPES/kept; the build does it
#            once. Their debug information names SHAPES/src, where the test puts a copy.
#        test_split_dwarf.sh SHAPES: tests them
make_shapes() {
rm -rf "$1"
mkdir -p "$1/src" && cd "$1/src" || exit 1
cat >a.c <<'C'
#include "a.h"
static inline __attribute__((always_inline)) unsigned inner(unsigned n) { return half(n) * 31u; }

static inline __attribute__((always_inline)) unsigned middle(unsigned n)
{
	return inner(n) ^ inner(n + 1);
}

unsigned turned(unsigned n);

__attribute__((noinline)) unsigned spin(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += middle(sum + i);
	return sum;
}

__attribute__((noinline, cold)) static unsigned rare(unsigned n) { return n ^ 0x55; }

int main(int argc, char **argv)
{
	(void)argv;
	return argc > 3 ? (int)rare(3) : (spin(30000000) + turned(3)) == 1;
}
C
cat >a.h <<'C'
static inline __attribute__((always_inline)) unsigned half(unsigned n)
{
	return n >> 1 ^ n;
}
C
cat >b.cc <<'C'
#include <algorithm>
#include <vector>
namespace deep {
template <class T> struct box {
	T value;
	T mixed(T n) const { return value * 31 + (n ^ value >> 5); }
	__attribute__((noinline)) T turn(T n) {
		for (T i = 0; i < n; i++) value = mixed(i);
		return value; }
};
}
namespace {
__attribute__((noinline)) unsigned hidden(unsigned n) { volatile unsigned v = n; return v; }
}
extern "C" unsigned turned(unsigned n)
{
	std::vector<unsigned> v{n, 3, 2, hidden(n)};
	std::sort(v.begin(), v.end(), [](unsigned a, unsigned b) { return a > b; });
	return deep::box<unsigned>{v[0]}.turn(1000000);
}
C

build() { # OUT COMPILER FLAG...: compiled in a folder of its own
    local out=$1 cc=$2 cxx
    shift 2
    case $cc in gcc) cxx=g++ ;; clang) cxx=clang++ ;; esac
    mkdir "$out" && $cc -O2 -c "$@" -o "$out/a.o" a.c && $cxx -O2 -c "$@" -o "$out/b.o" b.cc &&
        $cxx -Wl,--build-id "$@" -o "$out/program" "$out/a.o" "$out/b.o"
}
for shape in $ALL; do
    cc=${shape%-*} v=${shape#*-}
    command -v $cc >/dev/null || continue
    build whole-$shape $cc -g -gdwarf-$v && build split-$shape $cc -g -gdwarf-$v -gsplit-dwarf ||
        continue
    for dwp in dwp llvm-dwp; do
        # On gcc's DWARF 5, dwp and llvm-dwp of Debian 12 fail or never end.
        command -v $dwp >/dev/null &&
            { (timeout 20 $dwp -e split-$shape/program -o split-$shape/$dwp); } 2>/dev/null &&
            readelf -SW split-$shape/$dwp 2>/dev/null | grep -q '\.debug_cu_index' ||
            rm -f split-$shape/$dwp
    done
done
cd .. && mv src kept
}

ALL='gcc-4 gcc-5 clang-4 clang-5'
if [ "$1" = --build ]; then
    make_shapes "$2"
    exit
fi
shapes=$(realpath "$1")
. "$(dirname "$0")/../lib.sh"
symbolize=$BUILD/bench/symbolize_bench
command -v objdump >/dev/null || skip "no objdump (binutils)"
rm -rf "$shapes/src"
trap 'rm -rf "$WORK" "$shapes/src"' EXIT
cp -r "$shapes/kept" "$shapes/src"
cd "$shapes/src" || exit 1

addresses() {
    objdump -d --no-show-raw-insn -j .text "$1" | sed -n 's/^ *\([0-9a-f]*\):\t.*/0x\1/p'
}
named() { addresses "$1" | "$symbolize" -c "$1" 2>&1; }

for shape in $ALL; do
    [ -e whole-$shape/program ] || { echo "no ${shape%-*}: $shape is left out"; continue; }
    named whole-$shape/program >whole.txt && named split-$shape/program >split.txt ||
        { check "$shape is built" false; continue; }
    check "$shape: inlined functions are there" grep -q '^half$' split.txt
    check "$shape: like the whole one" diff -q whole.txt split.txt
    program=split-$shape/program
    # .dwo files are found beside the program, even if their recorded names contain a folder.
    mv split-$shape moved-$shape && named moved-$shape/program >moved.txt
    check "$shape: beside the program" diff -q whole.txt moved.txt
    mv moved-$shape split-$shape
    # A .dwo file of another unit is not used.
    cp split-$shape/a.dwo kept.dwo && cp split-$shape/b.dwo split-$shape/a.dwo
    named $program >other.txt
    is "$shape: another build's file gives no names" "$(grep -c '^half$' other.txt)" 0
    check "$shape: but lines" grep -q '/a\.c:[1-9]' other.txt
    cp kept.dwo split-$shape/a.dwo
    # A .dwo file cut at several lengths does no harm.
    for bytes in 64 200 500 900 1300; do
        head -c $bytes kept.dwo >split-$shape/a.dwo
        named $program >cut.txt || check "$shape: cut at $bytes" false
    done
    cp kept.dwo split-$shape/a.dwo
    for dwp in dwp llvm-dwp; do
        [ -e split-$shape/$dwp ] || { echo "$shape: $dwp makes no .dwp"; continue; }
        cp split-$shape/$dwp $program.dwp
        mkdir away && mv split-$shape/*.dwo away
        named $program >package.txt
        check "$shape: $dwp" diff -q whole.txt package.txt
        mv away/*.dwo split-$shape && rmdir away && rm $program.dwp
    done
done

# The analyst finds .dwo files from its sandbox, too; doctor names the missing ones.
[ -x split-gcc-5/program ] || finish
profile() {
    code split-gcc-5/program spin | awk '{ print $1, 10 }' | replayed "$1" split-gcc-5/program
}
profile p.pb.gz; is "status" $? 0
"$SPROFREPORT" flat --format tsv p.pb.gz | cut -f 5 >functions
check "an inlined function in a profile" grep -qx half functions
"$SPROFREPORT" doctor p.pb.gz >text
is "nothing is missing" "$(grep -c 'is split' text)" 0
mv split-gcc-5/a.dwo kept.dwo
"$SPROFREPORT" doctor p.pb.gz >text
check "the missing file is named" grep -q "split-gcc-5/a.dwo" text
check "and the way out" grep -q 'dwp -e' text
profile q.pb.gz
"$SPROFREPORT" flat --format tsv q.pb.gz | cut -f 5 >functions
is "without it no inlined function" "$(grep -cx half functions)" 0
check "but what it is inlined into" grep -qx spin functions
"$SPROFREPORT" doctor q.pb.gz >text
check "the same of that profile" grep -q "split-gcc-5/a.dwo" text
finish
