/* SPDX-License-Identifier: MIT */
/* Collects the functions or call paths of all runs, and compares the sides. */
#include "view/report/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "view/options.h"
#include "view/rows.h"
#include "view/tree.h"

struct diff_key {
	uint32_t function, object; /* ids in diff->strings */
};

struct collecting {
	struct diff *diff;
	struct diff_key *key;
	bool *unsampled;
	size_t keys, key_room, unsampled_room;
	struct table table;
	size_t runs;
};

static bool key_equal(const void *items, uint32_t index, const void *key)
{
	const struct diff_key *a = (const struct diff_key *)items + index, *b = key;

	return a->function == b->function && a->object == b->object;
}

/*
 * Returns the name of the object by which functions of different runs match: the base name of its
 * file. The profiled program may have another name in each run, so its name in the first run is
 * returned.
 */
static const char *object_of(
	const struct collecting *c, const struct profile *profile, const char *object)
{
	const struct profile *first = c->diff->sides->profile[0][0];

	if (profile_mappings(profile) && profile_mappings(first) &&
		object == profile_mapping(profile, profile_main(profile)).file)
		object = profile_mapping(first, profile_main(first)).file;
	return text_basename(object);
}

static int key_of(struct collecting *c, const char *function, const char *object, bool unsampled)
{
	int f = pool_add_text(&c->diff->strings, function);
	int o = pool_add_text(&c->diff->strings, object);
	struct diff_key key = {(uint32_t)f, (uint32_t)o};
	uint64_t hash = table_mix(key.function, key.object);
	int index;

	if (f < 0 || o < 0)
		return -ENOMEM;
	index = table_find(&c->table, hash, key_equal, c->key, &key);
	if (index >= 0)
		return index;
	if (array_grow(&c->key, &c->key_room, c->keys + 1) < 0 ||
		array_grow(&c->unsampled, &c->unsampled_room, c->keys + 1) < 0 ||
		table_add(&c->table, hash, (uint32_t)c->keys) < 0)
		return -ENOMEM;
	c->unsampled[c->keys] = unsampled;
	c->key[c->keys] = key;
	return (int)c->keys++;
}

/* A row's values in one run. */
struct found {
	uint32_t run, key;
	double self, total;
};

struct founds {
	struct found *found;
	size_t n, room;
};

static int add_found(struct founds *founds, size_t run, int key, double self, double total)
{
	return array_add(&founds->found, &founds->room, &founds->n,
		(struct found){(uint32_t)run, (uint32_t)key, self, total});
}

static int collect_functions(struct collecting *c, struct founds *founds,
	const struct profile *profile, size_t run, struct rows *sums, char **ret_problem)
{
	struct rows rows;
	int error = rows_collect(profile, &c->diff->options, ROWS_BY_FUNCTION, &rows, ret_problem);

	if (error < 0)
		return error;
	for (size_t i = 0; i < rows.n && error >= 0; i++) {
		const struct row *row = &rows.row[i];

		error = key_of(
			c, row->function, object_of(c, profile, row->object), row->unsampled);
		if (error >= 0)
			error = add_found(founds, run, error, (double)row->self[rows.weight],
				(double)row->total[rows.weight]);
	}
	*sums = rows;
	sums->row = NULL;
	sums->text = NULL;
	rows_release(&rows);
	return error < 0 ? error : 0;
}

/*
 * Sets id[@at]: the id in diff->strings of the path of node @at, such as "main;run;eval". The path
 * of the node's caller must be set. Returns the id, or -ENOMEM.
 */
static int path_of(struct collecting *c, const struct tree *tree, uint32_t at, int *id)
{
	const struct tree_node *node = &tree->node[at];
	const struct place *place = &tree->places.place[node->place];
	char *text;

	if (node->parent == TREE_ROOT) {
		id[at] = pool_add_text(&c->diff->strings, place->function);
		return id[at];
	}
	if (asprintf(&text, "%s;%s", pool_at(&c->diff->strings, (uint32_t)id[node->parent]),
		    place->function) < 0)
		return -ENOMEM;
	id[at] = pool_add_text(&c->diff->strings, text);
	free(text);
	return id[at];
}

static int collect_paths(struct collecting *c, struct founds *founds, const struct profile *profile,
	size_t run, struct rows *sums, char **ret_problem)
{
	struct tree tree;
	int *id, error = tree_init(&tree, profile, &c->diff->options, TREE_SHORTENED, ret_problem);

	if (error < 0)
		return error;
	id = calloc(tree.n, sizeof(*id));
	error = id ? 0 : -ENOMEM;
	for (uint32_t at = 1; at < tree.n && error >= 0; at++) {
		const struct place *place = &tree.places.place[tree.node[at].place];

		error = path_of(c, &tree, at, id);
		if (error >= 0)
			error = key_of(c, pool_at(&c->diff->strings, (uint32_t)error),
				object_of(c, profile, place->object), place->unsampled);
		if (error >= 0)
			error = add_found(founds, run, error, (double)tree_self_weight(&tree, at),
				(double)tree_total_weight(&tree, at));
	}
	*sums = tree.sums;
	free(id);
	tree_release(&tree);
	return error < 0 ? error : 0;
}

/* Refuses a run whose value type is not that of the first run. */
static int take_run(struct diff *diff, const struct profile *profile, size_t run,
	const struct rows *sums, char **ret_problem)
{
	struct value_type type = profile_value_type(profile, sums->weight);
	uint64_t kernel_ns;
	bool measured;

	if (!run)
		diff->type = type;
	if (strcmp(type.type, diff->type.type) != 0 || strcmp(type.unit, diff->type.unit) != 0)
		return text_refuse(ret_problem, -EINVAL,
			"profiles of '%s' and of '%s' cannot be compared: name what both have with "
			"--value",
			diff->type.type, type.type);
	measured =
		sums->weight == VALUE_CPU_NS && profile_audit(profile, "kernel_cpu_ns", &kernel_ns);
	diff->measured &= measured;
	diff->run[run] = (struct compare_run){(double)sums->all[sums->weight],
		sums->effective_samples, !measured && !diff->options.by_share};
	return 0;
}

static const struct profile *profile_of(const struct report_sides *sides, size_t run)
{
	return run < sides->n[0] ? sides->profile[0][run] : sides->profile[1][run - sides->n[0]];
}

static int collect(struct collecting *c, struct founds *founds, char **ret_problem)
{
	struct diff *diff = c->diff;
	int error = 0;

	for (size_t i = 0; i < c->runs && !error; i++) {
		const struct profile *profile = profile_of(diff->sides, i);
		struct rows sums = {0};

		error = (diff->options.paths ? collect_paths : collect_functions)(
			c, founds, profile, i, &sums, ret_problem);
		if (!error)
			error = take_run(diff, profile, i, &sums, ret_problem);
	}
	return error;
}

/*
 * Returns the object to show for a function that only side B has. The program was renamed by
 * object_of(); here it gets the name that it has on side B.
 */
static const char *own_name(const struct diff *diff, const char *object)
{
	const struct profile *a = diff->sides->profile[0][0], *b = diff->sides->profile[1][0];

	if (!profile_mappings(a) || !profile_mappings(b) ||
		strcmp(object, text_basename(profile_mapping(a, profile_main(a)).file)) != 0)
		return object;
	return text_basename(profile_mapping(b, profile_main(b)).file);
}

static void fill_row(struct diff *diff, const struct collecting *c, size_t key,
	const double *const value[2], const struct compare_row *by, struct diff_row *row)
{
	*row = (struct diff_row){
		.function = pool_at(&diff->strings, c->key[key].function),
		.object = pool_at(&diff->strings, c->key[key].object),
		.unsampled = c->unsampled[key],
		.by = *by,
	};
	for (size_t i = 0; i < c->runs; i++) {
		int side = i >= diff->sides->n[0];
		double runs = (double)diff->sides->n[side];

		row->self[side] += value[0][i * c->keys + key] / runs;
		row->total[side] += value[1][i * c->keys + key] / runs;
	}
	if (row->total[0] == 0 && row->total[1] > 0)
		row->object = own_name(diff, row->object);
}

/* For --by share: scales all runs of both sides to an equal total, the mean of their totals. */
static void scale_runs(struct diff *diff, const struct collecting *c, double *const value[2])
{
	double mean = 0;

	for (size_t i = 0; i < c->runs; i++)
		mean += diff->run[i].all / (double)c->runs;
	for (size_t i = 0; i < c->runs; i++) {
		double factor = diff->run[i].all > 0 ? mean / diff->run[i].all : 0;

		for (size_t j = 0; j < c->keys; j++) {
			value[0][i * c->keys + j] *= factor;
			value[1][i * c->keys + j] *= factor;
		}
		diff->run[i].all = mean;
	}
}

/*
 * Divides each run's values by exp(speed.log_factor), by which the machine was slower in the run
 * than on average.
 */
static void take_out_speed(const struct diff *diff, const struct collecting *c,
	struct compare_run *run, double *const value[2])
{
	for (size_t i = 0; i < c->runs; i++) {
		double factor = exp(diff->speed.log_factor[i]);

		run[i].all /= factor;
		for (size_t j = 0; j < c->keys; j++) {
			value[0][i * c->keys + j] /= factor;
			value[1][i * c->keys + j] /= factor;
		}
	}
}

static int compare_runs(struct diff *diff, const struct collecting *c, double *const value[2],
	struct compare_row *row)
{
	size_t a = diff->sides->n[0], b = diff->sides->n[1];
	struct compare_run *run = malloc((c->runs + 1) * sizeof(*run));
	int error = run ? 0 : -ENOMEM;

	if (!error)
		memcpy(run, diff->run, c->runs * sizeof(*run));
	if (!error && !diff->options.by_share)
		error = speed_find(run, a, b, value[0], c->keys, c->unsampled, &diff->speed);
	if (!error && diff->speed.is_noise)
		take_out_speed(diff, c, run, value);
	if (!error)
		error = compare_rows(run, a, b, value[diff->options.sort_by_total], c->keys,
			c->unsampled, diff->speed.is_noise, row);
	free(run);
	return error;
}

static int compare_significance(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	bool sx = diff_is_significant(x), sy = diff_is_significant(y);
	double dx = fabs(x->by.b - x->by.a), dy = fabs(y->by.b - y->by.a);
	int by_name;

	if (sx != sy)
		return sx ? -1 : 1;
	if (dx > dy || dx < dy)
		return dx > dy ? -1 : 1;
	by_name = strcmp(x->function, y->function);
	return by_name ? by_name : strcmp(x->object, y->object);
}

static void add_means(const struct diff *diff, const struct collecting *c, double mean[2])
{
	for (size_t i = 0; i < c->runs; i++) {
		int side = i >= diff->sides->n[0];

		mean[side] += diff->run[i].all / (double)diff->sides->n[side];
	}
}

static int compare(struct diff *diff, const struct collecting *c, double *const value[2])
{
	struct compare_row *row = calloc(c->keys + 1, sizeof(*row));
	int error = row ? 0 : -ENOMEM;

	diff->row = calloc(c->keys + 1, sizeof(*diff->row));
	if (!diff->row)
		error = -ENOMEM;
	add_means(diff, c, diff->used);
	if (!error && diff->options.by_share)
		scale_runs(diff, c, value);
	if (!error)
		error = compare_runs(diff, c, value, row);
	for (size_t i = 0; i < c->keys && !error; i++) {
		fill_row(diff, c, i, (const double *const[]){value[0], value[1]}, &row[i],
			&diff->row[diff->rows]);
		diff->tested += row[i].tested;
		diff->significant += diff_is_significant(&diff->row[diff->rows]);
		diff->rows++;
	}
	add_means(diff, c, diff->all);
	if (!error && diff->rows)
		qsort(diff->row, diff->rows, sizeof(*diff->row), compare_significance);
	free(row);
	return error;
}

static int fill(struct diff *diff, const struct collecting *c, const struct founds *founds)
{
	double *value[2];
	int error;

	value[0] = calloc(c->runs * c->keys + 1, sizeof(double));
	value[1] = calloc(c->runs * c->keys + 1, sizeof(double));
	for (size_t i = 0; i < founds->n && value[0] && value[1]; i++) {
		const struct found *found = &founds->found[i];

		value[0][found->run * c->keys + found->key] += found->self;
		value[1][found->run * c->keys + found->key] += found->total;
	}
	error = value[0] && value[1] ? compare(diff, c, value) : -ENOMEM;
	free(value[0]);
	free(value[1]);
	return error;
}

int diff_init(struct diff *diff, const struct report_sides *sides,
	const struct report_options *given, char **ret_problem)
{
	struct collecting c = {.diff = diff, .runs = sides->n[0] + sides->n[1]};
	struct founds founds = {0};
	int error;

	*diff = (struct diff){.sides = sides, .options = options_take(given), .measured = true};
	/*
	 * diff_print() applies the limits. Rows are not split by process or thread. Call paths
	 * always begin with the outermost function.
	 */
	diff->options.limit = 0;
	diff->options.min_percent = 0;
	diff->options.split = REPORT_SPLIT_NONE;
	diff->options.bottom_up = false;
	diff->run = calloc(c.runs + 1, sizeof(*diff->run));
	error = diff->run ? pool_init(&diff->strings) : -ENOMEM;
	if (!error)
		error = collect(&c, &founds, ret_problem);
	if (!error)
		error = fill(diff, &c, &founds);
	free(founds.found);
	free(c.key);
	free(c.unsampled);
	table_release(&c.table);
	if (error < 0)
		diff_release(diff);
	return error;
}

void diff_release(struct diff *diff)
{
	if (diff->strings.item)
		pool_release(&diff->strings);
	speed_release(&diff->speed);
	free(diff->row);
	free(diff->run);
	*diff = (struct diff){0};
}
