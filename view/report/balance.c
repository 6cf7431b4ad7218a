/* SPDX-License-Identifier: MIT */
#include "view/report/balance.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "profile/labels.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/options.h"
#include "view/report/report.h"
#include "view/sheet.h"
#include "view/wrap.h"

/* Maximum number of groups that are named for each kind of behaviour. */
enum { NAMES_MOST = 12 };

/* Returns the label's text, which the caller frees; NULL: no label, or no memory. */
static char *label_text(const struct profile *profile, const struct sample *sample, const char *key)
{
	for (size_t i = 0; i < labels_count(profile, sample->labels); i++) {
		struct label label = labels_at(profile, sample->labels, i);
		char *text = NULL;

		if (strcmp(label.key, key) != 0)
			continue;
		if (label.text)
			return strdup(label.text[0] ? label.text : "-");
		return asprintf(&text, "%" PRId64, label.number) < 0 ? NULL : text;
	}
	return NULL;
}

/* Returns "solver 4711 on node7", without an unknown pid or host. The caller frees it. */
static char *process_text(const struct profile *profile, const struct sample *sample)
{
	struct task task = profile_task(profile, sample->task);
	char *host = label_text(profile, sample, LABEL_HOST), *text = NULL, pid[16] = "";

	if (task.pid)
		(void)snprintf(pid, sizeof(pid), " %" PRIu32, task.pid);
	if (asprintf(&text, "%s%s%s%s", task.process, pid, host ? " on " : "", host ? host : "") <
		0)
		text = NULL;
	free(host);
	return text;
}

/*
 * Returns the group of a sample; -ENOMEM; or -ENOENT: the sample is in no group, because the
 * profile does not tell its rank, host or process. Unsampled time without a pid is of no process,
 * because it is recorded once for all processes of an executable.
 */
static int group_of(struct balance *b, const struct sample *sample)
{
	const struct profile *profile = b->frames.profile;
	char *name;
	int id;

	if (b->frames.options.balance_by == REPORT_BY_PROCESS &&
		!profile_task(profile, sample->task).pid && profile_is_unsampled(profile, sample))
		return -ENOENT;
	switch (b->frames.options.balance_by) {
	case REPORT_BY_RANK: name = label_text(profile, sample, LABEL_RANK); break;
	case REPORT_BY_HOST: name = label_text(profile, sample, LABEL_HOST); break;
	default: name = process_text(profile, sample); break;
	}
	/* Another program's profile may name no process. (The pool's id 0 is the text "".) */
	id = name && name[0] ? pool_add_text(&b->names, name) : -ENOENT;
	free(name);
	return id < 0 ? id : id - 1;
}

static int add(struct balance *b, uint32_t group, uint32_t place, double weight)
{
	size_t before = b->part.n;
	int index = pairs_add(&b->part, group, place);

	if (index < 0)
		return index;
	if (array_grow(&b->weight, &b->weight_room, b->part.n) < 0)
		return -ENOMEM;
	if (b->part.n > before)
		b->weight[index] = 0;
	b->weight[index] += weight;
	return 0;
}

static void set_period(struct balance *b)
{
	double weight = 0, samples = 0;

	for (size_t i = 0; i < b->groups; i++) {
		weight += b->group[i].samples > 0 ? b->group[i].weight : 0;
		samples += b->group[i].samples;
	}
	b->period = samples > 0 ? weight / samples : 0;
}

/*
 * Adds a group for the sample if group_of() has just added the name of a new group. Then there is
 * one more name than groups, besides the empty name with the id 0.
 */
static void add_group(struct balance *b, const struct sample *sample)
{
	const struct profile *profile = b->frames.profile;
	bool by_process = b->frames.options.balance_by == REPORT_BY_PROCESS;
	const char *process = profile_task(profile, sample->task).process;

	if (b->groups + 1 == b->names.n)
		return;
	b->group[b->groups] = (struct balance_group){.program = by_process ? process : NULL,
		.program_bytes = labels_unmarked(profile, sample->labels, process),
		.like = (uint32_t)b->groups};
	b->groups++;
}

static int collect(struct balance *b)
{
	const struct profile *profile = b->frames.profile;
	const struct places *places = &b->frames.places;
	size_t value = b->frames.sums.weight, room = 0;

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);
		int group, r;

		if (sample.value[value] <= 0 ||
			!filter_takes(&b->frames.filter, profile, places, &sample))
			continue;
		group = group_of(b, &sample);
		if (group == -ENOENT) {
			b->left_out += (double)sample.value[value];
			continue;
		}
		if (group < 0 || array_grow(&b->group, &room, b->names.n) < 0)
			return -ENOMEM;
		add_group(b, &sample);
		b->group[group].weight += (double)sample.value[value];
		b->group[group].samples += (double)sample.value[VALUE_SAMPLES];
		r = sample.n ? add(b, (uint32_t)group, places_leaf(places, sample.location[0]),
				       (double)sample.value[value])
			     : 0;
		if (r < 0)
			return r;
	}
	set_period(b);
	return 0;
}

static void take_value(struct balance_row *row, uint32_t group, double value)
{
	if (value > row->greatest) {
		row->greatest = value;
		row->most = group;
	}
	if (value < row->least)
		row->least = value;
	row->mean += value;
}

/* "All functions" first, then by the excess of the busiest group over the mean. */
static int compare_rows(const void *a, const void *b)
{
	const struct balance_row *x = a, *y = b;
	double m = x->greatest - x->mean, n = y->greatest - y->mean;

	if (x->place == BALANCE_ALL || y->place == BALANCE_ALL)
		return x->place == BALANCE_ALL ? -1 : 1;
	if (m < n || m > n)
		return m > n ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static int make_rows(struct balance *b)
{
	size_t places = b->frames.places.n, kept = 1;
	struct balance_row *row = calloc(places + 1, sizeof(*row));
	size_t *in = calloc(places + 1, sizeof(*in));
	double least = 0;

	b->row = row;
	if (!row || !in) {
		free(in);
		return -ENOMEM;
	}
	for (size_t i = 0; i <= places; i++)
		row[i] = (struct balance_row){
			.place = i ? (uint32_t)i - 1 : (uint32_t)BALANCE_ALL, .least = HUGE_VAL};
	for (size_t i = 0; i < b->groups; i++)
		take_value(&row[0], (uint32_t)i, b->group[i].weight);
	for (size_t i = 0; i < b->part.n; i++) {
		take_value(&row[b->part.pair[i].b + 1], (uint32_t)b->part.pair[i].a, b->weight[i]);
		in[b->part.pair[i].b]++;
	}
	least = row[0].mean * b->frames.options.min_percent / 100;
	for (size_t i = 0; i <= places; i++) {
		if (i && (!in[i - 1] || row[i].mean < least))
			continue;
		if (i && in[i - 1] < b->groups)
			row[i].least = 0;
		row[i].mean /= (double)b->groups;
		if (i)
			row[kept++] = row[i];
	}
	free(in);
	qsort(row, kept, sizeof(*row), compare_rows);
	b->rows = kept;
	if (b->frames.options.limit && kept > b->frames.options.limit + (size_t)1)
		b->rows = b->frames.options.limit + (size_t)1;
	b->cut = kept - b->rows;
	return 0;
}

static void put_value(
	struct layout *layout, const char *title, struct text_scale scale, double value)
{
	char text[TEXT_UNIT_BYTES];

	text_format_scaled(text_whole(value), scale, text);
	layout_number(layout, title, 0, "%s", text);
}

static int put_rows(const struct balance *b, FILE *out)
{
	const struct report_options *options = &b->frames.options;
	struct text_scale scale =
		text_scale_for(frames_value_type(&b->frames).unit, text_whole(b->row[0].greatest));
	struct layout layout;
	int r;

	layout_init(&layout, options->ascii, options->color);
	for (size_t i = 0; i < b->rows; i++) {
		const struct balance_row *row = &b->row[i];
		const struct place *place =
			row->place == BALANCE_ALL ? NULL : &b->frames.places.place[row->place];

		layout_row(&layout,
			b->row[0].mean > 0 ? (row->greatest - row->mean) / b->row[0].mean : 0);
		put_value(&layout, "min", scale, row->least);
		put_value(&layout, "mean", scale, row->mean);
		put_value(&layout, "max", scale, row->greatest);
		layout_number(
			&layout, "imbalance", 0, "%.1f %%", (row->greatest / row->mean - 1) * 100);
		layout_text(
			&layout, "most in", LAYOUT_NAME, 20, 0, "%s", balance_name(b, row->most));
		layout_text(&layout, "function", LAYOUT_NAME, 24, 0, "%s",
			place ? place->function : "[all]");
		layout_text(&layout, "object", LAYOUT_PATH, 12, 1, "%s",
			place ? text_basename(place->object) : "");
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

/* Prints a line for each kind of behaviour: the groups that behave alike. */
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

static int print_text(const struct balance *b, FILE *out)
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
	return report_audit(frames->profile, REPORT_AUDIT_LINE, frames->options.ascii,
		frames->options.width, out);
}

static void put_row(struct sheet *sheet, const struct balance *b, const struct balance_row *row)
{
	const struct place *place =
		row->place == BALANCE_ALL ? NULL : &b->frames.places.place[row->place];

	sheet_cell(sheet, "min_ns", cell_number(text_whole(row->least)));
	sheet_cell(sheet, "mean_ns", cell_number(text_whole(row->mean)));
	sheet_cell(sheet, "max_ns", cell_number(text_whole(row->greatest)));
	sheet_cell(sheet, "imbalance_pct", cell_decimal((row->greatest / row->mean - 1) * 100));
	sheet_cell(sheet, "max_in", cell_text(balance_name(b, row->most)));
	sheet_cell(sheet, "function", cell_text(place ? place->function : "[all]"));
	sheet_cell(sheet, "object", cell_text(place ? place->object : ""));
	sheet_row(sheet);
}

static int print_sheet(const struct balance *b, FILE *out)
{
	struct sheet sheet;

	sheet_begin(&sheet, b->frames.options.format, out);
	put_row(&sheet, b, &b->row[0]);
	for (size_t i = 0; i < b->rows; i++)
		put_row(&sheet, b, &b->row[i]);
	return sheet_end(&sheet);
}

int balance_print(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct balance b = {0};
	int r = frames_init(&b.frames, profile, given, ret_problem);

	if (r < 0)
		return r;
	if (!b.frames.options.balance_by)
		b.frames.options.balance_by = REPORT_BY_PROCESS;
	r = pool_init(&b.names);
	if (r >= 0 && b.frames.sums.negative)
		r = text_refuse(ret_problem, -EINVAL,
			"the profile is a difference of profiles: balance compares what was done, "
			"not what changed");
	if (r >= 0)
		r = collect(&b);
	if (r >= 0 && !b.groups)
		r = text_refuse(ret_problem, -EINVAL, "%s",
			b.frames.options.balance_by == REPORT_BY_PROCESS
				? "there is nothing to compare: no process has a sample"
				: "the profiles do not say which rank or host they are of: "
				  "sprofrun notes it when mpirun or srun starts it; --by process "
				  "compares processes");
	if (r >= 0)
		r = make_rows(&b);
	if (r >= 0)
		r = balance_find_alike(&b);
	if (r >= 0)
		r = b.frames.options.format == REPORT_TEXT ? print_text(&b, out)
							   : print_sheet(&b, out);
	if (b.names.item)
		pool_release(&b.names);
	pairs_release(&b.part);
	frames_release(&b.frames);
	free(b.group);
	free(b.weight);
	free(b.row);
	return r;
}
