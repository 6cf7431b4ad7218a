/* SPDX-License-Identifier: MIT */
#include "view/gather.h"
#include "view/wall_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void gather(struct gathering *to, const char *name, struct cell cell)
{
	to->name[to->n] = name;
	to->cell[to->n++] = cell;
}

static void gather_wall(struct gathering *to, const struct profile *profile, const struct row *row)
{
	struct wall_types wall;

	if (!wall_types_find(profile, &wall))
		return;
	gather(to, "wall_ns", cell_number(wall_types_value(row->self, wall.wall)));
	gather(to, "runqueue_ns", cell_number(wall_types_value(row->self, wall.queue)));
	gather(to, "blocked_ns", cell_number(wall_types_value(row->self, wall.blocked)));
}

void gather_task(struct gathering *to, const struct report_options *options, const struct row *row)
{
	if (options->split == REPORT_SPLIT_PROCESS) {
		gather(to, "pid", cell_number(row->id));
		gather(to, "process", cell_text(row->task));
	} else if (options->split == REPORT_SPLIT_THREAD) {
		gather(to, "tid", cell_number(row->id));
		gather(to, "thread", cell_text(row->task));
	}
}

void gather_values(struct gathering *to, const struct profile *profile, const struct row *row)
{
	gather(to, "self_samples", cell_number(row->self[VALUE_SAMPLES]));
	gather(to, "self_ns", cell_number(row->self[VALUE_CPU_NS]));
	gather(to, "total_samples", cell_number(row->total[VALUE_SAMPLES]));
	gather(to, "total_ns", cell_number(row->total[VALUE_CPU_NS]));
	gather_wall(to, profile, row);
}

void gather_others(struct gathering *to, const struct gather_other *other, const struct row *row)
{
	if (!other->index)
		return;
	gather(to, other->self, cell_number(row->self[other->index]));
	gather(to, other->total, cell_number(row->total[other->index]));
}

int gather_other_init(
	struct gather_other *other, const struct profile *profile, const struct rows *rows)
{
	struct value_type type = profile_value_type(profile, rows->weight);

	*other = (struct gather_other){0};
	if (rows->weight <= VALUE_CPU_NS)
		return 0;
	other->index = rows->weight;
	if (asprintf(&other->self, "self_%s_%s", type.type, type.unit) < 0) {
		other->self = NULL;
		return -ENOMEM;
	}
	if (asprintf(&other->total, "total_%s_%s", type.type, type.unit) < 0) {
		other->total = NULL;
		gather_other_release(other);
		return -ENOMEM;
	}
	return 0;
}

void gather_other_release(struct gather_other *other)
{
	free(other->self);
	free(other->total);
	*other = (struct gather_other){0};
}
