/* SPDX-License-Identifier: MIT */
#include "supervisor/output/self_audit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/*
 * The octave is the position of the highest bit that is set, the step the 5 bits below it. For 1000
 * ns = 2^9 * 1.953 the octave is 9, the step 30: the integer part of 0.953 * 32.
 */
static unsigned bucket_of(uint64_t ns)
{
	unsigned octave, step;

	if (ns < 1)
		ns = 1;
	octave = 63 - (unsigned)__builtin_clzll(ns);
	if (octave >= AUDIT_OCTAVES)
		return AUDIT_OCTAVES * AUDIT_STEPS - 1;
	step = (unsigned)((octave >= 5 ? ns >> (octave - 5) : ns << (5 - octave)) & 31);
	return octave * AUDIT_STEPS + step;
}

static uint64_t middle_of(unsigned bucket)
{
	uint64_t octave = bucket / AUDIT_STEPS, step = bucket % AUDIT_STEPS;
	uint64_t low = ((UINT64_C(32) + step) << octave) / 32;
	uint64_t high = ((UINT64_C(33) + step) << octave) / 32;

	return (low + high) / 2;
}

void audit_histogram_add(struct audit_histogram *histogram, uint64_t ns)
{
	histogram->count[bucket_of(ns)]++;
	histogram->total++;
	if (ns > histogram->max_ns)
		histogram->max_ns = ns;
}

uint64_t audit_histogram_quantile(const struct audit_histogram *histogram, unsigned per_mille)
{
	uint64_t below = 0, want = (histogram->total * per_mille + 999) / 1000;

	if (!histogram->total)
		return 0;
	if (per_mille >= 1000)
		return histogram->max_ns;
	for (unsigned i = 0; i < AUDIT_OCTAVES * AUDIT_STEPS; i++) {
		below += histogram->count[i];
		if (below >= want && below) {
			uint64_t ns = middle_of(i);

			return ns < histogram->max_ns ? ns : histogram->max_ns;
		}
	}
	return histogram->max_ns;
}

int audit_print(const struct audit_figure *figure, size_t figures, char *to, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < figures; i++) {
		int r = figure[i].shown ? snprintf(to + n, room - n, "%s %" PRIu64 "\n",
						  figure[i].key, figure[i].value)
					: 0;

		if (r < 0 || (size_t)r >= room - n)
			return -ENOSPC;
		n += (size_t)r;
	}
	return (int)n;
}
