/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/dwarf_api.h"

#include <errno.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/dwarf/linescan.h"

static int read_files(struct dwarf_reader *r, Dwarf_Line_Context context, Dwarf_Unsigned version,
	const struct dwarf_unit *info, struct unit *unit)
{
	Dwarf_Signed first = 0, n = 0, end = 0;
	Dwarf_Error error = NULL;
	int rc = 0;

	if (dwarf_srclines_files_indexes(context, &first, &n, &end, &error) != DW_DLV_OK) {
		dwarf_facts_forget(r->own.dbg, error);
		return 0;
	}
	unit->first_file = first > 0 ? 1 : 0;
	for (Dwarf_Signed i = first; i < end && rc == 0; i++) {
		const char *name = NULL, *directory = NULL;
		Dwarf_Unsigned number = 0, time, bytes;
		Dwarf_Form_Data16 *md5 = NULL;

		if (dwarf_srclines_files_data_b(
			    context, i, &name, &number, &time, &bytes, &md5, &error) != DW_DLV_OK) {
			dwarf_facts_forget(r->own.dbg, error);
			error = NULL;
			name = NULL;
		}
		/* Up to DWARF 4 directory 0 is the compilation directory, and is not listed. */
		if (version < 5 && number == 0)
			directory = info->directory;
		else if (number > INT32_MAX ||
			dwarf_srclines_include_dir_data(
				context, (Dwarf_Signed)number, &directory, &error) != DW_DLV_OK)
			directory = NULL;
		dwarf_facts_forget(r->own.dbg, error);
		error = NULL;
		rc = unit_add_file(unit, name ? name : "", directory ? directory : "");
	}
	return rc;
}

/* @default_file replaces file number 0. */
static int read_rows(struct dwarf_reader *r, Dwarf_Line *rows, Dwarf_Signed n,
	Dwarf_Unsigned default_file, struct unit *unit)
{
	size_t begin = unit->n_lines; /* The first row of the current sequence. */
	int rc = 0;

	for (Dwarf_Signed i = 0; i < n && rc == 0; i++) {
		Dwarf_Unsigned line = 0, file = 0;
		Dwarf_Addr svma = 0;
		Dwarf_Bool ends = 0;
		Dwarf_Error error = NULL;

		if (dwarf_lineaddr(rows[i], &svma, &error) != DW_DLV_OK ||
			dwarf_lineendsequence(rows[i], &ends, &error) != DW_DLV_OK ||
			dwarf_lineno(rows[i], &line, &error) != DW_DLV_OK ||
			dwarf_line_srcfileno(rows[i], &file, &error) != DW_DLV_OK) {
			dwarf_facts_forget(r->own.dbg, error);
			continue;
		}
		if (!file)
			file = default_file;
		if (!ends) {
			rc = unit_add_line(
				unit, svma, (uint32_t)(file % UNIT_NONE), (uint32_t)line);
			continue;
		}
		/* Drops a sequence that is empty, or whose code the linker discarded. */
		if (unit->n_lines > begin &&
			(unit->lines[begin].svma >= svma || unit->lines[begin].svma < r->text_low ||
				unit->lines[begin].svma >= r->text_high))
			unit->n_lines = begin;
		else if (unit->n_lines > begin)
			rc = unit_add_line(unit, svma, UNIT_NONE, 0);
		begin = unit->n_lines;
	}
	unit->n_lines = rc ? unit->n_lines : begin;
	return rc;
}

/*
 * libdwarf's temporary memory in bytes: ROW_BYTES for each row, NAME_BYTES for each of
 * linescan.names.
 */
enum { ROW_BYTES = 160, NAME_BYTES = 64 };

/* 1: the line table fits into the budget; 0: no table, or damaged; -E2BIG: too large. */
static int judge_table(const struct dwarf_reader *r, Dwarf_Die die, struct linescan *ret_scan)
{
	Dwarf_Attribute attribute = NULL;
	Dwarf_Error error = NULL;
	struct linescan scan = {0};
	Dwarf_Off offset = 0;
	int rc = dwarf_attr(die, DW_AT_stmt_list, &attribute, &error);

	if (rc == DW_DLV_OK) {
		rc = dwarf_global_formref(attribute, &offset, &error);
		dwarf_dealloc_attribute(attribute);
	}
	if (rc != DW_DLV_OK) {
		if (rc == DW_DLV_ERROR)
			dwarf_facts_forget(r->own.dbg, error);
		return 0;
	}
	if (linescan_table(r->lines, offset, &scan) < 0)
		return 0;
	*ret_scan = scan;
	/*
	 * Scanning takes time, so it is charged to the budget, too: 1 byte for each row and name.
	 * Otherwise many units that share one long table would take very long, as the table is
	 * scanned for each unit.
	 */
	if (!budget_take(r->budget, scan.rows + scan.names))
		return -E2BIG;
	return budget_fits(r->budget, scan.rows * ROW_BYTES + scan.names * NAME_BYTES) ? 1 : -E2BIG;
}

int dwarf_lines_read(
	struct dwarf_reader *r, Dwarf_Die die, const struct dwarf_unit *info, struct unit *unit)
{
	Dwarf_Line_Context context = NULL;
	Dwarf_Line *rows = NULL;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned version = 0;
	Dwarf_Small tables = 0;
	Dwarf_Signed n = 0;
	struct linescan scan = {0};
	int rc = judge_table(r, die, &scan);

	if (rc <= 0)
		return rc;
	if (dwarf_srclines_b(die, &version, &tables, &context, &error) != DW_DLV_OK) {
		dwarf_facts_forget(r->own.dbg, error);
		return 0;
	}
	rc = read_files(r, context, version, info, unit);
	/*
	 * Rows before the first DW_LNS_set_file are of file 1, in DWARF 5, too. For these rows
	 * libdwarf up to 0.4 says file 0, which is replaced by 1. If the table itself sets file 0
	 * (clang), file 0 is meant, and stays.
	 */
	if (rc == 0 && tables == 1 &&
		dwarf_srclines_from_linecontext(context, &rows, &n, &error) == DW_DLV_OK)
		rc = read_rows(r, rows, n, version >= 5 && !scan.sets_file_0, unit);
	dwarf_facts_forget(r->own.dbg, error);
	dwarf_srclines_dealloc_b(context);
	return rc;
}
