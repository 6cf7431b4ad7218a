/* SPDX-License-Identifier: MIT */
/*
 * Where the functions of split DWARF are: a skeleton unit names a .dwo file by folder, name and an
 * id of 8 bytes; a .dwp file holds many of these, with a table by id. Files are opened when the
 * first address of their unit is asked for. The DWARF in them is the reader's.
 *
 * Sources: DWARF 5, sections 3.1.3 and 7.3.5; for DWARF 4 the GNU extension, whose table says
 * version 2.
 */
#ifndef SYMBOLIZER_SPLITFILE_H
#define SYMBOLIZER_SPLITFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/rangelist.h"

struct budget;
struct splitfiles;
struct symbolizer;

/* The sections that hold a unit. Of a .dwp, but for the strings, the unit's own part of them. */
struct splitfile_unit {
	struct rangelist_bytes info, abbreviations, rnglists, string_offsets, strings;
};

/*
 * Of the file at @path, and of its debug file at @debug_path, NULL none. Both must outlive it, as
 * must @budget, from which is taken what is unpacked. -ENOMEM.
 */
int splitfiles_new(struct symbolizer *symbolizer, const char *path, const char *debug_path,
	struct budget *budget, struct splitfiles **ret_splitfiles);
/* Closes the files. NULL is fine. */
void splitfiles_free(struct splitfiles *splitfiles);

/*
 * Where the unit with @id is, tried in this order:
 *
 *	PATH.dwp, DEBUG_PATH.dwp
 *	DIRECTORY/NAME			NAME, if it begins with a slash
 *	<directory of PATH>/NAME
 *	<directory of PATH>/<base of NAME>
 *
 * Of files the first that opens counts; whether the unit is in it, the reader of it will see. The
 * sections live as long as @splitfiles. -ENOENT: there is no such file; -ENOMEM.
 */
int splitfiles_find(struct splitfiles *splitfiles, const char *directory, const char *name,
	uint64_t id, struct splitfile_unit *ret_unit);

/* The reader did not find the unit in what splitfiles_find() gave. */
void splitfiles_blame(struct splitfiles *splitfiles, const char *directory, const char *name);

/* How many units were looked for in vain; the first of their files, "" none. */
size_t splitfiles_missing(const struct splitfiles *splitfiles, const char **ret_path);

/*
 * The part of a .dwp's table (.debug_cu_index) that is of use. @column: DW_SECT_…, as in DWARF 5,
 * table 7.1; the numbers used here mean the same in version 2. False: no such unit or column, or
 * the table is damaged.
 */
bool splitfile_look_up(const struct rangelist_bytes *table, uint64_t id, uint32_t column,
	uint64_t *ret_offset, uint64_t *ret_bytes);

#endif
