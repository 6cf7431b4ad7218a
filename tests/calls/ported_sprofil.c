/* SPDX-License-Identifier: MIT */
/*
 * Tests sprofil() as a libc's own test does: regions for two functions, the lower one in memory
 * listed last, and an overflow bin, in counters of both widths. The sum times the period is the CPU
 * time, and each function has its share.
 */
#include <sys/time.h>
#include <sys/profil.h>

#include <string.h>
#include <unistd.h>

#include "tests/calls/ported.h"

enum { CELLS = 32 };

PORTED_LOOP(first)
PORTED_LOOP(second)

static unsigned wide[2][CELLS], bin;
static unsigned short *volatile no_buffer; /* glibc declares the buffer nonnull */
static unsigned short narrow[2][CELLS], narrow_bin;

static double total(int function, unsigned flags)
{
	double sum = 0;

	for (int i = 0; i < CELLS; i++)
		sum += flags == PROF_UINT ? wide[function][i] : narrow[function][i];
	return sum;
}

static int run(unsigned flags, unsigned bytes, void *one, void *other, void *rest)
{
	struct prof table[3];
	struct timeval tick = {9, 9};
	double used[2], ticks, s;

	memset(table, 0, sizeof(table));
	table[0].pr_base = one;
	table[0].pr_off = (size_t)first;
	table[1].pr_base = other;
	table[1].pr_off = (size_t)second;
	for (int i = 0; i < 2; i++) {
		table[i].pr_size = CELLS * bytes;
		table[i].pr_scale = bytes * 0x2000; /* a counter for 8 bytes of text */
	}
	table[2].pr_base = rest;
	table[2].pr_size = bytes;
	table[2].pr_off = 0;
	table[2].pr_scale = 2;
	if (sprofil(table, 3, &tick, flags) != 0) {
		perror("sprofil");
		return 0;
	}
	used[0] = first();
	used[1] = second();
	if (profil(no_buffer, 0, 0, 0) != 0)
		return 0;
	s = (double)tick.tv_sec + (double)tick.tv_usec / 1e6;
	if (s < 0.0005 || s > 0.02) {
		fprintf(stderr, "a tick of %f s\n", s);
		return 0;
	}
	ticks = (used[0] + used[1]) / s;
	return ported_about("all",
		       total(0, flags) + total(1, flags) + (flags == PROF_UINT ? bin : narrow_bin),
		       ticks) &&
		ported_about("the first", total(0, flags), used[0] / s) &&
		ported_about("the second", total(1, flags), used[1] / s);
}

int main(void)
{
	return run(PROF_UINT, 4, wide[0], wide[1], &bin) &&
			run(PROF_USHORT, 2, narrow[0], narrow[1], &narrow_bin)
		? 0
		: 1;
}
