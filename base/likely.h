/* SPDX-License-Identifier: MIT */
/* What a word that is not known probably means. */
#ifndef BASE_LIKELY_H
#define BASE_LIKELY_H

#include <stddef.h>

/*
 * The name that differs least from @word, by at most a third of its letters; NULL: none, or several
 * differ as little. Dashes in front of @word and a value behind '=' do not count. @names points to
 * the first one, a const char *; the next ones follow every @stride bytes, and NULL ends them.
 */
const char *likely_name(const char *word, const void *names, size_t stride);

#endif
