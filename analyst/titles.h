/* SPDX-License-Identifier: MIT */
/* Processes may write a title over their first argument: "redis-server *:6379". */
#ifndef ANALYST_TITLES_H
#define ANALYST_TITLES_H

#include <stdbool.h>

enum { TITLE_BYTES = 80 };

struct image_space;
struct opener;
struct profile;

/*
 * Is @argument a title: several words, of which the first is not a path? *@ret_title is cut to
 * TITLE_BYTES - 1 bytes.
 */
bool title_parse(const char *argument, char ret_title[TITLE_BYTES]);

/* To be called with each sample. Renames the process if it has a new title. -ENOMEM. */
int titles_sample(struct profile *profile, struct opener *opener, struct image_space *image);

#endif
