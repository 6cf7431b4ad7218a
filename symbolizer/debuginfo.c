/* SPDX-License-Identifier: MIT */
#include "symbolizer/debuginfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/table.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/dwarf/dwarf_reader.h"
#include "symbolizer/elffile.h"
#include "symbolizer/splitfile.h"

enum { SECTIONS_MAX = 64 };
/* Longer parts of a path are cut. */
enum { PART_BYTES_MOST = 4096 };
/* Further scopes around a function, inside of these, are left out of its name. */
enum { SCOPES_MOST = 16 };

struct entry {
	struct dwarf_unit info;
	struct unit unit;
	struct dwarf_reader *split; /* reader for the unit's functions in a .dwo, NULL: none */
	bool read;
};

struct function {
	const struct dwarf_reader *reader;
	uint64_t die;
	struct dwarf_function says;
	const char *full_name; /* its name with its scopes, interned; NULL: not looked for */
};

struct sections {
	struct dwarf_section section[SECTIONS_MAX];
	struct dwarf_source source;
};

struct debuginfo {
	struct pool *strings;
	struct budget *budget;
	struct splitfiles *splitfiles;
	struct dwarf_reader *reader;
	struct sections own, supplement;
	/* Finds the unit at an address: a "scope" in @index is a number of an element of @units. */
	struct unit index;
	struct entry *units;
	size_t n_units, units_capacity;
	struct table table; /* finds @functions by reader and DIE */
	struct function *functions;
	size_t n_functions, functions_room;
	bool split;
};

/* Collects the needed sections. False: no .debug_info. */
static bool gather(struct elffile *file, struct pool *strings, struct sections *sections)
{
	static const char *const wanted[] = {".debug_info", ".debug_abbrev", ".debug_line",
		".debug_str", ".debug_line_str", ".debug_ranges", ".debug_rnglists", ".debug_addr",
		".debug_str_offsets"};
	bool info = false;

	sections->source =
		(struct dwarf_source){.sections = sections->section, .n = 0, .elf64 = file->elf64};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct dwarf_section *to = &sections->section[sections->source.n];
		struct elffile_section from;

		if (elffile_find(file, wanted[i], &from) < 0)
			continue;
		to->name = pool_intern(strings, wanted[i], strlen(wanted[i]));
		to->data = from.data;
		to->bytes = from.bytes;
		to->svma = from.svma;
		to->type = SHT_PROGBITS;
		if (!to->name)
			return false;
		info |= i == 0;
		sections->source.n++;
	}
	return info;
}

/* Reads a split unit's functions. Without its .dwo file, the unit has only lines. */
static int read_split(struct debuginfo *d, struct entry *entry)
{
	struct dwarf_unit *info = &entry->info, unit;
	struct dwarf_split_unit from;
	int rc;

	rc = splitfiles_find(d->splitfiles, info->directory, info->dwo_name, info->dwo_id, &from);
	if (rc == 0)
		rc = dwarf_reader_open_split(d->reader, info, &from, &entry->split, &unit);
	if (rc == -ENOENT && !(d->budget && d->budget->over)) {
		splitfiles_blame(d->splitfiles, info->directory, info->dwo_name);
		return 0;
	}
	if (rc)
		return rc == -ENOENT ? -E2BIG : rc;
	info->classes = unit.classes;
	info->mangled = unit.mangled;
	return dwarf_reader_read(entry->split, &unit, &entry->unit);
}

static int read_entry(struct debuginfo *d, struct entry *entry)
{
	int rc = dwarf_reader_read(d->reader, &entry->info, &entry->unit);

	entry->read = true;
	if (rc == 0 && entry->info.split && d->splitfiles)
		rc = read_split(d, entry);
	return rc;
}

/* Indexes a unit whose DIE gives no addresses: takes those of the unit's functions and lines. */
static int index_by_content(struct debuginfo *d, uint32_t number)
{
	struct entry *entry = &d->units[number];
	struct unit *unit = &entry->unit;
	int rc = read_entry(d, entry);

	for (size_t i = 0; i < unit->n_ranges && rc == 0; i++) {
		struct unit_range range = unit->ranges[i];

		range.scope = number;
		range.depth = 0;
		rc = unit_add_range(&d->index, &range);
	}
	for (size_t i = 0; i + 1 < unit->n_lines && rc == 0; i++) {
		struct unit_range range = {.low = unit->lines[i].svma,
			.high = unit->lines[i + 1].svma,
			.scope = number};

		if (unit->lines[i].file != UNIT_NONE)
			rc = unit_add_range(&d->index, &range);
	}
	if (!entry->info.split)
		return rc ? rc : unit_seal(unit);
	/*
	 * Of a split unit, only lines have been read, as @splitfiles is not set yet. They are
	 * dropped, so that debuginfo_find() reads the unit together with the functions in its .dwo
	 * file.
	 */
	unit_release(unit);
	entry->read = false;
	return rc;
}

static int index_units(struct debuginfo *d)
{
	int rc;

	for (;;) {
		struct entry *units = d->units;

		if (d->n_units == d->units_capacity) {
			size_t capacity = d->units_capacity ? d->units_capacity * 2 : 64;

			if (!budget_take(
				    d->budget, (capacity - d->units_capacity) * sizeof(*units)))
				return -E2BIG;
			units = realloc(units, capacity * sizeof(*units));
			if (!units)
				return -ENOMEM;
			d->units = units;
			d->units_capacity = capacity;
		}
		units[d->n_units] = (struct entry){0};
		rc = dwarf_reader_next(
			d->reader, (uint32_t)d->n_units, &units[d->n_units].info, &d->index);
		if (rc <= 0)
			break;
		d->split |= units[d->n_units].info.split;
		d->n_units++;
	}
	for (uint32_t i = 0; i < d->n_units && rc == 0; i++)
		if (d->units[i].info.code && !d->units[i].info.ranged)
			rc = index_by_content(d, i);
	return rc ? rc : unit_seal(&d->index);
}

int debuginfo_open(struct elffile *file, struct elffile *supplement, struct pool *strings,
	uint64_t text_low, uint64_t text_high, struct debuginfo **ret_debuginfo)
{
	struct debuginfo *d = calloc(1, sizeof(*d));
	struct dwarf_source *more = NULL;
	int rc;

	if (!d)
		return -ENOMEM;
	d->strings = strings;
	d->budget = d->index.budget = file->budget;
	if (!gather(file, strings, &d->own)) {
		debuginfo_close(d);
		return file->budget && file->budget->over ? -E2BIG : -ENOENT;
	}
	if (supplement) {
		/* A supplement with only strings has no .debug_info. */
		(void)gather(supplement, strings, &d->supplement);
		more = &d->supplement.source;
	}
	if (file->budget && file->budget->over)
		rc = -E2BIG; /* A section was too large to be decompressed. */
	else
		rc = dwarf_reader_open(
			&d->own.source, more, text_low, text_high, file->budget, &d->reader);
	if (rc == 0)
		rc = index_units(d);
	if (rc) {
		debuginfo_close(d);
		return rc;
	}
	*ret_debuginfo = d;
	return 0;
}

void debuginfo_close(struct debuginfo *debuginfo)
{
	if (!debuginfo)
		return;
	for (size_t i = 0; i < debuginfo->n_units; i++) {
		unit_release(&debuginfo->units[i].unit);
		dwarf_reader_close(debuginfo->units[i].split);
	}
	free(debuginfo->units);
	table_release(&debuginfo->table);
	free(debuginfo->functions);
	unit_release(&debuginfo->index);
	dwarf_reader_close(debuginfo->reader);
	free(debuginfo);
}

bool debuginfo_is_split(const struct debuginfo *debuginfo)
{
	return debuginfo->split;
}

void debuginfo_set_splitfiles(struct debuginfo *debuginfo, struct splitfiles *splitfiles)
{
	debuginfo->splitfiles = splitfiles;
}

static bool function_equal(const void *items, uint32_t index, const void *key)
{
	const struct function *a = (const struct function *)items + index, *b = key;

	return a->die == b->die && a->reader == b->reader;
}

/* The index in @d->functions of what the DIE @die says. -ENOMEM. */
static int find_index(struct debuginfo *d, struct dwarf_reader *reader, uint64_t die)
{
	struct function key = {.reader = reader, .die = die};
	size_t before = d->n_functions;
	int index = table_intern(&d->table, table_mix((uintptr_t)reader, die), function_equal,
		&d->functions, &d->functions_room, &d->n_functions, &key);

	if (index >= 0 && (size_t)index == before)
		dwarf_reader_function(reader, die, &d->functions[index].says);
	return index;
}

static int find_function(struct debuginfo *d, struct dwarf_reader *reader, uint64_t die,
	struct dwarf_function *ret_function)
{
	int index = find_index(d, reader, die);

	if (index < 0)
		return index;
	*ret_function = d->functions[index].says;
	return 0;
}

/* "a::b::name", interned. gcc gives no name to the type of a lambda expression. */
static const char *join_scopes(
	struct pool *strings, const char **scopes, size_t n, const char *name)
{
	char text[PART_BYTES_MOST], *end = text;

	for (size_t i = 0; i <= n; i++) {
		const char *part = i == n ? name : scopes[i];
		const char *next = i + 1 < n ? scopes[i + 1] : name;

		if (i < n && !*part)
			part = strncmp(next, "operator()", 10) == 0 ? "{lambda}" : "{unnamed}";
		if (strlen(part) + 3 > (size_t)(text + sizeof(text) - end))
			return pool_intern_text(strings, name);
		end = stpcpy(end, part);
		if (i < n)
			end = stpcpy(end, "::");
	}
	return pool_intern(strings, text, (size_t)(end - text));
}

/*
 * gcc gives no linkage name to functions that other files cannot call: among them lambda
 * expressions, and templates that have one as an argument. Their full name tells them apart.
 */
static int find_full_name(struct debuginfo *d, struct dwarf_reader *reader,
	const struct dwarf_function *function, const char **ret_name)
{
	const char *scopes[SCOPES_MOST];
	int index = find_index(d, reader, function->origin);
	int n;

	if (index < 0)
		return index;
	if (!d->functions[index].full_name) {
		n = dwarf_reader_scopes(reader, function->origin, scopes, SCOPES_MOST);
		if (n < 0)
			return n;
		d->functions[index].full_name =
			join_scopes(d->strings, scopes, (size_t)n, function->name);
	}
	*ret_name = d->functions[index].full_name;
	return *ret_name ? 0 : -ENOMEM;
}

/* The interned path of file @number. "": unknown, or *@rc is set (-ENOMEM, -E2BIG). */
static const char *path_of(struct debuginfo *d, const struct entry *entry, uint32_t number, int *rc)
{
	struct unit_file *file = unit_file(&entry->unit, number);
	const char *parts[3] = {"", "", ""};
	size_t bytes = 0, used = 0;
	char *text;

	if (!file)
		return "";
	if (file->path)
		return file->path;
	parts[2] = file->name;
	if (file->name[0] != '/') {
		parts[1] = file->directory;
		if (parts[1][0] != '/' && entry->info.directory &&
			strcmp(parts[1], entry->info.directory) != 0)
			parts[0] = entry->info.directory;
	}
	for (size_t i = 0; i < 3; i++)
		bytes += strnlen(parts[i], PART_BYTES_MOST) + 1;
	if (!budget_take(d->budget, bytes)) {
		*rc = -E2BIG;
		return "";
	}
	text = malloc(bytes);
	if (text) {
		for (size_t i = 0; i < 3; i++) {
			size_t n = strnlen(parts[i], PART_BYTES_MOST);

			memcpy(text + used, parts[i], n);
			used += n;
			if (n && i < 2)
				text[used++] = '/';
		}
		file->path = pool_intern(d->strings, text, used);
		free(text);
	}
	if (!file->path)
		*rc = -ENOMEM;
	return file->path ? file->path : "";
}

static int make_frames(struct debuginfo *d, struct entry *entry, uint64_t svma,
	struct debuginfo_frame *frames, size_t *ret_n)
{
	const struct unit *unit = &entry->unit;
	const struct unit_line *row = unit_find_line(unit, svma);
	uint32_t scope = unit_find_scope(unit, svma);
	uint32_t file = row ? row->file : UNIT_NONE, line = row ? row->line : 0;
	size_t n = 0;
	int rc = 0;

	if (scope == UNIT_NONE && row)
		frames[n++] = (struct debuginfo_frame){
			.file = path_of(d, entry, file, &rc), .line = line, .qualified = true};
	while (scope != UNIT_NONE && n < DEBUGINFO_FRAMES_MAX && rc == 0) {
		const struct unit_scope *s = &unit->scopes[scope];
		struct dwarf_reader *reader = entry->split ? entry->split : d->reader;
		struct dwarf_function function;
		const char *full_name = NULL;

		rc = find_function(d, reader, s->die, &function);
		if (rc == 0 && s->parent != UNIT_NONE && entry->info.mangled && function.name &&
			!function.linkage_name && function.origin)
			rc = find_full_name(d, reader, &function, &full_name);
		if (rc)
			break;
		/* Leaves out an inlined function whose name is in a missing supplement. */
		if (s->parent == UNIT_NONE || function.name || function.linkage_name)
			frames[n++] = (struct debuginfo_frame){
				.name = function.name,
				.linkage_name = function.linkage_name,
				.full_name = full_name,
				.file = file == UNIT_NONE ? "" : path_of(d, entry, file, &rc),
				.line = line,
				.function_line = function.line,
				.inlined = s->parent != UNIT_NONE,
				.qualified = !entry->info.mangled,
			};
		file = s->call_file;
		line = s->call_line;
		scope = s->parent;
	}
	*ret_n = n;
	return rc;
}

int debuginfo_find(
	struct debuginfo *debuginfo, uint64_t svma, struct debuginfo_frame *frames, size_t *ret_n)
{
	uint32_t number = unit_find_scope(&debuginfo->index, svma);
	struct entry *entry;
	int rc = 0;

	*ret_n = 0;
	if (number == UNIT_NONE)
		return 0;
	entry = &debuginfo->units[number];
	if (!entry->read) {
		rc = read_entry(debuginfo, entry);
		if (rc == 0)
			rc = unit_seal(&entry->unit);
	}
	return rc ? rc : make_frames(debuginfo, entry, svma, frames, ret_n);
}
