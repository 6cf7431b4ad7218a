/* SPDX-License-Identifier: MIT */
#include "analyst/unsampled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/wallclock.h"
#include "base/array.h"
#include "profile/profile.h"

void unsampled_release(struct unsampled *unsampled)
{
	for (size_t i = 0; i < unsampled->n; i++)
		free((char *)unsampled->list[i].path);
	free(unsampled->list);
	*unsampled = (struct unsampled){0};
}

int unsampled_take(struct unsampled *unsampled, const struct record_unsampled *record)
{
	char *path;

	if (array_grow(&unsampled->list, &unsampled->room, unsampled->n + 1) < 0)
		return -ENOMEM;
	path = strdup(record->path);
	if (!path)
		return -ENOMEM;
	unsampled->list[unsampled->n++] = (struct record_unsampled){
		record->cpu_ns, record->queue_ns, record->blocked_ns, path};
	return 0;
}

int unsampled_add(struct profile *profile, const struct wallclock *wallclock,
	const struct record_unsampled *times, uint32_t pid, const char *name)
{
	const struct record_sample sample = {.weight_ns = times->cpu_ns,
		.queue_ns = times->queue_ns,
		.blocked_ns = times->blocked_ns};
	int64_t values[VALUE_TYPES_MAX] = {[VALUE_CPU_NS] = (int64_t)times->cpu_ns};
	const char *path = times->path[0] ? times->path : "[unknown]", *slash = strrchr(path, '/');
	struct task row = {.pid = pid, .process = pid ? name : slash ? slash + 1 : path};
	int mapping = profile_mapping_of(profile, path), task;

	row.thread = row.process;
	task = profile_add_task(profile, &row);
	if (mapping < 0 || task < 0)
		return -ENOMEM;
	wallclock_values(wallclock, &sample, false, values);
	return profile_add_unsampled_values(profile, (uint32_t)task, (uint32_t)mapping, values);
}

int unsampled_finish(const struct unsampled *unsampled, const struct wallclock *wallclock,
	struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < unsampled->n && r == 0; i++)
		r = unsampled_add(profile, wallclock, &unsampled->list[i], 0, NULL);
	return r;
}
