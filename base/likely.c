/* SPDX-License-Identifier: MIT */
#include "base/likely.h"

#include <string.h>

/* Longer words and names are not compared. */
enum { MOST_LETTERS = 40 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: the number of edits (insert, remove, replace, swap neighbours). */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[3][MOST_LETTERS + 1];

	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least(least(above[j], now[j - 1]) + 1,
				above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

const char *likely_name(const char *word, const void *names, size_t stride)
{
	const char *best = NULL, *name;
	unsigned nearest = MOST_LETTERS;
	size_t n;

	word += strspn(word, "-");
	n = strcspn(word, "=");
	if (n > MOST_LETTERS)
		return NULL;
	for (const char *at = names; memcpy(&name, at, sizeof(name)), name; at += stride) {
		size_t m = strlen(name);
		unsigned differ;

		if (m > MOST_LETTERS)
			continue;
		differ = distance(word, n, name, m);
		if (differ < nearest)
			best = name;
		else if (differ == nearest)
			best = NULL;
		nearest = least(differ, nearest);
	}
	return nearest * 3 <= n ? best : NULL;
}
