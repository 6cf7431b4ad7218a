/* SPDX-License-Identifier: MIT */
#ifndef VIEW_OPTIONS_H
#define VIEW_OPTIONS_H

#include <string.h>

#include "view/report.h"

/* The options as this version knows them; fields unknown to the caller's version are off. */
static inline struct report_options options_take(const struct report_options *given)
{
	struct report_options options = {0};

	if (given)
		memcpy(&options, given,
			given->size < sizeof(options) ? given->size : sizeof(options));
	options.size = sizeof(options);
	return options;
}

#endif
