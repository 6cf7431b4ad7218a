/* SPDX-License-Identifier: MIT */
/* Which known name is most like a word that a user has mistyped. */
#ifndef BASE_LIKELY_H
#define BASE_LIKELY_H

#include <stddef.h>

/*
 * Returns the name that differs least from @word, by at most a third of the letters of @word. NULL:
 * there is none, or several differ as little. Dashes in front of @word and a value behind '=' do
 * not count. @names points to the first name, a const char *; the others follow every @stride
 * bytes, and NULL ends them.
 */
const char *likely_name(const char *word, const void *names, size_t stride);

#endif
