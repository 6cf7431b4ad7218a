/* SPDX-License-Identifier: MIT */
/*
 * A flame graph of two sides. A frame's width is the mean of its values on both sides. A frame is
 * red if its value is significantly greater on side B, blue if it is significantly less, grey if
 * the difference may be chance.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "view/export/exporters.h"
#include "view/export/svg_changes.h"
#include "view/options.h"
#include "view/paths.h"
#include "view/report/diff.h"

/*
 * The call paths of both sides become a profile, which is drawn like any other. It has one location
 * for each function and object. The value of a stack is the mean of both sides, without what the
 * stack's leaf called.
 */
struct joining {
	const struct diff *diff;
	struct profile *profile;
	struct table table; /* finds diff->row by path */
	const struct diff_row *key;
	uint32_t *stack;
	size_t n, room;
	size_t value; /* index of the value type */
	uint32_t task;
};

static int add_frame(struct joining *j, const char *function, const char *object)
{
	int mapping = profile_add_mapping(j->profile, &(struct mapping){.file = object});
	int named = profile_add_function(
		j->profile, &(struct function){.name = function, .symbol = function});
	struct location_line line = {.function = (uint32_t)named};
	int location;

	if (mapping < 0 || named < 0)
		return -ENOMEM;
	location = profile_add_named_location(j->profile, (uint32_t)mapping, 0, &line, 1);
	if (location < 0)
		return -ENOMEM;
	return array_add(&j->stack, &j->room, &j->n, (uint32_t)location);
}

static void turn(uint32_t *stack, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t swapped = stack[i];

		stack[i] = stack[n - 1 - i];
		stack[n - 1 - i] = swapped;
	}
}

/*
 * Adds the call path of @row. The object of each function on the path is the one of the row whose
 * path ends with that function. 0 or -ENOMEM.
 */
static int add_path(struct joining *j, const struct diff_row *row)
{
	int64_t value[VALUE_TYPES_MAX] = {0};
	char *path = strdup(row->function);
	char *function = path;
	int r = path ? 0 : -ENOMEM;

	j->n = 0;
	for (char *end = path; r == 0 && end; function = end + 1) {
		const struct diff_row *frame;

		end = paths_separator(function);
		if (end)
			*end = '\0';
		frame = end ? svg_changes_row(j->diff, &j->table, path) : row;
		r = add_frame(j, function, frame ? frame->object : "");
		if (!end)
			break;
		*end = ';';
	}
	free(path);
	if (r < 0)
		return r;
	turn(j->stack, j->n);
	value[j->value] = llround((row->self[0] + row->self[1]) / 2);
	r = value[j->value] ? profile_add_sample(j->profile, j->task, j->stack, j->n, value) : 0;
	return r < 0 ? r : 0;
}

static int join(const struct diff *diff, struct profile **ret_profile, size_t *ret_value)
{
	struct joining j = {.diff = diff};
	int r = profile_new(&j.profile);

	if (r < 0)
		return r;
	r = profile_add_value_type(j.profile, diff->type.type, diff->type.unit);
	j.value = r < 0 ? 0 : (size_t)r;
	if (r >= 0)
		r = profile_add_task(j.profile, &(struct task){.process = "", .thread = ""});
	j.task = r < 0 ? 0 : (uint32_t)r;
	if (r >= 0)
		r = svg_changes_index(diff, &j.table);
	for (size_t i = 0; i < diff->rows && r >= 0; i++)
		r = add_path(&j, &diff->row[i]);
	free(j.stack);
	table_release(&j.table);
	if (r < 0) {
		profile_free(j.profile);
		return r;
	}
	*ret_profile = j.profile;
	*ret_value = j.value;
	return 0;
}

int svg_diff_write(const struct report_sides *sides, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct svg_changes changes = {0};
	struct profile *profile;
	struct diff diff;
	size_t value;
	int r;

	options.paths = true;
	options.sort_by_total = true;
	options.split = REPORT_SPLIT_NONE;
	options.bottom_up = false;
	r = diff_init(&diff, sides, &options, ret_problem);
	if (r < 0)
		return r;
	r = join(&diff, &profile, &value);
	if (r == 0) {
		changes.diff = &diff;
		/*
		 * diff_init() has applied these options: the joined profile has only what they
		 * select.
		 */
		options.focus = options.object = options.thread = NULL;
		options.value = profile_value_type(profile, value).type;
		r = svg_write_diff(profile, &options, &changes, out, ret_problem);
		profile_free(profile);
	}
	free(changes.row);
	diff_release(&diff);
	return r;
}
