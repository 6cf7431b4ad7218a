/* SPDX-License-Identifier: MIT */
#include "base/waiting_line.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define PATIENCE_NS UINT64_C(500000000)
#define REFRESH_NS  UINT64_C(100000000)

void waiting_line_begin(struct waiting_line *progress)
{
	*progress =
		(struct waiting_line){.terminal = isatty(STDERR_FILENO), .since_ns = clock_now()};
}

void waiting_line_show(struct waiting_line *progress, const char *what, double done)
{
	uint64_t now;

	if (!progress->terminal)
		return;
	now = clock_now();
	if (now - progress->since_ns < PATIENCE_NS || now - progress->shown_ns < REFRESH_NS)
		return;
	progress->shown_ns = now;
	progress->visible = true;
	(void)fprintf(stderr, "\r\033[K%s: %.0f %%", what, done * 100);
}

void waiting_line_say(struct waiting_line *progress, const char *what)
{
	if (!progress->terminal)
		return;
	progress->visible = true;
	(void)fprintf(stderr, "\r\033[K%s", what);
}

void waiting_line_end(struct waiting_line *progress)
{
	if (progress->visible)
		(void)fputs("\r\033[K", stderr);
	progress->visible = false;
}
