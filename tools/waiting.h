/* SPDX-License-Identifier: MIT */
/* Progress for whoever waits at a terminal: one line on stderr that is wiped out at the end. */
#ifndef TOOLS_WAITING_H
#define TOOLS_WAITING_H

#include <stdbool.h>
#include <stdint.h>

struct waiting {
	bool terminal; /* somebody sees it */
	bool visible;
	uint64_t since_ns, shown_ns;
};

void waiting_begin(struct waiting *waiting);

/* Shows how far @what is, but not before it takes long, and a few times a second only. */
void waiting_tell(struct waiting *waiting, const char *what, double done);

/* Shows it at once: for what takes long and does not tell how far it is. */
void waiting_say(struct waiting *waiting, const char *what);

void waiting_end(struct waiting *waiting);

#endif
