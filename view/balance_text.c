/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/balance.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/text.h"
#include "view/wrap.h"

/* " and 4711 more"; what a function keeps beside many names, and beside one long name. */
enum { NAMES_MOST = 12, MORE_COLUMNS = 14, FUNCTION_COLUMNS = 32, FUNCTION_LEAST = 8 };

/* The line of groups that behave alike: head, names, each, function, most. */
struct alike {
	size_t n;
	const char *function;
	char each[2 * TEXT_UNIT_BYTES], most[TEXT_UNIT_BYTES];
};

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
		{"most in", LAYOUT_LEFT, LAYOUT_WHOLE, 0, 0},
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
	return r;
}

/*
 * The names of the @n groups that behave like @leader, in @columns if they fit, but at least one.
 * The caller frees; NULL: out of memory.
 */
static char *alike_names(const struct balance *b, uint32_t leader, size_t n, size_t columns)
{
	size_t shown = 0, used = 0, bytes = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);

	for (size_t i = 0; out && i < b->groups && shown < NAMES_MOST; i++) {
		size_t more = n - shown > 1 ? MORE_COLUMNS : 0;

		if (b->group[i].like != leader)
			continue;
		used += text_columns(balance_name(b, i)) + (shown ? strlen(", ") : 0);
		if (shown && used + more > columns)
			break;
		fputs(shown++ ? ", " : "", out);
		text_put(balance_name(b, i), out);
	}
	if (out && n > shown)
		fprintf(out, " and %zu more", n - shown);
	if (out && fclose(out) != 0) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Cuts @function and the list of names so that the line has @width columns, if that is possible. */
static int put_line(const struct balance *b, uint32_t leader, const struct alike *alike,
	const char *what, size_t width, FILE *out)
{
	size_t columns, room = SIZE_MAX;
	char *function = text_clean(alike->function, false), *head = NULL, *names = NULL;
	int r = function ? 0 : -ENOMEM;

	if (!r &&
		asprintf(&head, "%zu %s%s: ", alike->n, what,
			alike->n == 1                     ? ""
				: strcmp(what, "process") ? "s"
							  : "es") < 0)
		r = -ENOMEM;
	if (!r && width) {
		columns = strlen(head) + strlen(alike->each) + strlen(alike->most);
		room = width > columns ? width - columns : 0;
		columns = text_columns(function);
		columns = columns > FUNCTION_COLUMNS ? FUNCTION_COLUMNS : columns;
		room = room > columns ? room - columns : 0;
	}
	names = r ? NULL : alike_names(b, leader, alike->n, room);
	if (!names)
		r = -ENOMEM;
	if (!r && width) {
		room += columns;
		columns = text_columns(names);
		room = room > columns ? room - columns : 0;
		r = text_cut_name(&function, room > FUNCTION_LEAST ? room : FUNCTION_LEAST,
			b->frames.options.ascii);
	}
	if (!r)
		fprintf(out, "%s%s%s%s%s\n", head, names, alike->each, function, alike->most);
	free(function);
	free(head);
	free(names);
	return r < 0 ? r : 0;
}

/* Prints the groups that behave like @leader, and the function in which they spend most time. */
static int put_alike(const struct balance *b, uint32_t leader, const char *what, FILE *out)
{
	struct alike alike = {.function = ""};
	uint32_t top = BALANCE_ALL;
	double most = 0, sum = 0;
	bool is_time = !strcmp(frames_value_type(&b->frames).unit, "nanoseconds");
	char mean[TEXT_UNIT_BYTES];

	for (size_t i = 0; i < b->groups; i++) {
		alike.n += b->group[i].like == leader;
		sum += b->group[i].like == leader ? b->group[i].weight : 0;
	}
	for (size_t i = 0; i < b->part.n; i++) {
		if (b->part.pair[i].a == leader && b->weight[i] > most) {
			most = b->weight[i];
			top = (uint32_t)b->part.pair[i].b;
		}
	}
	text_format_ns((uint64_t)text_whole(sum / (double)alike.n), mean);
	(void)snprintf(alike.each, sizeof(alike.each), "%s%s%s%s", is_time ? "; " : "",
		is_time ? mean : "", is_time ? " each" : "",
		top == BALANCE_ALL ? "" : ", most in ");
	if (top != BALANCE_ALL) {
		alike.function = b->frames.places.place[top].function;
		(void)snprintf(alike.most, sizeof(alike.most), " (%.0f %%)",
			most * 100 / b->group[leader].weight);
	}
	return put_line(b, leader, &alike, what, b->frames.options.width, out);
}

/* The kinds of behaviour. */
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
