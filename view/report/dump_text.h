/* SPDX-License-Identifier: MIT */
/* The text of sprofrun --dump: the stack of every thread. */
#ifndef VIEW_REPORT_DUMP_TEXT_H
#define VIEW_REPORT_DUMP_TEXT_H

#include <stdio.h>

struct profile;

/*
 * Writes all stacks of the profile, thread by thread, leaf first. 0 or -ENOMEM. The caller checks
 * for write errors (ferror).
 */
int dump_text_print(const struct profile *profile, FILE *out);

#endif
