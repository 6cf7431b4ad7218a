/* SPDX-License-Identifier: MIT */
/*
 * The Nth allocation fails, for every N until all succeed: either the table is in force, or nothing
 * has changed, and a dead region stays dead. LeakSanitizer finds leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/calls/session.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/say.h"
#include "supervisor/target/target.h"
#include "tests/unit/no_memory.h"

#define REGIONS 3
#define CHILD   0x3ffffff /* no such process */

static const struct call_region regions[REGIONS] = {
	{.base = 0x10000, .bytes = 64, .offset = 0x1000, .scale = 0x10000},
	{.base = 0x20000, .bytes = 64, .offset = 0x1020, .scale = 0x10000},
	{.base = 0x30000, .bytes = 4, .offset = 0, .scale = 2},
};

static void test_session_memory__a_table_is_made_or_refused(void **state)
{
	static const enum call_dialect dialects[] = {CALL_NATIVE, CALL_AIX};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		unsigned long n = 0;
		int r = -ENOMEM;

		while (r < 0) {
			struct region_table *table = NULL;

			until_failure = ++n;
			r = region_table_new(dialects[i], 0, 4, regions, REGIONS, &table);
			until_failure = 0;
			assert_true(r == 0 || r == -ENOMEM);
			assert_true((r == 0) == (table != NULL));
			region_table_unref(table);
		}
		assert_true(n > 3);
	}
}

static void ignore_change(void *context)
{
	(void)context;
}

static void ignore_begin(void *context, const struct process *process)
{
	(void)context;
	(void)process;
}

static void count_message(void *context, enum say_kind kind, const char *line)
{
	assert_int_equal(kind, SAY_WARNING);
	assert_non_null(line);
	++*(unsigned *)context;
}

struct world {
	struct target target;
	struct say say;
	struct sessions sessions;
	struct process *process, *child;
	struct tracee *thread;
	unsigned messages;
};

static void begin(struct world *w)
{
	*w = (struct world){0};
	w->sessions = (struct sessions){.streams = 4,
		.changed = ignore_change,
		.begins = ignore_begin,
		.see = ignore_begin};
	w->sessions.target = &w->target;
	w->sessions.say = &w->say;
	w->say = (struct say){count_message, &w->messages};
	assert_int_equal(target_add_process(&w->target, (int)getpid(), 1, NULL, &w->process), 0);
	assert_int_equal(target_add_process(&w->target, CHILD, 1, NULL, &w->child), 0);
	assert_int_equal(target_add(&w->target, (int)getpid(), w->process, &w->thread), 0);
}

static void end(struct world *w)
{
	session_clear(&w->sessions, w->process);
	session_clear(&w->sessions, w->child);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(w->sessions.threads, 0);
	target_release(&w->target);
}

static int set(struct world *w, uint32_t count)
{
	return session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, regions, count);
}

static void test_session_memory__a_session_is_put_in_force_or_stays(void **state)
{
	unsigned long n = 0;
	int r = -ENOMEM;

	(void)state;
	while (r < 0) {
		struct world w;

		begin(&w);
		assert_int_equal(set(&w, 1), 0);
		until_failure = ++n;
		r = set(&w, REGIONS);
		until_failure = 0;
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(w.process->session->table->count, r == 0 ? REGIONS : 1);
		assert_int_equal(w.sessions.n, 1);
		end(&w);
	}
	assert_true(n > 6);
	for (n = 0, r = -ENOMEM; r < 0;) {
		struct world w;

		begin(&w);
		until_failure = ++n;
		r = session_set_thread(&w.sessions, w.thread, CALL_NATIVE, 0, 4, regions, REGIONS);
		until_failure = 0;
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(w.sessions.threads, r == 0 ? 1 : 0);
		assert_true((r == 0) == (w.thread->session != NULL));
		end(&w);
	}
}

static void test_session_memory__a_child_goes_on_without_its_counters(void **state)
{
	unsigned long n = 0;
	bool copied = false;

	(void)state;
	while (!copied) {
		struct world w;

		begin(&w);
		assert_int_equal(set(&w, REGIONS), 0);
		until_failure = ++n;
		session_fork(&w.sessions, w.process, w.child);
		copied = until_failure != 0;
		until_failure = 0;
		assert_true(copied == (w.child->session != NULL));
		assert_int_equal(w.messages, copied ? 0 : 1);
		assert_int_equal(w.sessions.n, copied ? 2 : 1);
		assert_int_equal(w.process->session->table->references, copied ? 2 : 1);
		end(&w);
	}
	assert_true(n > 3);
}

static void test_session_memory__a_dead_region_stays_dead(void **state)
{
	unsigned long n = 0;
	bool made_anew = false;

	(void)state;
	while (!made_anew) {
		struct region_hit hit;
		struct session *s;
		struct world w;

		begin(&w);
		assert_int_equal(set(&w, 2), 0);
		s = w.process->session;
		s->dead[0] = 2;
		s->untidy = w.sessions.untidy = true;
		until_failure = ++n;
		session_tidy(&w.sessions);
		made_anew = until_failure != 0;
		until_failure = 0;
		assert_false(s->untidy);
		assert_false(s->off);
		assert_int_equal(s->table->region[1].bytes, made_anew ? 0 : 64);
		assert_true(region_look_up(s->table, s->dead, 0x1020, &hit));
		assert_int_equal(hit.region, 0);
		end(&w);
	}
	assert_true(n > 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_session_memory__a_table_is_made_or_refused),
		cmocka_unit_test(test_session_memory__a_session_is_put_in_force_or_stays),
		cmocka_unit_test(test_session_memory__a_child_goes_on_without_its_counters),
		cmocka_unit_test(test_session_memory__a_dead_region_stays_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
