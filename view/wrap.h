/* SPDX-License-Identifier: MIT */
/*
 * Wraps the text that is printed between wrap_begin() and wrap_end(), at blanks. With width 0, the
 * text is printed unchanged.
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
 * Returns the bytes of the first piece of @text, at most @columns wide (or one word); *@ret_next:
 * where the second begins. No piece ends in a number if that can be avoided.
 */
size_t wrap_piece(const char *text, size_t columns, size_t *ret_next);

/* Returns the stream to print to; NULL: out of memory. @out is borrowed. */
FILE *wrap_begin(struct wrap *wrap, size_t width, FILE *out);
/* 0 or -ENOMEM. */
int wrap_end(struct wrap *wrap);

#endif
