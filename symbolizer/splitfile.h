/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions of split DWARF: a skeleton unit names a .dwo file by folder, name and an id
 * of 8 bytes; a .dwp file contains many of these, with a table by id. Files are opened when the
 * first address of their unit is looked up. dwarf/dwarf_reader.h parses the DWARF in them.
 *
 * Sources: DWARF 5, sections 3.1.3 and 7.3.5; for DWARF 4 the GNU extension, whose table has
 * version 2.
 */
#ifndef SYMBOLIZER_SPLITFILE_H
#define SYMBOLIZER_SPLITFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/dwarf/dwarf_reader.h"

struct budget;
struct splitfiles;
struct symbolizer;

/*
 * Creates the search for split units of the file at @path, and its debug file at @debug_path, NULL
 * none. Both paths must outlive the result, as must @budget, which is charged for decompressed
 * data. -ENOMEM.
 */
int splitfiles_new(struct symbolizer *symbolizer, const char *path, const char *debug_path,
	struct budget *budget, struct splitfiles **ret_splitfiles);
/* Closes the files. NULL is allowed. */
void splitfiles_free(struct splitfiles *splitfiles);

/*
 * Finds the unit with @id, in this order:
 *
 *	PATH.dwp, DEBUG_PATH.dwp
 *	DIRECTORY/NAME			NAME, if it begins with a slash
 *	<directory of PATH>/NAME
 *	<directory of PATH>/<base of NAME>
 *
 * The first file that can be opened counts; its reader finds out whether the unit is in it. The
 * sections are valid as long as @splitfiles. -ENOENT: no such file; -ENOMEM.
 */
int splitfiles_find(struct splitfiles *splitfiles, const char *directory, const char *name,
	uint64_t id, struct dwarf_split_unit *ret_unit);

/* Notes that the reader did not find the unit in the result of splitfiles_find(). */
void splitfiles_blame(struct splitfiles *splitfiles, const char *directory, const char *name);

/* The number of units not found; *ret_path: the first of their files, "" none. */
size_t splitfiles_missing(const struct splitfiles *splitfiles, const char **ret_path);

/*
 * Looks up a column of a unit in the table of a .dwp (.debug_cu_index). @column: DW_SECT_…, as in
 * DWARF 5, table 7.1; the numbers used here mean the same in version 2. False: no such unit or
 * column, or the table is damaged.
 */
bool splitfile_look_up(struct slice table, uint64_t id, uint32_t column, uint64_t *ret_offset,
	uint64_t *ret_bytes);

#endif
