/* SPDX-License-Identifier: MIT */
/*
 * Uses profil() of <unistd.h> as a conformance test does: a part of the program's own text is
 * counted while profiling is on, and not after "off", by a scale of 0 or without a buffer.
 */
#include <string.h>
#include <unistd.h>

#include "tests/calls/ported.h"

#define TICK_S 0.01

PORTED_LOOP(burn)

static unsigned short counts[256];
static unsigned short *volatile no_buffer; /* glibc declares the buffer nonnull */

static unsigned total(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 256; i++)
		sum += counts[i];
	return sum;
}

static int turn_on(void)
{
	return profil(counts, sizeof(counts), (size_t)burn, 65536);
}

static int is_still(const char *what)
{
	unsigned short before[256];

	memcpy(before, counts, sizeof(counts));
	(void)burn();
	if (memcmp(before, counts, sizeof(counts)) == 0)
		return 1;
	fprintf(stderr, "counts come after %s\n", what);
	return 0;
}

int main(void)
{
	double used;

	if (turn_on() != 0) {
		perror("profil");
		return 1;
	}
	used = burn();
	if (profil(counts, sizeof(counts), (size_t)burn, 0) != 0)
		return 1;
	if (!ported_about("profil", total(), used / TICK_S) || !is_still("a scale of 0"))
		return 1;
	memset(counts, 0, sizeof(counts));
	if (turn_on() != 0)
		return 1;
	used = burn();
	if (profil(no_buffer, 0, 0, 0) != 0)
		return 1;
	return ported_about("profil again", total(), used / TICK_S) && is_still("no buffer") ? 0
											     : 1;
}
