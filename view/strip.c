/* SPDX-License-Identifier: MIT */
#include "view/strip.h"

#include <stddef.h>

enum { LEVELS = 8 };

/* More than 0.5 % gets at least the lowest level, to be visible. */
static size_t level_of(double share)
{
	if (!(share > 0.005))
		return 0;
	return share >= 1 ? LEVELS : (size_t)(share * LEVELS) + 1;
}

const char *strip_character(double share, bool ascii)
{
	static const char *const plain[LEVELS + 1] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
	static const char *const blocks[LEVELS + 1] = {" ", "\xe2\x96\x81", "\xe2\x96\x82",
		"\xe2\x96\x83", "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87",
		"\xe2\x96\x88"};
	size_t level = level_of(share);

	return ascii ? plain[level] : blocks[level];
}

void strip_put(double share, bool ascii, bool color, FILE *out)
{
	/* The live view's strip changes color at the same shares (live_strip.c). */
	const char *paint = share >= 0.75 ? "\033[31m" : share >= 0.25 ? "\033[33m" : "";

	if (!color || !paint[0])
		fputs(strip_character(share, ascii), out);
	else
		fprintf(out, "%s%s\033[m", paint, strip_character(share, ascii));
}
