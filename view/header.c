/* SPDX-License-Identifier: MIT */
#include "view/header.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "view/title.h"
#include "view/wall_types.h"
#include "view/wrap.h"

/* Maximum columns of the command line if the width of lines is unlimited. */
enum { TITLE_COLUMNS = 160 };

/* The reached rate is shown if it differs from the planned one by more than this share. */
#define FAR_OFF 0.1

/* Prints "12.41 s of CPU time", "48.20 MiB of inuse_space" or "310 samples". */
static void print_amount(
	const struct profile *profile, const struct rows *rows, int64_t amount, FILE *out)
{
	struct value_type type = profile_value_type(profile, rows->weight);
	const char *phrase = strcmp(type.unit, "nanoseconds") ? NULL : wall_types_phrase(type.type);
	char text[TEXT_UNIT_BYTES];

	if (phrase) {
		text_format_ns((uint64_t)rows_amount(amount), text);
		fprintf(out, "%s%s of %s", amount < 0 ? "-" : "", text, phrase);
		return;
	}
	text_format_scaled(amount, text_scale_for(type.unit, amount), text);
	fprintf(out, "%s %s", text, rows->weight == VALUE_SAMPLES ? "" : "of ");
	text_put(type.type, out);
}

static void print_count(const struct profile *profile, const char *key, const char *one,
	const char *many, FILE *out)
{
	uint64_t n;

	if (audit_figure(profile, key, &n) && n)
		fprintf(out, ", %" PRIu64 " %s", n, n == 1 ? one : many);
}

/*
 * Prints " at 47.4 of 250 Hz". The rate is computed from the number of samples, because the
 * profile, for example a part of another one, has no audit that tells it. A difference of profiles
 * has no rate.
 */
static void print_rate(const struct profile *profile, const struct rows *rows, FILE *out)
{
	uint64_t period_ns = profile_period_ns(profile);
	double by_samples = (double)rows->all[VALUE_SAMPLES] * (double)period_ns;
	double cpu_ns = (double)rows->all[VALUE_CPU_NS];
	char rate[TEXT_UNIT_BYTES], reached[TEXT_UNIT_BYTES];

	if (!period_ns || rows->negative)
		return;
	text_format_hz(1e9 / (double)period_ns, rate);
	text_format_hz(by_samples / cpu_ns * 1e9 / (double)period_ns, reached);
	if (by_samples > 0 && cpu_ns > 0 && fabs(by_samples / cpu_ns - 1) > FAR_OFF)
		fprintf(out, " at %.*s of %s", (int)strcspn(reached, " "), reached, rate);
	else
		fprintf(out, " at %s", rate);
}

/*
 * Prints ", 2149 samples (2100 effective) at 990 of 1000 Hz". The effective number is that of
 * samples of equal weight that would give the same precision.
 */
static void print_samples(const struct profile *profile, const struct rows *rows, FILE *out)
{
	char asked[TEXT_UNIT_BYTES], reached[TEXT_UNIT_BYTES];
	struct audit_rate rate;

	if (rows->weight != VALUE_SAMPLES)
		print_count(profile, "samples", "sample", "samples", out);
	if (rows->weight > VALUE_CPU_NS)
		return;
	if (!audit_rate(profile, &rate)) {
		print_rate(profile, rows, out);
		return;
	}
	if (rate.effective)
		fprintf(out, " (%" PRIu64 " effective)", rate.effective);
	text_format_hz(rate.asked_hz, asked);
	text_format_hz(rate.reached_hz, reached);
	if (rate.reached_hz > 0)
		fprintf(out, " at %.*s of %s", (int)strcspn(reached, " "), reached, asked);
	else
		fprintf(out, " at %s", asked);
}

static void print_filter(const char *what, const char *pattern, FILE *out)
{
	char *clean = pattern ? text_clean(pattern, false) : NULL;

	if (clean)
		fprintf(out, "%s /%s/", what, clean);
	free(clean);
}

static void print_choice(const struct profile *profile, const struct report_options *options,
	const struct rows *rows, FILE *out)
{
	int64_t all = rows->all[rows->weight];

	fputs("only", out);
	print_filter(" function", options->focus, out);
	print_filter(" object", options->object, out);
	print_filter(" thread", options->thread, out);
	fputs(": ", out);
	print_amount(profile, rows, rows->chosen[rows->weight], out);
	if (all > 0)
		fprintf(out, ", %.1f %% of all",
			(double)rows->chosen[rows->weight] * 100 / (double)all);
	fputc('\n', out);
}

static int print_title(
	const struct profile *profile, const struct report_options *options, FILE *out)
{
	char *title = title_of(profile, options->files, options->ascii);

	if (!title)
		return -ENOMEM;
	if (text_cut_sentence(
		    &title, options->width ? options->width : TITLE_COLUMNS, options->ascii) < 0) {
		free(title);
		return -ENOMEM;
	}
	fprintf(out, "%s\n", title);
	free(title);
	return 0;
}

/* Prints ", executable redis-check-rdb" if the program's file has another name than the command. */
static void print_executable(
	const struct profile *profile, const struct report_options *options, FILE *out)
{
	const char *file = options->files > 1 ? NULL : title_executable(profile);

	if (!file)
		return;
	fputs(", executable ", out);
	text_put(file, out);
}

int header_print(const struct profile *profile, const struct report_options *options,
	const struct rows *rows, FILE *given)
{
	char wall[TEXT_UNIT_BYTES];
	struct wrap wrap;
	int r = print_title(profile, options, given);
	FILE *out = r < 0 ? NULL : wrap_begin(&wrap, options->width, given);

	if (!out)
		return -ENOMEM;
	print_amount(profile, rows, rows->all[rows->weight], out);
	if (profile_duration_ns(profile)) {
		text_format_ns(profile_duration_ns(profile), wall);
		fprintf(out, " in %s", wall);
	}
	print_samples(profile, rows, out);
	print_count(profile, "processes", "process", "processes", out);
	print_count(profile, "threads", "thread", "threads", out);
	print_executable(profile, options, out);
	if (rows->negative) {
		fputs("; a difference of profiles: shares are of ", out);
		print_amount(profile, rows, rows->whole, out);
		fputs(", the sum without signs", out);
	}
	fputc('\n', out);
	if (rows->filtered)
		print_choice(profile, options, rows, out);
	return wrap_end(&wrap);
}
