/* SPDX-License-Identifier: MIT */
#include "profile/pprof_comments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/audit.h"
#include "profile/pprof_labels.h"
#include "profile/profile.h"

struct sentence {
	char text[256];
	size_t n;
};

static void add_text(struct sentence *sentence, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_text(struct sentence *sentence, const char *format, ...)
{
	size_t room = sizeof(sentence->text) - sentence->n;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(sentence->text + sentence->n, room, format, args);
	va_end(args);
	if (n > 0)
		sentence->n += (size_t)n < room ? (size_t)n : room - 1;
}

static void say_stopped(const struct profile *profile, struct sentence *sentence)
{
	double stopped;

	if (audit_stopped(profile, &stopped))
		add_text(sentence, ", stopped for %.2f %% of the running time", stopped * 100);
}

static void say_cost(const struct profile *profile, struct sentence *sentence)
{
	double share;

	if (audit_cost(profile, &share))
		add_text(sentence, ", cost %.2g %% of the CPU time", share * 100);
}

/*
 * Makes a comment, to be freed: "151 samples, 244 of 250 Hz reached, cost 0.93 % of the CPU time,
 * found 102.6 % of the expected samples, lost 0". 0 or -ENOMEM.
 */
static int audit_comment(const struct profile *profile, char **ret_comment)
{
	struct sentence sentence = {.n = 0};
	struct audit_found found;
	struct audit_rate rate;
	uint64_t samples = 0, lost;

	(void)audit_figure(profile, "samples", &samples);
	add_text(&sentence, PPROF_COMMENT_SUMMARY "%" PRIu64 " samples", samples);
	if (audit_rate(profile, &rate) && rate.reached_hz > 0)
		add_text(&sentence, ", %.0f of %.0f Hz reached", rate.reached_hz, rate.asked_hz);
	say_cost(profile, &sentence);
	if (audit_found(profile, &found) && !found.says_nothing)
		add_text(&sentence, ", found %.1f %% of the expected samples", found.ratio * 100);
	say_stopped(profile, &sentence);
	if (profile_audit(profile, "lost_samples", &lost))
		add_text(&sentence, ", lost %" PRIu64, lost);
	*ret_comment = strdup(sentence.text);
	return *ret_comment ? 0 : -ENOMEM;
}

static int prefixed(const char *prefix, const char *text, char **ret_comment)
{
	return asprintf(ret_comment, "%s%s", prefix, text) < 0 ? -ENOMEM : 0;
}

static size_t count_notes(const struct profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; i < profile_notes(profile); i++)
		n += !profile_note_is_foreign(profile, i);
	return n;
}

/* Appends up to @room comments; if there are more notes, the last comment says how many. */
static int note_comments(const struct profile *profile, size_t room, char **ret_comment, size_t *n)
{
	size_t notes = count_notes(profile), shown = notes > room ? room - 1 : notes, left = shown;
	int error = 0;

	for (size_t i = 0; left && !error; i++) {
		if (profile_note_is_foreign(profile, i))
			continue;
		error = prefixed(PPROF_COMMENT_NOTE, profile_note(profile, i), &ret_comment[*n]);
		*n += !error;
		left--;
	}
	if (!error && shown < notes) {
		error = asprintf(&ret_comment[*n],
				PPROF_COMMENT_SUMMARY "%zu more notes: sprofreport shows them",
				notes - shown) < 0
			? -ENOMEM
			: 0;
		*n += !error;
	}
	return error;
}

int pprof_comments(const struct profile *profile, char **ret_comment)
{
	char *comment[PPROF_COMMENTS_MOST] = {NULL};
	size_t n = 0;
	int error = 0;

	if (profile_command(profile)[0]) {
		error = prefixed(PPROF_COMMENT_COMMAND, profile_command(profile), &comment[n]);
		n += !error;
	}
	if (!error && profile_audits(profile)) {
		error = audit_comment(profile, &comment[n]);
		n += !error;
	}
	if (!error)
		error = note_comments(profile, PPROF_COMMENTS_MOST - n, comment, &n);
	for (size_t i = 0; i < PPROF_COMMENTS_MOST; i++) {
		if (!error)
			ret_comment[i] = comment[i];
		else
			free(comment[i]);
	}
	return error ? error : (int)n;
}
