/* SPDX-License-Identifier: MIT */
/* `timeline`: when each thread ran, with which function, and when nothing ran (time_grid.h). */
#ifndef VIEW_REPORT_TIMELINE_REPORT_H
#define VIEW_REPORT_TIMELINE_REPORT_H

#include "view/report/time_grid.h"

/* Prints strips, phases and gaps: the report without its header and audit. 0 or -ENOMEM. */
int timeline_body(const struct time_grid *grid, FILE *out);

#endif
