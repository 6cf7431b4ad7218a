/* SPDX-License-Identifier: MIT */
#include "view/row_builder.h"
#include "view/wall_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void row_builder_add(struct row_builder *to, const char *name, struct cell cell)
{
	to->name[to->n] = name;
	to->cell[to->n++] = cell;
}

static void add_wall(struct row_builder *to, const struct profile *profile, const struct row *row)
{
	struct wall_types wall;

	if (!wall_types_find(profile, &wall))
		return;
	row_builder_add(to, "wall_ns", cell_number(wall_types_value(row->self, wall.wall)));
	row_builder_add(to, "runqueue_ns", cell_number(wall_types_value(row->self, wall.queue)));
	row_builder_add(to, "blocked_ns", cell_number(wall_types_value(row->self, wall.blocked)));
}

void row_builder_task(
	struct row_builder *to, const struct report_options *options, const struct row *row)
{
	if (options->split == REPORT_SPLIT_PROCESS) {
		row_builder_add(to, "pid", cell_number(row->id));
		row_builder_add(to, "process", cell_text(row->task));
	} else if (options->split == REPORT_SPLIT_THREAD) {
		row_builder_add(to, "tid", cell_number(row->id));
		row_builder_add(to, "thread", cell_text(row->task));
	}
}

void row_builder_values(
	struct row_builder *to, const struct profile *profile, const struct row *row)
{
	row_builder_add(to, "self_samples", cell_number(row->self[VALUE_SAMPLES]));
	row_builder_add(to, "self_ns", cell_number(row->self[VALUE_CPU_NS]));
	row_builder_add(to, "total_samples", cell_number(row->total[VALUE_SAMPLES]));
	row_builder_add(to, "total_ns", cell_number(row->total[VALUE_CPU_NS]));
	add_wall(to, profile, row);
}

void row_builder_others(
	struct row_builder *to, const struct row_builder_other *other, const struct row *row)
{
	if (!other->index)
		return;
	row_builder_add(to, other->self, cell_number(row->self[other->index]));
	row_builder_add(to, other->total, cell_number(row->total[other->index]));
}

int row_builder_other_init(
	struct row_builder_other *other, const struct profile *profile, const struct rows *rows)
{
	struct value_type type = profile_value_type(profile, rows->weight);

	*other = (struct row_builder_other){0};
	if (rows->weight <= VALUE_CPU_NS)
		return 0;
	other->index = rows->weight;
	if (asprintf(&other->self, "self_%s_%s", type.type, type.unit) < 0) {
		other->self = NULL;
		return -ENOMEM;
	}
	if (asprintf(&other->total, "total_%s_%s", type.type, type.unit) < 0) {
		other->total = NULL;
		row_builder_other_release(other);
		return -ENOMEM;
	}
	return 0;
}

void row_builder_other_release(struct row_builder_other *other)
{
	free(other->self);
	free(other->total);
	*other = (struct row_builder_other){0};
}
