/* SPDX-License-Identifier: MIT */
/* `timeline`: when each thread ran, with which function, and when nothing ran (time_grid.h). */
#ifndef VIEW_REPORT_TIMELINE_REPORT_H
#define VIEW_REPORT_TIMELINE_REPORT_H

#include "view/report/report.h"
#include "view/report/time_grid.h"

/* timeline_body() prints strips, phases, gaps; timeline_text() the whole report. 0 or -ENOMEM. */
int timeline_body(const struct time_grid *grid, FILE *out);
int timeline_text(const struct time_grid *grid, FILE *out);

/* The print() of struct report (report.h). */
int timeline_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

#endif
