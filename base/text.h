/* SPDX-License-Identifier: MIT */
/* Text, mostly for display: columns of UTF-8, cutting of names, units. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Removes one UTF-8 character from *@text, which is not at its end. -1: invalid; one byte is
 * removed.
 */
int32_t text_next(const char **text);

/* Columns of a character on a terminal: 0 to 2. */
unsigned text_character_columns(int32_t character);

/* Columns of @text on a terminal. */
size_t text_columns(const char *text);

/*
 * May the character be sent to a terminal? Not control characters (C0, C1, DEL), nor characters
 * that change the display of other text (directions, joiners), nor -1, which is no character. Names
 * come from files and processes that may be hostile: all output goes through this function, by one
 * of the two below, by the cells of screen.h, or by the escapes of a format.
 */
bool text_is_printable(int32_t character);

/*
 * A copy in which unprintable characters are '?', with @ascii also those beyond ASCII. NULL: out of
 * memory.
 */
char *text_clean(const char *text, bool ascii);
/* Prints the result of text_clean(). */
void text_put(const char *text, FILE *out);

/*
 * Cut to @columns (at least 1) in place. A name loses first its arguments, then the content of its
 * angle brackets, then its first components, then its middle; a path its beginning, a sentence its
 * end.
 */
int text_cut_name(char **text, size_t columns, bool ascii);
int text_cut_path(char **text, size_t columns, bool ascii);
int text_cut_sentence(char **text, size_t columns, bool ascii);

/* Empties all brackets of a name that are longer than an ellipsis: "f<...>(...)". -ENOMEM. */
int text_empty_brackets(char **text, bool ascii);
/* What stands for the part that was cut. */
const char *text_ellipsis(bool ascii);

/* Replaces *@text, possibly NULL, by a copy of @with. 0 or -ENOMEM. */
int text_replace(char **text, const char *with);

/*
 * Reads the beginning of a small file, as those in /proc are, with a NUL behind it. @folder_fd: as
 * for openat(). Returns its length, or -errno, and the text is empty.
 */
int text_read_file(int folder_fd, const char *path, char *to, size_t room);

/* The last component of a path. */
const char *text_basename(const char *path);

enum { TEXT_UNIT_BYTES = 32 };

/* A sum as an integer, saturated. */
static inline int64_t text_whole(double value)
{
	return value < 9.2e18 ? (int64_t)(value + 0.5) : INT64_MAX;
}

/* "512 ns", "21 us", "4.12 ms", "12.41 s", "3 min 12 s", "2 h 03 min". */
void text_format_ns(uint64_t ns, char to[TEXT_UNIT_BYTES]);

/* "250 Hz", "33.3 Hz", "0.017 Hz". */
void text_format_hz(double hz, char to[TEXT_UNIT_BYTES]);

/* The common format of a column's values, which makes them comparable at a glance. */
struct text_scale {
	const char *unit; /* "ms", "MiB", "" */
	const char *of;   /* the unit in pprof; "" any other */
	double divisor;
	int digits;
};

/* For values of a pprof unit up to @most, or down to it. */
struct text_scale text_scale_for(const char *unit, int64_t most);
/* A value that would be 0.00 gets a smaller unit. */
void text_format_scaled(int64_t value, struct text_scale scale, char to[TEXT_UNIT_BYTES]);

#endif
