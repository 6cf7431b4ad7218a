/* SPDX-License-Identifier: MIT */
/*
 * Finds the entry of call frame information that covers an address: by .eh_frame_hdr's search
 * table, or in .eh_frame if there is none, or in .debug_frame (DWARF 5, 6.4; LSB 5, 10.6).
 */
#ifndef SYMBOLIZER_UNWIND_TABLE_H
#define SYMBOLIZER_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module;
struct unwind_table;

/* One entry (FDE) with the data of its CIE. All pointers are valid as long as the module. */
struct unwind_entry {
	uint64_t low, high;                   /* svma */
	const uint8_t *initial, *initial_end; /* the CIE's instructions */
	const uint8_t *code, *code_end;       /* the FDE's instructions */
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_column;
	bool signal; /* a signal frame: the caller's pc is not a return address */
	bool wide;   /* addresses have 8 bytes */
};

/* Called once, by the module's owner. NULL is allowed. */
void unwind_table_free(struct unwind_table *table);

/*
 * Finds the entry that covers @svma; the first call makes the module's table. 0; -ENOENT: there is
 * no entry; -ENOMEM.
 */
int unwind_table_find(struct module *module, uint64_t svma, struct unwind_entry *ret_entry);

/*
 * Reads the first entry of @data, an .eh_frame of one piece of code from @low to @high. The
 * addresses in @data are not used, as their base is unknown. -ENOENT: there is no entry.
 */
int unwind_table_read_piece(const uint8_t *data, size_t bytes, uint64_t low, uint64_t high,
	struct unwind_entry *ret_entry);

#endif
