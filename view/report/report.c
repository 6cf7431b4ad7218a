/* SPDX-License-Identifier: MIT */
#include "view/report/report.h"

#include <string.h>

#include "view/report/diff.h"

static const struct report reports[] = {
	{"flat", "CPU time by function", false, 0, listing_print_flat, NULL},
	{"lines", "CPU time by source line", false, 0, listing_print_lines, NULL},
	{"tree", "who calls whom, the hottest path first", false, 0.5, tree_report_print, NULL},
	{"callers", "FUNC: who calls the function, and what it calls", true, 0.5, callers_print,
		NULL},
	{"annotate", "FUNC: its source line by line, and its instructions", true, 0, annotate_print,
		NULL},
	{"timeline", "which threads ran when, what was on top, when nothing ran", false, 0.5,
		timeline_print, NULL},
	{"diff", "A B: what changed, and whether it is more than chance", false, 0.1, NULL,
		diff_print},
	{"balance", "--by rank, host or process: who does more, who is alike", false, 0.5,
		balance_print, NULL},
	{"doctor", "where names come from, what is missing, and what mends it", false, 0.1,
		doctor_print, NULL},
	{"summary", "all figures about the run, and how far to trust it", false, 0, summary_print,
		NULL},
};

const struct report *report_at(size_t index)
{
	return index < sizeof(reports) / sizeof(*reports) ? &reports[index] : NULL;
}

const struct report *report_find(const char *name)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		if (!strcmp(reports[i].name, name))
			return &reports[i];
	}
	return NULL;
}
