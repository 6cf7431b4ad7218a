/* SPDX-License-Identifier: MIT */
/*
 * Data that reports show but the profile does not hold: instructions, source files, and which of
 * today's files have the names. The caller of a report provides a struct code_reader; the code in
 * view/ opens no files itself.
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
	size_t first;    /* index of its innermost frame in code_object.frame; callers follow */
	unsigned frames; /* number of its frames; 0: unknown */
};

/* A request about a mapping of the profile, and the answer. */
struct code_object {
	uint32_t mapping;        /* index in the profile */
	const uint64_t *address; /* addresses to be looked up, ascending; borrowed */
	size_t addresses;
	bool instructions; /* request the instructions of the functions at the addresses, too */

	bool found; /* the file exists, and is the one that was profiled */
	/* source of the names: "symtab", …, "none", "unread" (not readable); "" unknown */
	const char *symbols;
	const char *lines;        /* the file with DWARF, "none", "unread" (as above); "" unknown */
	const char *problem;      /* what is missing, and the remedy; "" nothing */
	const char *language;     /* "Go", "": unknown */
	const char *code_problem; /* why there are no instructions; "" none are missing */
	size_t named, lined;      /* number of addresses with a name, with a line */
	struct code_instruction *instruction; /* by ascending address */
	struct code_frame *frame;
	size_t instructions_n, frames;
	char *owned; /* memory of all strings; freed by code_forget() */
};

/*
 * The addresses of the profile's locations, ascending in each mapping, as requests need them. Those
 * of mapping m are @address[first[m]] to before @address[first[m + 1]].
 */
struct code_addresses {
	uint64_t *address;
	size_t *first;
	size_t *lined; /* by mapping: the number of its addresses with a line in the profile */
};

/*
 * Collects the addresses of the locations for which @wants (called with @context) returns true;
 * @wants NULL: of all locations. 0 or -ENOMEM; @addresses must be released in either case.
 */
int code_addresses_init(struct code_addresses *addresses, const struct profile *profile,
	bool (*wants)(const void *context, size_t location), const void *context);
void code_addresses_release(struct code_addresses *addresses);
/* Returns a request about a mapping, valid as long as @addresses. */
struct code_object code_addresses_request(const struct code_addresses *addresses, uint32_t mapping);

/* A package with debug symbols. The caller frees the strings; they are NULL if unknown. */
struct code_package {
	char *command;              /* command that installs the package */
	size_t name_at, name_bytes; /* the package's name in @command; more names may follow */
	char *foreign; /* the name of the installed package if it is not of this distribution */
	/* the command adds a package archive to those of apt; the archive may no longer exist */
	bool adds;
};

struct code_reader {
	/*
	 * Answers @n requests, whose other fields are zero. Missing data are reported in the
	 * answers: 0, or -ENOMEM, the only error. Release each answer with code_forget().
	 */
	int (*inspect)(
		void *context, const struct profile *profile, struct code_object *object, size_t n);
	/*
	 * Reads the source file that the profile calls @file; NULs become blanks. @shared: the text
	 * will be given to other people, so that private files are refused. *@ret_path: where the
	 * file was found; *@ret_changed_ns: when it was last modified, since 1970. 0, or -errno
	 * with a sentence, or NULL, in *@ret_problem. The caller frees the text, the path and the
	 * sentence.
	 */
	int (*source)(void *context, const char *file, bool shared, char **ret_text,
		char **ret_path, uint64_t *ret_changed_ns, char **ret_problem);
	/*
	 * Downloads the debug file of a build-id from servers that the user has allowed. 0, or
	 * -errno with a constant sentence in *ret_problem.
	 */
	int (*fetch)(
		void *context, const char *path, const char *build_id, const char **ret_problem);
	/* Finds how the debug symbols of the file at @path can be installed. 0 or -ENOMEM. */
	int (*package)(void *context, const char *path, struct code_package *ret_package);
	void *context;
};

/* Frees the answer; the request stays. */
void code_forget(struct code_object *object);

#endif
