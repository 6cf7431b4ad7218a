#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the headers of every dialect with every compiler found here and in every language
# version, before and after the system's headers, with all warnings as errors. Whichever header
# declares profil(), the program gets the dialect's function, never glibc's.
#
#	test_headers.sh SOURCE-ROOT LOG    compiles, writes errors to LOG
#	test_headers.sh --told LOG         prints LOG, and fails if it has errors
set -eu
if [ "$1" = --told ]; then
	cat "$2"
	tail -n 1 "$2" | grep -qx 'all good'
	exit
fi
log=$2
include=$1/client/include
case $log in /*) ;; *) log=$PWD/$log ;; esac
exec >"$log" 2>&1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
warnings='-Wall -Wextra -Wpedantic -Wundef -Wshadow -Wredundant-decls -Werror -fsyntax-only'
system='#include <sys/types.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
'
region='static unsigned short counts[8];
int main(void)
{
	struct prof region[1];
	struct timeval tick;

	region[0].pr_base = counts;
	region[0].pr_size = sizeof(counts);
	region[0].pr_scale = 0x8000;
'
rest='	return sprofil(region, 1, &tick, PROF_USHORT) + profil(counts, sizeof(counts), 0, 2);
}
'

# Prints a program that uses the dialect $1.
program()
{
	case $1 in
	aix) echo 'static short counts[8];
int main(void)
{
	struct prof range[2];

	range[0].p_low = 0;
	range[0].p_high = 4096;
	range[0].p_buff = counts;
	range[0].p_bufsize = sizeof(counts);
	range[0].p_scale = -1;
	range[1].p_high = 0;
	profil(range, (unsigned int)-1, 0, 0);
	profil(counts, sizeof(counts), 0, 1);
	return 0;
}' ;;
	sysv) echo 'static unsigned short counts[8];
int main(void)
{
	profil(counts, sizeof(counts), 0, 2);
	return 0;
}' ;;
	hpux) echo "$region	region[0].pr_offset = NULL;
	if (sysconf(_SC_PROFIL_MAX) != 65536)
		return 1;
$rest" ;;
	native) echo "$region	region[0].pr_off = 0;
	if (sysconf(_SC_PROFIL_MAX) != PROFIL_MAX)
		return 1;
$rest" ;;
	*) echo "$region	region[0].pr_off = 0;
$rest" ;;
	esac
}

# Prints the compiler's options for the include folders of dialect $1.
folders()
{
	if [ "$1" = native ]; then
		echo "-I$include/sprofil/native -I$include"
	else
		echo "-I$include/sprofil/$1"
	fi
}

headers()
{
	case $1 in
	aix) echo mon.h ;;
	sysv) echo unistd.h ;;
	hpux) echo sys/profil.h time.h ;;
	native) echo sprofil/sprofil.h ;;
	*) echo sys/profil.h ;;
	esac
}

# Prints the name of the header that declares monitor() in dialect $1.
monitor_header()
{
	case $1 in
	native) echo sprofil/monitor.h ;;
	glibc) echo sys/gmon.h ;;
	*) echo mon.h ;;
	esac
}

monitor_program()
{
	case $1 in
	native) echo 'int main(void)
{
	return monitor(0, 0, 0, 0, 0) + monstartup(0, 0) + moncontrol(0) + mcleanup();
}' ;;
	glibc) echo 'int main(void)
{
	monstartup(4096, 8192);
	moncontrol(0);
	_mcleanup();
	return 0;
}' ;;
	*) echo 'static short words[100];
static unsigned short others[100];
#ifdef __cplusplus
extern "C" {
#endif
extern RESULT etext(void);
#ifdef __cplusplus
}
#endif
int main(void)
{
	struct hdr *head = (struct hdr *)(void *)BUFFER;

	monitor((RESULT (*)())2, (RESULT (*)())etext, BUFFER, 100, 2);
	monitor(0, 0, 0, 0, 0);
	(void)words;
	(void)others;
	return head->nfns + (int)sizeof(struct cnt) + (int)sizeof(MON_OUT);
}' ;;
	esac
}

# Compiles file $4 with compiler $1 in language version $2 with the headers of dialect $3.
compile()
{
	# shellcheck disable=SC2046,SC2086
	"$1" -std=$2 $warnings $(folders "$3") "$4" 2>errors || {
		echo "$1 -std=$2, $3, $4:" >&2
		head -n 12 errors >&2
		failed=1
	}
}

language()
{
	[ "$1" = c ] && echo c || echo c++
}

# Does compiler $1 know version $2 of language $3?
knows()
{
	echo 'int main(void) { return 0; }' |
		"$1" -std="$2" -fsyntax-only -x "$(language "$3")" - 2>/dev/null
}

for dialect in native hpux irix aix sysv glibc; do
	for header in $(headers $dialect); do
		first=$dialect-${header%%/*}-first last=$dialect-${header%%/*}-last
		{
			echo "#include <$header>"
			program $dialect
			echo "$system"
		} >"$first.c"
		{
			echo "$system#include <$header>
#include <$header>"
			program $dialect
		} >"$last.c"
		cp "$first.c" "$first.cpp"
		cp "$last.c" "$last.cpp"
	done
	header=$(monitor_header $dialect) first=$dialect-monitor-first last=$dialect-monitor-last
	buffer=others result=int
	[ $dialect != aix ] || buffer=words
	[ $dialect != hpux ] || result=void
	monitor_program $dialect | sed "s/BUFFER/$buffer/g; s/RESULT/$result/g" >program
	{
		echo "#include <$header>"
		cat program
		echo "$system"
	} >"$first.c"
	{
		echo "$system#include <$header>
#include <$header>"
		cat program
	} >"$last.c"
	cp "$first.c" "$first.cpp"
	cp "$last.c" "$last.cpp"
done

# Compiles all files of language $2 with compiler $1 in the versions $3. Files that include our
# headers last are compiled only in the versions $4: the system's headers are the same in the
# others.
compile_all()
{
	command -v "$1" >/dev/null || { echo "not tested: $1"; return; }
	for version in $3; do
		knows "$1" "$version" "$2" || { echo "not tested: $1 -std=$version"; continue; }
		for file in *-first."$2"; do
			compile "$1" "$version" "${file%%-*}" "$file"
		done
		case " $4 " in *" $version "*) ;; *) continue ;; esac
		for file in *-last."$2"; do
			compile "$1" "$version" "${file%%-*}" "$file"
		done
	done
}
cpp='c++98 c++11 c++14 c++17 c++20 c++2b'
mkdir gcc clang
cp ./*.c ./*.cpp clang
mv ./*.c ./*.cpp gcc
(
	cd clang
	compile_all clang c 'c89 c99 c11 c17 c2x' 'c89 c2x'
	compile_all clang++ cpp "$cpp" 'c++98 c++2b'
	exit $failed
) &
(
	cd gcc
	compile_all gcc c 'c89 c99 c11 c17 c2x' 'c89 c2x'
	compile_all g++ cpp "$cpp" 'c++98 c++2b'
	exit $failed
) || failed=1
wait $! || failed=1

# Whichever header is included, the linker sees the dialect's symbol.
echo '#include <unistd.h>
unsigned short counts[8];
void on(void) { profil(counts, sizeof(counts), 0, 2); }' >only_unistd.c
for dialect in native hpux irix aix sysv glibc; do
	for header in unistd.h $(headers $dialect); do
		sed "s|unistd.h|$header|" only_unistd.c >one.c
		# shellcheck disable=SC2046
		${CC:-cc} -c -o one.o $(folders $dialect) one.c
		nm one.o | grep -q " U sprofil_${dialect}_profil\$" || {
			echo "$dialect: profil of <$header> is $(nm one.o | grep ' U ')" >&2
			failed=1
		}
	done
done

# Two dialects in one translation unit are an error that says so.
echo '#include <sprofil/sprofil.h>' >two.c
if ${CC:-cc} -fsyntax-only -I"$include/sprofil/irix" -I"$include" two.c 2>errors ||
	! grep -q 'one translation unit speaks one dialect' errors; then
	echo "two dialects at once are not refused:" >&2
	cat errors >&2
	failed=1
fi
[ $failed != 0 ] || echo "all good"
