/* SPDX-License-Identifier: MIT */
/*
 * copied SECONDS: computes in spin() for SECONDS of CPU time: half of it in spin()'s code after a
 * move to memory without a file, at the same address; half in a copy at another address. Status 77:
 * code that was written may not be executed here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/clock.h"

/* Refers to nothing outside, so a copy works anywhere. */
__attribute__((noinline, section("copied_text"), aligned(4096))) static void spin(
	volatile unsigned long *n)
{
	for (int i = 0; i < 100000; i++)
		*n = *n * 3 + 1;
}

static char *copy_page(const char *from, size_t page)
{
	char *to = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (to == MAP_FAILED)
		return NULL;
	memcpy(to, from, page);
	__builtin___clear_cache(to, to + page);
	return mprotect(to, page, PROT_READ | PROT_EXEC) == 0 ? to : NULL;
}

int main(int argc, char **argv)
{
	double half = argc > 1 ? atof(argv[1]) / 2 : 0.5;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *code = (char *)((uintptr_t)spin & ~(page - 1));
	char *moved = copy_page(code, page), *copy = copy_page(code, page);
	void (*const place[])(volatile unsigned long *) = {
		spin, (void (*)(volatile unsigned long *))(copy + ((char *)spin - code))};
	volatile unsigned long n = 1;

	if (!moved || !copy ||
		mremap(moved, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, code) == MAP_FAILED) {
		perror("copied");
		return 77;
	}
	for (int i = 0; i < 2; i++) {
		double end = clock_s(CLOCK_PROCESS_CPUTIME_ID) + half;

		while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < end)
			place[i](&n);
	}
	return 0;
}
