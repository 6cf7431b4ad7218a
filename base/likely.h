/* SPDX-License-Identifier: MIT */
/* Which known name is most like a word that a user has mistyped. */
#ifndef BASE_LIKELY_H
#define BASE_LIKELY_H

#include <stddef.h>

/*
 * Returns the name that differs least from @word, and by at most a third of its letters. NULL:
 * none, or several are equally near. Leading dashes of @word and what follows '=' do not count.
 * @names: the first const char *; the others follow every @stride bytes, up to NULL.
 */
const char *likely_name(const char *word, const void *names, size_t stride);

#endif
