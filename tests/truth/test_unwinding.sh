#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Stacks of all shapes are complete, and are those that the program had.
# shellcheck source=tests/lib.sh
. "$SOURCE/tests/lib.sh"

# profile OPTIONS... -- COMMAND...: writes the stacks of COMMAND to the file "folded"
profile() {
    "$SPROFRUN" -q -o p.pb.gz "$@" >/dev/null || return 1
    "$SPROFREPORT" export --format folded -o folded p.pb.gz
}

figure() {
    "$SPROFREPORT" summary --format tsv p.pb.gz | awk -v k="$1" '$1 == k { print $2 }'
}

# share PATTERN: prints the share of stacks in percent that match PATTERN. Not counted are CPU time
# without a stack, and calls that end the program or replace its image, and with it the stack; nor
# the start of a program, and the start and end of a thread, which take long where page faults are
# expensive: such stacks are complete without main or the thread's own function.
share() {
    pattern=$1 awk '{
        n = $NF; sub(/ [0-9]+$/, "")
        if ($0 ~ /\[unsampled\]/ || $0 ~ /^\[syscall\] (execve|exit_group)$/ || n == 0) next
        if ($0 ~ /^_start(;|$)/ && $0 !~ /;(main|__libc_start_call_main)(;|$)/) next
        if ($0 ~ /^clone3(;start_thread)?$/) next
        if ($0 ~ /^clone3(;start_thread)?;(__libc_thread_freeres|advise_stack_range|__nptl_)/) next
        all += n; if ($0 ~ ENVIRON["pattern"]) good += n
    } END { printf "%.2f\n", all ? 100 * good / all : 0 }' folded
}

# complete WHAT PATTERN: asserts that at least 99.5 % of the stacks match PATTERN, or all but 1.5
# samples if they are few
complete() {
    local before=$failures
    within "$1" "$(share "$2")" \
        "$(awk -v n="$(figure samples)" 'BEGIN { m = n > 0 ? 150 / n : 0; print 100 - (m > 0.5 ? m : 0.5) }')" 100
    [ $failures = "$before" ] || { echo "$(figure samples) samples:" && sort folded | head -n 40; }
}

# A few samples are in the end of a program, where main has returned.
to_main="^_start;.*;main(;|\$)|^_dl_|;exit;|;_dl_|^main(;|\$)"

for depth in 30 200; do
    profile -F 1000 -- "$TARGETS/recursive" $depth 1
    complete "$depth frames: main is reached" "$to_main"
    is "$depth frames: $(figure samples) samples, none incomplete" "$(figure incomplete_stacks)" 0
    grep -F '[incomplete]' folded
    within "$depth frames: the leaf is at its depth" \
        "$(awk -v d=$depth '{ n = $NF; m = gsub(/;descend/, "") }
            /burn/ { all += n; if (m == d) good += n }
            END { print 100 * good / all }' folded)" 100 100
done

profile -F 100 --max-stack 4M -- "$TARGETS/recursive" 5000 2
is "5000 frames: none truncated of $(figure samples)" "$(figure truncated_stacks)" 0
# Stacks without burn may have fewer frames: there the program still descends, which takes time, as
# each new page of its stack takes a fault.
within "5000 frames reach main" "$(awk '
    /^_start/ && !/;(main|descend)/ || /^\[syscall\] exit_group / { next } # start, end
    { n = $NF; all += n; m = gsub(/;descend/, "")
    if (/(^|;)main/ && (m == 5000 || !/burn/)) good += n
    else print "another:", $0 > "/dev/stderr" }
    END { print 100 * good / all }' folded)" 99 100

# If the stack is longer than --max-stack, the part nearest the leaf is kept, and the loss is
# reported.
profile -F 100 --max-stack 64K -- "$TARGETS/recursive" 5000 1
is "a cap: all are counted" "$(figure truncated_stacks)" \
    "$(awk '/^\[truncated\]/ { n += $NF } END { print n + 0 }' folded)"
within "a cap: the root says so" "$(share '^\[truncated\];.*descend')" 98 100
is "a cap: the report names the option" \
    "$("$SPROFREPORT" p.pb.gz | grep -c '^stacks are longer than --max-stack .*--max-stack 64M')" 1

profile -F 1000 -- "$TARGETS/stacks" qsort 1
complete 'a callback from libc' "$to_main"
within 'a callback from libc: the callers are there' \
    "$(share ';main;sort_it;.*qsort.*;compare|;main;sort_it|_dl_')" 99 100

profile -F 1000 -- "$TARGETS/stacks" signal 1
complete 'a handler on an alternate stack' "$to_main"
within 'a handler: what it interrupted is there' \
    "$(share ';main;by_signal;spin;.*;\[signal\];handler(;|$)')" 90 100

profile -F 1000 -- "$TARGETS/stacks" pool 1
# start_thread only has its name if symbols of libc are installed.
complete 'threads' "(start_thread|\\[libc[^;]*\\]);worker|$to_main"
# A new thread has no caller, also when it has just left the call that created it. (An unwinder that
# looks for a caller there ends some 30 of these stacks as incomplete. Without symbols of libc, ours
# may do so, too.)
profile -F 2000 -- "$TARGETS/lives" threads 6000
is 'new threads: complete' "$(grep -E '^\[incomplete\];clone3? ' folded)" ''

profile -F 1000 -- "$TARGETS/stacks" coro 1
# swapcontext has set the new stack pointer, but not yet the return address there: meanwhile glibc's
# call frame information is wrong. One of 10,000 samples is there.
switching='^\\[incomplete\\];(__)?swapcontext$'
complete 'coroutines' ";?coroutine(;deeper|;now|\$)|$switching|$to_main"
is 'coroutines: complete, but for the switch' \
    "$(grep -a incomplete folded | sed 's/ [0-9]*$//' |
    grep -vcE '^\[incomplete\];(__)?swapcontext$')" 0
within 'coroutines: incomplete' "$(figure incomplete_stacks)" 0 3
profile -F 1000 -- "$TARGETS/stacks" longjmp 1
complete 'longjmp' "$to_main"

# Every stack is one that the program can have.
profile -F 2000 --max-overhead 100 -- "$TARGETS/stacks" log 2
within 'truth: samples' "$(figure samples)" 200 100000
is 'truth: no stack that cannot be' "$(impossible_stacks folded)" ""

# Stacks by frame pointers (-g fp) are complete, too.
profile -g fp -F 1000 -- "$TARGETS/recursive_fp" 50 1
within 'frame pointers: the recursion is there' \
    "$(awk '{ n = $NF; all += n; m = gsub(/;descend/, "")
        if (/;main/ && m == 50) good += n } END { print 100 * good / all }' folded)" 98 100
is 'frame pointers: none incomplete' "$(figure incomplete_stacks)" 0

profile -G -F 1000 -- "$TARGETS/recursive" 30 0.5
# Without callers (-G) and inlined functions (--no-inline), each stack is one frame, or two: the
# function and the system call it is in.
"$SPROFREPORT" export --format folded --no-inline -o folded p.pb.gz
is 'no stacks: places alone' "$(sed 's/;\[syscall\].*//' folded | grep -c ';')" 0

if cc -static -O2 -fno-optimize-sibling-calls -pthread -o static \
    "$SOURCE/tests/targets/stacks.c" 2>/dev/null; then
    profile -F 1000 -- ./static qsort 1
    complete 'a static program' "$to_main"
    profile -F 1000 -- ./static signal 1
    complete 'a static program in a handler' "$to_main"
else
    echo 'skipped: a static program: there is no static libc here'
fi

cat >cxx.cc <<'C'
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>
static volatile unsigned sink;
template <class T> static inline __attribute__((always_inline)) T twice(T v) {
	for (int i = 0; i < 300; i++) sink = sink + v;
	return v * 2; }
struct Thing { std::string name; ~Thing() { sink = sink + (unsigned)name.size(); } };
__attribute__((noinline)) static int thrower(int n)
{
	Thing t{"a name that is too long for the small buffer " + std::to_string(n)};
	char pad[240];
	((volatile char *)pad)[n % 240] = 1;
	if (n == 0)
		throw std::runtime_error(t.name);
	return thrower(n - 1) + twice(n) + ((volatile char *)pad)[1];
}
__attribute__((noinline)) static int catcher(int n)
{
	std::vector<int> v(400);
	for (auto &e : v) e = rand();
	std::sort(v.begin(), v.end(), [](int a, int b) { return twice(a) < twice(b); });
	try { return thrower(n) + v[0]; }
	catch (const std::exception &e) { return (int)e.what()[0]; }
}
int main()
{
	while (std::clock() < CLOCKS_PER_SEC) sink = sink + catcher(20);
	printf("%u\n", sink & 1);
}
C
if c++ -O2 -g -o cxx cxx.cc 2>/dev/null; then
    profile -F 1000 -- ./cxx
    complete 'C++ with exceptions and inlining' "$to_main"
    within 'C++: the inlined calls are there' "$(share 'catcher.*;twice<')" 30 100
else
    echo 'skipped: C++: there is no compiler for it here'
fi
finish
