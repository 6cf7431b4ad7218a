/* SPDX-License-Identifier: MIT */
/*
 * Prose of a text report, wrapped at words. What is printed between wrap_begin() and wrap_end() is
 * wrapped line by line; with a width of 0 it goes to the output as it is.
 */
#ifndef VIEW_WRAP_H
#define VIEW_WRAP_H

#include <stddef.h>
#include <stdio.h>

struct wrap {
	FILE *out, *to;
	char *text;
	size_t bytes, width;
};

/*
 * Returns the bytes of the first piece of @text, at most @columns wide, and in *@ret_next the
 * offset of the second piece. A word that is wider is a piece of its own. No piece ends in a number
 * if that can be avoided.
 */
size_t wrap_piece(const char *text, size_t columns, size_t *ret_next);

/* Returns the stream to print to until wrap_end(); NULL: out of memory. @out is borrowed. */
FILE *wrap_begin(struct wrap *wrap, size_t width, FILE *out);
/* Closes the stream of wrap_begin(), and prints what was written to it. 0 or -ENOMEM. */
int wrap_end(struct wrap *wrap);

#endif
