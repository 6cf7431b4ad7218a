/* SPDX-License-Identifier: MIT */
/* The live view's settings, from sprofrun or sproftop to the analyst: "--live-NAME=VALUE". */
#ifndef TOOLS_FRONT_LIVE_SETTINGS_H
#define TOOLS_FRONT_LIVE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Exit statuses of the analyst. STUCK: it could not restore the terminal. NO_SCREEN: it cannot draw
 * on the terminal.
 */
enum { LIVE_EXIT_STUCK = 3, LIVE_EXIT_NO_SCREEN = 4 };

struct live_settings {
	bool on;
	bool batch, ascii, totals, color;
	int in_fd;        /* keys come from this descriptor */
	bool goes_on;     /* sampling continues when the user leaves */
	bool one_process; /* the target was named by a single pid */
	bool suspends;    /* ^Z suspends sprofrun or sproftop, but not the target */
	uint64_t screens; /* batch mode: number of screens; 0: until the end */
	uint64_t delay_ns, half_life_ns, period_ns, cost_ppm;
	uint64_t rows, columns; /* batch mode: size of a screen */
	const char *target, *view, *log, *keys, *save_as;
	/* --thread-name and --tid as given; NULL: not given */
	const char *thread_name, *tids;
	/* the terminal's struct termios before the view, in hexadecimal; NULL: its present modes */
	const char *modes;
};

#endif
