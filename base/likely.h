/* SPDX-License-Identifier: MIT */
/* Which known name is most like a word that a user has mistyped. */
#ifndef BASE_LIKELY_H
#define BASE_LIKELY_H

#include <stddef.h>

/*
 * Returns the name that differs least from @word, in at most a third of the word's letters. NULL:
 * there is no such name, or several are equally near. In @word, leading dashes and the text from
 * '=' on are ignored. @names points to a const char *, the first name; the next one is @stride
 * bytes behind it, and so on. A NULL ends the names.
 */
const char *likely_name(const char *word, const void *names, size_t stride);

#endif
