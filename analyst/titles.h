/* SPDX-License-Identifier: MIT */
/*
 * Titles: a process may write over its first argument to say what it is, for example "nginx: worker
 * process" or "redis-server *:6379". The title names the process from then on.
 */
#ifndef ANALYST_TITLES_H
#define ANALYST_TITLES_H

#include <stdbool.h>

enum { TITLE_BYTES = 80 };

struct image_space;
struct opener;
struct profile;

/*
 * Is @argument, the first one of a process, a title? It has several words, and the first one is no
 * path. A title that does not fit @ret_title is cut.
 */
bool title_parse(const char *argument, char ret_title[TITLE_BYTES]);

/*
 * To be called with each sample of a process. Reads its title at the samples 1, 2, 4, 8, …, and
 * renames the process. -ENOMEM.
 */
int titles_sample(struct profile *profile, struct opener *opener, struct image_space *image);

#endif
