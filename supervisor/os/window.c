/* SPDX-License-Identifier: MIT */
#include "supervisor/os/window.h"

#ifdef SPROFIL_STOP_WINDOW_CHECKS
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Is the stop window of this tracing thread open? This is a variable outside of all structures, and
 * exists in debug builds only.
 */
static _Thread_local bool open_window;

void window_enter(void)
{
	open_window = true;
}

void window_leave(void)
{
	open_window = false;
}

void window_forbid(const char *what)
{
	if (!open_window)
		return;
	(void)fprintf(stderr, "sprofil: %s inside a tick stop\n", what);
	abort();
}
#else
typedef int window_is_not_checked;
#endif
