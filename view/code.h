/* SPDX-License-Identifier: MIT */
/*
 * What reports show but the profile does not hold: instructions, the text of source files, and
 * where a file has its symbols. view/ opens no files itself. The caller of a report provides a
 * struct code_reader, which opens them.
 */
#ifndef VIEW_CODE_H
#define VIEW_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

struct code_frame {
	const char *function, *file; /* "": unknown */
	uint32_t line;               /* 0: unknown */
};

struct code_instruction {
	uint64_t address; /* as in the profile */
	const char *text;
	size_t first;    /* the innermost frame's index in code_object.frame; its callers follow */
	unsigned frames; /* 0: unknown */
};

/* A request about a mapping of the profile, and the answer (from @found on). */
struct code_object {
	uint32_t mapping;        /* index in the profile */
	const uint64_t *address; /* to be looked up, ascending; borrowed */
	size_t addresses;
	bool instructions; /* also request the functions' instructions */

	bool found; /* the file exists and is the profiled one */
	/*
	 * @symbols: where names come from: "symtab", "dynsym", …. @lines: where lines come from:
	 * the path of the file with DWARF, or ".gopclntab". Both: "none" if there are none,
	 * "unread" if they could not be read, "" if this is unknown.
	 */
	const char *symbols;
	const char *lines;
	const char *problem;      /* what is missing, and the remedy; "": nothing is missing */
	const char *language;     /* "Go"; "": unknown */
	const char *code_problem; /* why there are no instructions; "": there are some */
	size_t named, lined;      /* numbers of addresses with a name and with a line */
	struct code_instruction *instruction; /* by ascending address */
	struct code_frame *frame;
	size_t instructions_n, frames;
	char *owned; /* memory of all strings */
};

/* The addresses of mapping m, ascending, are @address[first[m]] to @address[first[m + 1] - 1]. */
struct code_addresses {
	uint64_t *address;
	size_t *first;
	size_t *lined; /* by mapping: number of addresses with a line in the profile */
};

/*
 * Collects the addresses of the locations for which @wants() is true (NULL: of all). 0 or -ENOMEM;
 * release @addresses in either case.
 */
int code_addresses_init(struct code_addresses *addresses, const struct profile *profile,
	bool (*wants)(const void *context, size_t location), const void *context);
void code_addresses_release(struct code_addresses *addresses);
/* The request borrows @addresses. */
struct code_object code_addresses_request(const struct code_addresses *addresses, uint32_t mapping);

/* A package with debug symbols. The caller frees the strings. */
struct code_package {
	char *command; /* installs the package; NULL: no such package is known */
	/*
	 * @name_at, @name_bytes: where @command has the name of the package, in bytes. Names of
	 * other packages may be inserted behind it, so that one command installs several.
	 */
	size_t name_at, name_bytes;
	char *foreign; /* the file's package if it is not of this distribution; else NULL */
	bool adds;     /* @command adds an archive to apt's list; it may no longer exist */
};

struct code_reader {
	/* Fills the zeroed answers of @n requests; free each by code_forget(). 0 or -ENOMEM. */
	int (*inspect)(
		void *context, const struct profile *profile, struct code_object *object, size_t n);
	/*
	 * Reads the source file that the profile calls @file. NULs in it become blanks. @shared:
	 * the text will be given to other people, so a file that not everybody may read is refused,
	 * unless the user named its folder. *@ret_path: where the file was found. *@ret_changed_ns:
	 * when the file was last modified, in ns since 1970. Returns 0, or -errno with a sentence
	 * or NULL in *@ret_problem. The caller frees the text, the path and the sentence.
	 */
	int (*source)(void *context, const char *file, bool shared, char **ret_text,
		char **ret_path, uint64_t *ret_changed_ns, char **ret_problem);
	/*
	 * Downloads a debug file from servers that the user allowed. 0, or -errno with a constant
	 * sentence in *@ret_problem.
	 */
	int (*fetch)(
		void *context, const char *path, const char *build_id, const char **ret_problem);
	/* Finds the package with the debug symbols of the file at @path. 0 or -ENOMEM. */
	int (*package)(void *context, const char *path, struct code_package *ret_package);
	void *context;
};

/* Frees the answer, not the request. */
void code_forget(struct code_object *object);

#endif
