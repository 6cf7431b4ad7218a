/* SPDX-License-Identifier: MIT */
/* Requests of the user to the live view's caller, which performs them and clears the fields. */
#ifndef VIEW_LIVE_LIVE_CONTROL_H
#define VIEW_LIVE_LIVE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct control {
	bool quit;
	bool redraw;        /* paint the whole screen: something else may have written on it */
	uint64_t period_ns; /* sample at this period from now on; 0: unchanged */
	bool change_freeze; /* stop or resume sampling, according to @freeze */
	bool freeze;
	char *save_as; /* write the profile to this file; owned; NULL: no request */
};

#endif
