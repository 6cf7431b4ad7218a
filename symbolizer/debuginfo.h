/* SPDX-License-Identifier: MIT */
/*
 * Lines and inlined calls, from DWARF. debuginfo_open() indexes units by address; a unit is read
 * when one of its addresses is first looked up, and kept.
 */
#ifndef SYMBOLIZER_DEBUGINFO_H
#define SYMBOLIZER_DEBUGINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfo;
struct elffile;
struct splitfiles;
struct pool;

struct debuginfo_frame {
	const char *name, *linkage_name; /* NULL: unknown */
	const char *full_name;           /* @name with its scopes; NULL: not looked for */
	const char *file;                /* interned, "": unknown */
	uint32_t line, function_line;    /* 0: unknown */
	bool inlined;
	/* @name is complete. It is not if it may lack a namespace or a class, as in C++. */
	bool qualified;
};

/* Deeper chains of inlined calls are cut at the outer end. */
enum { DEBUGINFO_FRAMES_MAX = 128 };

/*
 * Opens the DWARF of a file with code in [text_low, text_high). @supplement: the file named by
 * .gnu_debugaltlink, or NULL. Both files and @strings must outlive the result. -ENOENT: no DWARF;
 * -ENOEXEC: damaged; -E2BIG: over the file's budget; -ENOMEM.
 */
int debuginfo_open(struct elffile *file, struct elffile *supplement, struct pool *strings,
	uint64_t text_low, uint64_t text_high, struct debuginfo **ret_debuginfo);
void debuginfo_close(struct debuginfo *debuginfo);

/* Does some unit have its functions in a .dwo file? */
bool debuginfo_is_split(const struct debuginfo *debuginfo);
/* Sets where .dwo files are searched for, NULL: not at all. @splitfiles must outlive @debuginfo. */
void debuginfo_set_splitfiles(struct debuginfo *debuginfo, struct splitfiles *splitfiles);

/*
 * Finds up to DEBUGINFO_FRAMES_MAX frames at @svma, innermost first. A line without a known
 * function gives one frame without names. *@ret_n 0: nothing is known. -ENOMEM, -E2BIG.
 */
int debuginfo_find(
	struct debuginfo *debuginfo, uint64_t svma, struct debuginfo_frame *frames, size_t *ret_n);

#endif
