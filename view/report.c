/* SPDX-License-Identifier: MIT */
#include "view/report.h"

#include <string.h>

#include "view/listing.h"
#include "view/summary.h"

static const struct report reports[] = {
	{"flat", "CPU time by function", listing_print_flat},
	{"lines", "CPU time by source line", listing_print_lines},
	{"summary", "all figures about the run, and how far to trust it", summary_print},
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
