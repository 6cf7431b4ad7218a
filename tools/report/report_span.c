/* SPDX-License-Identifier: MIT */
#include "tools/report/report_span.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "profile/profile.h"
#include "profile/timeline.h"

/* "0", "0.0", "0s", …: zero, with or without a unit, means the beginning. */
static bool is_zero(const char *time)
{
	static const char *const units[] = {"", "s", "ms", "us", "ns", "m", "min", "h"};
	size_t zeros = strspn(time, "0."), points = 0;

	for (size_t i = 0; i < zeros; i++)
		points += time[i] == '.';
	if (points > 1 || points == zeros)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(time + zeros, units[i]))
			return true;
	return false;
}

bool report_moment_take(const char *text, struct report_moment *ret_moment)
{
	struct report_moment moment = {.given = true, .from_end = text[0] == '-'};
	const char *time = text + moment.from_end;

	if (is_zero(time))
		moment.ns = 0;
	else if (units_time_ns(time, &moment.ns) < 0)
		return false;
	*ret_moment = moment;
	return true;
}

static bool is_given(const struct report_span *span)
{
	return span->from.given || span->to.given;
}

static uint64_t place(const struct report_moment *moment, uint64_t end_ns, uint64_t otherwise)
{
	if (!moment->given)
		return otherwise;
	if (!moment->from_end)
		return moment->ns;
	return end_ns > moment->ns ? end_ns - moment->ns : 0;
}

/* Makes the message about a span that is empty or outside of the profile. */
static int refuse_span(uint64_t from_ns, uint64_t to_ns, uint64_t end_ns, char **ret_problem)
{
	char from[TEXT_UNIT_BYTES], to[TEXT_UNIT_BYTES], end[TEXT_UNIT_BYTES];

	text_format_ns(from_ns, from);
	text_format_ns(to_ns, to);
	text_format_ns(end_ns, end);
	if (from_ns >= end_ns)
		return text_refuse(ret_problem, -ERANGE,
			"--from is at %s, but the profile ends at %s; --from -1s is its last "
			"second",
			from, end);
	if (!to_ns)
		return text_refuse(ret_problem, -ERANGE,
			"--to is at the beginning, so nothing is left; the profile lasts %s", end);
	return text_refuse(ret_problem, -ERANGE,
		"--from is at %s and --to at %s: --from must be the earlier one", from, to);
}

/* A span that ends after the profile may be a mistake: adds a note. */
static int tell_end(struct profile *part, uint64_t to_ns, uint64_t end_ns)
{
	char to[TEXT_UNIT_BYTES], end[TEXT_UNIT_BYTES], note[3 * TEXT_UNIT_BYTES + 80];

	text_format_ns(to_ns, to);
	text_format_ns(end_ns, end);
	(void)snprintf(note, sizeof(note), "--to is at %s, but the profile ends at %s", to, end);
	return profile_add_note(part, note);
}

static int refuse_profile(const struct profile *profile, char **ret_problem)
{
	const char *why = timeline_why_left_out(profile);

	if (why)
		return text_refuse(ret_problem, -ENODATA,
			"--from and --to need the time line of the profile, which cannot be used: "
			"%s",
			why);
	return text_refuse(ret_problem, -ENODATA,
		"--from and --to need a profile with a time line: sprofrun writes one (without "
		"--no-timeline), other programs do not");
}

int report_span_apply(const struct report_span *span, struct profile **profile, char **ret_problem)
{
	uint64_t begin_ns, end_ns, from_ns, to_ns;
	struct profile *part;
	int error;

	if (!is_given(span))
		return 0;
	if (!timeline_extent(*profile, &begin_ns, &end_ns)) {
		return refuse_profile(*profile, ret_problem);
	}
	from_ns = place(&span->from, end_ns, 0);
	to_ns = place(&span->to, end_ns, UINT64_MAX);
	if (from_ns >= to_ns || from_ns >= end_ns)
		return refuse_span(from_ns, to_ns, end_ns, ret_problem);
	error = timeline_span(*profile, from_ns, to_ns, &part);
	if (error >= 0 && span->to.given && to_ns > end_ns)
		error = tell_end(part, to_ns, end_ns);
	if (error < 0)
		return error;
	profile_free(*profile);
	*profile = part;
	return 0;
}
