/* SPDX-License-Identifier: MIT */
/* The CPU time that the kernel charged to each thread, found by a row's name and tid. */
#ifndef VIEW_TASK_TIMES_H
#define VIEW_TASK_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layout;
struct profile;
struct row;
struct sheet;

struct task_time {
	const char *thread;
	uint32_t tid;
	int64_t cpu_ns;
};

struct task_times {
	struct task_time *time; /* sorted by tid; each pair of tid and name once */
	size_t n;
	int64_t sum_ns;
	bool complete; /* each thread with a sample has a known time */
};

/* The list is empty if the profile has no times. 0 or -ENOMEM. */
int task_times_init(struct task_times *times, const struct profile *profile);
void task_times_release(struct task_times *times);
/* Returns false if the time of the row's thread is unknown. */
bool task_times_of(const struct task_times *times, const struct row *row, int64_t *ret_cpu_ns);

/* Appends the cell "kernel_cpu_ns" if any thread's time is known. */
void task_times_add(const struct task_times *times, const struct row *row, struct sheet *sheet);
/* If any time is known: appends the cell "used", "0.07 s" or "-" (unknown). */
void task_times_put(const struct task_times *times, const struct row *row, struct layout *layout,
	unsigned drop);

#endif
