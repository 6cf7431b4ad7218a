/* SPDX-License-Identifier: MIT */
/* Scripts of programs that work for a while, and scenes in which the engine profiles them. */
#ifndef TESTS_KERNEL_WORKING_H
#define TESTS_KERNEL_WORKING_H

#include "tests/kernel/races.h"

#include <errno.h>

#define MS INT64_C(1000000)

static const char *const analyst[] = {"/lib/analyst", NULL};
static char *const command[] = {(char *)"/bin/command", (char *)"-x", NULL};

/* A program that runs and sleeps for about 60 ms, in two threads and a child. */
static const struct step thread_works[] = {RUN(2 * MS), SLEEP(3 * MS), AGAIN(2, 6), EXIT(0)};
static const struct step child_works[] = {RUN(5 * MS), SLEEP(MS), AGAIN(2, 3), EXIT_GROUP(2)};
static const struct step works[] = {CLONE(thread_works), FORK(child_works), RUN(4 * MS),
	SLEEP(2 * MS), AGAIN(2, 8), WAIT, EXIT_GROUP(5)};
static const struct step commanded[] = {EXEC("/bin/command", works)};
static const struct step missing[] = {EXEC_FAILS(ENOENT), EXIT_GROUP(127)};
static const struct step works_for_long[] = {RUN(4 * MS), SLEEP(2 * MS), AGAIN(2, 500), EXIT(0)};

static inline void nobody(struct kernel *k)
{
	k->cpus = 2;
}

static inline void worker(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/works", works);
	k->cpus = 2;
}

static inline void long_worker(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/works", works_for_long);
}

/* Sampled and unsampled time together are what the kernel charged. */
static inline void sums_are_whole(struct kernel *k, const struct engine_result *result)
{
	const struct kernel_records *r = &k->records;

	if (result->error)
		kernel_fail(k, "error %d", result->error);
	if (r->n[RECORD_END] < 1 || r->n[RECORD_SAMPLE] < 10 || r->n[RECORD_PROCESS] < 1)
		kernel_fail(k, "%lu ends, %lu samples, %lu processes", r->n[RECORD_END],
			r->n[RECORD_SAMPLE], r->n[RECORD_PROCESS]);
	if (r->cpu_ns < 30 * (uint64_t)MS || r->weight_ns < r->cpu_ns / 2)
		kernel_fail(k, "%llu ns, of them %llu sampled", (unsigned long long)r->cpu_ns,
			(unsigned long long)r->weight_ns);
}

/* Without an analyst nobody reads samples, so no thread is stopped for them. */
static inline void must_have_analyst(struct kernel *k, struct task *t)
{
	if (k->analyst_refused)
		kernel_fail(k, "task %d is stopped while there is no analyst", t->tid);
}

static inline struct scene profiling(void (*build)(struct kernel *k))
{
	struct scene scene = {.build = build,
		.check = sums_are_whole,
		.options = {.follow = true, .analyst = analyst, .ring_bytes = 1 << 16}};

	if (build == nobody) {
		scene.command = commanded;
		scene.options.command = command;
	}
	return scene;
}

static inline void ends_well(struct kernel *k, const struct engine_result *result)
{
	if (result->error || k->records.n[RECORD_END] < 1)
		kernel_fail(k, "error %d", result->error);
}

#endif
