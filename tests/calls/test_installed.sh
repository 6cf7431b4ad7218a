#!/bin/sh
# SPDX-License-Identifier: MIT
# What is installed serves: each example compiles unchanged by pkg-config alone, as C without a
# warning and (the headers) as C++, runs without any environment, also as an ordinary user, and
# moves with its prefix.
#
#	test_installed.sh BUILD-DIRECTORY SOURCE-ROOT CC
set -eu
build=$1 source=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

command -v pkg-config >/dev/null || { echo "no pkg-config: skipped"; exit 77; }
DESTDIR=$work meson install -C "$build" --no-rebuild >/dev/null 2>&1
pc=$(find "$work" -name sprofil.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$work
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
libdir=$(dirname "$PKG_CONFIG_PATH")
# In the build's sanitizers, if any, the library cannot be linked with a plain program.
if grep -q 'b_sanitize": *"[^n]' "$build/meson-info/intro-buildoptions.json" 2>/dev/null ||
	nm -D "$libdir/libsprofil.so" | grep -q __asan_init; then
	echo "a build with sanitizers: skipped"
	exit 77
fi

unset SPROFIL_SUPERVISOR LD_PRELOAD || true
run()
{
	LD_LIBRARY_PATH=$libdir timeout 60 "$@" >"$work/out" || {
		echo "$* failed:" >&2
		cat "$work/out" >&2
		exit 1
	}
}

for pair in aix:aix_monitor glibc:glibc_sprofil hpux:hpux_sprofil irix:irix_sprofil \
	sysv:sysv_profil native:hottest; do
	dialect=${pair%%:*} name=${pair#*:} package=sprofil-${pair%%:*}
	[ "$dialect" != native ] || package=sprofil
	# shellcheck disable=SC2046
	$cc -O1 -Wall -Wextra -Werror -o "$work/$name" "$source/examples/$name.c" \
		$(pkg-config --cflags --libs "$package")
	run "$work/$name"
	echo "$package: $(tail -n 1 "$work/out")"
done

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$work/hottest"
	echo "as an ordinary user: $(tail -n 1 "$work/out")"
fi
# linked statically
$cc -O1 -I"$(dirname "$(find "$work" -path '*/sprofil/sprofil.h')")/.." -o "$work/static" \
	"$source/examples/hottest.c" "$libdir/libsprofil.a"
SPROFIL_SUPERVISOR=$(find "$work" -name sprofil-supervisor)
export SPROFIL_SUPERVISOR
run "$work/static"
unset SPROFIL_SUPERVISOR

if command -v c++ >/dev/null; then
	include=$(dirname "$(find "$work" -path '*/sprofil/sprofil.h')")
	for pair in "aix:mon.h" "glibc:sys/profil.h" "hpux:time.h" "irix:sys/profil.h" \
		"sysv:unistd.h"; do
		echo "#include <${pair#*:}>
int main() { return 0; }" >"$work/t.cc"
		c++ -Wall -Wextra -Werror -fsyntax-only -I"$include/${pair%%:*}" "$work/t.cc"
	done
	echo '#include <sprofil/sprofil.h>
int main() { return sizeof(struct prof) != 32; }' >"$work/t.cc"
	c++ -Wall -Wextra -Werror -fsyntax-only -I"$include/.." "$work/t.cc"
fi

# nothing but the documented names is exported
names=$(nm -D --defined-only "$libdir/libsprofil.so" | awk '{print $3}' | grep -v '^sprofil_' || true)
[ -z "$names" ] || { echo "exported: $names" >&2; exit 1; }
echo "all good"
