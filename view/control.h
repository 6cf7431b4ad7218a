/* SPDX-License-Identifier: MIT */
/*
 * What the user of a view asks for that a view cannot do itself. The view sets a field, whoever
 * runs it serves and clears it.
 */
#ifndef VIEW_CONTROL_H
#define VIEW_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct control {
	bool quit;
	bool redraw;        /* the screen may be spoilt: paint all of it */
	uint64_t period_ns; /* sample at this period from now on; 0: as it is */
	bool change_freeze; /* take samples no more, or again, as @freeze says */
	bool freeze;
	char *save_as; /* write the profile to this file; owned, NULL: no */
};

#endif
