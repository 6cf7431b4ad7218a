/* SPDX-License-Identifier: MIT */
/*
 * Lines and inlined calls of one file with DWARF. Which unit covers an address is indexed once; a
 * unit is read when the first of its addresses is asked for, and kept.
 */
#ifndef SYMBOLIZER_DEBUGINFO_H
#define SYMBOLIZER_DEBUGINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfo;
struct elffile;
struct splitfiles;
struct strpool;

struct debuginfo_frame {
	const char *name, *linkage_name; /* NULL unknown */
	const char *file;                /* interned, "" unknown */
	uint32_t line, function_line;    /* 0 unknown */
	bool inlined;
	bool qualified; /* name needs no namespace or class: the language has none */
};

/* Deeper chains of inlined calls are cut at the outer end. */
enum { DEBUGINFO_FRAMES_MAX = 128 };

/*
 * @supplement: what .gnu_debugaltlink names, NULL none. Both must outlive the result, as must
 * @strings. -ENOENT: no DWARF in the file; -ENOEXEC: damaged; -E2BIG: over the file's budget.
 */
int debuginfo_open(struct elffile *file, struct elffile *supplement, struct strpool *strings,
	uint64_t text_low, uint64_t text_high, struct debuginfo **ret_debuginfo);
void debuginfo_close(struct debuginfo *debuginfo);

/* Does a unit keep its functions in a .dwo file? */
bool debuginfo_is_split(const struct debuginfo *debuginfo);
/* Where these are looked for from now on, NULL nowhere. Must outlive it. */
void debuginfo_set_splitfiles(struct debuginfo *debuginfo, struct splitfiles *splitfiles);

/*
 * The frames at an address, innermost first, at most DEBUGINFO_FRAMES_MAX; *ret_n 0: nothing is
 * known. Where a line is known but no function, one frame without names. -ENOMEM, -E2BIG.
 */
int debuginfo_find(
	struct debuginfo *debuginfo, uint64_t svma, struct debuginfo_frame *frames, size_t *ret_n);

#endif
