/* SPDX-License-Identifier: MIT */
/* The CPU time that the kernel charged to each thread, by name and tid as rows have them. */
#ifndef VIEW_TASK_TIMES_H
#define VIEW_TASK_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layout;
struct profile;
struct row;
struct row_builder;

struct task_time {
	const char *thread;
	uint32_t tid;
	int64_t cpu_ns;
};

struct task_times {
	struct task_time *time; /* sorted, once each */
	size_t n;
	int64_t sum_ns;
	bool complete; /* it is known of each thread that has a sample */
};

/* -ENOMEM. A profile that knows no thread's time has an empty list. */
int task_times_init(struct task_times *times, const struct profile *profile);
void task_times_release(struct task_times *times);
/* The time of the row's thread; false: it is unknown. */
bool task_times_of(const struct task_times *times, const struct row *row, int64_t *ret_cpu_ns);

/* Adds the column "kernel_cpu_ns" if any thread's time is known. */
void task_times_add(const struct task_times *times, const struct row *row, struct row_builder *to);
/* Sets a text cell at *@at: "0.07 s", "-" unknown; nothing if no thread's time is known. */
void task_times_set(
	const struct task_times *times, const struct row *row, struct layout *layout, size_t *at);

#endif
