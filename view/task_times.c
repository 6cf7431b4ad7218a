/* SPDX-License-Identifier: MIT */
#include "view/task_times.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/text.h"
#include "profile/profile.h"
#include "view/layout.h"
#include "view/sheet.h"

/*
 * Orders by tid, then by name. The order of names does not matter, so pointers are compared: equal
 * names are equal pointers.
 */
static int compare(const void *a, const void *b)
{
	const struct task_time *x = a, *y = b;
	uintptr_t m = (uintptr_t)x->thread, n = (uintptr_t)y->thread;

	return x->tid != y->tid ? (x->tid > y->tid) - (x->tid < y->tid) : (m > n) - (m < n);
}

/*
 * Adds up the times of equal tid and name: a thread is several tasks if its process was renamed.
 * Returns the number of times left.
 */
static size_t unite(struct task_time *time, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!kept || compare(&time[kept - 1], &time[i]) != 0)
			time[kept++] = time[i];
		else
			sum_add(&time[kept - 1].cpu_ns, time[i].cpu_ns);
	}
	return kept;
}

/* Is the time of @tid known, under any name? */
static bool knows(const struct task_times *times, uint32_t tid)
{
	size_t at = array_bisect(i, 0, times->n, times->time[i].tid < tid);

	return at < times->n && times->time[at].tid == tid;
}

int task_times_init(struct task_times *times, const struct profile *profile)
{
	size_t tasks = profile_tasks(profile);

	*times = (struct task_times){.complete = true};
	times->time = calloc(tasks + 1, sizeof(*times->time));
	if (!times->time)
		return -ENOMEM;
	for (size_t i = 0; i < tasks; i++) {
		struct task task = profile_task(profile, i);
		uint64_t cpu_ns;

		if (!profile_task_cpu(profile, i, &cpu_ns))
			continue;
		times->time[times->n++] = (struct task_time){
			task.thread, task.tid, cpu_ns < INT64_MAX ? (int64_t)cpu_ns : INT64_MAX};
		sum_add(&times->sum_ns, times->time[times->n - 1].cpu_ns);
	}
	qsort(times->time, times->n, sizeof(*times->time), compare);
	times->n = unite(times->time, times->n);
	for (size_t i = 0; i < tasks && times->complete; i++) {
		struct task task = profile_task(profile, i);

		times->complete = !task.tid || knows(times, task.tid);
	}
	return 0;
}

void task_times_release(struct task_times *times)
{
	free(times->time);
	*times = (struct task_times){0};
}

bool task_times_of(const struct task_times *times, const struct row *row, int64_t *ret_cpu_ns)
{
	const struct task_time key = {.thread = row->task, .tid = row->id};
	const struct task_time *found =
		times->n ? bsearch(&key, times->time, times->n, sizeof(key), compare) : NULL;

	if (found)
		*ret_cpu_ns = found->cpu_ns;
	return found;
}

void task_times_add(const struct task_times *times, const struct row *row, struct sheet *sheet)
{
	int64_t cpu_ns;

	if (times->n)
		sheet_cell(sheet, "kernel_cpu_ns",
			task_times_of(times, row, &cpu_ns) ? cell_number(cpu_ns)
							   : (struct cell){.kind = CELL_UNKNOWN});
}

void task_times_put(
	const struct task_times *times, const struct row *row, struct layout *layout, unsigned drop)
{
	char text[TEXT_UNIT_BYTES] = "-";
	int64_t cpu_ns;

	if (!times->n)
		return;
	if (task_times_of(times, row, &cpu_ns))
		text_format_ns((uint64_t)cpu_ns, text);
	layout_number(layout, "used", drop, "%s", text);
}
