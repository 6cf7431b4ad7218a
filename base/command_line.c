/* SPDX-License-Identifier: MIT */
#include "base/command_line.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/likely.h"
#include "base/units.h"

enum { ROWS_MOST = 96, FIRST_LONG = 256 };

int command_line_word(const char *words, const char *word)
{
	size_t bytes = strlen(word);

	for (int i = 0;; i++) {
		size_t n = strcspn(words, "|");

		if (n == bytes && strncmp(words, word, n) == 0)
			return i;
		if (!words[n])
			return -1;
		words += n + 1;
	}
}

static int within(const struct option_row *row, int r, const uint64_t *value)
{
	return r < 0 || *value < row->least || (row->most && *value > row->most) ? -EINVAL : 0;
}

static int take_word(const struct option_row *row, void *at, const char *value)
{
	int word = command_line_word(row->words, value);

	if (word < 0)
		return -EINVAL;
	if (row->kind == OPTION_CHOICE)
		*(unsigned *)at = (unsigned)word;
	else if (row->kind == OPTION_SWITCH)
		*(bool *)at = word;
	else
		*(const char **)at = value;
	return 0;
}

static int take_number(const struct option_row *row, void *at, const char *value)
{
	char *end;
	double number = strtod(value, &end);

	if (end == value || *end || !(number >= 0 && number <= (double)row->most))
		return -EINVAL;
	if (row->kind == OPTION_DECIMAL)
		*(double *)at = number;
	else if (value[strspn(value, "0123456789")])
		return -EINVAL;
	else
		*(unsigned *)at = (unsigned)number;
	return 0;
}

/* Stores @value in the settings, as row->kind says. Returns what option_row.take returns. */
static int take(const struct option_row *row, void *settings, char *value)
{
	void *at = (char *)settings + row->at;

	switch (row->kind) {
	case OPTION_FLAG: *(bool *)at = true; return 0;
	case OPTION_CLEAR: *(bool *)at = false; return 0;
	case OPTION_SET: *(const char **)at = row->words; return 0;
	case OPTION_TEXT: *(const char **)at = value; return 0;
	case OPTION_WORD:
	case OPTION_CHOICE:
	case OPTION_SWITCH: return take_word(row, at, value);
	case OPTION_NUMBER: *(uint64_t *)at = strtoull(value, NULL, 10); return 0;
	case OPTION_COUNT:
	case OPTION_DECIMAL: return take_number(row, at, value);
	case OPTION_TIME: return within(row, units_time_ns(value, at), at);
	case OPTION_RATE: return units_rate_period_ns(value, at);
	case OPTION_SIZE: return within(row, units_size_bytes(value, at), at);
	case OPTION_PERCENT: return units_percent_ppm(value, at);
	default: return row->take(settings, value);
	}
}

/*
 * Finds the row of @option, a result of getopt_long(). Returns the row's set, and sets *@ret_row to
 * the row's index in it. NULL: no set has the option.
 */
static struct option_set *find(struct option_set *set, size_t sets, int option, size_t *ret_row)
{
	size_t index = (size_t)option - FIRST_LONG;

	for (size_t i = 0; i < sets; i++) {
		for (size_t j = 0; j < set[i].n && option < FIRST_LONG; j++) {
			if (set[i].row[j].letter == option) {
				*ret_row = j;
				return &set[i];
			}
		}
		if (option >= FIRST_LONG && index < set[i].n) {
			*ret_row = index;
			return &set[i];
		}
		index -= set[i].n;
	}
	return NULL;
}

/* Makes the tables of getopt_long() from the rows. */
static void list(const struct option_set *set, size_t sets, struct option *name, char *letter)
{
	int index = FIRST_LONG;

	for (size_t i = 0; i < sets; i++) {
		for (size_t j = 0; j < set[i].n; j++, index++) {
			const struct option_row *row = &set[i].row[j];
			int value = row->kind > OPTION_DO ? required_argument : no_argument;

			if (row->name)
				*name++ = (struct option){row->name, value, NULL, index};
			if (row->letter)
				*letter++ = row->letter;
			if (row->letter && value == required_argument)
				*letter++ = ':';
		}
	}
	*name = (struct option){0};
	*letter = '\0';
}

enum command_line_result command_line_parse(struct option_set *set, size_t sets, const char *mode,
	int argc, char **argv, const struct option_row **ret_row)
{
	struct option name[ROWS_MOST + 1];
	char letter[2 * ROWS_MOST + 8];
	int option, r;

	list(set, sets, name, stpcpy(letter, mode));
	while ((option = getopt_long(argc, argv, letter, name, NULL)) >= 0) {
		struct option_set *of;
		size_t row;

		if (option == ':' || option == '?')
			return option == ':' ? COMMAND_LINE_NO_VALUE : COMMAND_LINE_UNKNOWN;
		of = find(set, sets, option, &row);
		if (!of)
			return COMMAND_LINE_UNKNOWN;
		of->given |= row < 64 ? UINT64_C(1) << row : 0;
		r = take(&of->row[row], of->settings, optarg);
		*ret_row = &of->row[row];
		if (r)
			return r > 0 ? COMMAND_LINE_ENDED : COMMAND_LINE_WRONG;
	}
	return COMMAND_LINE_DONE;
}

const char *command_line_likely(const struct option_set *set, size_t sets, const char *word)
{
	const char *name[ROWS_MOST + 1];
	size_t n = 0;

	/* After an unknown letter, @word need not be the wrong argument: no name can be guessed. */
	if (optopt)
		return NULL;
	for (size_t i = 0; i < sets; i++) {
		for (size_t j = 0; j < set[i].n; j++) {
			if (set[i].row[j].name)
				name[n++] = set[i].row[j].name;
		}
	}
	name[n] = NULL;
	return likely_name(word, name, sizeof(*name));
}

void command_line_parse_own(struct option_set *set, int argc, char **argv)
{
	const struct option_row *wrong;

	if (command_line_parse(set, 1, "", argc, argv, &wrong) != COMMAND_LINE_DONE)
		exit(2);
}

int command_line_given(const struct option_set *set, const char *name)
{
	for (size_t i = 0; i < set->n && i < 64; i++) {
		if (set->row[i].name && strcmp(set->row[i].name, name) == 0)
			return set->given >> i & 1;
	}
	return 0;
}
