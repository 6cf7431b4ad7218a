/* SPDX-License-Identifier: MIT */
/* --from and --to: the part of a profile to report on. */
#ifndef TOOLS_REPORT_REPORT_SPAN_H
#define TOOLS_REPORT_REPORT_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct profile;

struct report_moment {
	bool given;
	bool from_end; /* @ns counts back from the end, as in "-2s" */
	uint64_t ns;
};

struct report_span {
	struct report_moment from, to;
};

/* Parses "2.5s", "500ms", "0" or "-2s". False: invalid. */
bool report_moment_take(const char *text, struct report_moment *ret_moment);

/* Replaces *@profile by the requested part. 0 or -errno. *@ret_problem: to be freed, or NULL. */
int report_span_apply(const struct report_span *span, struct profile **profile, char **ret_problem);

#endif
