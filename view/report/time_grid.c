/* SPDX-License-Identifier: MIT */
#include "view/report/time_grid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "profile/timeline.h"
#include "profile/timeline_scale.h"
#include "view/options.h"
#include "view/tree.h"
#include "view/wall_types.h"

/* Minimum mean number of samples in a column: fewer say too little. */
enum { SAMPLES_A_COLUMN = 5 };

/* A thread with a lower share of all weight is short (group_short()). */
#define SHORT_SHARE 0.05

/* Where less than this share of a CPU ran, nothing is said to have run: so little may be chance. */
#define IDLE_CPUS 0.02

static int compare_rows(const void *a, const void *b)
{
	const struct timeline_row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

/* Equal names are equal pointers. */
static int compare_names(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uintptr_t m = (uintptr_t)profile_task(profile, x).thread;
	uintptr_t n = (uintptr_t)profile_task(profile, y).thread;

	return m != n ? (m > n) - (m < n) : (x > y) - (x < y);
}

/*
 * Joins short threads of one name that are in different processes, such as the many compilers
 * started by one make. They share the row of the first of them. @of: by task, the task in whose row
 * it is. Rows are not sorted yet.
 */
static int group_short(struct time_grid *grid, size_t tasks, uint32_t *of)
{
	struct profile *profile = (struct profile *)grid->frames.profile;
	double all = 0;
	uint32_t *order = calloc(tasks + 1, sizeof(*order));
	size_t n = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < tasks; i++)
		all += grid->row[i].weight;
	for (size_t i = 0; i < tasks; i++) {
		if (grid->row[i].weight > 0 && grid->row[i].weight < all * SHORT_SHARE)
			order[n++] = (uint32_t)i;
	}
	if (n)
		qsort_r(order, n, sizeof(*order), compare_names, profile);
	for (size_t i = 1, first = 0; i < n; i++) {
		struct task one = profile_task(profile, order[first]);
		struct task other = profile_task(profile, order[i]);

		if (one.thread != other.thread) {
			first = i;
		} else if (one.pid != other.pid) {
			grid->row[order[first]].weight += grid->row[order[i]].weight;
			grid->row[order[first]].tasks++;
			grid->row[order[i]].weight = 0;
			of[order[i]] = order[first];
		}
	}
	free(order);
	return 0;
}

/*
 * Joins the threads of each process in the row of its first task. @of: by task, the task in whose
 * row it is.
 */
static int group_processes(struct time_grid *grid, size_t tasks, uint32_t *of)
{
	uint32_t *first;
	int r = tree_first_tasks(grid->frames.profile, REPORT_SPLIT_PROCESS, &first);

	if (r < 0)
		return r;
	for (size_t i = 0; i < tasks; i++) {
		of[i] = first[i];
		if (of[i] == i)
			continue;
		grid->row[of[i]].weight += grid->row[i].weight;
		grid->row[i].weight = 0;
	}
	free(first);
	return 0;
}

/* Chooses the tasks with rows. The caller frees *@ret_row_of: by task, its row. 0 or -ENOMEM. */
static int choose_rows(struct time_grid *grid, uint32_t **ret_row_of)
{
	const struct profile *profile = grid->frames.profile;
	const struct report_options *options = &grid->frames.options;
	size_t tasks = profile_tasks(profile);
	double least;
	uint32_t *row_of = calloc(tasks + 1, sizeof(*row_of));
	uint32_t *of = calloc(tasks + 1, sizeof(*of));
	int r = row_of && of ? 0 : -ENOMEM;

	grid->row = calloc(tasks + 1, sizeof(*grid->row));
	if (!grid->row)
		r = -ENOMEM;
	for (size_t i = 0; i < tasks && r == 0; i++) {
		grid->row[i] = (struct timeline_row){.task = (uint32_t)i, .tasks = 1};
		of[i] = (uint32_t)i;
	}
	if (r < 0)
		goto out;
	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);
		double weight = (double)sample.value[grid->frames.sums.weight];

		/* Unsampled time has no instant, and often no known thread. */
		if (!profile_is_unsampled(profile, &sample) &&
			filter_takes(&grid->frames.filter, profile, &grid->frames.places, &sample))
			grid->row[sample.task].weight += weight;
	}
	if (options->format == REPORT_TEXT && options->split == REPORT_SPLIT_NONE)
		r = group_short(grid, tasks, of);
	else if (options->split == REPORT_SPLIT_PROCESS)
		r = group_processes(grid, tasks, of);
	if (r < 0)
		goto out;
	qsort(grid->row, tasks, sizeof(*grid->row), compare_rows);
	least = (double)grid->frames.sums.all[grid->frames.sums.weight] * options->min_percent /
		100;
	while (grid->rows < tasks && grid->row[grid->rows].weight > 0 &&
		grid->row[grid->rows].weight >= least &&
		(!options->limit || grid->rows < options->limit))
		grid->rows++;
	for (size_t i = 0; i < tasks; i++)
		row_of[grid->row[i].task] = (uint32_t)(i < grid->rows ? i : grid->rows);
	for (size_t i = 0; i < tasks; i++)
		row_of[i] = row_of[of[i]];
	*ret_row_of = row_of;
	row_of = NULL;
out:
	free(row_of);
	free(of);
	return r;
}

uint64_t time_grid_ns(const struct time_grid *grid, size_t column)
{
	double part = (double)column / (double)grid->columns;

	return grid->from_ns + (uint64_t)(part * (double)(grid->to_ns - grid->from_ns));
}

static size_t column_of(const struct time_grid *grid, uint64_t time_ns)
{
	uint64_t began = profile_realtime_ns(grid->frames.profile), since;
	size_t column;

	since = time_ns > began + grid->from_ns ? time_ns - began - grid->from_ns : 0;
	column = (size_t)((double)since / (double)(grid->to_ns - grid->from_ns) *
		(double)grid->columns);
	return column < grid->columns ? column : grid->columns - 1;
}

/* Returns the leaf's place; TIMELINE_NO_PLACE if the stack is empty. */
static uint32_t place_of(const struct time_grid *grid, const struct sample *sample)
{
	return sample->n ? places_leaf(&grid->frames.places, sample->location[0])
			 : (uint32_t)TIMELINE_NO_PLACE;
}

static int add_top(
	struct time_grid *grid, size_t column, uint32_t row, uint32_t place, double value)
{
	size_t before = grid->top.n;
	int index = pairs_add(&grid->top, (uint64_t)column << 32 | row, place);

	if (index < 0)
		return index;
	if (array_grow(&grid->top_weight, &grid->top_room, grid->top.n) < 0)
		return -ENOMEM;
	if (grid->top.n > before)
		grid->top_weight[index] = 0;
	grid->top_weight[index] += value;
	return 0;
}

/* Adds @value to the columns that the instant covers: a wait may cover several. */
static int spread(struct time_grid *grid, const struct instant *instant, double value, uint32_t row,
	uint32_t place)
{
	uint64_t began = profile_realtime_ns(grid->frames.profile), wait = instant->weight_ns;
	size_t last = column_of(grid, instant->time_ns), first = last;
	int r = 0;

	if (instant->state != TIMELINE_RUNNING)
		first = column_of(grid, instant->time_ns > wait ? instant->time_ns - wait : 0);
	for (size_t i = first; i <= last && r >= 0; i++) {
		double part = 1;

		if (first != last)
			part = (double)(instant_before(instant,
						i == last ? UINT64_MAX
							  : began + time_grid_ns(grid, i + 1)) -
				       (i == first ? 0
						   : instant_before(instant,
							     began + time_grid_ns(grid, i)))) /
				(double)wait;
		grid->cell[row * grid->columns + i] += value * part;
		if (part > 0)
			r = add_top(grid, i, row, place, value * part);
	}
	return r;
}

static int fill(struct time_grid *grid, const uint32_t *row_of)
{
	const struct profile *profile = grid->frames.profile;
	struct timeline_scale scale;
	struct timeline_cursor cursor;
	struct instant instant;
	int r = timeline_scale_init(&scale, profile, grid->frames.sums.weight);

	if (r < 0)
		return r;
	r = timeline_begin(&cursor, profile);
	while (r >= 0 && timeline_next(&cursor, &instant)) {
		struct sample sample = profile_sample(profile, instant.sample);
		double value = timeline_scale_of(&scale, &instant);

		if (value > 0 &&
			filter_takes(&grid->frames.filter, profile, &grid->frames.places, &sample))
			r = spread(grid, &instant, value, row_of[sample.task],
				place_of(grid, &sample));
	}
	timeline_end(&cursor);
	timeline_scale_release(&scale);
	return r;
}

/*
 * CPU time is the default. In wall-clock time, each thread would fill its row: at each instant it
 * runs or waits.
 */
static struct report_options choose_value(
	const struct profile *profile, const struct report_options *given)
{
	struct report_options options = options_take(given);
	struct wall_types wall;
	int64_t cpu_ns = 0;

	if (options.value || !wall_types_find(profile, &wall))
		return options;
	for (size_t i = 0; i < profile_samples(profile) && !cpu_ns; i++)
		cpu_ns = profile_sample(profile, i).value[VALUE_CPU_NS];
	if (cpu_ns)
		options.value = profile_value_type(profile, VALUE_CPU_NS).type;
	return options;
}

/*
 * Sets *@ret_n to the number of instants; for CPU time, to the effective number of instants of
 * running threads: the square of the sum of their weights, divided by the sum of the squared
 * weights.
 */
static int count_instants(const struct time_grid *grid, size_t *ret_n)
{
	double sum = 0, squares = 0;
	struct timeline_cursor cursor;
	struct instant instant;
	int r;

	*ret_n = timeline_instants(grid->frames.profile);
	if (!grid->is_cpu)
		return 0;
	r = timeline_begin(&cursor, grid->frames.profile);
	while (r >= 0 && timeline_next(&cursor, &instant)) {
		double weight = (double)instant.weight_ns;

		sum += instant.state == TIMELINE_RUNNING ? weight : 0;
		squares += instant.state == TIMELINE_RUNNING ? weight * weight : 0;
	}
	timeline_end(&cursor);
	*ret_n = squares > 0 ? (size_t)(sum / squares * sum + 0.5) : 0;
	return r;
}

static int refuse(const struct profile *profile, char **ret_problem)
{
	const char *why = timeline_why_left_out(profile);

	if (why)
		return text_refuse(ret_problem, -ENODATA,
			"the time line of the profile cannot be used: %s", why);
	return text_refuse(ret_problem, -ENODATA,
		"the profile has no time line: sprofrun writes one (without --no-timeline), other "
		"programs do not");
}

int time_grid_init(struct time_grid *grid, const struct profile *profile,
	const struct report_options *given, size_t columns, char **ret_problem)
{
	struct report_options options = choose_value(profile, given);
	size_t most = 0;
	uint32_t *row_of = NULL;
	int r;

	*grid = (struct time_grid){0};
	if (!timeline_extent(profile, &grid->from_ns, &grid->to_ns)) {
		return refuse(profile, ret_problem);
	}
	r = frames_init(&grid->frames, profile, &options, ret_problem);
	if (r < 0)
		return r;
	grid->is_time = !strcmp(frames_value_type(&grid->frames).unit, "nanoseconds");
	grid->is_cpu = grid->frames.sums.weight == VALUE_CPU_NS;
	r = count_instants(grid, &most);
	most /= SAMPLES_A_COLUMN;
	grid->columns = most < 1 ? 1 : most < columns ? most : columns;
	if (r >= 0)
		r = choose_rows(grid, &row_of);
	if (r >= 0) {
		grid->cell = calloc((grid->rows + 1) * grid->columns, sizeof(*grid->cell));
		r = grid->cell ? fill(grid, row_of) : -ENOMEM;
	}
	if (r >= 0)
		r = time_grid_find_gaps(grid);
	free(row_of);
	if (r < 0)
		time_grid_release(grid);
	return r;
}

void time_grid_release(struct time_grid *grid)
{
	frames_release(&grid->frames);
	pairs_release(&grid->top);
	free(grid->row);
	free(grid->cell);
	free(grid->top_weight);
	*grid = (struct time_grid){0};
}

static bool is_idle(const struct time_grid *grid, double weight, uint64_t ns)
{
	return grid->is_time ? weight < IDLE_CPUS * (double)ns : weight <= 0;
}

/*
 * Divides the columns into parts of @columns columns. Sets the weight and the most frequent
 * function of each part.
 */
static int find_tops(
	const struct time_grid *grid, uint32_t row, size_t columns, struct timeline_phase *part)
{
	struct pairs sums = {0};
	double *weight = calloc(grid->top.n + 1, sizeof(*weight));
	int r = weight ? 0 : -ENOMEM;

	for (size_t i = 0; i < grid->top.n && r >= 0; i++) {
		const struct pair *pair = &grid->top.pair[i];
		size_t at = (size_t)(pair->a >> 32) / columns;

		if (row != TIMELINE_NO_ROW && row != (uint32_t)pair->a)
			continue;
		r = pairs_add(&sums, at, pair->b);
		if (r < 0)
			break;
		weight[r] += grid->top_weight[i];
		part[at].weight += grid->top_weight[i];
		if (weight[r] > part[at].top_weight) {
			part[at].top_weight = weight[r];
			part[at].place = (uint32_t)pair->b;
		}
	}
	pairs_release(&sums);
	free(weight);
	return r < 0 ? r : 0;
}

int time_grid_phases(const struct time_grid *grid, uint32_t row, size_t columns, bool joined,
	struct timeline_phase **ret_phase, size_t *ret_phases)
{
	size_t parts = (grid->columns + columns - 1) / columns, n = 0;
	struct timeline_phase *part = calloc(parts, sizeof(*part));
	int r = part ? 0 : -ENOMEM;

	for (size_t i = 0; i < parts && !r; i++) {
		size_t to = (i + 1) * columns;

		part[i] = (struct timeline_phase){.from = i * columns,
			.to = to < grid->columns ? to : grid->columns,
			.row = row,
			.place = TIMELINE_NO_PLACE};
	}
	if (!r)
		r = find_tops(grid, row, columns, part);
	if (r < 0) {
		free(part);
		return r;
	}
	for (size_t i = 0; i < parts; i++) {
		if (is_idle(grid, part[i].weight,
			    time_grid_ns(grid, part[i].to) - time_grid_ns(grid, part[i].from)))
			part[i].place = TIMELINE_NO_PLACE;
		if (n && joined && part[n - 1].place == part[i].place) {
			part[n - 1].to = part[i].to;
			part[n - 1].weight += part[i].weight;
			part[n - 1].top_weight += part[i].top_weight;
		} else {
			part[n++] = part[i];
		}
	}
	*ret_phase = part;
	*ret_phases = n;
	return 0;
}
