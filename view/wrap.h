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
 * The bytes of the first piece of @text, which is at most @columns wide, and in *@ret_next where
 * the second begins. A word that is wider is a piece by itself. A line does not end in a number if
 * it can be avoided.
 */
size_t wrap_piece(const char *text, size_t columns, size_t *ret_next);

/*
 * Prints a line that ends at a line feed or at the end of @text, and a line feed. Further pieces
 * are indented as the line is, those of a line without indentation by two columns.
 */
void wrap_line(const char *text, size_t width, FILE *out);

/* Begins: returns the stream to print to, until wrap_end(); NULL: out of memory. */
FILE *wrap_begin(struct wrap *wrap, size_t width, FILE *out);
/* Ends, and prints what was collected. 0 or -ENOMEM. */
int wrap_end(struct wrap *wrap);

#endif
