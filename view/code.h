/* SPDX-License-Identifier: MIT */
/*
 * Data for reports that are not in the profile: instructions, the present sources of names, source
 * files. The caller of a report provides a reader; views open nothing.
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
	uint64_t address; /* as in the profile */
	const char *text;
	size_t first;    /* its frames in code_object.frame: innermost first */
	unsigned frames; /* 0: unknown */
};

/* A request about a mapping of the profile, and the answer. */
struct code_object {
	uint32_t mapping;
	const uint64_t *address; /* addresses to be looked up, ascending; borrowed */
	size_t addresses;
	bool instructions; /* request the instructions of the functions at the addresses, too */

	bool found;               /* the file exists, and is the one that was profiled */
	const char *symbols;      /* source of the names: "symtab", …; "" unknown */
	const char *lines;        /* the file with DWARF, "none", or "" */
	const char *problem;      /* what is missing, and the remedy; "" nothing */
	const char *language;     /* "Go", "": unknown */
	const char *code_problem; /* why there are no instructions; "" not missing */
	size_t named, lined;      /* number of addresses with a name, with a line */
	struct code_instruction *instruction; /* ascending */
	struct code_frame *frame;
	size_t instructions_n, frames;
	char *owned; /* memory of all strings; freed by code_forget() */
};

/*
 * A package with debug symbols. The strings are freed by the caller, and NULL if they are unknown.
 */
struct code_package {
	char *command;              /* command that installs them */
	size_t name_at, name_bytes; /* where in it the package's name is; others may follow it */
	char *foreign;              /* the name of a package that is not of this distribution */
	bool adds; /* the command adds an archive, of which it is not known whether it answers */
};

struct code_reader {
	/*
	 * Answers @n requests, which are zero except for the request fields. Missing data are
	 * reported in the answers: -ENOMEM is the only error. Release each with forget().
	 */
	int (*inspect)(
		void *context, const struct profile *profile, struct code_object *object, size_t n);
	/*
	 * Reads a source file, named as in the profile; NULs become blanks. @shared: the text will
	 * be given to other people. -errno; then *ret_problem is a sentence, or NULL. *ret_path:
	 * where the file was found; *ret_changed_ns: when it was last modified, since 1970. The
	 * caller frees all.
	 */
	int (*source)(void *context, const char *file, bool shared, char **ret_text,
		char **ret_path, uint64_t *ret_changed_ns, char **ret_problem);
	/*
	 * Downloads the debug file of a build-id from servers that the user has allowed. -errno,
	 * and *ret_problem is a constant sentence.
	 */
	int (*fetch)(
		void *context, const char *path, const char *build_id, const char **ret_problem);
	/* How a file's debug symbols are installed. -ENOMEM. */
	int (*package)(void *context, const char *path, struct code_package *ret_package);
	void *context;
};

/* Frees the answer. */
void code_forget(struct code_object *object);

#endif
