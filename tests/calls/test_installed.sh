#!/bin/sh
# SPDX-License-Identifier: MIT
# The installed library works: with pkg-config alone, each example compiles unchanged and without a
# warning. It runs without any environment, also as an ordinary user, and if the installed tree is
# moved. So do old programs that include no header. (test_headers.sh tests the headers.)
#
#	test_installed.sh BUILD-DIRECTORY SOURCE-ROOT CC
set -eu
build=$1 source=$2 cc=$3
work=$(mktemp -d) || exit 1
# The helper beside the library counts only if nobody else can replace a folder on its way.
folder=$(dirname "$(realpath "$work")")
while [ "$folder" != / ]; do
	if ! stat -c '%u %A' "$folder" | grep -qE "^(0|$(id -u)) (d....-..-.|d........t)"; then
		rmdir "$work"
		work=$(mktemp -d /var/tmp/installed.XXXXXX) || exit 1
		break
	fi
	folder=$(dirname "$folder")
done
export TMPDIR="$work" # for what finds no place elsewhere
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

command -v pkg-config >/dev/null || { echo "no pkg-config: skipped"; exit 77; }
DESTDIR=$work meson install -C "$build" --no-rebuild >/dev/null 2>&1
pc=$(find "$work" -name sprofil.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$work
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
libdir=$(dirname "$PKG_CONFIG_PATH")
# If the build has sanitizers, its library cannot be linked with a program without them.
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

as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
if [ "$(id -u)" != 0 ] || ! $as_user true 2>/dev/null; then
	echo "not tested: as an ordinary user (needs root that can become one, and setpriv)"
else
	# shellcheck disable=SC2086
	run $as_user "$work/hottest"
	echo "as an ordinary user: $(tail -n 1 "$work/out")"
fi
# An example also works if it is linked statically.
$cc -O1 -I"$(dirname "$(find "$work" -path '*/sprofil/sprofil.h')")/.." -o "$work/static" \
	"$source/examples/hottest.c" "$libdir/libsprofil-native.a" "$libdir/libsprofil.a"
SPROFIL_SUPERVISOR=$(find "$work" -name sprofil-supervisor)
export SPROFIL_SUPERVISOR
run "$work/static"
unset SPROFIL_SUPERVISOR

# The variable comes before the installed helper, even as a folder; an empty one counts as unset.
SPROFIL_SUPERVISOR='' run "$work/hottest"
# refused COMMAND...: its call must fail with EPERM.
refused()
{
	status=0
	LD_LIBRARY_PATH=$libdir timeout 60 "$@" >"$work/out" 2>&1 || status=$?
	if [ $status != 1 ] || ! grep -q 'Operation not permitted' "$work/out"; then
		echo "not refused: $*: status $status" >&2
		cat "$work/out" >&2
		exit 1
	fi
}
SPROFIL_SUPERVISOR=/ refused "$work/hottest"
helper=$(find "$work" -name sprofil-supervisor)
installed=${helper#"$work"}
# refused_alone COMMAND...: as refused, but the helper at the path of the build's configuration, the
# last one that is tried, may answer.
refused_alone()
{
	if [ -e "$installed" ]; then
		echo "not tested: calls without any helper (there is $installed)"
		LD_LIBRARY_PATH=$libdir timeout 60 "$@" >/dev/null 2>&1 || true
	else
		refused "$@"
	fi
}
# The helper is never looked up beside argv[0]: whoever starts a set-user-ID program chooses that.
# With an earlier version, the program executed this file, with its privileges.
beside=$work/evil/${libdir#"$work/"}
mkdir -p "$beside"
planted=$beside/$(realpath --relative-to="$libdir" "$helper")
mkdir -p "$(dirname "$planted")"
printf '#!/bin/sh\n: >%s/executed\n' "$work" >"$planted"
chmod 755 "$planted"
# shellcheck disable=SC2016
refused_alone bash -c 'exec -a "$1/program" "$2"' bash "$beside" "$work/static"
[ ! -e "$work/executed" ] || { echo "a helper beside argv[0] was executed" >&2; exit 1; }
# Nor is a helper used that belongs to somebody else than the library.
: >"$work/owned"
if [ "$(id -u)" != 0 ] || ! chown 65534 "$work/owned" 2>/dev/null; then
	echo "not tested: a helper of somebody else (needs root that can chown)"
else
	chown 65534 "$helper"
	refused_alone "$work/hottest"
	chown 0 "$helper"
	run "$work/hottest"
fi
# Nor one that others could have put there: in a folder that others can write to, or by a link, even
# to a good helper. A folder that only the library's group can write to is none of others.
folder=${helper%/*}
chmod 1757 "$folder"
refused_alone "$work/hottest"
chmod 0775 "$folder"
run "$work/hottest"
mv "$helper" "$work/linked"
ln -s "$work/linked" "$helper"
refused_alone "$work/hottest"
rm "$helper"
mv "$folder" "$work/linked.d"
mv "$work/linked" "$work/linked.d/sprofil-supervisor"
ln -s "$work/linked.d" "$folder"
refused_alone "$work/hottest"
rm "$folder"
mv "$work/linked.d" "$folder"
run "$work/hottest"

# A program older than prototypes includes no header for profil(). One of its files turns profiling
# on, another turns it off. Both get the dialect's function, not glibc's.
cat >"$work/on.c" <<'END'
extern profil();
extern off();
unsigned short counts[1];

int main(void)
{
	unsigned long i;

	profil(counts, sizeof(counts), (char *)main, 2);
	for (i = 0; i < 4000000000ul && !*(volatile unsigned short *)counts; i++)
		;
	off();
	return counts[0] == 0;
}
END
cat >"$work/off.c" <<'END'
#include <unistd.h>
void off(void)
{
	profil(0, 0, 0, 0);
}
END
for package in sprofil sprofil-hpux sprofil-irix sprofil-aix sprofil-sysv sprofil-glibc; do
	# shellcheck disable=SC2046
	$cc -std=gnu89 -w -o "$work/old" "$work/on.c" "$work/off.c" \
		$(pkg-config --cflags --libs "$package")
	if nm -D --undefined-only "$work/old" | grep -q ' profil\(@\|$\)'; then
		echo "$package: profil of an old program is glibc's" >&2
		exit 1
	fi
	run "$work/old"
	printf '#include <sprofil/status.h>\nint main(void) { return sprofil_status(0, 0) == 0; }\n' \
		>"$work/status.c"
	# shellcheck disable=SC2046
	$cc -Wall -Werror -o "$work/status" "$work/status.c" \
		$(pkg-config --cflags --libs "$package")
	run "$work/status"
done

# Old programs also get the library's monitor(), unless they have a function of that name.
cat >"$work/monitored.c" <<'END'
extern etext();
short words[60000];

counted()
{
	int n;

	for (n = 12; n < 60000; n++)
		if (words[n])
			return 1;
	return 0;
}

main()
{
	int i;

	monitor(2, etext, words, 60000, 0);
	for (i = 0; i < 100000 && !counted(); i++)
		;
	monitor(0);
	return i == 100000 || access("mon.out", 0);
}
END
cat >"$work/own.c" <<'END'
monitor(low, high, words, n, calls) char *low, *high; short *words;
{
	profil(words, low ? 2 * n : 0, low, 2);
	if (low)
		words[20] = 1;
	return creat("mon.out", 0666);
}
END
for package in sprofil sprofil-hpux sprofil-irix sprofil-aix sprofil-sysv; do
	for own in '' "$work/own.c"; do
		# shellcheck disable=SC2046,SC2086
		$cc -std=gnu89 -w -no-pie -o "$work/old" "$work/monitored.c" $own \
			$(pkg-config --cflags --libs "$package")
		(cd "$work" && run "$work/old" && rm mon.out)
	done
done
echo "old programs: well"

# The library exports the documented names only.
names=$(nm -D --defined-only "$libdir/libsprofil.so" | awk '{print $3}' |
	grep -v '^sprofil_' || true)
[ -z "$names" ] || { echo "exported: $names" >&2; exit 1; }
echo "all good"
