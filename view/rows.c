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

/* A row's place and, if split, its process or thread. */
struct row_key {
	uint32_t place, id;
	const char *task;
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
	 * By row: index + 1 of the last sample in its total, then total of each value type.
	 * Compact, as each frame of each sample accesses it.
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

	return a->place == b->place && a->id == b->id && a->task == b->task;
}

static int append_row(struct collecting *c, const struct row_key *key, uint64_t hash)
{
	struct rows *rows = c->rows;
	const struct place *place = &c->places->place[key->place];
	bool by_line = c->places->by == ROWS_BY_LINE;

	if (array_grow(&rows->row, &c->room, rows->n + 1) < 0 ||
		array_grow(&c->key, &c->key_room, rows->n + 1) < 0 ||
		array_grow(&c->tally, &c->tally_room, (rows->n + 1) * c->tally_size) < 0 ||
		table_add(&c->table, hash, (uint32_t)rows->n) < 0)
		return -ENOMEM;
	c->key[rows->n] = *key;
	memset(c->tally + rows->n * c->tally_size, 0, c->tally_size * sizeof(*c->tally));
	rows->row[rows->n] = (struct row){
		.function = place->function,
		.file = by_line ? place->file : "",
		.object = place->object,
		.line = by_line ? place->line : 0,
		.unsampled = place->unsampled,
		.id = key->id,
		.task = key->task,
	};
	return (int)rows->n++;
}

static int row_of(struct collecting *c, uint32_t place, const struct task *task)
{
	struct row_key key = {.place = place, .task = ""};
	uint64_t hash;
	int index;

	if (c->of_place && c->of_place[place])
		return (int)c->of_place[place] - 1;
	if (c->options->split == REPORT_SPLIT_PROCESS) {
		key.id = task->pid;
		key.task = task->process;
	} else if (c->options->split == REPORT_SPLIT_THREAD) {
		key.id = task->tid;
		key.task = task->thread;
	}
	hash = table_mix(table_mix((uint64_t)place << 32 | key.id, (uintptr_t)key.task), 0);
	index = table_find(&c->table, hash, key_equal, c->key, &key);
	if (index < 0)
		index = append_row(c, &key, hash);
	if (index >= 0 && c->of_place)
		c->of_place[place] = (uint32_t)index + 1;
	return index;
}

/* A sample without a stack has no row; only the sums include it. */
static int collect_sample(struct collecting *c, const struct sample *sample, int64_t stamp)
{
	struct task task = profile_task(c->profile, sample->task);
	bool leaf = true;

	for (size_t i = 0; i < sample->n; i++) {
		size_t n;
		const uint32_t *of = places_of(c->places, sample->location[i], &n);

		for (size_t j = 0; j < n; j++) {
			int index = row_of(c, of[j], &task);
			int64_t *tally;

			if (index < 0)
				return index;
			if (leaf)
				sum_add_all(c->rows->row[index].self, sample->value, c->values);
			leaf = false;
			tally = c->tally + (size_t)index * c->tally_size;
			if (tally[0] == stamp)
				continue;
			tally[0] = stamp;
			sum_add_all(tally + 1, sample->value, c->values);
		}
	}
	return 0;
}

/*
 * Returns the value type that weighs rows: @chosen if it exists; else the first of these that has
 * values: the file's default, CPU time, samples. If none has, returns the last type (pprof's
 * default), or samples if the file has only the two.
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
	rows_sum_up(c->profile, c->places, &c->filter, c->rows);
	for (size_t i = 0; i < profile_samples(c->profile); i++) {
		struct sample sample = profile_sample(c->profile, i);
		int error = 0;

		if (filter_takes(&c->filter, c->profile, c->places, &sample))
			error = collect_sample(c, &sample, (int64_t)i + 1);
		if (error < 0)
			return error;
	}
	for (size_t i = 0; i < c->rows->n; i++)
		memcpy(c->rows->row[i].total, c->tally + i * c->tally_size + 1,
			c->values * sizeof(int64_t));
	return 0;
}

struct order {
	size_t weight;
	bool by_total;
};

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	const struct order *order = context;
	const int64_t keys[3][2] = {
		{order->by_total ? x->total[order->weight] : x->self[order->weight],
			order->by_total ? y->total[order->weight] : y->self[order->weight]},
		{x->total[order->weight], y->total[order->weight]},
		{x->self[order->weight], y->self[order->weight]},
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
		rows->has_callers |=
			rows->row[i].total[rows->weight] != rows->row[i].self[rows->weight];
	}
	for (size_t i = 0; i < rows->n; i++) {
		struct row *row = &rows->row[i];
		int64_t self = rows_amount(row->self[rows->weight]);
		int64_t value =
			options->sort_by_total ? rows_amount(row->total[rows->weight]) : self;
		bool calls_only =
			options->with_self && (double)self < (double)rows->whole * SHOWN_LEAST;

		if ((options->limit && kept >= options->limit) || (double)value < least ||
			calls_only) {
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
	struct order order;
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
	filter_release(&c.filter);
	table_release(&c.table);
	free(c.key);
	free(c.tally);
	free(c.of_place);
	if (error < 0) {
		rows_release(&rows);
		return error;
	}
	order = (struct order){rows.weight, options->sort_by_total};
	if (rows.n)
		qsort_r(rows.row, rows.n, sizeof(*rows.row), compare_rows, &order);
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
	*rows = (struct rows){0};
}
