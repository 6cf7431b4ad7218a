/* SPDX-License-Identifier: MIT */
#ifndef VIEW_REPORT_SUMMARY_H
#define VIEW_REPORT_SUMMARY_H

#include "view/report/report.h"

/* The print() of the report's struct report (report.h): every figure of the audit, one per line. */
int summary_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

#endif
