/* SPDX-License-Identifier: MIT */
/*
 * Requests of a view's user that the view cannot perform itself. The view sets a field; its caller
 * performs the request and clears the field.
 */
#ifndef VIEW_LIVE_LIVE_CONTROL_H
#define VIEW_LIVE_LIVE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct control {
	bool quit;
	bool redraw;        /* the screen may be damaged: paint all of it */
	uint64_t period_ns; /* sample at this period from now on; 0: unchanged */
	bool change_freeze; /* stop or resume sampling, according to @freeze */
	bool freeze;
	char *save_as; /* write the profile to this file; owned, NULL: no */
};

#endif
