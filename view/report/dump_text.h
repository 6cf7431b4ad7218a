/* SPDX-License-Identifier: MIT */
#ifndef VIEW_REPORT_DUMP_TEXT_H
#define VIEW_REPORT_DUMP_TEXT_H

#include <stdio.h>

struct profile;

/* The text of sprofrun --dump: all stacks, leaf first. 0 or -ENOMEM; the caller checks ferror(). */
int dump_text_print(const struct profile *profile, FILE *out);

#endif
