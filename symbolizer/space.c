/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/maps_line.h"
#include "base/pool.h"
#include "base/table.h"
#include "symbolizer/gopclntab.h"
#include "symbolizer/module.h"
#include "symbolizer/names.h"

int space_new(struct symbolizer *symbolizer, int pid, struct space **ret_space)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		return -ENOMEM;
	space->symbolizer = symbolizer;
	space->pid = pid;
	*ret_space = space;
	return 0;
}

int space_fork(const struct space *space, int pid, struct space **ret_space)
{
	struct space *child;
	int rc = space_new(space->symbolizer, pid, &child);

	if (rc)
		return rc;
	if (space->n) {
		child->mappings = malloc(space->n * sizeof(*space->mappings));
		if (!child->mappings) {
			space_free(child);
			return -ENOMEM;
		}
		memcpy(child->mappings, space->mappings, space->n * sizeof(*space->mappings));
		child->n = space->n;
	}
	*ret_space = child;
	return 0;
}

void space_free(struct space *space)
{
	if (!space)
		return;
	free(space->mappings);
	free(space);
}

static int by_start(const void *a, const void *b)
{
	const struct maps_line *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Parses and sorts the lines; skips those that are invalid or overlap an earlier one. -ENOMEM. */
static int parse_lines(const char *text, size_t bytes, struct maps_line **ret_lines, size_t *ret_n,
	int *ret_skipped)
{
	const char *end = text + bytes;
	struct maps_line *lines;
	size_t capacity = 0, n = 0, kept = 0;
	int skipped = 0;

	for (size_t i = 0; i < bytes; i++)
		capacity += text[i] == '\n';
	lines = calloc(capacity + 1, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *line_end = newline ? newline : end;

		if (maps_line_parse(text, (size_t)(line_end - text), &lines[n]) == 0)
			n++;
		else if (line_end > text)
			skipped++;
		text = newline ? newline + 1 : end;
	}
	qsort(lines, n, sizeof(*lines), by_start);
	for (size_t i = 0; i < n; i++) {
		if (kept && lines[i].start < lines[kept - 1].end)
			skipped++;
		else
			lines[kept++] = lines[i];
	}
	*ret_lines = lines;
	*ret_n = kept;
	*ret_skipped = skipped;
	return 0;
}

/* Keeps the modules of unchanged mappings: their files are not examined again. */
static void keep_modules(const struct space *space, struct mapping *mappings, size_t n)
{
	size_t old = 0;

	for (size_t i = 0; i < n; i++) {
		while (old < space->n && space->mappings[old].start < mappings[i].start)
			old++;
		if (old < space->n && !space_may_be_moved(&mappings[i]) &&
			mapping_is_same(&space->mappings[old], &mappings[i]))
			mappings[i].module = space->mappings[old].module;
	}
}

/* The mappings whose files are open, and a table that finds them by file. */
struct open_files {
	struct mapping **mapping; /* not owned */
	size_t n;
	struct table table;
};

static uint64_t hash_file(const struct mapping *m)
{
	uint64_t device = (uint64_t)m->major << 32 | m->minor;

	return table_mix(table_mix(m->inode, device), (uintptr_t)m->name);
}

static bool file_equal(const void *mappings, uint32_t index, const void *key)
{
	const struct mapping *a = ((struct mapping *const *)mappings)[index], *b = key;

	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
		a->name == b->name;
}

static struct module *module_of_file(const struct open_files *files, const struct mapping *file)
{
	int at = table_find(&files->table, hash_file(file), file_equal, files->mapping, file);

	return at < 0 ? NULL : files->mapping[at]->module;
}

/*
 * Opens each file that has an executable mapping, or a mapping beside moved code. Other mapped
 * files stay closed.
 */
static int open_executables(struct space *space, struct mapping *mappings,
	const struct maps_line *lines, size_t n, struct open_files *files)
{
	for (size_t i = 0; i < n; i++) {
		struct mapping *m = &mappings[i];
		bool vdso = strcmp(m->name, "[vdso]") == 0;
		struct module *module = NULL;
		int rc = 0;

		if ((!m->execute && !space_is_beside_moved(mappings, n, i)) ||
			(m->name[0] != '/' && !vdso))
			continue;
		if (m->inode)
			module = module_of_file(files, m);
		if (!m->module)
			m->module = module;
		if (!m->module)
			rc = module_open(space->symbolizer, space->pid, &lines[i], &m->module);
		if (rc == 0 && m->inode && !module) {
			files->mapping[files->n] = m;
			rc = table_add(&files->table, hash_file(m), (uint32_t)files->n++);
		}
		if (rc)
			return rc;
	}
	return 0;
}

static int assign_modules(
	struct space *space, struct mapping *mappings, const struct maps_line *lines, size_t n)
{
	struct open_files files = {.mapping = calloc(n + 1, sizeof(struct mapping *))};
	int rc = files.mapping ? 0 : -ENOMEM;

	if (rc == 0)
		rc = open_executables(space, mappings, lines, n, &files);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct mapping *m = &mappings[i];

		if (!m->module && m->inode)
			m->module = module_of_file(&files, m);
		if (!m->module && m->name[0] == '\0')
			m->module = space->symbolizer->anonymous;
		if (!m->module)
			m->module = module_special(space->symbolizer, m->name);
		if (!m->module)
			rc = -ENOMEM;
	}
	if (rc == 0)
		rc = space_set_biases(mappings, n);
	if (rc == 0)
		space_find_moved(space, mappings, n);
	table_release(&files.table);
	free(files.mapping);
	return rc;
}

int space_set_maps(struct space *space, const char *text, size_t bytes)
{
	struct maps_line *lines = NULL;
	struct mapping *mappings = NULL;
	size_t n;
	int skipped, rc;

	rc = parse_lines(text, bytes, &lines, &n, &skipped);
	if (rc)
		return rc;
	mappings = calloc(n + 1, sizeof(*mappings));
	rc = mappings ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct maps_line *line = &lines[i];

		mappings[i] = (struct mapping){
			.start = line->start,
			.end = line->end,
			.offset = line->offset,
			.inode = line->inode,
			.major = line->major,
			.minor = line->minor,
			.write = line->write,
			.execute = line->execute,
			.name = pool_intern(
				&space->symbolizer->strings, line->name, line->name_bytes),
		};
		if (!mappings[i].name)
			rc = -ENOMEM;
	}
	if (rc == 0) {
		keep_modules(space, mappings, n);
		rc = assign_modules(space, mappings, lines, n);
	}
	free(lines);
	if (rc) {
		free(mappings);
		return rc;
	}
	free(space->mappings);
	space->mappings = mappings;
	space->n = n;
	return skipped;
}

const struct mapping *space_find_mapping(const struct space *space, uint64_t pc)
{
	size_t low = array_bisect(i, 0, space->n, space->mappings[i].end <= pc);

	if (low == space->n || pc < space->mappings[low].start)
		return NULL;
	return &space->mappings[low];
}

bool space_find(const struct space *space, uint64_t pc, struct code_location *ret_location)
{
	const struct mapping *mapping = space_find_mapping(space, pc);

	if (!mapping) {
		*ret_location =
			(struct code_location){.module = space->symbolizer->unknown, .svma = pc};
		return false;
	}
	*ret_location =
		(struct code_location){.module = mapping->module, .svma = pc - mapping->bias};
	return true;
}

size_t space_read(const struct space *space, uint64_t address, void *to, size_t bytes)
{
	const struct mapping *mapping = space_find_mapping(space, address);
	struct slice from;

	if (!mapping || mapping->write || !mapping->module->image.data)
		return 0;
	if (!mapping->module->headers_ok)
		return 0;
	from = slice_first(elfimage_at(&mapping->module->image, address - mapping->bias),
		mapping->end - address);
	from = slice_first(from, bytes);
	if (from.data)
		memcpy(to, from.data, from.bytes);
	return from.bytes;
}

uint32_t space_go(const struct space *space)
{
	for (size_t i = 0; i < space->n; i++) {
		struct module *module = space->mappings[i].module;
		struct names *names;

		if (!space->mappings[i].execute || !module->image.data)
			continue;
		if (!module->image.go)
			return 0;
		names = names_of(module);
		return names && names->pclntab ? gopclntab_g_below(names->pclntab) : 0;
	}
	return 0;
}
