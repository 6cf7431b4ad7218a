/* SPDX-License-Identifier: MIT */
#include "view/export/svg_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "view/options.h"
#include "view/report/diff.h"

/*
 * Converts the paths of both sides to a profile with one location per function and object, so that
 * the graph is drawn like any other. The self value of a path is the mean of both sides.
 */
struct joining {
	const struct diff *diff;
	struct profile *profile;
	struct table table; /* rows by path */
	const struct diff_row *key;
	uint32_t *stack;
	size_t n, room;
	size_t value; /* index of the value */
	uint32_t task;
};

static bool same_path(const void *items, uint32_t index, const void *key)
{
	return !strcmp(((const struct diff_row *)items)[index].function, key);
}

static uint64_t hash_of(const char *path)
{
	return table_hash_bytes(path, strlen(path));
}

/* A path may be in several objects: its first row is used for the frames. */
static int index_rows(const struct diff *diff, struct table *table)
{
	int r = 0;

	for (size_t i = 0; i < diff->rows && r >= 0; i++) {
		uint64_t hash = hash_of(diff->row[i].function);

		if (table_find(table, hash, same_path, diff->row, diff->row[i].function) < 0)
			r = table_add(table, hash, (uint32_t)i);
		else
			r = table_add(table, ~hash, (uint32_t)i);
	}
	return r < 0 ? r : 0;
}

static const struct diff_row *row_of(
	const struct diff *diff, const struct table *table, const char *path)
{
	int index = table_find(table, hash_of(path), same_path, diff->row, path);

	return index < 0 ? NULL : &diff->row[index];
}

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

/* Each prefix of "main;run;eval" is a path, with the object of its last function. */
static int add_path(struct joining *j, const struct diff_row *row)
{
	int64_t value[VALUE_TYPES_MAX] = {0};
	char *path = strdup(row->function);
	const char *function = path;
	int r = path ? 0 : -ENOMEM;

	j->n = 0;
	for (char *end = path; r == 0 && end; function = end + 1) {
		const struct diff_row *frame;

		end = strchr(function, ';');
		if (end)
			*end = '\0';
		frame = end ? row_of(j->diff, &j->table, path) : row;
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
		r = index_rows(diff, &j.table);
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

/* The path of a node: that of its caller, followed by its function. */
static char *path_of(const struct tree *tree, size_t node, char *const *path)
{
	const struct tree_node *at = &tree->node[node];
	const char *function = tree->places.place[at->place].function;
	char *text;

	if (at->parent == TREE_ROOT)
		return strdup(function);
	return asprintf(&text, "%s;%s", path[at->parent], function) < 0 ? NULL : text;
}

int svg_diff_find(struct svg_diff *svg_diff, const struct tree *tree)
{
	char **path = calloc(tree->n, sizeof(*path));
	struct table table = {0};
	int r = path ? index_rows(svg_diff->diff, &table) : -ENOMEM;

	svg_diff->row = calloc(tree->n, sizeof(*svg_diff->row));
	if (!svg_diff->row)
		r = -ENOMEM;
	for (size_t i = 1; i < tree->n && r == 0; i++) {
		path[i] = path_of(tree, i, path);
		if (!path[i])
			r = -ENOMEM;
		else
			svg_diff->row[i] = row_of(svg_diff->diff, &table, path[i]);
	}
	for (size_t i = 0; path && i < tree->n; i++)
		free(path[i]);
	free(path);
	table_release(&table);
	return r;
}

enum svg_change svg_diff_change(const struct svg_diff *svg_diff, size_t node)
{
	const struct diff_row *row = svg_diff->row[node];

	if (!row || !diff_is_significant(row))
		return SVG_NO_CHANGE;
	return row->by.b > row->by.a ? SVG_MORE : SVG_LESS;
}

/* Mixes the colour of a change with white. @strength 0 is white, 1 is the full colour. */
static void mix(unsigned change, double strength, char to[8])
{
	static const unsigned char color[SVG_CHANGES][3] = {
		{0xe0, 0x3b, 0x24}, {0x2f, 0x6f, 0xd6}, {0xd8, 0xd8, 0xd8}};
	unsigned part[3];

	for (size_t i = 0; i < 3; i++)
		part[i] = 255 - (unsigned)((255 - color[change % SVG_CHANGES][i]) * strength);
	(void)snprintf(to, 8, "#%02x%02x%02x", part[0] & 0xff, part[1] & 0xff, part[2] & 0xff);
}

void svg_diff_legend(unsigned change, char to[8])
{
	mix(change, 0.8, to);
}

/*
 * The colour of a node. A small change is pale; one of half the greater side has the full colour.
 */
void svg_diff_color(const struct svg_diff *svg_diff, size_t node, char to[8])
{
	enum svg_change change = svg_diff_change(svg_diff, node);
	const struct diff_row *row = svg_diff->row[node];
	double most, strength = 1;

	if (change != SVG_NO_CHANGE) {
		most = fmax(row->by.a, row->by.b);
		strength = most > 0 ? 0.3 + 1.4 * fabs(row->by.b - row->by.a) / most : 1;
	}
	mix(change, fmin(strength, 0.95), to);
}

static void put_amount(const struct svg *svg, double value)
{
	char text[TEXT_UNIT_BYTES];

	text_format_scaled(llround(value), *svg->scale, text);
	svg_text(svg->out, text);
}

void svg_diff_tooltip(const struct svg *svg, size_t node)
{
	const struct diff_row *row = svg->diff->row[node];

	if (!row)
		return;
	fputs("&#10;A ", svg->out);
	put_amount(svg, row->by.a);
	fputs(", B ", svg->out);
	put_amount(svg, row->by.b);
	if (!isfinite(row->by.delta)) {
		fputs(": new", svg->out);
	} else {
		fprintf(svg->out, ": %+.1f %%", row->by.delta * 100);
		if (row->by.tested && isfinite(row->by.high) && row->by.low > -1)
			fprintf(svg->out, " (%+.1f to %+.1f)", row->by.low * 100,
				row->by.high * 100);
	}
	fputs(!row->by.tested                      ? ", not tested"
			: diff_is_significant(row) ? ", significant"
						   : ", may be chance",
		svg->out);
}

void svg_diff_objects(struct svg *svg)
{
	static const char *const names[SVG_CHANGES] = {
		"B takes more", "B takes less", "may be chance"};

	for (size_t i = 0; i < SVG_CHANGES; i++)
		svg->object[i] = names[i];
	svg->objects = SVG_CHANGES;
	for (size_t i = 1; i < svg->tree->n; i++)
		svg->object_self[svg_diff_change(svg->diff, i)] += tree_self_weight(svg->tree, i);
}

int svg_diff_write(const struct report_sides *sides, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct svg_diff svg_diff = {0};
	struct profile *profile;
	struct diff diff;
	size_t value;
	int r;

	options.paths = true;
	options.sort_by_total = true;
	r = diff_init(&diff, sides, &options, ret_problem);
	if (r < 0)
		return r;
	r = join(&diff, &profile, &value);
	if (r == 0) {
		svg_diff.diff = &diff;
		/* The options have been applied already. */
		options.focus = options.object = options.thread = NULL;
		options.value = profile_value_type(profile, value).type;
		r = svg_write_diff(profile, &options, &svg_diff, out, ret_problem);
		profile_free(profile);
	}
	free(svg_diff.row);
	diff_release(&diff);
	return r;
}
