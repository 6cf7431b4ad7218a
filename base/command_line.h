/* SPDX-License-Identifier: MIT */
/*
 * The options of a program, a row each. The texts of --help are files (tools/help/); the shell
 * completions are made from them.
 */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

enum option_kind {
	/* without a value: type of the setting, and what is stored there */
	OPTION_FLAG,  /* bool: true */
	OPTION_CLEAR, /* bool: false */
	OPTION_SET,   /* const char *: @words */
	OPTION_DO,    /* nothing: calls @take with NULL */
	/* with a value: type of the setting, and what is stored there */
	OPTION_TEXT,    /* const char *: the value, borrowed */
	OPTION_WORD,    /* const char *: the value, which must be one of @words; borrowed */
	OPTION_CHOICE,  /* an enumeration: the index of the value in @words */
	OPTION_SWITCH,  /* bool: true for the second of two @words */
	OPTION_NUMBER,  /* uint64_t; not checked */
	OPTION_COUNT,   /* unsigned, at most @most */
	OPTION_DECIMAL, /* double, from 0 to @most */
	OPTION_TIME,    /* uint64_t, in ns, from @least to @most */
	OPTION_RATE,    /* uint64_t: the period of the rate, in ns */
	OPTION_SIZE,    /* uint64_t, in bytes, from @least to @most */
	OPTION_PERCENT, /* uint32_t, in millionths */
	OPTION_TAKE,    /* calls @take */
};

struct option_row {
	const char *name; /* without "--"; NULL: the option has only a letter */
	char letter;      /* 'o' for "-o"; 0: none */
	enum option_kind kind;
	size_t at; /* offset of the value in the settings */
	/* @context: the settings. 0; -EINVAL: wrong value; 1: output printed, parsing ends. */
	int (*take)(void *context, char *value);
	const char *words;          /* the permitted words, as "yes|only|no" */
	const char *wrong, *remedy; /* about a wrong value: "bad rate", "give ticks a second" */
	uint64_t least, most;       /* @most 0: no bound */
};

struct option_set {
	const struct option_row *row;
	size_t n;
	void *settings;
	uint64_t given; /* a bit for each of the first 64 rows: the option was given */
};

#define OPTION_ROWS(rows) (rows), sizeof(rows) / sizeof(*(rows))

enum command_line_result {
	COMMAND_LINE_DONE,
	COMMAND_LINE_ENDED,
	COMMAND_LINE_UNKNOWN,
	COMMAND_LINE_NO_VALUE,
	COMMAND_LINE_WRONG
};

/*
 * Parses options by getopt_long(): optind is then the index of the first other argument. @set:
 * @sets sets, with at most 96 options in all. @mode: the beginning of getopt_long()'s letters, such
 * as "+:". COMMAND_LINE_ENDED: a @take returned 1. COMMAND_LINE_WRONG: option *@ret_row, value
 * optarg.
 */
enum command_line_result command_line_parse(struct option_set *set, size_t sets, const char *mode,
	int argc, char **argv, const struct option_row **ret_row);

/* After COMMAND_LINE_UNKNOWN: the option that @word, the last argument, probably means; or NULL. */
const char *command_line_likely(const struct option_set *set, size_t sets, const char *word);

/* Parses what one of our programs passes to another. If it is wrong, exits with status 2. */
void command_line_parse_own(struct option_set *set, int argc, char **argv);

int command_line_given(const struct option_set *set, const char *name);

/* Returns the index of @word in @words, as "yes|only|no", or -1. */
int command_line_word(const char *words, const char *word);

#endif
