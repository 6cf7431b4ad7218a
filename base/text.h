/* SPDX-License-Identifier: MIT */
/* Text, mostly for display: columns of UTF-8, cutting of names, values with units. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Takes a UTF-8 character from the front of *@text (not ""). Invalid: takes a byte, returns -1. */
int32_t text_next(const char **text);

enum { TEXT_UTF8_BYTES = 5 };

/* Writes a character, 0 to 0x10ffff, as UTF-8 and a NUL. Returns its length, 1 to 4 bytes. */
size_t text_encode(int32_t character, char to[TEXT_UTF8_BYTES]);

/* Returns how many columns a character has on a terminal: 0 to 2. */
unsigned text_character_columns(int32_t character);

size_t text_columns(const char *text);

/*
 * May the character be sent to a terminal? Not control characters (C0, C1, DEL), nor characters
 * that change the display of other text (directions, joiners), nor -1. All output passes this
 * check, because names may come from hostile files and processes.
 */
bool text_is_printable(int32_t character);

/*
 * Copies @text with '?' for each character that is not printable. @ascii: '?' also for each that is
 * not ASCII. NULL: out of memory.
 */
char *text_clean(const char *text, bool ascii);
/*
 * Says why something is refused: sets *@ret_problem to a text, which the caller frees. Returns
 * @error; or -ENOMEM, with *@ret_problem NULL.
 */
int text_refuse(char **ret_problem, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints the result of text_clean(text, false). */
void text_put(const char *text, FILE *out);

/*
 * Each function cuts *@text, which is allocated and may move, to @columns (1 or more). A name loses
 * first its arguments, then what is in angle brackets, then its first components, then its middle.
 * A path loses its beginning; a sentence loses its end. 0; or -ENOMEM, and *@text is still valid.
 */
int text_cut_name(char **text, size_t columns, bool ascii);
int text_cut_path(char **text, size_t columns, bool ascii);
int text_cut_sentence(char **text, size_t columns, bool ascii);

/* Puts an ellipsis into each bracket of a name that holds more: "f<...>(...)". 0 or -ENOMEM. */
int text_empty_brackets(char **text, bool ascii);
/* Returns the ellipsis that replaces a part that was cut: "..." if @ascii, otherwise "…". */
const char *text_ellipsis(bool ascii);

/* Replaces *@text, possibly NULL, by a copy of @with. 0 or -ENOMEM. */
int text_replace(char **text, const char *with);

const char *text_basename(const char *path);

enum { TEXT_UNIT_BYTES = 32 };

/* Rounds @value, which is not negative, to an integer; INT64_MAX if it is too large. */
static inline int64_t text_whole(double value)
{
	return value < 9.2e18 ? (int64_t)(value + 0.5) : INT64_MAX;
}

/* Formats a time: "512 ns", "21 us", "4.12 ms", "12.41 s", "3 min 12 s", "2 h 03 min". */
void text_format_ns(uint64_t ns, char to[TEXT_UNIT_BYTES]);

/* Formats a rate: "250 Hz", "33.3 Hz", "0.017 Hz". */
void text_format_hz(double hz, char to[TEXT_UNIT_BYTES]);

/* The format that all values of a column share. */
struct text_scale {
	const char *unit; /* the unit shown: "ms", "MiB", "" */
	const char *of;   /* pprof's name of the values' unit; "": values are not scaled */
	double divisor;
	int digits; /* number of digits shown behind the point */
};

/* Returns the scale for values in a pprof unit. @most is the value of greatest magnitude. */
struct text_scale text_scale_for(const char *unit, int64_t most);
/* Formats a value. If it is not 0 but would be shown as 0.00, it becomes "<0.01" or ">-0.01". */
void text_format_scaled(int64_t value, struct text_scale scale, char to[TEXT_UNIT_BYTES]);

#endif
