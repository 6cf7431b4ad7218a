/* SPDX-License-Identifier: MIT */
/*
 * What reports need that is not in the profile: instructions, where names come from now, source
 * files. Whoever prints a report lends a reader; views open nothing.
 */
#ifndef VIEW_CODE_H
#define VIEW_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

struct code_frame {
	const char *function, *file; /* "" unknown */
	uint32_t line;               /* 0 unknown */
};

struct code_instruction {
	uint64_t address; /* as the profile tells addresses */
	const char *text;
	size_t first;    /* of code_object.frame: innermost first */
	unsigned frames; /* 0 nothing is known */
};

/* What is asked about a mapping of the profile, and the answer. */
struct code_object {
	uint32_t mapping;
	const uint64_t *address; /* to be looked up, ascending; borrowed */
	size_t addresses;
	bool instructions; /* those of the functions that the addresses are in, too */

	bool found;               /* the file is there, and is the one that was profiled */
	const char *symbols;      /* where names come from: "symtab", …; "" not known */
	const char *lines;        /* the file with DWARF, "none", or "" */
	const char *problem;      /* what is missing, and the way out; "" nothing */
	const char *code_problem; /* why there are no instructions; "" nothing is missing */
	size_t named, lined;      /* of the addresses */
	struct code_instruction *instruction; /* ascending */
	struct code_frame *frame;
	size_t instructions_n, frames;
	char *owned; /* what the strings stand in */
};

struct code_reader {
	/*
	 * Answers about @n objects, zeroed but for what is asked. What cannot be had is said in
	 * them: -ENOMEM is the only error. Each is to be given to forget().
	 */
	int (*inspect)(
		void *context, const struct profile *profile, struct code_object *object, size_t n);
	/*
	 * The text of a source file as the profile names it, with blanks for NULs. @shared: it is
	 * to be given to others. -errno; then *ret_problem is a sentence, or NULL. The caller frees
	 * all. *ret_path is where it was found.
	 */
	int (*source)(void *context, const char *file, bool shared, char **ret_text,
		char **ret_path, char **ret_problem);
	/*
	 * Gets the debug file of a build-id from where the user has allowed it. -errno, and
	 * *ret_problem is a sentence that is not to be freed.
	 */
	int (*fetch)(
		void *context, const char *path, const char *build_id, const char **ret_problem);
	/* The command that installs a file's debug symbols, which the caller frees, or NULL. */
	int (*package)(void *context, const char *path, char **ret_command);
	void *context;
};

/* Frees the answer. */
void code_forget(struct code_object *object);

#endif
