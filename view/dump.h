/* SPDX-License-Identifier: MIT */
/* The stack of every thread, for people, as --dump took them. */
#ifndef VIEW_DUMP_H
#define VIEW_DUMP_H

#include <stdio.h>

struct profile;

/*
 * Writes all stacks of the profile, thread by thread, leaf first. -ENOMEM. Write errors are the
 * caller's to find (ferror).
 */
int dump_print(const struct profile *profile, FILE *out);

#endif
