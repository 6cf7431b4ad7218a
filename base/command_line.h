/* SPDX-License-Identifier: MIT */
/*
 * Tables of a program's options: one row for each option. The texts of --help are in files
 * (tools/help/), from which the shell completions are made.
 */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

/* An option's kind says which type its setting has, and what the option stores there. */
enum option_kind {
	/* The option has no value: */
	OPTION_FLAG,  /* stores true in a bool */
	OPTION_CLEAR, /* stores false in a bool */
	OPTION_SET,   /* stores the text @words in a const char * */
	OPTION_DO,    /* stores nothing, but calls @take with NULL */
	/* The option has a value: */
	OPTION_TEXT,    /* stores the value in a const char * */
	OPTION_WORD,    /* stores the value, one of @words, in a const char * */
	OPTION_CHOICE,  /* stores the value's index in @words in an enumeration */
	OPTION_SWITCH,  /* stores true in a bool if the value is the second of two @words */
	OPTION_NUMBER,  /* stores a number in a uint64_t, unchecked */
	OPTION_COUNT,   /* stores a number up to @most in an unsigned */
	OPTION_DECIMAL, /* stores a number from 0 to @most in a double */
	OPTION_TIME,    /* stores a time in ns, from @least to @most, in a uint64_t */
	OPTION_RATE,    /* takes a rate, stores its period in ns in a uint64_t */
	OPTION_SIZE,    /* stores a size in bytes, from @least to @most, in a uint64_t */
	OPTION_PERCENT, /* stores a share in millionths in a uint32_t */
	OPTION_TAKE,    /* stores nothing, but calls @take with the value */
};

struct option_row {
	const char *name; /* without "--"; NULL: the option has only a letter */
	char letter;      /* 'o' for "-o"; 0: the option has only a name */
	enum option_kind kind;
	size_t at; /* offset of the value in the settings */
	/*
	 * Takes the value; @context points to the settings. Returns 0; -EINVAL: the value is wrong;
	 * 1: parsing ends here, because the option (like --help) has done all work.
	 */
	int (*take)(void *context, char *value);
	const char *words; /* the permitted words, as "yes|only|no" */
	/* what a message says about a wrong value: "bad rate", "give ticks a second" */
	const char *wrong, *remedy;
	uint64_t least, most; /* bounds of the value; @most 0: no upper bound (of a time or size) */
};

struct option_set {
	const struct option_row *row;
	size_t n;
	void *settings;
	uint64_t given; /* a bit for each of the first 64 rows; 1: the option was given */
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
 * Parses options by getopt_long(): optind is then the index of the first argument that is no
 * option. @set has @sets sets, with at most 96 options in all. getopt_long()'s letters begin with
 * @mode, such as "+:". COMMAND_LINE_ENDED: a @take returned 1. COMMAND_LINE_WRONG: optarg is a
 * wrong value of the option *@ret_row.
 */
enum command_line_result command_line_parse(struct option_set *set, size_t sets, const char *mode,
	int argc, char **argv, const struct option_row **ret_row);

/*
 * Call after COMMAND_LINE_UNKNOWN, with the argument that was parsed last as @word. Returns the
 * option that the user probably meant, or NULL.
 */
const char *command_line_likely(const struct option_set *set, size_t sets, const char *word);

/* Parses options that another of our programs passes to this one. Exits with 2 if one is wrong. */
void command_line_parse_own(struct option_set *set, int argc, char **argv);

int command_line_given(const struct option_set *set, const char *name);

/* Returns the index of @word in @words, as "yes|only|no", or -1. */
int command_line_word(const char *words, const char *word);

#endif
