/* SPDX-License-Identifier: MIT */
#include "view/report/dump_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/labels.h"
#include "profile/profile.h"

static int stopped_type(const struct profile *profile)
{
	for (size_t i = 0; i < profile_value_types(profile); i++) {
		if (strcmp(profile_value_type(profile, i).type, PROFILE_STOPPED) == 0)
			return (int)i;
	}
	return -1;
}

static void print_stop(int64_t stopped, FILE *out)
{
	char time[TEXT_UNIT_BYTES];

	if (stopped == PROFILE_NOT_STOPPED)
		(void)fputs(", asleep, not stopped", out);
	else if (stopped == PROFILE_LEFT_STOPPED)
		(void)fputs(", stopped before, and still", out);
	else {
		text_format_ns((uint64_t)stopped, time);
		(void)fprintf(out, ", stopped for %s", time);
	}
}

static void print_frame(
	const struct profile *profile, size_t number, const struct location *location, FILE *out)
{
	const char *object = text_basename(profile_mapping(profile, location->mapping).file);

	if (!location->lines) {
		(void)fprintf(out, "  #%-3zu [", number);
		text_put(object, out);
		(void)fprintf(out, "+%#" PRIx64 "]\n", location->address);
	}
	/* Innermost first: each function is inlined into the next one. */
	for (size_t i = 0; i < location->lines; i++) {
		struct function f = profile_function(profile, location->line[i].function);

		if (i == 0)
			(void)fprintf(out, "  #%-3zu ", number);
		else
			(void)fputs("       in ", out);
		text_put(f.name, out);
		if (location->line[i].line) {
			(void)fputs("  ", out);
			text_put(text_basename(f.file), out);
			(void)fprintf(out, ":%" PRIu32, location->line[i].line);
		}
		if (i + 1 == location->lines && f.name[0] != '[') {
			(void)fputs("  ", out);
			text_put(object, out);
		}
		(void)fputc('\n', out);
	}
}

struct dumped {
	struct task task;
	size_t sample; /* index of the sample in the profile */
};

static int by_thread(const void *a, const void *b)
{
	const struct task *x = &((const struct dumped *)a)->task;
	const struct task *y = &((const struct dumped *)b)->task;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void print_thread(const struct profile *profile, const struct dumped *dumped, FILE *out)
{
	struct sample sample = profile_sample(profile, dumped->sample);
	const struct task *task = &dumped->task;
	int stopped = stopped_type(profile);

	(void)fprintf(out, "thread %" PRIu32, task->tid);
	if (task->tid != task->pid)
		(void)fprintf(out, " of %" PRIu32, task->pid);
	(void)fputs(" (", out);
	text_put(task->thread, out);
	(void)fputc(')', out);
	if (stopped >= 0)
		print_stop(sample.value[stopped], out);
	for (size_t i = 0; i < labels_count(profile, sample.labels); i++)
		if (!strcmp(labels_at(profile, sample.labels, i).key, "gil"))
			(void)fputs(", holds the GIL", out);
	(void)fputc('\n', out);
	for (size_t k = 0; k < sample.n; k++) {
		struct location location = profile_location(profile, sample.location[k]);

		print_frame(profile, k, &location, out);
	}
}

int dump_text_print(const struct profile *profile, FILE *out)
{
	struct dumped *dumped = calloc(profile_samples(profile) + 1, sizeof(*dumped));
	size_t n = 0;

	if (!dumped)
		return -ENOMEM;
	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);

		if (!profile_is_unsampled(profile, &sample))
			dumped[n++] = (struct dumped){profile_task(profile, sample.task), i};
	}
	qsort(dumped, n, sizeof(*dumped), by_thread);
	for (size_t i = 0; i < n; i++) {
		if (i)
			(void)fputc('\n', out);
		print_thread(profile, &dumped[i], out);
	}
	free(dumped);
	return 0;
}
