/* SPDX-License-Identifier: MIT */
/*
 * Sessions of this process: the memory of the target is written through our own tid. Threads are
 * invented. A tid that does not exist stands for a thread that has ended.
 */
#ifndef TESTS_UNIT_SESSION_FIXTURE_H
#define TESTS_UNIT_SESSION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/calls/session_ticks.h"
#include "supervisor/os/say.h"
#include "supervisor/target/target.h"

#define TICK_NS UINT64_C(10000000)
#define AT      UINT64_C(0x1000)
#define STREAM  1
#define NO_TID  0x3ffffff /* beyond PID_MAX_LIMIT */

struct world {
	struct target target;
	struct say say;
	struct sessions sessions;
	struct process *process;
	struct tracee *thread;
	struct tracee *other; /* a second thread, which may be stopped, too; NULL: none */
	bool busy;            /* @thread cannot be stopped */
	unsigned changes, interrupts, begun, seen;
	uint32_t count[4]; /* counters for AT to AT + 15 */
};

static inline void changed(void *context)
{
	struct world *w = context;

	w->changes++;
}

static inline void begins(void *context, const struct process *process)
{
	struct world *w = context;

	w->begun += process == w->process;
}

/* In place of the reader of the threads' CPU times, which tests invent: counts the calls. */
static inline void see(void *context, const struct process *process)
{
	struct world *w = context;

	w->seen += process == w->process;
}

static inline bool interrupt(void *context, struct tracee *t)
{
	struct world *w = context;

	assert_true(t == w->thread || t == w->other);
	if (t == w->thread && w->busy)
		return false;
	w->interrupts++;
	return true;
}

static inline int begin(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->sessions = (struct sessions){.target = &w->target,
		.say = &w->say,
		.streams = 4,
		.changed = changed,
		.begins = begins,
		.see = see,
		.interrupt = interrupt,
		.context = w};
	assert_int_equal(target_add_process(&w->target, (int)getpid(), 1, NULL, &w->process), 0);
	assert_int_equal(target_add(&w->target, (int)getpid(), w->process, &w->thread), 0);
	*state = w;
	return 0;
}

static inline int end(void **state)
{
	struct world *w = *state;

	for (size_t i = 0; i < w->target.processes; i++)
		session_clear(&w->sessions, w->target.process[i]);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(w->sessions.threads, 0);
	assert_int_equal(w->sessions.elapsed, 0);
	assert_int_equal(w->sessions.unreported, 0);
	target_release(&w->target);
	free(w);
	return 0;
}

static inline struct call_region region_of(const struct world *w)
{
	return (struct call_region){.base = (uint64_t)(uintptr_t)w->count,
		.bytes = sizeof(w->count),
		.offset = AT,
		.scale = 0x10000};
}

static inline int on(struct world *w, uint32_t flags)
{
	struct call_region region = region_of(w);

	return session_set(&w->sessions, w->process, CALL_NATIVE, flags, 4, &region, 1);
}

static inline int on_thread(struct world *w, uint32_t flags)
{
	struct call_region region = region_of(w);

	return session_set_thread(&w->sessions, w->thread, CALL_NATIVE, flags, 4, &region, 1);
}

static inline struct call_status status_of(struct world *w, bool end_of_it)
{
	struct call_status status;

	session_status(&w->sessions, w->process, end_of_it, &status);
	return status;
}

static inline void tick(struct world *w, uint64_t pc, uint64_t weight_ns)
{
	session_tick(&w->sessions, w->thread, STREAM, pc, false, weight_ns);
}

#define SESSION_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
