/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "symbolizer/base/budget.h"

/*
 * Makes room in *@array for element @n. -ENOMEM: out of memory, or too many elements; -E2BIG: over
 * the budget. On error the array is unchanged.
 */
static int make_room(
	struct unit *unit, void **array, size_t n, size_t *capacity, size_t element_bytes)
{
	size_t want = *capacity ? *capacity * 2 : 64;
	void *more;

	if (n < *capacity)
		return 0;
	if (want > SIZE_MAX / 2 / element_bytes || n >= UNIT_NONE - 1)
		return -ENOMEM;
	if (!budget_take(unit->budget, (want - *capacity) * element_bytes))
		return -E2BIG;
	more = realloc(*array, want * element_bytes);
	if (!more)
		return -ENOMEM;
	*array = more;
	*capacity = want;
	return 0;
}

int unit_add_line(struct unit *unit, uint64_t svma, uint32_t file, uint32_t line)
{
	int rc = make_room(unit, (void **)&unit->lines, unit->n_lines, &unit->lines_capacity,
		sizeof(*unit->lines));

	if (rc)
		return rc;
	unit->lines[unit->n_lines] = (struct unit_line){
		.svma = svma, .file = file, .line = line, .order = (uint32_t)unit->n_lines};
	unit->n_lines++;
	return 0;
}

int unit_add_scope(struct unit *unit, const struct unit_scope *scope, uint32_t *ret_index)
{
	int rc = make_room(unit, (void **)&unit->scopes, unit->n_scopes, &unit->scopes_capacity,
		sizeof(*unit->scopes));

	if (rc)
		return rc;
	unit->scopes[unit->n_scopes] = *scope;
	*ret_index = (uint32_t)unit->n_scopes++;
	return 0;
}

int unit_add_range(struct unit *unit, const struct unit_range *range)
{
	int rc;

	if (range->low >= range->high)
		return 0;
	rc = make_room(unit, (void **)&unit->ranges, unit->n_ranges, &unit->ranges_capacity,
		sizeof(*unit->ranges));
	if (rc)
		return rc;
	unit->ranges[unit->n_ranges++] = *range;
	return 0;
}

int unit_add_file(struct unit *unit, const char *name, const char *directory)
{
	int rc = make_room(unit, (void **)&unit->files, unit->n_files, &unit->files_capacity,
		sizeof(*unit->files));

	if (rc)
		return rc;
	unit->files[unit->n_files++] = (struct unit_file){.name = name, .directory = directory};
	return 0;
}

/* At one address, the end of a sequence comes before the beginning of the next. */
static int by_line_address(const void *a, const void *b)
{
	const struct unit_line *x = a, *y = b;
	bool x_end = x->file == UNIT_NONE, y_end = y->file == UNIT_NONE;

	if (x->svma != y->svma)
		return x->svma < y->svma ? -1 : 1;
	if (x_end != y_end)
		return x_end ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/*
 * Of several rows at one address, the last one counts. A row with the same file and line as the row
 * before is removed.
 */
static void seal_lines(struct unit *unit)
{
	struct unit_line *l = unit->lines;
	size_t kept = 0;

	for (size_t i = 1; i < unit->n_lines; i++) {
		if (by_line_address(&l[i - 1], &l[i]) > 0) {
			qsort(l, unit->n_lines, sizeof(*l), by_line_address);
			break;
		}
	}
	for (size_t i = 0; i < unit->n_lines; i++) {
		if (kept && l[kept - 1].svma == l[i].svma)
			kept--;
		if (kept && l[kept - 1].file == l[i].file && l[kept - 1].line == l[i].line)
			continue;
		l[kept++] = l[i];
	}
	unit->n_lines = kept;
	if (kept && (l = realloc(l, kept * sizeof(*l)))) {
		unit->lines = l;
		unit->lines_capacity = kept;
	}
}

/* Outer ranges come before those inside them. */
static int by_range(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->scope < y->scope ? -1 : x->scope > y->scope;
}

static int add_segment(struct unit *unit, uint64_t svma, uint32_t scope)
{
	struct unit_segment *last = unit->n_segments ? &unit->segments[unit->n_segments - 1] : NULL;
	int rc;

	if (last && last->svma == svma) {
		last->scope = scope;
		return 0;
	}
	if (last && last->scope == scope)
		return 0;
	rc = make_room(unit, (void **)&unit->segments, unit->n_segments, &unit->segments_capacity,
		sizeof(*unit->segments));
	if (rc)
		return rc;
	unit->segments[unit->n_segments++] = (struct unit_segment){.svma = svma, .scope = scope};
	return 0;
}

/* Flattens nested ranges. Cuts a range that exceeds the enclosing one (invalid data). */
static int seal_ranges(struct unit *unit)
{
	struct unit_range *stack = malloc((unit->n_ranges + 1) * sizeof(*stack));
	size_t open = 0;
	int rc = stack ? 0 : -ENOMEM;

	for (size_t i = 0; i <= unit->n_ranges && rc == 0; i++) {
		const struct unit_range *next = i < unit->n_ranges ? &unit->ranges[i] : NULL;

		while (open && rc == 0 && (!next || stack[open - 1].high <= next->low)) {
			uint64_t end = stack[--open].high;

			rc = add_segment(unit, end, open ? stack[open - 1].scope : UNIT_NONE);
		}
		if (!next || rc)
			continue;
		stack[open] = *next;
		if (open && stack[open].high > stack[open - 1].high)
			stack[open].high = stack[open - 1].high;
		open++;
		rc = add_segment(unit, next->low, next->scope);
	}
	free(stack);
	return rc;
}

int unit_seal(struct unit *unit)
{
	int rc = 0;

	seal_lines(unit);
	if (unit->n_ranges) {
		qsort(unit->ranges, unit->n_ranges, sizeof(*unit->ranges), by_range);
		rc = seal_ranges(unit);
	}
	free(unit->ranges);
	unit->ranges = NULL;
	unit->n_ranges = unit->ranges_capacity = 0;
	return rc;
}

const struct unit_line *unit_find_line(const struct unit *unit, uint64_t svma)
{
	size_t low = array_bisect(i, 0, unit->n_lines, unit->lines[i].svma <= svma);

	if (low == 0 || unit->lines[low - 1].file == UNIT_NONE)
		return NULL;
	return &unit->lines[low - 1];
}

uint32_t unit_find_scope(const struct unit *unit, uint64_t svma)
{
	size_t low = array_bisect(i, 0, unit->n_segments, unit->segments[i].svma <= svma);

	return low ? unit->segments[low - 1].scope : UNIT_NONE;
}

struct unit_file *unit_file(const struct unit *unit, uint32_t number)
{
	if (number < unit->first_file || number - unit->first_file >= unit->n_files)
		return NULL;
	return &unit->files[number - unit->first_file];
}

void unit_release(struct unit *unit)
{
	free(unit->lines);
	free(unit->scopes);
	free(unit->ranges);
	free(unit->segments);
	free(unit->files);
	*unit = (struct unit){0};
}
