/* SPDX-License-Identifier: MIT */
/*
 * Finds the units of split DWARF. A skeleton unit names a .dwo file by folder and name, and the
 * split unit in it by an 8-byte id. A .dwp file has the units of many .dwo files, and a table that
 * finds a unit by its id. A file is opened when an address of one of its units is first looked up.
 * Sources: DWARF 5, 3.1.3 and 7.3.5; for DWARF 4 the GNU extension, with a table of version 2.
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
 * Prepares to find split units of the file at @path with the debug file at @debug_path, or NULL.
 * The paths and @budget, charged for decompressed data, must outlive the result. -ENOMEM.
 */
int splitfiles_new(struct symbolizer *symbolizer, const char *path, const char *debug_path,
	struct budget *budget, struct splitfiles **ret_splitfiles);
void splitfiles_free(struct splitfiles *splitfiles);

/*
 * Finds the unit with @id, in this order:
 *
 *	PATH.dwp, DEBUG_PATH.dwp
 *	DIRECTORY/NAME			NAME alone, if it begins with a slash
 *	<directory of PATH>/NAME
 *	<directory of PATH>/<base of NAME>
 *
 * The first .dwp that lists the unit counts, or the first .dwo file that can be opened, even if the
 * unit is not in it. The sections live as long as @splitfiles. -ENOENT: no such file; -ENOMEM.
 */
int splitfiles_find(struct splitfiles *splitfiles, const char *directory, const char *name,
	uint64_t id, struct dwarf_split_unit *ret_unit);

/* Counts a unit as missing, with the file that should contain it. */
void splitfiles_blame(struct splitfiles *splitfiles, const char *directory, const char *name);

/* The number of missing units; *@ret_path: the file of the first one, "": none. */
size_t splitfiles_missing(const struct splitfiles *splitfiles, const char **ret_path);

/*
 * Finds where in a section a unit's part lies, by the table of a .dwp (.debug_cu_index). @column:
 * the section, DW_SECT_… (DWARF 5, table 7.1). In a table of version 2, the values 1, 3 and 6 mean
 * the same sections as in version 5. False: no such unit or column, or the table is damaged.
 */
bool splitfile_look_up(struct slice table, uint64_t id, uint32_t column, uint64_t *ret_offset,
	uint64_t *ret_bytes);

#endif
