/* SPDX-License-Identifier: MIT */
/*
 * A program written for PAPI_sprofil(), with that function as a wrapper of sprofil(): an array of
 * PAPI's regions; a flag for the width of a counter; the clock as the event; a threshold of 0 to
 * turn profiling off.
 */
#include <sprofil/sprofil.h>

#include "tests/calls/ported.h"

typedef struct {
	void *pr_base;
	unsigned pr_size;
	char *pr_off;
	unsigned pr_scale;
} PAPI_sprofil_t;

enum { PAPI_OK = 0, PAPI_ESYS = -3, PAPI_PROFIL_BUCKET_16 = 8, PAPI_PROFIL_BUCKET_32 = 16 };

static int PAPI_sprofil(PAPI_sprofil_t *p, int n, int set, int event, int threshold, int flags)
{
	struct prof table[64];

	(void)set;
	(void)event;
	for (int i = 0; i < n && i < 64; i++)
		table[i] = (struct prof){
			p[i].pr_base, p[i].pr_size, (unsigned long)p[i].pr_off, p[i].pr_scale};
	return sprofil(table, threshold ? n : 0, NULL,
		       flags & PAPI_PROFIL_BUCKET_32 ? PROF_UINT : PROF_USHORT)
		? PAPI_ESYS
		: PAPI_OK;
}

enum { CELLS = 64 };

PORTED_LOOP(flops)
PORTED_LOOP(reads)

static unsigned in_flops[CELLS], in_reads[CELLS], elsewhere;

static unsigned total(const unsigned *cell)
{
	unsigned sum = 0;

	for (int i = 0; i < CELLS; i++)
		sum += cell[i];
	return sum;
}

int main(void)
{
	PAPI_sprofil_t regions[3] = {{in_flops, sizeof(in_flops), (char *)flops, 0x8000},
		{in_reads, sizeof(in_reads), (char *)reads, 0x8000}, {&elsewhere, 4, NULL, 2}};
	unsigned before;
	double used[2];

	if (PAPI_sprofil(regions, 3, 1, 0, 1000000, PAPI_PROFIL_BUCKET_32) != PAPI_OK) {
		perror("PAPI_sprofil");
		return 1;
	}
	used[0] = flops();
	used[1] = reads();
	if (PAPI_sprofil(regions, 3, 1, 0, 0, PAPI_PROFIL_BUCKET_32) != PAPI_OK)
		return 1;
	before = total(in_flops);
	(void)flops();
	if (total(in_flops) != before) {
		fprintf(stderr, "counts come after it is off\n");
		return 1;
	}
	return ported_about("flops", total(in_flops), used[0] / 0.01) &&
			ported_about("reads", total(in_reads), used[1] / 0.01)
		? 0
		: 1;
}
