/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "view/layout.h"
#include "view/options.h"
#include "view/report/report.h"
#include "view/sheet.h"

typedef void summary_each(
	void *context, const char *key, const struct audit_key *known, const uint64_t *value);

/*
 * Calls @each for each figure of the audit: first the known figures, in the order of
 * audit_key_at(), then the others. For a known figure that the profile lacks, @value is NULL, or
 * @each is not called if the figure is marked as extra.
 */
static void for_each(const struct profile *profile, summary_each *each, void *context)
{
	const struct audit_key *known;
	const char *key;
	uint64_t value;

	for (size_t i = 0; (known = audit_key_at(i)); i++) {
		bool has = audit_figure(profile, known->key, &value);

		if (has || !known->extra)
			each(context, known->key, known, has ? &value : NULL);
	}
	for (size_t i = 0; i < profile_audits(profile); i++) {
		profile_audit_at(profile, i, &key, &value);
		if (!audit_key_find(key))
			each(context, key, NULL, &value);
	}
}

static void each_pair(
	void *context, const char *key, const struct audit_key *known, const uint64_t *value)
{
	bool is_ratio = known && known->unit >= AUDIT_RATIO;

	sheet_pair(context, key,
		!value             ? (struct cell){0}
			: is_ratio ? cell_ratio(*value)
				   : cell_count(*value));
}

static void each_line(
	void *context, const char *key, const struct audit_key *known, const uint64_t *value)
{
	struct layout *layout = context;
	const char *tail = strrchr(key, '_');
	bool is_ratio = known && known->unit >= AUDIT_RATIO;
	char text[TEXT_UNIT_BYTES] = "";

	layout_row(layout, 0);
	layout_text(layout, "figure", LAYOUT_WHOLE, 0, 0, "%s", key);
	if (!value)
		layout_number(layout, "value", 0, "-");
	else if (is_ratio)
		layout_number(layout, "value", 0, "%.4f", (double)*value / AUDIT_RATIO_ONE);
	else
		layout_number(layout, "value", 0, "%" PRIu64, *value);
	if (value && is_ratio)
		(void)snprintf(text, sizeof(text), "%.1f %%",
			(double)*value * (known->unit == AUDIT_RATIO ? 100 : 1) / AUDIT_RATIO_ONE);
	if (value && (known ? known->unit == AUDIT_NS : tail && !strcmp(tail, "_ns")))
		text_format_ns(*value, text);
	layout_number(layout, "", 0, "%s", text);
	layout_text(layout, "", LAYOUT_PROSE, 12, 0, "%s", known ? known->meaning : "");
}

static int print_text(
	const struct profile *profile, const struct report_options *options, FILE *out)
{
	struct layout layout;
	int error;

	layout_init(&layout, options->ascii, options->color);
	for_each(profile, each_line, &layout);
	error = layout_print(&layout, options->width, out);
	layout_release(&layout);
	if (error)
		return error;
	fputc('\n', out);
	return report_audit(profile, REPORT_AUDIT_FULL, options->ascii, options->width, out);
}

int summary_print(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct sheet sheet;

	(void)ret_problem;
	if (options.format == REPORT_TEXT)
		return print_text(profile, &options, out);
	sheet_pairs_begin(&sheet, options.format, out);
	for_each(profile, each_pair, &sheet);
	sheet_pairs_end(&sheet);
	return 0;
}
