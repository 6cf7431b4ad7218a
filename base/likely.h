/* SPDX-License-Identifier: MIT */
/* Which known name is most like a word that a user has mistyped. */
#ifndef BASE_LIKELY_H
#define BASE_LIKELY_H

#include <stddef.h>

/*
 * Returns the name that differs least from @word, and by at most a third of its letters. NULL: no
 * name does, or several are equally near. Leading dashes of @word and its text from '=' on do not
 * count. @names points to the first name, a const char *; one more follows every @stride bytes,
 * until NULL.
 */
const char *likely_name(const char *word, const void *names, size_t stride);

#endif
