#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2086 # flags are words
# Makes the seeds of fuzz_elf, fuzz_dwarf, fuzz_unwind, fuzz_lines and fuzz_symbols: small shared
# objects of one source, in every version of DWARF that the compilers write, split, compressed,
# stripped, of 32 bits and so on, and their line tables. Of gcc, g++, clang, rustc, go, dwp, dwz,
# binutils and xz, the installed ones are used, and the others are named. tests/fuzz.sh runs this
# script. The corpus of the repository holds the smallest of them.
#   usage: make_elf_seeds.sh FOLDER
set -eu
mkdir -p "${1:?usage: make_elf_seeds.sh FOLDER}"
out=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/elf" "$out/dwarf" "$out/unwind" "$out/lines" "$out/symbols"
cd "$work"

# have TOOL...: are all of these tools installed? Names each missing tool once.
have() {
    local tool
    for tool; do
        command -v "$tool" >/dev/null && continue
        grep -qx "$tool" missing 2>/dev/null || echo "no seeds of $tool: it is not installed" >&2
        echo "$tool" >>missing
        return 1
    done
}
have gcc && have objcopy || exit 1

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
    ! have clang || clang $flags $small -gdwarf-$v -o "$out/dwarf/clang-$v" seed.c
done
gcc $flags $small -gdwarf-5 -gdwarf64 -o "$out/dwarf/gcc-64" seed.c
gcc $flags $small -gdwarf-5 -gz -o "$out/dwarf/gcc-z" seed.c
gcc $flags $small -gdwarf-4 -gz=zlib-gnu -o "$out/dwarf/gcc-zdebug" seed.c
gcc $flags $small -gdwarf-5 -ffunction-sections -o "$out/dwarf/gcc-sections" seed.c
gcc $flags $small -gdwarf-5 -flto -o "$out/dwarf/gcc-lto" seed.c
gcc -c -O2 -gdwarf-5 -o "$out/dwarf/gcc-object" seed.c
objcopy --compress-debug-sections=zstd "$out/dwarf/gcc-5" "$out/dwarf/gcc-zstd" 2>/dev/null || true
for v in 4 5; do
    for compiler in gcc clang; do
        have $compiler || continue
        $compiler $flags $small -gsplit-dwarf -gdwarf-$v -o split seed.c
        for dwo in ./*.dwo; do mv "$dwo" "$out/dwarf/$compiler-split-$v.dwo"; done
        mv split "$out/dwarf/$compiler-split-$v"
    done
    ! have dwp || dwp -o "$out/dwarf/gcc-split-$v.dwp" "$out/dwarf/gcc-split-$v.dwo" 2>/dev/null ||
        rm -f "$out/dwarf/gcc-split-$v.dwp"
    ! have clang ||
        clang -c -O2 -gsplit-dwarf=single -gdwarf-$v -o "$out/dwarf/clang-split-single-$v" seed.c
done
if have g++; then
    g++ $flags $small -gdwarf-5 -o "$out/dwarf/g++-5" seed.cc
    g++ $flags $small -gdwarf-4 -fdebug-types-section -o "$out/dwarf/g++-types" seed.cc
fi
! have clang++ || clang++ $flags $small -gdwarf-5 -o "$out/dwarf/clang++-5" seed.cc
if have dwz; then
    cp "$out/dwarf/gcc-5" one && cp "$out/dwarf/gcc-sections" two
    cp one "$out/dwarf/dwz-single"
    dwz "$out/dwarf/dwz-single" 2>/dev/null || true
    if dwz -m common one two 2>/dev/null; then
        cp one "$out/dwarf/dwz-multi"
        cp common "$out/dwarf/dwz-common"
    fi
fi
if have rustc; then
    cat >seed.rs <<'R'
#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
trait Act { fn act(&self, n: i32) -> i32; }
struct Thing(i32);
impl Act for Thing { #[inline(never)] fn act(&self, n: i32) -> i32 { self.0.wrapping_mul(n) } }
#[inline] fn middle<T: Act>(t: &T, n: i32) -> i32 { t.act(n).wrapping_add(t.act(n + 1)) }
#[no_mangle] pub extern "C" fn outer(n: i32) -> i32 { (0..n).map(|i| middle(&Thing(i), n)).sum() }
R
    # rustc has an option for the version of DWARF from 1.64 on; RUSTC_BOOTSTRAP=1 permits it in a
    # released compiler.
    for version in '' -Zdwarf-version=5; do
        RUSTC_BOOTSTRAP=1 rustc --crate-type cdylib -C opt-level=2 -C panic=abort \
            -C link-arg=-nostdlib -g --remap-path-prefix "$work=/src" $version \
            -o "$out/dwarf/rust${version#-Zdwarf-version=}" seed.rs 2>log || {
            [ -n "$version" ] || cat log >&2
            continue
        }
    done
    [ ! -e "$out/dwarf/rust" ] || strip --strip-debug -o "$out/elf/rust" "$out/dwarf/rust"
fi
# A Go program consists nearly only of its run-time. To keep the seeds small, the debug information
# is compressed, and the largest sections are left out.
if have go; then
    printf 'package main\nfunc main() { println(len("x")) }\n' >seed.go
    HOME=$work GOCACHE=$work/cache GO111MODULE=off go build -trimpath -o seed-go seed.go
    objcopy --only-keep-debug -R .debug_loc -R .zdebug_loc -R .debug_frame -R .zdebug_frame \
        seed-go "$out/dwarf/go"
    objcopy --strip-debug -R .rodata -R .gopclntab -R .text -R .noptrdata -R .typelink seed-go \
        "$out/elf/go"
    chmod -R u+w "$work/cache"
fi

gcc $flags $small -g0 -o "$out/elf/plain" seed.c
gcc $flags $small -g0 -Wl,-z,ibtplt -fcf-protection -o "$out/elf/ibt" seed.c
cp "$out/elf/plain" "$out/elf/stripped"
strip "$out/elf/stripped"
if have xz; then
    xz --stdout --check=crc32 "$out/elf/plain" >mini.xz
    objcopy --add-section .gnu_debugdata=mini.xz "$out/elf/stripped" "$out/elf/mini"
fi
objcopy --add-gnu-debuglink="$out/elf/plain" "$out/elf/stripped" "$out/elf/debuglink"
gcc -m32 $flags $small -g0 -fno-pic -o "$out/elf/elf32" seed.c 2>/dev/null ||
    objcopy -O elf32-x86-64 "$out/elf/plain" "$out/elf/elf32"
head -c 700 "$out/elf/plain" >"$out/elf/truncated"

# Makes inputs in the format of fuzz_unwind.c: an object with .eh_frame, a stack, and a pc in each
# of the object's functions.
unwind_seed() { # NAME FILE
    perl -e '
        my ($file, $out) = @ARGV;
        local $/; open my $f, "<", $file or die; binmode $f; my $elf = <$f>;
        exit if length $elf > 0xffff;
        my @pc = `nm -D --defined-only $file` =~ /^([0-9a-f]+) T /gm or die;
        my ($base, $n) = (0x555500000000, 0);
        for my $pc (@pc) {
            for my $flags (0, 2, 16) {
                my @reg = (0) x 17;
                @reg[6, 7, 16] = (0x7fff00000040, 16, hex($pc) + 4);
                open my $o, ">", sprintf "%s-%d", $out, $n++; binmode $o;
                print $o pack("vCCQ<17", length $elf, $flags, 0, @reg), $elf,
                    pack("Q<*", map { $base + hex($pc[$_ % @pc]) + 5 } 0 .. 31);
                close $o;
            }
        }' "$2" "$out/unwind/$1"
}
unwinds=${flags/-fno-asynchronous-unwind-tables/-fasynchronous-unwind-tables -fexceptions}
have perl && for compiler in gcc clang g++; do
    have $compiler || continue
    source=seed.c
    [ $compiler = g++ ] && source=seed.cc
    $compiler $unwinds $small -g0 -s -o frames $source
    $compiler $unwinds $small -g0 -o named $source
    unwind_seed $compiler named
    $compiler $unwinds $small -g0 -fno-omit-frame-pointer -fcf-protection -o named $source
    unwind_seed $compiler-fp named
done
[ ! -e "$out/elf/rust" ] || unwind_seed rust "$out/elf/rust"
rm -f "$out"/dwarf/*.o
# Line tables as sections of their own; a compressed one is unpacked first.
for object in "$out"/dwarf/*; do
    objcopy --decompress-debug-sections --set-section-flags .debug_line=alloc \
        -O binary --only-section=.debug_line "$object" "$out/lines/${object##*/}" 2>/dev/null ||
        true
    [ -s "$out/lines/${object##*/}" ] || rm -f "$out/lines/${object##*/}"
done
cp "$out"/elf/* "$out/dwarf/gcc-5" "$out/symbols"
chmod a-x "$out"/elf/* "$out"/dwarf/*
du -sh "$out/elf" "$out/dwarf" "$out/unwind" "$out/lines" "$out/symbols"
