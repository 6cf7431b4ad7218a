#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the seeds of fuzz_elf and fuzz_dwarf anew: small shared objects of one source, in every
# version of DWARF that the compilers write, stripped, compressed, of 32 bits and so on.
# Needs gcc, g++, clang, binutils, xz. usage: make_elf_seeds.sh CORPUS-FOLDER
set -eu
out=$(realpath "${1:-$(dirname "$0")/corpus}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/elf" "$out/dwarf"
cd "$work"

cat >seed.c <<'C'
extern int puts(const char *);
volatile int sink;
static inline __attribute__((always_inline)) int leaf(int n) { return sink += n; }
static inline __attribute__((always_inline)) int middle(int n) { return leaf(n) + leaf(n + 1); }
int outer(int n) { return n > 3 ? middle(n) : puts("x"); }
__attribute__((cold)) int rare(int n) { return leaf(n * 2); }
C
cat >seed.cc <<'C'
volatile int sink;
namespace space { struct thing { int act(int n) { return sink += n; } }; template <class T>
__attribute__((noinline)) T twice(T t) { return thing().act(t) * 2; } }
int outer(int n) { return space::twice(n) + space::twice(n + 1u); }
C
flags='-O2 -fPIC -shared -nostdlib -Wl,-z,noseparate-code -Wl,--hash-style=gnu -fno-asynchronous-unwind-tables'"
 -fdebug-prefix-map=$work=/src"
small='-Wl,-z,max-page-size=4096'
for v in 2 3 4 5; do
    gcc $flags $small -gdwarf-$v -o "$out/dwarf/gcc-$v" seed.c
    clang $flags $small -gdwarf-$v -o "$out/dwarf/clang-$v" seed.c
done
g++ $flags $small -gdwarf-5 -o "$out/dwarf/g++-5" seed.cc
g++ $flags $small -gdwarf-4 -fdebug-types-section -o "$out/dwarf/g++-types" seed.cc
clang++ $flags $small -gdwarf-5 -o "$out/dwarf/clang++-5" seed.cc
gcc $flags $small -gdwarf-5 -gz -o "$out/dwarf/gcc-z" seed.c
gcc $flags $small -gdwarf-4 -gz=zlib-gnu -o "$out/dwarf/gcc-zdebug" seed.c
gcc $flags $small -gdwarf-5 -ffunction-sections -o "$out/dwarf/gcc-sections" seed.c
gcc $flags $small -gsplit-dwarf -gdwarf-5 -o "$out/dwarf/gcc-split" seed.c
gcc $flags $small -g0 -o "$out/elf/plain" seed.c
gcc $flags $small -g0 -Wl,-z,ibtplt -fcf-protection -o "$out/elf/ibt" seed.c
cp "$out/elf/plain" "$out/elf/stripped"
strip "$out/elf/stripped"
xz --stdout --check=crc32 "$out/elf/plain" >mini.xz
objcopy --add-section .gnu_debugdata=mini.xz "$out/elf/stripped" "$out/elf/mini"
objcopy --add-gnu-debuglink="$out/elf/plain" "$out/elf/stripped" "$out/elf/debuglink"
gcc -m32 $flags $small -g0 -fno-pic -o "$out/elf/elf32" seed.c 2>/dev/null ||
    objcopy -O elf32-x86-64 "$out/elf/plain" "$out/elf/elf32"
head -c 700 "$out/elf/plain" >"$out/elf/truncated"
rm -f "$out"/dwarf/*.dwo
chmod a-x "$out"/elf/* "$out"/dwarf/*
du -sh "$out/elf" "$out/dwarf"
