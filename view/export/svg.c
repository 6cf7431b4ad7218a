/* SPDX-License-Identifier: MIT */
#include "view/export/svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/export/exporters.h"
#include "view/export/svg_changes.h"
#include "view/header.h"
#include "view/options.h"
#include "view/report/diff.h"
#include "view/report/report.h"
#include "view/share.h"

/* Maximum frames drawn, the hottest: more make a browser slow. */
enum { MOST_FRAMES = 40000 };
/*
 * A frame whose width is less than this percentage of the graph's is not drawn. It would mostly be
 * narrower than a pixel, even zoomed.
 */
#define LEAST_PERCENT 0.002
/* If a stack has more frames, the graph would be too high to read, so recursion is folded. */
enum { MOST_ROWS = 300 };
/* With more rows, the root is on top, in the part of the page that is visible first. */
enum { MOST_FLAME_ROWS = 36 };
enum { LEGEND_ITEM = 230, LINE_COLUMNS = 160 };

static size_t deepest_stack(const struct profile *profile)
{
	size_t deepest = 0;

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);
		size_t frames = 0;

		for (size_t j = 0; j < sample.n; j++) {
			size_t lines = profile_location(profile, sample.location[j]).lines;

			frames += lines ? lines : 1;
		}
		if (frames > deepest)
			deepest = frames;
	}
	return deepest;
}

/*
 * Writes each line of @text as a <text> element, from height @y on, below the *@lines lines written
 * there before. Adds the number of lines to *@lines. 0 or -ENOMEM.
 */
static int put_lines(const struct svg *svg, const char *text, unsigned y, unsigned *lines)
{
	int error = 0;

	for (const char *line = text, *end; *line && !error; line = end) {
		char *copy;

		end = strchrnul(line, '\n');
		copy = strndup(line, (size_t)(end - line));
		if (*end)
			end++;
		error = copy ? text_cut_name(&copy, LINE_COLUMNS, false) : -ENOMEM;
		if (!error) {
			fprintf(svg->out, "<text class=\"%s\" x=\"%d\" y=\"%u\">",
				y == SVG_LINE && !*lines ? "title" : "note", SVG_MARGIN,
				y + *lines * SVG_LINE);
			svg_text(svg->out, copy);
			fputs("</text>\n", svg->out);
			++*lines;
		}
		free(copy);
	}
	return error;
}

static int put_legend_item(const struct svg *svg, unsigned index, unsigned y)
{
	bool other = index == SVG_OBJECTS;
	unsigned x = SVG_MARGIN + index % 5 * LEGEND_ITEM, at = y + index / 5 * SVG_LINE;
	int64_t self = other ? svg->other_self : svg->object_self[index];
	char color[8];
	char *name = text_clean(other ? "others" : text_basename(svg->object[index]), false);
	int error = name ? text_cut_name(&name, 20, false) : -ENOMEM;

	if (!error) {
		if (svg->changes)
			svg_changes_legend(index, color);
		else
			svg_color(index, "", color);
		fprintf(svg->out, "<g class=\"l\" data-o=\"%u\"><title>", index);
		svg_text(svg->out, other ? "all other objects" : svg->object[index]);
		fprintf(svg->out,
			"</title><rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/>"
			"<text x=\"%u\" y=\"%u\">",
			x, at - 10, color, x + 17, at);
		svg_text(svg->out, name[0] ? name : "unknown");
		fprintf(svg->out, " %.1f %%</text></g>\n", share_of(&svg->tree->sums, self) * 100);
	}
	free(name);
	return error;
}

static int put_header(struct svg *svg, const char *head)
{
	unsigned y = SVG_LINE, items = (unsigned)svg->objects + (svg->other_self ? 1 : 0);
	bool folded = svg->tree->deepest > MOST_ROWS;
	unsigned lines = 0;
	int error = put_lines(svg, head, y, &lines);

	y += lines * SVG_LINE;
	if (folded || svg->options->bottom_up) {
		fprintf(svg->out, "<text class=\"note\" x=\"%d\" y=\"%u\">", SVG_MARGIN, y);
		if (svg->options->bottom_up)
			fputs("From the leaves to those who called them. ", svg->out);
		if (folded)
			fprintf(svg->out, "Recursion is folded: stacks are up to %zu deep.",
				svg->tree->deepest);
		fputs("</text>\n", svg->out);
		y += SVG_LINE;
	}
	fputs("<g id=\"legend\">\n", svg->out);
	for (unsigned i = 0; i < items && !error; i++)
		error = put_legend_item(svg, i < svg->objects ? i : SVG_OBJECTS, y);
	fputs("</g>\n", svg->out);
	svg->top = y + (items + 4) / 5 * SVG_LINE;
	return error;
}

static int put_document(struct svg *svg, char *head, char *foot)
{
	unsigned lines = 0, height, y;
	char *body = NULL;
	size_t bytes;
	FILE *document = svg->out, *out = open_memstream(&body, &bytes);
	int error;

	/*
	 * The document is written to memory first. Its beginning has the height, which is known
	 * only at the end.
	 */
	if (!out)
		return -ENOMEM;
	svg->out = out;
	error = put_header(svg, svg->element ? "" : head);
	y = svg->top + svg->rows * SVG_ROW + SVG_LINE;
	fputs("<g id=\"frames\">\n", out);
	if (!error)
		error = svg_frames(svg);
	fputs("</g>\n<g id=\"foot\">\n", out);
	if (!error && tree_total_weight(svg->tree, TREE_ROOT) <= 0) {
		char none[] = "no samples";

		error = put_lines(svg, none, y, &lines);
	} else if (svg->choice->left_out) {
		fprintf(out,
			"<text class=\"note\" x=\"%d\" y=\"%u\">%zu calls, none above %.3f %%, "
			"are not drawn</text>\n",
			SVG_MARGIN, y, svg->choice->left_out,
			share_of(&svg->tree->sums, svg->choice->most_left_out) * 100);
		lines++;
	}
	if (!error && !svg->element)
		error = put_lines(svg, foot, y, &lines);
	fputs("</g>\n", out);
	height = y + lines * SVG_LINE;
	svg->out = document;
	if (fclose(out) && !error)
		error = -ENOMEM;
	if (!error) {
		fprintf(document,
			"%s<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
			"viewBox=\"0 0 %d %u\" data-icicle=\"%d\" data-rows=\"%u\">\n<title>",
			svg->element ? "" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
			SVG_WIDTH, height, SVG_WIDTH, height, svg->options->icicle, svg->rows);
		*strchrnul(head, '\n') = '\0';
		svg_text(document, head);
		fprintf(document,
			" - flame graph</title>\n<style>\n%s</style>\n"
			"<rect id=\"paper\" width=\"100%%\" height=\"100%%\"/>\n%s"
			"<script><![CDATA[\n%s]]></script>\n</svg>\n",
			svg_style, body, svg_script);
	}
	free(body);
	return error;
}

/* Prints the text above (@head) or below the graph; the caller frees *@ret_text. */
static int print_to_text(const struct svg *svg, bool head, char **ret_text)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int error = 0;

	if (!out)
		return -ENOMEM;
	if (svg->changes && head)
		diff_head(svg->changes->diff, out);
	else if (svg->changes)
		diff_foot(svg->changes->diff, out);
	else if (head)
		error = header_print(svg->profile, svg->options, &svg->tree->sums, out);
	else
		error = report_audit(svg->profile, REPORT_AUDIT_LINE, svg->options->ascii, 0, out);
	if (fclose(out) && !error)
		error = -ENOMEM;
	if (error)
		free(text);
	else
		*ret_text = text;
	return error;
}

static int draw(struct svg *svg)
{
	char *head = NULL, *foot = NULL;
	int error = 0;

	if (svg->changes)
		svg_changes_name_objects(svg);
	else
		error = svg_choose_objects(svg);

	if (!error)
		error = print_to_text(svg, true, &head);
	if (!error)
		error = print_to_text(svg, false, &foot);
	if (!error)
		error = put_document(svg, head, foot);
	free(head);
	free(foot);
	return error;
}

static uint32_t count_rows(const struct tree *tree, const struct tree_choice *choice)
{
	uint32_t rows = 1;

	for (size_t i = 0; i < tree->n; i++) {
		if (choice->kept[i] && tree->node[i].depth >= rows)
			rows = tree->node[i].depth + 1;
	}
	return rows;
}

/*
 * Are the samples from several programs, as make, cc1 and as? Programs have no calls in common, so
 * in this case each program gets a frame below the root.
 */
static bool has_programs(const struct profile *profile)
{
	const char *first = NULL;

	for (size_t i = 0; i < profile_samples(profile); i++) {
		const char *name = profile_task(profile, profile_sample(profile, i).task).process;

		if (!name[0])
			continue;
		if (first && name != first)
			return true;
		first = name;
	}
	return false;
}

static int write_graph(const struct profile *profile, const struct report_options *given,
	bool element, struct svg_changes *changes, FILE *out, char **ret_problem)
{
	struct report_options options = options_take(given);
	bool high = deepest_stack(profile) > MOST_ROWS;
	struct tree_choice choice;
	struct text_scale scale;
	struct tree tree;
	uint32_t rows;
	int error;

	options.ascii = false;
	options.color = false;
	options.width = 0;
	if (options.programs && options.split == REPORT_SPLIT_NONE && has_programs(profile))
		options.split = REPORT_SPLIT_NAME;
	if (!options.limit || options.limit > MOST_FRAMES)
		options.limit = MOST_FRAMES;
	if (options.min_percent <= 0)
		options.min_percent = LEAST_PERCENT;
	error = tree_init(
		&tree, profile, &options, high ? TREE_SHORTENED : TREE_WHOLE, ret_problem);
	if (error < 0)
		return error;
	scale = text_scale_for(profile_value_type(profile, tree.sums.weight).unit,
		tree_total_weight(&tree, TREE_ROOT));
	error = changes ? svg_changes_find(changes, &tree) : 0;
	if (!error)
		error = tree_choice_init(&choice, &tree, &options);
	if (!error) {
		rows = count_rows(&tree, &choice);
		options.icicle |= rows > MOST_FLAME_ROWS;
		error = draw(&(struct svg){.profile = profile,
			.element = element,
			.changes = changes,
			.rows = rows,
			.options = &options,
			.tree = &tree,
			.choice = &choice,
			.scale = &scale,
			.out = out});
		tree_choice_release(&choice);
	}
	tree_release(&tree);
	return error;
}

int svg_write(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem)
{
	return write_graph(profile, options, false, NULL, out, ret_problem);
}

int svg_write_element(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem)
{
	return write_graph(profile, options, true, NULL, out, ret_problem);
}

int svg_write_diff(const struct profile *profile, const struct report_options *options,
	struct svg_changes *changes, FILE *out, char **ret_problem)
{
	return write_graph(profile, options, false, changes, out, ret_problem);
}
