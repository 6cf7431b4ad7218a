/* SPDX-License-Identifier: MIT */
#ifndef VIEW_REPORT_SUMMARY_H
#define VIEW_REPORT_SUMMARY_H

#include "view/report/report.h"

/* Prints every figure of the audit, one per line: the print() of struct report (report.h). */
int summary_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

#endif
