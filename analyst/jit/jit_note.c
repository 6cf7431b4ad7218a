/* SPDX-License-Identifier: MIT */
#include "analyst/jit/jit_note.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/runtime_advice.h"

/*
 * NOTES_MOST: the most processes that get a note. PART_LEAST: a process gets one only if the time
 * in its nameless code is at least 1 / PART_LEAST of all CPU time.
 */
enum { NOTES_MOST = 3, PART_LEAST = 20 };

struct process_time {
	uint32_t pid;
	const char *name;
	int64_t unnamed_ns;
};

static bool is_unnamed(const struct profile *profile, const struct sample *sample)
{
	struct location location;

	if (!sample->n)
		return false;
	location = profile_location(profile, sample->location[0]);
	return !location.lines && !strcmp(profile_mapping(profile, location.mapping).file, "[jit]");
}

static struct process_time *find(struct process_time *list, size_t *n, const struct task *task)
{
	for (size_t i = 0; i < *n; i++) {
		if (list[i].pid == task->pid)
			return &list[i];
	}
	list[*n] = (struct process_time){task->pid, task->process, 0};
	return &list[(*n)++];
}

static int by_time(const void *a, const void *b)
{
	const struct process_time *x = a, *y = b;

	return (x->unnamed_ns < y->unnamed_ns) - (x->unnamed_ns > y->unnamed_ns);
}

int jit_note_unnamed(struct profile *profile)
{
	struct process_time *list = calloc(profile_tasks(profile) + 1, sizeof(*list));
	int64_t all = 0;
	size_t n = 0;
	int r = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);
		struct task task = profile_task(profile, sample.task);

		all += sample.value[VALUE_CPU_NS];
		if (is_unnamed(profile, &sample))
			find(list, &n, &task)->unnamed_ns += sample.value[VALUE_CPU_NS];
	}
	qsort(list, n, sizeof(*list), by_time);
	for (size_t i = 0; i < n && i < NOTES_MOST && r >= 0; i++) {
		const char *remedy = runtime_advice(list[i].name);
		char note[400];

		if (list[i].unnamed_ns <= 0 || list[i].unnamed_ns < all / PART_LEAST)
			break;
		(void)snprintf(note, sizeof(note),
			"%.0f %% of the CPU time is in code that %.32s (%" PRIu32
			") generated and that no perf map names: %s",
			(double)list[i].unnamed_ns * 100 / (double)all, list[i].name, list[i].pid,
			remedy ? remedy : "a runtime that writes /tmp/perf-PID.map names it");
		r = profile_add_note(profile, note);
	}
	free(list);
	return r < 0 ? r : 0;
}
