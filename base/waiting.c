/* SPDX-License-Identifier: MIT */
#include "base/waiting.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

/* Progress is shown after PATIENCE_NS for the first time, and at most once per REFRESH_NS. */
#define PATIENCE_NS UINT64_C(500000000)
#define REFRESH_NS  UINT64_C(100000000)

void waiting_begin(struct waiting *waiting)
{
	*waiting = (struct waiting){.terminal = isatty(STDERR_FILENO), .since_ns = clock_now()};
}

void waiting_show(struct waiting *waiting, const char *what, double done)
{
	uint64_t now;

	if (!waiting->terminal)
		return;
	now = clock_now();
	if (now - waiting->since_ns < PATIENCE_NS || now - waiting->shown_ns < REFRESH_NS)
		return;
	waiting->shown_ns = now;
	waiting->visible = true;
	(void)fprintf(stderr, "\r\033[K%s: %.0f %%", what, done * 100);
}

void waiting_say(struct waiting *waiting, const char *what)
{
	if (!waiting->terminal)
		return;
	waiting->visible = true;
	(void)fprintf(stderr, "\r\033[K%s", what);
}

void waiting_end(struct waiting *waiting)
{
	if (waiting->visible)
		(void)fputs("\r\033[K", stderr);
	waiting->visible = false;
}
