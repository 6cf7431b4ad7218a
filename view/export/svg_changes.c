/* SPDX-License-Identifier: MIT */
#include "view/export/svg_changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "view/report/diff.h"

static bool same_path(const void *items, uint32_t index, const void *key)
{
	return !strcmp(((const struct diff_row *)items)[index].function, key);
}

static uint64_t hash_of(const char *path)
{
	return table_hash_bytes(table_seed(), path, strlen(path));
}

int svg_changes_index(const struct diff *diff, struct table *table)
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

const struct diff_row *svg_changes_row(
	const struct diff *diff, const struct table *table, const char *path)
{
	int index = table_find(table, hash_of(path), same_path, diff->row, path);

	return index < 0 ? NULL : &diff->row[index];
}

/*
 * Returns the path of a node, as "main;run;eval", which the caller frees; NULL: out of memory.
 * @path has the paths of the nodes before it.
 */
static char *path_of(const struct tree *tree, size_t node, char *const *path)
{
	const struct tree_node *at = &tree->node[node];
	const char *function = tree->places.place[at->place].function;
	char *text;

	if (at->parent == TREE_ROOT)
		return strdup(function);
	return asprintf(&text, "%s;%s", path[at->parent], function) < 0 ? NULL : text;
}

int svg_changes_find(struct svg_changes *changes, const struct tree *tree)
{
	char **path = calloc(tree->n, sizeof(*path));
	struct table table = {0};
	int r = path ? svg_changes_index(changes->diff, &table) : -ENOMEM;

	changes->row = calloc(tree->n, sizeof(*changes->row));
	if (!changes->row)
		r = -ENOMEM;
	for (size_t i = 1; i < tree->n && r == 0; i++) {
		path[i] = path_of(tree, i, path);
		if (!path[i])
			r = -ENOMEM;
		else
			changes->row[i] = svg_changes_row(changes->diff, &table, path[i]);
	}
	for (size_t i = 0; path && i < tree->n; i++)
		free(path[i]);
	free(path);
	table_release(&table);
	return r;
}

enum svg_change svg_changes_of(const struct svg_changes *changes, size_t node)
{
	const struct diff_row *row = changes->row[node];

	if (!row || !diff_is_significant(row))
		return SVG_NO_CHANGE;
	return row->by.b > row->by.a ? SVG_MORE : SVG_LESS;
}

/* Mixes a change's colour with white. @strength: 0 (white) to 1. */
static void mix(unsigned change, double strength, char to[8])
{
	static const unsigned char color[SVG_CHANGES][3] = {
		{0xe0, 0x3b, 0x24}, {0x2f, 0x6f, 0xd6}, {0xd8, 0xd8, 0xd8}};
	unsigned part[3];

	for (size_t i = 0; i < 3; i++)
		part[i] = 255 - (unsigned)((255 - color[change % SVG_CHANGES][i]) * strength);
	(void)snprintf(to, 8, "#%02x%02x%02x", part[0] & 0xff, part[1] & 0xff, part[2] & 0xff);
}

void svg_changes_legend(unsigned change, char to[8])
{
	mix(change, 0.8, to);
}

/*
 * The greater a change is, relative to the greater side, the stronger its colour. From about half
 * on, the colour is the strongest.
 */
void svg_changes_color(const struct svg_changes *changes, size_t node, char to[8])
{
	enum svg_change change = svg_changes_of(changes, node);
	const struct diff_row *row = changes->row[node];
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

void svg_changes_tooltip(const struct svg *svg, size_t node)
{
	const struct diff_row *row = svg->changes->row[node];

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

void svg_changes_name_objects(struct svg *svg)
{
	static const char *const names[SVG_CHANGES] = {
		"B takes more", "B takes less", "may be chance"};

	for (size_t i = 0; i < SVG_CHANGES; i++)
		svg->object[i] = names[i];
	svg->objects = SVG_CHANGES;
	for (size_t i = 1; i < svg->tree->n; i++)
		svg->object_self[svg_changes_of(svg->changes, i)] += tree_self_weight(svg->tree, i);
}
