/* SPDX-License-Identifier: MIT */
#ifndef VIEW_PROGRESS_H
#define VIEW_PROGRESS_H

#include "view/options.h"

/*
 * Calls the progress callback of the options for each 1024th item. The callback itself looks at the
 * clock, so that it prints rarely even if items are quick.
 */
static inline void progress_show(
	const struct report_options *options, const char *what, size_t done, size_t all)
{
	if (options->progress && done % 1024 == 0)
		options->progress(options->progress_context, what, (double)done / (double)all);
}

#endif
