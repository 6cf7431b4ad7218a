/* SPDX-License-Identifier: MIT */
#include "view/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/table.h"
#include "profile/stats.h"
#include "view/filter.h"
#include "view/places.h"

struct rows_text {
	struct places places;
};

/* The place of rows by process, thread or object. */
enum { NO_PLACE = UINT32_MAX };

struct row_key {
	uint32_t place, id; /* @id: pid or tid, if split */
	const char *name;   /* process or thread, if split; ROWS_BY_OBJECT: the object; else "" */
};

struct collecting {
	const struct profile *profile;
	const struct report_options *options;
	struct places *places;
	struct filter filter;
	struct rows *rows;
	size_t room;
	struct row_key *key; /* by row */
	size_t key_room;
	/*
	 * For each row, first the index + 1 of the last sample that was counted in the row, then
	 * the row's total of each value type. One compact array is used, because each frame of each
	 * sample needs both.
	 */
	int64_t *tally;
	size_t tally_room, tally_size;
	struct table table;
	uint32_t *of_place; /* by place: its row + 1; NULL if split */
	size_t values;
};

static bool key_equal(const void *items, uint32_t index, const void *key)
{
	const struct row_key *a = (const struct row_key *)items + index, *b = key;

	return a->place == b->place && a->id == b->id && a->name == b->name;
}

static struct row make_row(const struct places *places, const struct row_key *key)
{
	bool by_line = places->by == ROWS_BY_LINE, by_object = places->by == ROWS_BY_OBJECT;
	struct row row = {.function = key->name,
		.file = "",
		.object = by_object ? key->name : "",
		.id = key->id,
		.task = by_object ? "" : key->name};

	if (key->place != NO_PLACE) {
		const struct place *place = &places->place[key->place];

		row.function = place->function;
		row.file = by_line ? place->file : "";
		row.object = place->object;
		row.line = by_line ? place->line : 0;
		row.unsampled = place->unsampled;
	}
	return row;
}

/* Returns the index of the row, which is added if it is new, or -ENOMEM. */
static int row_of_key(struct collecting *c, const struct row_key *key)
{
	struct rows *rows = c->rows;
	uint64_t numbers = (uint64_t)key->place << 32 | key->id;
	uint64_t hash = table_mix(table_mix(numbers, (uintptr_t)key->name), 0);
	int index = table_find(&c->table, hash, key_equal, c->key, key);

	if (index >= 0)
		return index;
	if (array_grow(&rows->row, &c->room, rows->n + 1) < 0 ||
		array_grow(&c->key, &c->key_room, rows->n + 1) < 0 ||
		array_grow(&c->tally, &c->tally_room, (rows->n + 1) * c->tally_size) < 0 ||
		table_add(&c->table, hash, (uint32_t)rows->n) < 0)
		return -ENOMEM;
	c->key[rows->n] = *key;
	memset(c->tally + rows->n * c->tally_size, 0, c->tally_size * sizeof(*c->tally));
	rows->row[rows->n] = make_row(c->places, key);
	return (int)rows->n++;
}

static struct row_key key_of(const struct collecting *c, uint32_t place, const struct task *task)
{
	if (c->options->split == REPORT_SPLIT_PROCESS)
		return (struct row_key){place, task->pid, task->process};
	if (c->options->split == REPORT_SPLIT_THREAD)
		return (struct row_key){place, task->tid, task->thread};
	return (struct row_key){place, 0, ""};
}

static int row_of_place(struct collecting *c, uint32_t place, const struct task *task)
{
	struct row_key key;
	int index;

	if (c->of_place && c->of_place[place])
		return (int)c->of_place[place] - 1;
	key = key_of(c, place, task);
	index = row_of_key(c, &key);
	if (index >= 0 && c->of_place)
		c->of_place[place] = (uint32_t)index + 1;
	return index;
}

/* Counts a sample once in the total of the row at @index and, if @leaf, in its self. */
static void count(
	struct collecting *c, int index, const struct sample *sample, int64_t stamp, bool leaf)
{
	int64_t *tally = c->tally + (size_t)index * c->tally_size;

	if (leaf)
		sum_add_all(c->rows->row[index].self, sample->value, c->values);
	if (tally[0] == stamp)
		return;
	tally[0] = stamp;
	sum_add_all(tally + 1, sample->value, c->values);
}

/* Counts a sample in one row: that of its process or thread, or of its leaf's object. */
static int collect_whole(struct collecting *c, const struct sample *sample, int64_t stamp)
{
	struct task task = profile_task(c->profile, sample->task);
	struct row_key key = key_of(c, NO_PLACE, &task);
	uint32_t mapping = 0;
	int index;

	if (sample->n)
		mapping = profile_location(c->profile, sample->location[0]).mapping;
	if (c->places->by == ROWS_BY_OBJECT)
		key.name = profile_mapping(c->profile, mapping).file;
	index = row_of_key(c, &key);
	if (index < 0)
		return index;
	count(c, index, sample, stamp, true);
	return 0;
}

/*
 * Counts a sample in the rows of its places. A sample without a stack is in no row, but it is in
 * the sums of rows_sum_up().
 */
static int collect_places(struct collecting *c, const struct sample *sample, int64_t stamp)
{
	struct task task = profile_task(c->profile, sample->task);
	bool leaf = true;

	for (size_t i = 0; i < sample->n; i++) {
		size_t n;
		const uint32_t *of = places_of(c->places, sample->location[i], &n);

		for (size_t j = 0; j < n; j++) {
			int index = row_of_place(c, of[j], &task);

			if (index < 0)
				return index;
			count(c, index, sample, stamp, leaf);
			leaf = false;
		}
	}
	return 0;
}

/*
 * Returns the value type by which rows are sorted: @chosen if it exists. Otherwise the file's
 * default type, CPU time or samples: the first of these whose sum is not 0. If all sums are 0: the
 * last type, which is pprof's default, or samples if the file has no types but samples and CPU
 * time.
 */
static size_t choose_weight(const struct rows *rows, const struct profile *profile, size_t chosen)
{
	size_t values = profile_value_types(profile), named = profile_default_value(profile);

	if (chosen < values)
		return chosen;
	if (named < values && rows->all[named])
		return named;
	if (rows->all[VALUE_CPU_NS])
		return VALUE_CPU_NS;
	if (rows->all[VALUE_SAMPLES] || values <= VALUE_CPU_NS + 1)
		return VALUE_SAMPLES;
	return values - 1;
}

static void sum_up_amounts(const struct profile *profile, struct rows *rows)
{
	rows->whole = 0;
	for (size_t i = 0; i < profile_samples(profile); i++) {
		int64_t value = profile_sample(profile, i).value[rows->weight];

		rows->negative |= value < 0;
		value = rows_amount(value);
		sum_add(&rows->whole, value);
	}
}

void rows_sum_up(const struct profile *profile, const struct places *places,
	const struct filter *filter, struct rows *rows)
{
	size_t values = profile_value_types(profile);
	int64_t unsampled[VALUE_TYPES_MAX] = {0};
	uint64_t effective = 0;

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);

		sum_add_all(rows->all, sample.value, values);
		if (profile_is_unsampled(profile, &sample))
			sum_add_all(unsampled, sample.value, values);
		if (filter_takes(filter, profile, places, &sample))
			sum_add_all(rows->chosen, sample.value, values);
	}
	rows->filtered = filter->focus || filter->object || filter->thread;
	rows->weight = choose_weight(rows, profile, filter->value);
	rows->unsampled = unsampled[rows->weight];
	sum_up_amounts(profile, rows);
	/* The parts of a difference are not counts of samples: they have no confidence interval. */
	if (rows->negative)
		return;
	if (rows->weight <= VALUE_CPU_NS && rows->all[VALUE_SAMPLES] > 0) {
		rows->effective_samples = (double)rows->all[VALUE_SAMPLES];
		if (profile_audit(profile, STATS_EFFECTIVE_SAMPLES, &effective) && effective)
			rows->effective_samples = (double)effective;
	}
}

static int collect_samples(struct collecting *c)
{
	bool whole = c->places->by >= ROWS_BY_TASK;

	rows_sum_up(c->profile, c->places, &c->filter, c->rows);
	for (size_t i = 0; i < profile_samples(c->profile); i++) {
		struct sample sample = profile_sample(c->profile, i);
		int64_t stamp = (int64_t)i + 1;
		int error;

		if (!filter_takes(&c->filter, c->profile, c->places, &sample))
			continue;
		error = whole ? collect_whole(c, &sample, stamp)
			      : collect_places(c, &sample, stamp);
		if (error < 0)
			return error;
	}
	for (size_t i = 0; i < c->rows->n; i++)
		memcpy(c->rows->row[i].total, c->tally + i * c->tally_size + 1,
			c->values * sizeof(int64_t));
	return 0;
}

static void rank_rows(struct rows *rows, const struct report_options *options, enum rows_by by)
{
	/*
	 * The kernel's CPU times are of whole threads. They do not fit rows for which a filter
	 * chose a part of a thread.
	 */
	rows->by_used = by == ROWS_BY_TASK && rows->times.n && rows->times.complete &&
		rows->weight == VALUE_CPU_NS && !rows->filtered;
	for (size_t i = 0; i < rows->n; i++) {
		struct row *row = &rows->row[i];
		int64_t self = row->self[rows->weight], total = row->total[rows->weight];

		row->rank = options->sort_by_total ? total : self;
		if (rows->by_used)
			(void)task_times_of(&rows->times, row, &row->rank);
		rows->has_callers |= total != self;
	}
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	size_t weight = *(const size_t *)context;
	const int64_t keys[3][2] = {
		{x->rank, y->rank},
		{x->total[weight], y->total[weight]},
		{x->self[weight], y->self[weight]},
	};
	int by_name;

	for (size_t i = 0; i < 3; i++) {
		int64_t amount = rows_amount(keys[i][0]), other = rows_amount(keys[i][1]);

		if (amount != other)
			return amount > other ? -1 : 1;
		if (keys[i][0] != keys[i][1])
			return keys[i][0] > keys[i][1] ? -1 : 1;
	}
	by_name = strcmp(x->function, y->function);
	if (!by_name)
		by_name = strcmp(x->object, y->object);
	if (!by_name)
		by_name = strcmp(x->file, y->file);
	if (!by_name)
		by_name = (x->line > y->line) - (x->line < y->line);
	return by_name ? by_name : (x->id > y->id) - (x->id < y->id);
}

/* A lower share is shown as 0.0 %. */
#define SHOWN_LEAST 0.0005

/* Removes the excluded rows; the rows are already sorted. */
static void leave_out(struct rows *rows, const struct report_options *options, size_t values)
{
	double least = (double)rows->whole * options->min_percent / 100;
	size_t kept = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct row *row = &rows->row[i];
		int64_t self = rows_amount(row->self[rows->weight]);
		bool calls_only =
			options->with_self && (double)self < (double)rows->whole * SHOWN_LEAST;

		if ((options->limit && kept >= options->limit) ||
			(double)rows_amount(row->rank) < least || calls_only) {
			sum_add_all(rows->left_out.self, row->self, values);
			rows->left_out_rows++;
			rows->callers_only += calls_only;
		} else {
			rows->row[kept++] = *row;
		}
	}
	rows->n = kept;
}

int rows_collect(const struct profile *profile, const struct report_options *options,
	enum rows_by by, struct rows *ret_rows, char **ret_problem)
{
	struct rows rows = {.text = calloc(1, sizeof(*rows.text))};
	struct collecting c = {.profile = profile,
		.options = options,
		.rows = &rows,
		.values = profile_value_types(profile),
		.tally_size = profile_value_types(profile) + 1};
	int error;

	if (!rows.text)
		return -ENOMEM;
	c.places = &rows.text->places;
	error = places_init(c.places, profile, options, by);
	if (!error && options->split == REPORT_SPLIT_NONE) {
		c.of_place = calloc(c.places->n + 1, sizeof(*c.of_place));
		error = c.of_place ? 0 : -ENOMEM;
	}
	if (!error)
		error = filter_init(&c.filter, profile, c.places, options, ret_problem);
	if (!error)
		error = collect_samples(&c);
	if (!error && options->split == REPORT_SPLIT_THREAD)
		error = task_times_init(&rows.times, profile);
	filter_release(&c.filter);
	table_release(&c.table);
	free(c.key);
	free(c.tally);
	free(c.of_place);
	if (error < 0) {
		rows_release(&rows);
		return error;
	}
	rank_rows(&rows, options, by);
	if (rows.n)
		qsort_r(rows.row, rows.n, sizeof(*rows.row), compare_rows, &rows.weight);
	leave_out(&rows, options, c.values);
	*ret_rows = rows;
	return 0;
}

void rows_release(struct rows *rows)
{
	if (rows->text)
		places_release(&rows->text->places);
	free(rows->text);
	free(rows->row);
	task_times_release(&rows->times);
	*rows = (struct rows){0};
}
