/* SPDX-License-Identifier: MIT */
/* Progress for a user who waits at a terminal: one line on stderr that is erased at the end. */
#ifndef BASE_WAITING_LINE_H
#define BASE_WAITING_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct waiting_line {
	bool terminal; /* stderr is a terminal */
	bool visible;
	uint64_t since_ns, shown_ns;
};

void waiting_line_begin(struct waiting_line *progress);

/*
 * Shows @what, and the share of it that is done, @done (0 to 1). Shows nothing in the first half
 * second, and then at most ten lines a second.
 */
void waiting_line_show(struct waiting_line *progress, const char *what, double done);

/* Shows @what at once. For long work whose progress is not known. */
void waiting_line_say(struct waiting_line *progress, const char *what);

void waiting_line_end(struct waiting_line *progress);

#endif
