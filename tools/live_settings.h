/* SPDX-License-Identifier: MIT */
/* What the fronts hand over to the analyst for the live view. */
#ifndef TOOLS_LIVE_SETTINGS_H
#define TOOLS_LIVE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* The analyst's exit status: the terminal was not given back; it cannot be drawn on. */
enum { LIVE_EXIT_STUCK = 3, LIVE_EXIT_NO_SCREEN = 4 };

struct live_settings {
	bool on;
	bool batch, ascii, totals, color;
	int in_fd;        /* keys come from there */
	bool goes_on;     /* sampling does, when the user leaves */
	bool one_process; /* the target was named by its pid, alone */
	uint64_t screens; /* batch: how many, 0 until the end */
	uint64_t delay_ns, half_life_ns, period_ns, overhead_ppm;
	uint64_t rows, columns; /* batch */
	const char *target, *view, *log, *keys, *save_as;
	/* --thread-name and --tid as given: the threads that the profile is of; NULL: not given */
	const char *thread_name, *tids;
	/* struct termios of the terminal as it was, in hexadecimal; NULL as it is */
	const char *modes;
};

/* Takes "NAME=VALUE", as the supervisors' programs hand them over (tools/live_front.c). False: no.
 */
bool live_settings_take(struct live_settings *settings, const char *text);

#endif
