/* SPDX-License-Identifier: MIT */
#ifndef VIEW_PROGRESS_H
#define VIEW_PROGRESS_H

#include "view/options.h"

/* Calls the progress callback for each 1024th item. The callback limits how often it prints. */
static inline void progress_show(
	const struct report_options *options, const char *what, size_t done, size_t all)
{
	if (options->progress && done % 1024 == 0)
		options->progress(options->progress_context, what, (double)done / (double)all);
}

#endif
