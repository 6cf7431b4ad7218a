/* SPDX-License-Identifier: MIT */
/* The views that are lists of sums: functions, lines, objects, threads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/stats.h"
#include "view/live/live_internal.h"
#include "view/pairs.h"

/* A stack with a lower share of all decayed weight is too old to be shown. */
#define FORGOTTEN 1e-7

/* Is the sample in the page's zoom (a thread, an object)? */
static bool page_takes(
	const struct live *live, const struct live_page *page, const struct sample *sample)
{
	struct task task;

	if (page->object &&
		(!sample->n ||
			profile_mapping(live->profile,
				profile_location(live->profile,
					sample->location[live_first_frame(live, sample)])
					.mapping)
					.file != page->object))
		return false;
	if (!page->tid)
		return true;
	task = profile_task(live->profile, sample->task);
	return task.tid == page->tid && task.pid == page->pid;
}

bool live_next_stack(const struct live *live, const struct live_page *page, size_t *at,
	struct sample *ret_sample, double *ret_weight)
{
	bool decay = live->decay && !live->span.chosen;
	double scale = decay ? live_weights_scale(&live->weights) : 1;
	double least =
		decay ? FORGOTTEN * live_weights_sum(&live->weights, live->value, true) / scale : 0;

	for (; *at < live->weights.stacks; ++*at) {
		double weight = live->span.chosen
			? live_span_weight(&live->span, *at)
			: live_weight(&live->weights, *at, live->value, live->decay);

		if (weight <= least)
			continue;
		*ret_sample = profile_sample(live->profile, *at);
		if (!page_takes(live, page, ret_sample))
			continue;
		*ret_weight = weight * scale;
		++*at;
		return true;
	}
	return false;
}

size_t live_first_frame(const struct live *live, const struct sample *sample)
{
	return live->hide_calls && sample->n > 1 &&
		live->functions.location[sample->location[0]].is_call;
}

int live_clear_sums(struct live *live, size_t n)
{
	if (array_grow(&live->self, &live->self_room, n) < 0 ||
		array_grow(&live->total, &live->total_room, n) < 0 ||
		array_grow(&live->stamp, &live->stamp_room, n) < 0)
		return -ENOMEM;
	if (n) {
		memset(live->self, 0, n * sizeof(*live->self));
		memset(live->total, 0, n * sizeof(*live->total));
		memset(live->stamp, 0, n * sizeof(*live->stamp));
	}
	live->stamps = 0;
	return 0;
}

void live_set_whole(struct live *live, double whole)
{
	double all = live_weights_sum(&live->weights, live->value, live->decay);

	live->table.whole = whole;
	if (live->span.chosen) {
		live->table.effective_samples =
			stats_effective_samples(live->span.sum, live->span.squares);
		return;
	}
	live->table.effective_samples = all > 0
		? live_weights_effective(&live->weights, live->value, live->decay) * whole / all
		: 0;
}

void live_sum_up(
	struct live *live, const struct live_page *page, live_counts_for *of, const void *context)
{
	const struct places *places = &live->functions;
	double weight, whole = 0;
	struct sample sample;
	size_t at = 0;

	while (live_next_stack(live, page, &at, &sample, &weight)) {
		bool leaf = true;

		whole += weight;
		live->stamps++;
		for (size_t i = live_first_frame(live, &sample); i < sample.n; i++) {
			const struct place_location *l = &places->location[sample.location[i]];

			for (size_t j = l->first; j < l->first + l->n; j++) {
				uint32_t item = of(live, sample.location[i], j, context);

				if (item != LIVE_NONE) {
					if (leaf)
						live->self[item] += weight;
					live_add_total(live, item, weight);
				}
				leaf = false;
			}
		}
	}
	live_set_whole(live, whole);
}

static uint32_t function_of(
	const struct live *live, uint32_t location, size_t frame, const void *context)
{
	(void)location;
	(void)context;
	return live->functions.of[frame];
}

static uint32_t line_of(
	const struct live *live, uint32_t location, size_t frame, const void *context)
{
	(void)location;
	(void)context;
	return live->lines.of[frame];
}

/*
 * A frame counts for its location's object. @context: an array with the index of each mapping's
 * object.
 */
static uint32_t object_of(
	const struct live *live, uint32_t location, size_t frame, const void *context)
{
	const uint32_t *object = context;

	(void)frame;
	return object[profile_location(live->profile, location).mapping];
}

static int add_places(struct live *live, const struct place *place, size_t n, bool lines)
{
	for (size_t i = 0; i < n; i++) {
		struct live_row row = {.id = i,
			.self = live->self[i],
			.total = live->total[i],
			.name = place[i].function,
			.object = place[i].object,
			.text = lines && place[i].file[0] ? place[i].file : NULL,
			.place = lines ? place[i].function_place : (uint32_t)i,
			.line = lines ? place[i].line : 0,
			.exact = place[i].unsampled};

		if (row.total > 0 && live_add_row(live, &row) < 0)
			return -ENOMEM;
	}
	return 0;
}

int live_collect_functions(struct live *live, struct live_page *page)
{
	if (live_clear_sums(live, live->functions.n) < 0)
		return -ENOMEM;
	live_sum_up(live, page, function_of, NULL);
	return add_places(live, live->functions.place, live->functions.n, false);
}

int live_collect_lines(struct live *live, struct live_page *page)
{
	if (live_clear_sums(live, live->lines.n) < 0)
		return -ENOMEM;
	live_sum_up(live, page, line_of, NULL);
	return add_places(live, live->lines.place, live->lines.n, true);
}

/* A file with several mappings is one object. @objects: pairs of a file's name and 0. */
static int number_objects(
	const struct profile *profile, size_t n, uint32_t *object, struct pairs *objects)
{
	for (size_t i = 0; i < n; i++) {
		int index = pairs_add(objects, (uintptr_t)profile_mapping(profile, i).file, 0);

		if (index < 0)
			return index;
		object[i] = (uint32_t)index;
	}
	return 0;
}

static int add_objects(struct live *live, const struct pairs *objects)
{
	for (size_t i = 0; i < objects->n; i++) {
		const char *file = (const char *)(uintptr_t)objects->pair[i].a;

		if (live->total[i] > 0 &&
			live_add_row(live,
				&(struct live_row){.id = i,
					.self = live->self[i],
					.total = live->total[i],
					.name = file,
					.object = file,
					.place = LIVE_NONE}) < 0)
			return -ENOMEM;
	}
	return 0;
}

int live_collect_objects(struct live *live, struct live_page *page)
{
	size_t n = profile_mappings(live->profile);
	uint32_t *object = calloc(n + 1, sizeof(*object));
	struct pairs objects = {0};
	int r = object ? number_objects(live->profile, n, object, &objects) : -ENOMEM;

	if (r == 0)
		r = live_clear_sums(live, objects.n);
	if (r == 0) {
		live_sum_up(live, page, object_of, object);
		r = add_objects(live, &objects);
	}
	pairs_release(&objects);
	free(object);
	return r;
}

/* Finds or adds a thread's row; NULL: out of memory. @rows has the pid and tid of each row. */
static struct live_row *row_of_thread(
	struct live *live, struct pairs *rows, uint32_t pid, uint32_t tid)
{
	struct live_row row = {.id = (uint64_t)pid << 32 | tid,
		.pid = pid,
		.tid = tid,
		.place = LIVE_NONE,
		.state = '-'};
	int index = pairs_add(rows, pid, tid);

	if (index < 0 || ((size_t)index == live->table.n && live_add_row(live, &row) < 0))
		return NULL;
	return &live->table.row[index];
}

/* Returns the function in which a task was last sampled; LIVE_NONE: none. */
static uint32_t last_function(const struct live *live, size_t task)
{
	struct sample sample;

	if (task >= live->weights.tasks || !live->weights.last[task])
		return LIVE_NONE;
	sample = profile_sample(live->profile, live->weights.last[task] - 1);
	if (!sample.n)
		return LIVE_NONE;
	return places_leaf(&live->functions, sample.location[live_first_frame(live, &sample)]);
}

/*
 * The name of a main thread is its process's title (analyst/titles.h) if the title has a space, as
 * "nginx: master process" has.
 */
static bool is_titled(const struct task *task)
{
	return task->tid == task->pid && strchr(task->process, ' ');
}

/* Adds a row for each thread with samples. live->stamp[i]: 1 + the row of task i; 0: no row. */
static int add_tasks(struct live *live, struct pairs *rows)
{
	for (size_t i = 0; i < live->weights.tasks; i++) {
		struct task task = profile_task(live->profile, i);
		uint32_t last = last_function(live, i);
		struct live_row *row;

		if (!task.tid || last == LIVE_NONE)
			continue;
		row = row_of_thread(live, rows, task.pid, task.tid);
		if (!row)
			return -ENOMEM;
		live->stamp[i] = (uint32_t)(row - live->table.row) + 1;
		row->titled = is_titled(&task);
		row->name = row->titled ? task.process : task.thread;
		row->place = last;
		row->text = live->functions.place[last].function;
		row->object = live->functions.place[last].object;
	}
	return 0;
}

/*
 * Replaces each thread's CPU time since the start or the last reset by the kernel's figure, if that
 * is known. The kernel's figure is exact per thread, while weights of samples are exact only for
 * all threads together.
 */
static void set_used(struct live *live)
{
	if (live->value != VALUE_CPU_NS || live->span.chosen)
		return;
	for (size_t i = 0; i < live->table.n; i++)
		live->table.row[i].exact = false;
	for (size_t i = 0; i < live->weights.tasks; i++) {
		struct live_row *row = live->stamp[i] ? &live->table.row[live->stamp[i] - 1] : NULL;
		double used_ns;

		if (!row || !live_weights_used(&live->weights, i, &used_ns))
			continue;
		row->total = row->exact ? row->total + used_ns : used_ns;
		row->exact = true;
	}
}

static int add_sampled_threads(struct live *live, struct pairs *rows)
{
	const struct live_span *span = &live->span;
	double per_ns = span->chosen
		? 1 / (double)(span->to_ns - span->from_ns)
		: live_weights_per_ns(&live->weights) * live_weights_scale(&live->weights);

	if (live_clear_sums(live, live->weights.tasks) < 0 || add_tasks(live, rows) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < live->weights.stacks; i++) {
		uint32_t index = live->stamp[profile_sample(live->profile, i).task];
		double in_span = span->chosen ? live_span_weight(span, i) : 0;
		struct live_row *row;

		if (!index)
			continue;
		row = &live->table.row[index - 1];
		row->now += per_ns *
			(span->chosen ? in_span
				      : live_weight(&live->weights, i, live->value, true));
		row->total +=
			span->chosen ? in_span : live_weight(&live->weights, i, live->value, false);
	}
	set_used(live);
	return 0;
}

/* Adds what the kernel says of the threads that live. */
static int add_living_threads(struct live *live, struct pairs *rows)
{
	for (size_t i = 0; i < live->threads; i++) {
		const struct live_thread *thread = &live->thread[i];
		struct live_row *row = row_of_thread(live, rows, thread->pid, thread->tid);

		if (!row)
			return -ENOMEM;
		/* The kernel says "traced" ('t') of a tracee, even if a signal has stopped it. */
		row->state = thread->state == 't' && live->stopped ? 'T' : thread->state;
		if (!row->titled)
			row->name = thread->name;
		if (thread->left_out) {
			row->text = "left out";
			row->object = NULL;
		}
	}
	return 0;
}

int live_collect_threads(struct live *live, struct live_page *page)
{
	struct pairs rows = {0};
	double whole = 0;
	int r = add_sampled_threads(live, &rows);

	(void)page;
	if (r == 0)
		r = add_living_threads(live, &rows);
	pairs_release(&rows);
	for (size_t i = 0; i < live->table.n; i++) {
		struct live_row *row = &live->table.row[i];

		row->self = row->total;
		whole += row->total;
	}
	live_set_whole(live, whole);
	return r;
}
