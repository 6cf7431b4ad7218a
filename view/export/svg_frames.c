/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/export/svg_changes.h"
#include "view/share.h"

/* Pixels of a character in the labels' font. */
#define CHARACTER 7.25
/*
 * LABEL_LEAST: minimum characters of a label. LABEL_MARGIN: pixels left and right of a label, in
 * total.
 */
enum { LABEL_LEAST = 3, LABEL_MARGIN = 4 };

struct frame {
	uint32_t node, depth;
	int64_t x, width;          /* in the unit of the weight */
	unsigned object;           /* colour number (svg_object_of()), or an enum svg_change */
	const struct place *place; /* NULL: a process, a thread, or "all" */
	char *name;
};

/* Returns the node's name, which the caller frees; NULL: out of memory. */
static char *name_of(const struct svg *svg, uint32_t index)
{
	const struct tree_node *node = &svg->tree->node[index];
	char *name, *clean;

	if (node->place != TREE_NONE)
		return text_clean(svg->tree->places.place[node->place].function, false);
	if (index == TREE_ROOT)
		return strdup("all");
	name = tree_task_name(svg->profile, svg->options, node);
	clean = name ? text_clean(name, false) : NULL;
	free(name);
	return clean;
}

static void put_amount(const struct svg *svg, int64_t value)
{
	char text[TEXT_UNIT_BYTES];

	text_format_scaled(value, *svg->scale, text);
	/*
	 * A value too small for the graph's unit is "<0.01 s". It is written in a smaller unit
	 * instead, because XML takes "<" for a tag.
	 */
	if (text[0] == '<')
		text_format_scaled(value, text_scale_for(svg->scale->of, value), text);
	fputs(text[0] == '<' ? "0" : text, svg->out);
}

/*
 * Writes the lines "demo::compute(int)", "/usr/bin/demo", "49.5 ±9.8 % of all · 200.00 ms · 50
 * samples", "itself 0.0 % of all · 0.00 ms".
 */
static void put_tooltip(const struct svg *svg, const struct frame *frame)
{
	const struct tree *tree = svg->tree;
	const struct rows *sums = &tree->sums;
	int64_t self = tree_self_weight(tree, frame->node);
	char share[SHARE_BYTES];
	bool exact = !frame->place || frame->place->unsampled;

	fputs("<title>", svg->out);
	svg_text(svg->out, frame->name);
	if (frame->place && frame->place->object[0]) {
		fputs("&#10;", svg->out);
		svg_text(svg->out, frame->place->object);
	}
	share_format(sums, false, exact, frame->width, share);
	for (char *p = share; *p; p++) {
		if (p[0] == '%')
			p[1] = '\0';
	}
	fprintf(svg->out, "&#10;%s of all", share);
	if (sums->weight != VALUE_SAMPLES) {
		fputs(" \xc2\xb7 ", svg->out);
		put_amount(svg, frame->width);
	}
	if (svg->changes)
		svg_changes_tooltip(svg, frame->node);
	if (sums->all[VALUE_SAMPLES])
		fprintf(svg->out, " \xc2\xb7 %" PRId64 " samples",
			tree_total(tree, frame->node)[VALUE_SAMPLES]);
	if (self && self != frame->width) {
		fprintf(svg->out, "&#10;itself %.1f %% of all \xc2\xb7 ",
			share_of(sums, self) * 100);
		put_amount(svg, self);
	}
	fputs("</title>", svg->out);
}

static int put_label(const struct svg *svg, const struct frame *frame, double x, double width)
{
	double room = (width - LABEL_MARGIN) / CHARACTER;
	unsigned y = svg->options->icicle ? frame->depth : svg->rows - 1 - frame->depth;
	char *label;
	int error = 0;

	fprintf(svg->out, "<text x=\"%.2f\" y=\"%u\">", x + LABEL_MARGIN / 2.0 + 1,
		svg->top + y * SVG_ROW + 13);
	if (room >= LABEL_LEAST) {
		label = strdup(frame->name);
		if (!label)
			return -ENOMEM;
		if (text_columns(label) > (size_t)room)
			error = text_cut_name(&label, (size_t)room, false);
		if (!error)
			svg_text(svg->out, label);
		free(label);
	}
	fputs("</text>", svg->out);
	return error;
}

static void put_color(const struct svg *svg, const struct frame *frame, char color[8])
{
	if (svg->changes)
		svg_changes_color(svg->changes, frame->node, color);
	else
		svg_color(frame->object, frame->place->function, color);
}

static int put_frame(const struct svg *svg, const struct frame *frame)
{
	double scale = (double)(SVG_WIDTH - 2 * SVG_MARGIN) /
		(double)tree_total_weight(svg->tree, TREE_ROOT);
	double x = SVG_MARGIN + (double)frame->x * scale, width = (double)frame->width * scale;
	unsigned y = svg->options->icicle ? frame->depth : svg->rows - 1 - frame->depth;
	char color[8] = "#e4e4e4";
	int error;

	if (frame->place && !frame->place->unsampled)
		put_color(svg, frame, color);
	fprintf(svg->out,
		"<g class=\"f\" data-x=\"%" PRId64 "\" data-w=\"%" PRId64 "\" data-d=\"%u\" "
		"data-s=\"%" PRId64 "\" data-o=\"%d\">",
		frame->x, frame->width, frame->depth,
		tree_total(svg->tree, frame->node)[VALUE_SAMPLES],
		frame->place ? (int)frame->object : -1);
	put_tooltip(svg, frame);
	fprintf(svg->out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>", x,
		svg->top + y * SVG_ROW, width, SVG_FRAME, color);
	error = put_label(svg, frame, x, width);
	fputs("</g>\n", svg->out);
	return error;
}

static int put_node(const struct svg *svg, uint32_t index, int64_t *free_x)
{
	const struct tree_node *node = &svg->tree->node[index];
	struct frame frame = {.node = index,
		.depth = node->depth,
		.x = node->parent == TREE_NONE ? 0 : free_x[node->parent],
		.width = tree_total_weight(svg->tree, index),
		.object = SVG_OBJECTS};
	int error;

	free_x[index] = frame.x;
	if (node->parent != TREE_NONE)
		free_x[node->parent] += frame.width;
	if (node->place != TREE_NONE) {
		frame.place = &svg->tree->places.place[node->place];
		frame.object = svg->changes ? (unsigned)svg_changes_of(svg->changes, index)
					    : svg_object_of(svg, frame.place->object);
	}
	frame.name = name_of(svg, index);
	if (!frame.name)
		return -ENOMEM;
	error = put_frame(svg, &frame);
	free(frame.name);
	return error;
}

int svg_frames(const struct svg *svg)
{
	/*
	 * By node: the x at which the next of its callees is drawn. Callees are drawn from left to
	 * right, the hottest first.
	 */
	int64_t *free_x = calloc(svg->tree->n, sizeof(*free_x));
	int error = 0;

	if (!free_x)
		return -ENOMEM;
	for (uint32_t at = TREE_ROOT; at != TREE_NONE && !error;
		at = tree_walk(svg->tree, TREE_ROOT, at)) {
		if ((at == TREE_ROOT || svg->choice->kept[at]) &&
			tree_total_weight(svg->tree, at) > 0)
			error = put_node(svg, at, free_x);
	}
	free(free_x);
	return error;
}
