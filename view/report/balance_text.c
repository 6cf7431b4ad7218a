/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/report/balance.h"
#include "view/report/report.h"
#include "view/wrap.h"

enum { NAMES_MOST = 12 };

static void put_value(struct layout *layout, size_t column, struct text_scale scale, double value)
{
	char text[TEXT_UNIT_BYTES];

	text_format_scaled(text_whole(value), scale, text);
	layout_set(layout, column, text);
}

static int put_rows(const struct balance *b, FILE *out)
{
	static const struct layout_column columns[] = {
		{"min", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 0},
		{"mean", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 0},
		{"max", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 0},
		{"imbalance", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 0},
		{"most in", LAYOUT_LEFT, LAYOUT_NAME, 20, 0},
		{"function", LAYOUT_LEFT, LAYOUT_NAME, 24, 0},
		{"object", LAYOUT_LEFT, LAYOUT_PATH, 12, 1},
	};
	const struct report_options *options = &b->frames.options;
	struct text_scale scale =
		text_scale_for(frames_value_type(&b->frames).unit, text_whole(b->row[0].greatest));
	struct layout layout;
	int r;

	layout_init(&layout, columns, sizeof(columns) / sizeof(*columns), options->ascii,
		options->color);
	for (size_t i = 0; i < b->rows; i++) {
		const struct balance_row *row = &b->row[i];
		const struct place *place =
			row->place == BALANCE_ALL ? NULL : &b->frames.places.place[row->place];
		char text[TEXT_UNIT_BYTES];

		layout_row(&layout,
			b->row[0].mean > 0 ? (row->greatest - row->mean) / b->row[0].mean : 0);
		put_value(&layout, 0, scale, row->least);
		put_value(&layout, 1, scale, row->mean);
		put_value(&layout, 2, scale, row->greatest);
		(void)snprintf(
			text, sizeof(text), "%.1f %%", (row->greatest / row->mean - 1) * 100);
		layout_set(&layout, 3, text);
		layout_set(&layout, 4, balance_name(b, row->most));
		layout_set(&layout, 5, place ? place->function : "[all]");
		layout_set(&layout, 6, place ? text_basename(place->object) : "");
	}
	r = layout_print(&layout, options->width, out);
	layout_release(&layout);
	if (r == 0 && b->cut)
		fprintf(out, "... and %zu more function%s\n", b->cut, b->cut == 1 ? "" : "s");
	return r;
}

/* Prints the groups that behave like @leader, and the function in which they spend most time. */
static int put_alike(const struct balance *b, uint32_t leader, const char *what, FILE *out)
{
	size_t n = 0, shown = 0, width = b->frames.options.width;
	uint32_t top = BALANCE_ALL;
	double most = 0, sum = 0;
	char mean[TEXT_UNIT_BYTES], *function;

	for (size_t i = 0; i < b->groups; i++) {
		n += b->group[i].like == leader;
		sum += b->group[i].like == leader ? b->group[i].weight : 0;
	}
	for (size_t i = 0; i < b->part.n; i++) {
		if (b->part.pair[i].a == leader && b->weight[i] > most) {
			most = b->weight[i];
			top = (uint32_t)b->part.pair[i].b;
		}
	}
	fprintf(out, "%zu %s%s:", n, what, n == 1 ? "" : strcmp(what, "process") ? "s" : "es");
	for (size_t i = 0; i < b->groups && shown < NAMES_MOST; i++) {
		if (b->group[i].like != leader)
			continue;
		fputs(shown++ ? ", " : " ", out);
		text_put(balance_name(b, i), out);
	}
	if (n > shown)
		fprintf(out, " and %zu more", n - shown);
	text_format_ns((uint64_t)text_whole(sum / (double)n), mean);
	if (!strcmp(frames_value_type(&b->frames).unit, "nanoseconds"))
		fprintf(out, "; %s each", mean);
	if (top != BALANCE_ALL) {
		function = text_clean(b->frames.places.place[top].function, false);
		if (!function ||
			(width &&
				text_cut_name(&function, width / 2 + 1, b->frames.options.ascii) <
					0)) {
			free(function);
			return -ENOMEM;
		}
		fprintf(out, ", most in %s (%.0f %%)", function,
			most * 100 / b->group[leader].weight);
		free(function);
	}
	fputc('\n', out);
	return 0;
}

static void put_left_out(const struct balance *b, const char *what, FILE *out)
{
	const char *unit = frames_value_type(&b->frames).unit;
	int64_t value = text_whole(b->left_out);
	char text[TEXT_UNIT_BYTES];

	if (b->left_out <= 0)
		return;
	text_format_scaled(value, text_scale_for(unit, value), text);
	fprintf(out, "left out: %s of no known %s\n", text, what);
}

/* Prints a line for each kind of behaviour. */
static int put_kinds(const struct balance *b, FILE *given)
{
	static const char *const names[] = {"", "rank", "host", "process"};
	size_t kinds = 0;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, b->frames.options.width, given);
	int r = 0, ended;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < b->groups; i++)
		kinds += b->group[i].like == i;
	if (kinds == 1)
		fputs("\nall behave alike\n", out);
	else
		fprintf(out, "\n%zu kinds of behaviour\n", kinds);
	for (uint32_t i = 0; i < b->groups && r >= 0; i++) {
		if (b->group[i].like == i)
			r = put_alike(b, i, names[b->frames.options.balance_by], out);
	}
	put_left_out(b, names[b->frames.options.balance_by], out);
	ended = wrap_end(&wrap);
	return r < 0 ? r : ended;
}

int balance_text(const struct balance *b, FILE *out)
{
	const struct frames *frames = &b->frames;
	int r = header_print(frames->profile, &frames->options, &frames->sums, out);

	if (r < 0)
		return r;
	fputc('\n', out);
	r = put_rows(b, out);
	if (r == 0)
		r = put_kinds(b, out);
	if (r < 0)
		return r;
	fputc('\n', out);
	return report_audit_line(
		frames->profile, frames->options.ascii, frames->options.width, out);
}
