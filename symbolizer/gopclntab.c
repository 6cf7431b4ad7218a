/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "symbolizer/base/leb128.h"
#include "symbolizer/debuginfo.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/gopclntab_internal.h"

enum { FILE_NAME_MOST = 4096, INLINED_BYTES_118 = 20, INLINED_BYTES_120 = 16 };

/* A function's record: u32 fields by index (runtime/runtime2.go, _func). */
enum {
	RECORD_PCSP = 4,
	RECORD_PCFILE,
	RECORD_PCLN,
	RECORD_PCDATAS,
	RECORD_UNIT,
	/*
	 * u8 function id, u8 flags, u8 0, u8 number of funcdata. Since Go 1.20 this is field 10,
	 * and field 9 is the line of the function.
	 */
	RECORD_118_FLAGS = 9,
};
enum { FLAG_TOP_FRAME = 1, PCDATA_INLINED = 2, FUNCDATA_INLINED = 3 };

uint32_t gopclntab_g_below(const struct gopclntab *table)
{
	return table->g_below;
}

void gopclntab_free(struct gopclntab *table)
{
	free(table);
}

static unsigned flags_field(const struct gopclntab *table)
{
	return RECORD_118_FLAGS + table->since_120;
}

static enum gopclntab_kind kind_of(const struct gopclntab *table, uint64_t record, const char *name)
{
	static const struct {
		const char *name;
		enum gopclntab_kind kind;
	} kinds[] = {
		{"runtime.systemstack", GOPCLNTAB_LEAVES},
		{"runtime.morestack", GOPCLNTAB_LEAVES},
		{"runtime.asmcgocall", GOPCLNTAB_CALLS_C},
		{"runtime.systemstack_switch", GOPCLNTAB_LEFT},
		{"runtime.nanotime1", GOPCLNTAB_CALLS_VDSO},
		{"runtime.walltime", GOPCLNTAB_CALLS_VDSO},
		{"time.now", GOPCLNTAB_CALLS_VDSO},
		{"runtime.sigreturn__sigaction", GOPCLNTAB_SIGRETURN}, /* Since Go 1.20. */
		{"runtime.sigreturn", GOPCLNTAB_SIGRETURN},
		{"runtime.mcall", GOPCLNTAB_TOP},
		{"runtime.goexit", GOPCLNTAB_TOP},
		{"runtime.rt0_go", GOPCLNTAB_TOP},
		{"runtime.mstart", GOPCLNTAB_TOP},
	};
	size_t bytes = strlen(name);

	/* In a program with C, assembly functions may have this suffix. */
	if (bytes > 5 && strcmp(name + bytes - 5, ".abi0") == 0)
		bytes -= 5;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strlen(kinds[i].name) == bytes && memcmp(name, kinds[i].name, bytes) == 0)
			return kinds[i].kind;
	}
	return gopclntab_field(table, record, flags_field(table)) >> 8 & FLAG_TOP_FRAME
		? GOPCLNTAB_TOP
		: GOPCLNTAB_PLAIN;
}

bool gopclntab_find(
	const struct gopclntab *table, uint64_t svma, struct gopclntab_function *ret_function)
{
	struct slice pairs = table->functions;
	uint64_t low = 0, high = table->n, offset = svma - table->text;
	uint32_t start = 0, next = 0, record = 0;
	const char *name;

	if (svma < table->text || offset > UINT32_MAX)
		return false;
	/* The last function is followed by a pair with its end. */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!slice_u32(pairs, middle * GOPCLNTAB_PAIR_BYTES, &start))
			return false;
		if (start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !slice_u32(pairs, (low - 1) * GOPCLNTAB_PAIR_BYTES, &start) ||
		!slice_u32(pairs, (low - 1) * GOPCLNTAB_PAIR_BYTES + 4, &record) ||
		!slice_u32(pairs, low * GOPCLNTAB_PAIR_BYTES, &next) || offset < start ||
		offset >= next)
		return false;
	name = slice_string(table->names, gopclntab_field(table, record, GOPCLNTAB_NAME));
	if (!name || !*name || gopclntab_field(table, record, 0) != start)
		return false;
	*ret_function = (struct gopclntab_function){.start = table->text + start,
		.end = table->text + next,
		.name = name,
		.record = record,
		.kind = kind_of(table, record, name)};
	return true;
}

/*
 * The pc table's value at @distance bytes from the function's start. An entry has two numbers: what
 * is added to the previous value (signed, zigzag; 0 ends the table, except in the first entry), and
 * for how many quanta the new value holds.
 */
static bool pc_value(
	const struct gopclntab *table, uint32_t at, uint64_t distance, int32_t *ret_value)
{
	struct reader pcs = slice_reader(table->pcs, at);
	uint64_t reached = 0;
	uint32_t value = UINT32_MAX;

	for (bool first = true; at; first = false) {
		uint32_t change = (uint32_t)get_uleb(&pcs);

		if (!change && !first)
			return false;
		value += -(change & 1) ^ change >> 1;
		reached += (uint32_t)get_uleb(&pcs) * (uint64_t)table->quantum;
		if (pcs.bad)
			return false;
		if (distance < reached) {
			*ret_value = (int32_t)value;
			return true;
		}
	}
	return false;
}

int64_t gopclntab_depth(
	const struct gopclntab *table, const struct gopclntab_function *function, uint64_t svma)
{
	int32_t depth;

	if (!pc_value(table, gopclntab_field(table, function->record, RECORD_PCSP),
		    svma - function->start, &depth) ||
		depth < 0)
		return -ENOENT;
	return depth;
}

static bool inlined_tree(
	const struct gopclntab *table, const struct gopclntab_function *f, struct slice *ret_tree)
{
	uint64_t after = 4 * (uint64_t)(flags_field(table) + 1);
	uint32_t pcdatas = gopclntab_field(table, f->record, RECORD_PCDATAS), offset;
	unsigned funcdatas = gopclntab_field(table, f->record, flags_field(table)) >> 24;

	if (!table->gofunc || pcdatas <= PCDATA_INLINED || funcdatas <= FUNCDATA_INLINED ||
		!slice_u32(table->functions,
			f->record + after + 4 * ((uint64_t)pcdatas + FUNCDATA_INLINED), &offset) ||
		offset == UINT32_MAX)
		return false;
	*ret_tree = elfimage_at(table->image, table->gofunc + offset);
	return ret_tree->data;
}

/* The inlined call at @distance from the function's start. False: not in an inlined call. */
static bool inlined_at(const struct gopclntab *table, const struct gopclntab_function *f,
	struct slice tree, uint64_t distance, const char **ret_name, uint64_t *ret_parent,
	uint32_t *ret_line)
{
	uint64_t each = table->since_120 ? INLINED_BYTES_120 : INLINED_BYTES_118, at;
	uint64_t after = f->record + 4 * (uint64_t)(flags_field(table) + 1);
	uint32_t which, name, parent, line = 0;
	int32_t index;

	if (!slice_u32(table->functions, after + 4 * PCDATA_INLINED, &which) ||
		!pc_value(table, which, distance, &index) || index < 0)
		return false;
	at = (uint64_t)index * each;
	if (!slice_u32(tree, at + each - (table->since_120 ? 12 : 8), &name) ||
		!slice_u32(tree, at + each - (table->since_120 ? 8 : 4), &parent))
		return false;
	if (table->since_120 && !slice_u32(tree, at + 12, &line))
		return false;
	*ret_name = slice_string(table->names, name);
	*ret_parent = parent;
	*ret_line = line;
	return *ret_name && **ret_name && parent < f->end - f->start;
}

/* File and line at @distance from the function's start; "" and 0: unknown. -ENOMEM. */
static int place_line(const struct gopclntab *table, const struct gopclntab_function *f,
	uint64_t distance, struct debuginfo_frame *frame)
{
	uint32_t unit = gopclntab_field(table, f->record, RECORD_UNIT), at;
	int32_t file, line;
	const char *path = NULL;

	frame->file = "";
	if (pc_value(table, gopclntab_field(table, f->record, RECORD_PCLN), distance, &line) &&
		line > 0)
		frame->line = (uint32_t)line;
	if (pc_value(table, gopclntab_field(table, f->record, RECORD_PCFILE), distance, &file) &&
		file >= 0 && slice_u32(table->units, 4 * ((uint64_t)unit + (uint64_t)file), &at) &&
		at != UINT32_MAX)
		path = slice_string(table->files, at);
	if (path)
		frame->file = pool_intern(table->strings, path, strnlen(path, FILE_NAME_MOST));
	return frame->file ? 0 : -ENOMEM;
}

int gopclntab_frames(
	const struct gopclntab *table, uint64_t svma, size_t most, struct debuginfo_frame *frames)
{
	struct gopclntab_function f;
	uint64_t distance, parent;
	const char *name;
	struct slice tree = {0};
	uint32_t line;
	size_t n = 0;
	bool has_tree;

	if (!gopclntab_find(table, svma, &f))
		return 0;
	distance = svma - f.start;
	has_tree = inlined_tree(table, &f, &tree);
	while (has_tree && n + 1 < most &&
		inlined_at(table, &f, tree, distance, &name, &parent, &line)) {
		frames[n] = (struct debuginfo_frame){.name = name,
			.linkage_name = name,
			.function_line = line,
			.inlined = true,
			.qualified = true};
		if (place_line(table, &f, distance, &frames[n++]) < 0)
			return -ENOMEM;
		distance = parent;
	}
	frames[n] =
		(struct debuginfo_frame){.name = f.name, .linkage_name = f.name, .qualified = true};
	if (table->since_120)
		frames[n].function_line = gopclntab_field(table, f.record, RECORD_118_FLAGS);
	return place_line(table, &f, distance, &frames[n]) < 0 ? -ENOMEM : (int)n + 1;
}
