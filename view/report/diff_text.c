/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "view/layout.h"
#include "view/report/diff.h"
#include "view/wall_types.h"
#include "view/wrap.h"

static void format_change(double value, struct text_scale scale, char to[TEXT_UNIT_BYTES])
{
	to[0] = value > 0 ? '+' : value < 0 ? '-' : ' ';
	char text[TEXT_UNIT_BYTES];

	text_format_scaled(llround(fabs(value)), scale, text);
	(void)snprintf(to + 1, TEXT_UNIT_BYTES - 1, "%.30s", text);
}

static void format_percent(double part, char to[TEXT_UNIT_BYTES])
{
	if (part > 99.99)
		(void)snprintf(to, TEXT_UNIT_BYTES, "x %.0f", part + 1);
	else
		(void)snprintf(to, TEXT_UNIT_BYTES, "%+.1f %%", part * 100);
}

/* Formats the 95 % interval of the change: "+9.1 … +15.8 %". */
static void format_range(const struct compare_row *by, bool ascii, char to[2 * TEXT_UNIT_BYTES])
{
	const char *dots = ascii ? ".." : "\xe2\x80\xa6";

	to[0] = '\0';
	if (!by->tested)
		return;
	if (!isfinite(by->high) || by->high > 99.99)
		(void)snprintf(to, 2 * TEXT_UNIT_BYTES, "%+.1f %s", by->low * 100, dots);
	else
		(void)snprintf(to, 2 * TEXT_UNIT_BYTES, "%+.1f %s %+.1f", by->low * 100, dots,
			by->high * 100);
}

static void add_row(const struct diff *diff, const struct diff_row *row, struct text_scale scale,
	struct layout *l)
{
	bool significant = diff_is_significant(row), paths = diff->options.paths;
	char text[2 * TEXT_UNIT_BYTES];

	/*
	 * Names are cut before columns are dropped, so that a narrow table can show the change and
	 * its interval. A and B are dropped first: the change, which is shown as an amount and in
	 * percent, tells both of them.
	 */
	layout_row(l, !significant ? LAYOUT_DIM : row->by.b > row->by.a ? 1 : LAYOUT_GOOD);
	text_format_scaled(llround(row->by.a), scale, text);
	layout_number(l, "A", 1, "%s", text);
	text_format_scaled(llround(row->by.b), scale, text);
	layout_number(l, "B", 2, "%s", text);
	format_change(row->by.b - row->by.a, scale, text);
	layout_number(l, "change", 4, "%s", text);
	if (isfinite(row->by.delta))
		format_percent(row->by.delta, text);
	layout_number(l, "", 0, "%s", isfinite(row->by.delta) ? text : "new");
	format_range(&row->by, diff->options.ascii, text);
	layout_number(l, "95 %", 5, "%s", text);
	layout_text(l, "", LAYOUT_WHOLE, 0, 0, "%s", significant ? "*" : "");
	layout_text(l, paths ? "call path" : "function", paths ? LAYOUT_CALLS : LAYOUT_NAME,
		paths ? 30 : 24, 0, "%s", row->function);
	layout_text(l, "object", LAYOUT_PATH, 12, 3, "%s", row->object[0] ? row->object : "-");
}

static void put_side(const struct diff *diff, int side, FILE *out)
{
	const struct report_sides *sides = diff->sides;
	const char *command = profile_command(sides->profile[side][0]);
	const char *phrase =
		strcmp(diff->type.unit, "nanoseconds") ? NULL : wall_types_phrase(diff->type.type);
	char amount[TEXT_UNIT_BYTES];

	text_format_scaled(llround(diff->used[side]),
		text_scale_for(diff->type.unit, llround(diff->used[side])), amount);
	fprintf(out, "%c: ", side ? 'B' : 'A');
	text_put(sides->name[side][0], out);
	if (sides->n[side] > 1)
		fprintf(out, " and %zu more", sides->n[side] - 1);
	fprintf(out, ", %s of ", amount);
	text_put(phrase ? phrase : diff->type.type, out);
	fputs(sides->n[side] > 1 ? " each" : "", out);
	if (command[0]) {
		fputs(": ", out);
		text_put(command, out);
	}
	fputc('\n', out);
}

/*
 * A run's total is taken as exact, because the CPU time of a run is what the kernel charged. So the
 * error of the change comes only from the differences between runs.
 */
static void put_all(const struct diff *diff, FILE *out)
{
	double a = diff->all[0], b = diff->all[1], spread = 0, error;
	size_t runs = diff->sides->n[0] + diff->sides->n[1];

	if (!(a > 0) || diff->options.by_share)
		return;
	fprintf(out, "in all %+.1f %%", (b - a) / a * 100);
	if (runs > 2) {
		for (size_t i = 0; i < runs; i++) {
			double off = diff->run[i].all - diff->all[i >= diff->sides->n[0]];

			spread += off * off / (double)(runs - 2);
		}
		error = compare_t_limit(0.05, (double)(runs - 2)) *
			sqrt(spread / (double)diff->sides->n[0] +
				spread / (double)diff->sides->n[1]);
		fprintf(out, " %s %.1f", diff->options.ascii ? "+-" : "\xc2\xb1", error / a * 100);
	}
	fputc('\n', out);
}

/* Prints the least and the greatest speed factor, relative to the mean. */
static void put_speed(const struct diff *diff, FILE *out)
{
	const struct speed *speed = &diff->speed;
	double least = HUGE_VAL, most = -HUGE_VAL;

	for (size_t i = 0; i < speed->runs; i++) {
		least = fmin(least, speed->log_factor[i]);
		most = fmax(most, speed->log_factor[i]);
	}
	if (speed->is_noise)
		fprintf(out,
			"runs differ by a common factor (%.3f to %.3f) in all %ss, as by a machine "
			"that others use;\nit is taken out\n",
			exp(least), exp(most), diff->options.paths ? "call path" : "function");
	if (speed->is_change)
		fprintf(out,
			"all %ss alike changed by %+.1f %% (%+.1f %s %+.1f), besides each by "
			"itself\n",
			diff->options.paths ? "call path" : "function", speed->change * 100,
			speed->low * 100, diff->options.ascii ? ".." : "\xe2\x80\xa6",
			speed->high * 100);
}

/*
 * Says why a row that has the whole value of both sides is not tested: there is no other row in
 * which a sample could be. Such a row changes as the total does. The total is measured, not
 * sampled. Only if a factor of the machine's speed was taken out, which is estimated from samples,
 * the change is not exact.
 */
static void put_whole(const struct diff *diff, const char *what, FILE *out)
{
	size_t i = 0;

	while (i < diff->rows && !diff->row[i].by.whole)
		i++;
	if (i == diff->rows || !(diff->all[0] > 0) || diff->options.by_share)
		return;
	if (diff->measured && !diff->speed.is_noise)
		fprintf(out,
			"a %s with all of the time changes as the whole does (in all, above), "
			"which is measured, not sampled: it has no sampling error to be tested "
			"against\n",
			what);
	else
		fprintf(out, "a %s that has all cannot be tested against the rest\n", what);
}

void diff_foot(const struct diff *diff, FILE *out)
{
	const char *what = diff->options.paths ? "call path" : "function";
	const struct report_sides *sides = diff->sides;

	if (!diff->tested) {
		fputs("nothing could be tested: there are too few samples, or none are told, or "
		      "one row has all of the time\n",
			out);
		put_whole(diff, what, out);
		return;
	}
	fprintf(out,
		"%zu of %zu %ss that were tested changed (*); of such, at most 5 %% are chance\n",
		diff->significant, diff->tested, what);
	if (diff->tested < diff->rows)
		fprintf(out,
			"%zu not tested: too few samples, unsampled time, or one has all of the "
			"time\n",
			diff->rows - diff->tested);
	put_whole(diff, what, out);
	if (sides->n[0] + sides->n[1] == 2)
		fputs("one run a side: how runs differ by themselves is not known, so chance may "
		      "look "
		      "like a change;\ngive several: sprofreport diff A1 A2 A3 -- B1 B2 B3\n",
			out);
}

void diff_head(const struct diff *diff, FILE *out)
{
	put_side(diff, COMPARE_A, out);
	put_side(diff, COMPARE_B, out);
	put_all(diff, out);
	put_speed(diff, out);
	fprintf(out, "%s of each %s%s\n", diff->options.sort_by_total ? "total" : "self",
		diff->options.paths ? "call path" : "function",
		diff->options.by_share ? ", as if all runs had taken the same time" : ", by run");
}

static int put_wrapped(
	const struct diff *diff, void (*put)(const struct diff *diff, FILE *out), FILE *out)
{
	struct wrap wrap;
	FILE *to = wrap_begin(&wrap, diff->options.width, out);

	if (!to)
		return -ENOMEM;
	put(diff, to);
	return wrap_end(&wrap);
}

int diff_text(const struct diff *diff, FILE *out)
{
	double least = fmax(diff->all[0], diff->all[1]) * diff->options.min_percent / 100;
	double most = 0;
	size_t shown = 0, left_out = 0;
	struct text_scale scale;
	struct layout layout;
	int error;

	for (size_t i = 0; i < diff->rows; i++)
		most = fmax(most, fmax(diff->row[i].by.a, diff->row[i].by.b));
	scale = text_scale_for(diff->type.unit, llround(most));
	layout_init(&layout, diff->options.ascii, diff->options.color);
	for (size_t i = 0; i < diff->rows; i++) {
		const struct diff_row *row = &diff->row[i];

		if ((diff->options.limit && shown >= diff->options.limit) ||
			(fmax(fabs(row->by.a), fabs(row->by.b)) < least &&
				!diff_is_significant(row))) {
			left_out++;
			continue;
		}
		add_row(diff, row, scale, &layout);
		shown++;
	}
	error = layout.error ? layout.error : put_wrapped(diff, diff_head, out);
	if (shown && !error) {
		fputc('\n', out);
		error = layout_print(&layout, diff->options.width, out);
	}
	layout_release(&layout);
	if (error)
		return error;
	if (left_out)
		fprintf(out, "... and %zu more\n", left_out);
	fputc('\n', out);
	return put_wrapped(diff, diff_foot, out);
}
