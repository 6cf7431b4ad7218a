/* SPDX-License-Identifier: MIT */
/*
 * The options of a program: one row each, from the name to the place of the value, with what to say
 * of a wrong one. The texts of --help are files (tools/help/); completions are made of them.
 */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

enum option_kind {
	/* without a value */
	OPTION_FLAG,  /* bool: set */
	OPTION_CLEAR, /* bool: cleared */
	OPTION_SET,   /* const char *: @words */
	OPTION_DO,    /* calls @take with NULL */
	/* with a value */
	OPTION_TEXT,    /* const char *: the value, borrowed */
	OPTION_WORD,    /* as OPTION_TEXT; one of @words */
	OPTION_CHOICE,  /* an enumeration, its values in the order of @words */
	OPTION_SWITCH,  /* bool, by two @words */
	OPTION_NUMBER,  /* uint64_t */
	OPTION_COUNT,   /* unsigned, at most @most */
	OPTION_DECIMAL, /* double, from 0 to @most */
	OPTION_TIME,    /* uint64_t, in ns, from @least to @most */
	OPTION_RATE,    /* uint64_t: its period in ns */
	OPTION_SIZE,    /* uint64_t, in bytes, from @least to @most */
	OPTION_PERCENT, /* uint32_t, in millionths */
	OPTION_TAKE,    /* calls @take */
};

struct option_row {
	const char *name; /* without "--"; NULL: only a letter */
	char letter;      /* of "-o"; 0 none */
	enum option_kind kind;
	size_t at; /* offset of its place in the settings */
	/*
	 * @context: the settings of the set. 0; -EINVAL: a wrong value; 1: ends the parsing, after
	 * a message or an answer.
	 */
	int (*take)(void *context, char *value);
	const char *words;          /* "yes|only|no" */
	const char *wrong, *remedy; /* about a wrong value: "bad rate", "give ticks a second" */
	uint64_t least, most;       /* @most 0: no bound */
};

/* The options of one part of a program. */
struct option_set {
	const struct option_row *row;
	size_t n;
	void *settings;
	uint64_t given; /* one bit a row, for the first 64 */
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
 * Parses options as getopt_long() does, at most 96; optind is then the first other argument. @mode:
 * the beginning of its string of letters. COMMAND_LINE_ENDED: @take did. COMMAND_LINE_WRONG:
 * @ret_row has the option, optarg the value.
 */
enum command_line_result command_line_parse(struct option_set *set, size_t sets, const char *mode,
	int argc, char **argv, const struct option_row **ret_row);

/*
 * After COMMAND_LINE_UNKNOWN: the option that was probably meant by @word, the argument read last;
 * NULL: none is likely.
 */
const char *command_line_likely(const struct option_set *set, size_t sets, const char *word);

/* Parses a helper's command line, which is not a user's: a wrong one ends the process with 2. */
void command_line_parse_own(struct option_set *set, int argc, char **argv);

/* Was the option of that name given? */
int command_line_given(const struct option_set *set, const char *name);

/* The index of @word in "yes|only|no", or -1. */
int command_line_word(const char *words, const char *word);

#endif
