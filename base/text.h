/* SPDX-License-Identifier: MIT */
/* Text, mostly for display: columns of UTF-8, cutting of names, values with units. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Takes one UTF-8 character from the front of *@text, which is not empty. -1: it is invalid, and
 * one byte is taken.
 */
int32_t text_next(const char **text);

/* Columns of a character on a terminal: 0 to 2. */
unsigned text_character_columns(int32_t character);

/* Columns of @text on a terminal. */
size_t text_columns(const char *text);

/*
 * May the character be sent to a terminal? Not allowed are control characters (C0, C1, DEL),
 * characters that change the display of other text (directions, joiners), and -1, which is no
 * character. Names come from files and processes that may be hostile. So all output is checked by
 * this function. Its callers are the two functions below, the cells of screen.h, and the escapes of
 * a format.
 */
bool text_is_printable(int32_t character);

/*
 * Returns a copy in which characters that are not printable are '?', with @ascii also those beyond
 * ASCII. The caller frees it. NULL: out of memory.
 */
char *text_clean(const char *text, bool ascii);
/* Prints the result of text_clean(). */
void text_put(const char *text, FILE *out);

/*
 * These cut *@text, which is allocated and may move, to @columns (at least 1). A name loses first
 * its arguments, then the content of its angle brackets, then its first components, then its
 * middle; a path loses its beginning, a sentence its end. 0, or -ENOMEM: *@text is valid.
 */
int text_cut_name(char **text, size_t columns, bool ascii);
int text_cut_path(char **text, size_t columns, bool ascii);
int text_cut_sentence(char **text, size_t columns, bool ascii);

/* Empties all brackets of a name that hold more than an ellipsis: "f<...>(...)". 0 or -ENOMEM. */
int text_empty_brackets(char **text, bool ascii);
/* Returns the ellipsis that takes the place of a part that was cut: "…", with @ascii "...". */
const char *text_ellipsis(bool ascii);

/* Replaces *@text, possibly NULL, by a copy of @with. 0 or -ENOMEM. */
int text_replace(char **text, const char *with);

/* Returns the last component of a path. */
const char *text_basename(const char *path);

enum { TEXT_UNIT_BYTES = 32 };

/* Returns @value, which is not negative, rounded to an integer, at most INT64_MAX. */
static inline int64_t text_whole(double value)
{
	return value < 9.2e18 ? (int64_t)(value + 0.5) : INT64_MAX;
}

/* Formats a time: "512 ns", "21 us", "4.12 ms", "12.41 s", "3 min 12 s", "2 h 03 min". */
void text_format_ns(uint64_t ns, char to[TEXT_UNIT_BYTES]);

/* Formats a rate: "250 Hz", "33.3 Hz", "0.017 Hz". */
void text_format_hz(double hz, char to[TEXT_UNIT_BYTES]);

/* The common format of a column's values, which makes them comparable at a glance. */
struct text_scale {
	const char *unit; /* as shown: "ms", "MiB", "" */
	const char *of;   /* the unit of the values, as in pprof; "": any other */
	double divisor;
	int digits; /* behind the point */
};

/*
 * Returns the scale for values of a pprof unit, of which @most is the greatest by its absolute
 * value.
 */
struct text_scale text_scale_for(const char *unit, int64_t most);
/* Formats a value. One that is not 0 but would be shown as 0.00 becomes "<0.01", or ">-0.01". */
void text_format_scaled(int64_t value, struct text_scale scale, char to[TEXT_UNIT_BYTES]);

#endif
