/* SPDX-License-Identifier: MIT */
/*
 * Sessions, with this process as the target: its memory is written through its own tid. Threads are
 * invented; a tid that does not exist stands for a thread that has ended.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "supervisor/calls/session_ticks.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/say.h"
#include "supervisor/target/target.h"

#define TICK_NS UINT64_C(10000000)
#define AT      UINT64_C(0x1000)
#define STREAM  1
#define NO_TID  0x3ffffff /* Beyond PID_MAX_LIMIT. */

struct world {
	struct target target;
	struct say say;
	struct sessions sessions;
	struct process *process;
	struct tracee *thread;
	unsigned changes, interrupts, begun, seen;
	uint32_t count[4]; /* counters for AT to AT + 15 */
};

static void changed(void *context)
{
	struct world *w = context;

	w->changes++;
}

static void begins(void *context, const struct process *process)
{
	struct world *w = context;

	w->begun += process == w->process;
}

/* Stands for the reading of the threads' CPU times, which are invented, too. */
static void see(void *context, const struct process *process)
{
	struct world *w = context;

	w->seen += process == w->process;
}

static void interrupt(void *context, struct tracee *t)
{
	struct world *w = context;

	assert_ptr_equal(t, w->thread);
	w->interrupts++;
}

static int begin(void **state)
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

static int end(void **state)
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

static struct call_region region_of(const struct world *w)
{
	return (struct call_region){.base = (uint64_t)(uintptr_t)w->count,
		.bytes = sizeof(w->count),
		.offset = AT,
		.scale = 0x10000};
}

static int on(struct world *w, uint32_t flags)
{
	struct call_region region = region_of(w);

	return session_set(&w->sessions, w->process, CALL_NATIVE, flags, 4, &region, 1);
}

static int on_thread(struct world *w, uint32_t flags)
{
	struct call_region region = region_of(w);

	return session_set_thread(&w->sessions, w->thread, CALL_NATIVE, flags, 4, &region, 1);
}

static struct call_status status_of(struct world *w, bool end_of_it)
{
	struct call_status status;

	session_status(&w->sessions, w->process, end_of_it, &status);
	return status;
}

static void tick(struct world *w, uint64_t pc, uint64_t weight_ns)
{
	session_tick(&w->sessions, w->thread, STREAM, pc, false, weight_ns);
}

/* A clock is restarted only for another period, because each change of it wakes a thread. */
static void test_session__same_period_keeps_the_clock(void **state)
{
	struct world *w = *state;
	unsigned stream;

	assert_int_equal(on(w, 0), 0);
	stream = w->process->session->stream;
	w->changes = w->begun = 0;
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(w->changes, 1);
	assert_int_equal(w->begun, 1);
	assert_int_equal(w->process->session->stream, stream);
	assert_int_equal(w->sessions.n, 1);
	w->changes = 0;
	assert_int_equal(on(w, CALL_FAST), 0);
	assert_int_equal(w->changes, 2); /* none any more, and the new one */
	assert_int_equal(session_period_ns(&w->sessions, w->process->session->stream),
		call_period_ns(CALL_NATIVE, CALL_FAST));
	/* A session that has ended has no clock. */
	w->process->session->untidy = w->process->session->off = w->sessions.untidy = true;
	session_tidy(&w->sessions);
	w->changes = 0;
	assert_int_equal(on(w, CALL_FAST), 0);
	assert_int_equal(w->changes, 2);
	assert_int_equal(w->sessions.n, 1);
}

static void test_session__a_tick_is_a_period_of_weight(void **state)
{
	struct world *w = *state;

	assert_int_equal(on(w, 0), 0);
	assert_int_equal(w->sessions.n, 1);
	assert_int_equal(w->changes, 2); /* none any more, and the new one */
	tick(w, AT, TICK_NS);
	assert_int_equal(w->count[0], 1);
	tick(w, AT + 4, 3 * TICK_NS);
	assert_int_equal(w->count[1], 3);
	/* A weight below a tick is kept for the next tick, whichever thread it comes from. */
	tick(w, AT + 8, TICK_NS / 2);
	assert_int_equal(w->count[2], 0);
	tick(w, AT + 8, TICK_NS - 1);
	assert_int_equal(w->count[2], 1);
	tick(w, AT + 8, TICK_NS / 2 + 1);
	assert_int_equal(w->count[2], 2);
	/* This instant is of another stream. */
	session_tick(&w->sessions, w->thread, STREAM + 1, AT, false, TICK_NS);
	assert_int_equal(w->count[0], 1);
	assert_int_equal(w->sessions.figures.counted, 6);
	assert_int_equal(status_of(w, false).counted, 6);
}

/* CPU time that no instant found is reported as lost, less one tick of each live thread. */
static void test_session__status_tells_what_no_instant_met(void **state)
{
	struct world *w = *state;
	struct tracee *other;

	w->thread->account.seen.run_ns = 7 * TICK_NS;
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(w->seen, 1);
	assert_int_equal(status_of(w, false).lost, 0);
	w->thread->account.seen.run_ns += 2 * TICK_NS - 1;
	assert_int_equal(status_of(w, false).lost, 0);
	w->thread->account.seen.run_ns += 3 * TICK_NS + 1;
	assert_int_equal(status_of(w, false).lost, 4);
	assert_int_equal(w->seen, 4);
	/*
	 * CPU time of instants that found the thread, wherever they count, is not lost; the next
	 * tick makes up for some of the rest.
	 */
	tick(w, AT, 3 * TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS / 2);
	assert_int_equal(status_of(w, false).lost, 0);
	/* No further instant will find a thread that has ended. */
	assert_int_equal(target_add(&w->target, NO_TID, w->process, &other), 0);
	other->account.seen.run_ns = 3 * TICK_NS;
	assert_int_equal(status_of(w, false).lost, 2);
	session_thread_ended(other);
	target_remove(&w->target, other);
	assert_int_equal(status_of(w, false).lost, 3);
	assert_int_equal(status_of(w, true).lost, 3);
	/* The next table begins without lost time. */
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(status_of(w, false).lost, 0);
}

static void test_session__status_tells_where_ticks_went(void **state)
{
	struct world *w = *state;
	struct call_status s;

	assert_int_equal(status_of(w, false).state, CALL_IS_OFF);
	assert_int_equal(on(w, CALL_USER), 0);
	w->count[3] = UINT32_MAX - 1;
	tick(w, AT, TICK_NS);
	tick(w, AT + 16, 2 * TICK_NS);
	tick(w, AT + 12, 4 * TICK_NS);
	session_tick(&w->sessions, w->thread, STREAM, AT, true, 5 * TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, 6 * TICK_NS);
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_IS_ON);
	assert_int_equal(s.reason, CALL_NO_REASON);
	assert_int_equal(s.regions, 1);
	assert_int_equal(s.dead, 0);
	assert_int_equal(s.tick_ns, TICK_NS);
	assert_int_equal(s.counted, 2);
	assert_int_equal(s.outside, 13);
	assert_int_equal(s.full, 3);
	assert_int_equal(s.faulted + s.lost, 0);
	assert_int_equal(w->sessions.figures.dropped, 13);
	assert_int_equal(status_of(w, true).state, CALL_IS_OFF);
}

static void test_session__ticks_of_sleepers_are_counted_at_the_next_stop(void **state)
{
	struct world *w = *state;

	assert_int_equal(on(w, 0), 0);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, 2 * TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT + 4, TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM + 1, AT, TICK_NS);
	assert_int_equal(w->count[0] + w->count[1], 0);
	session_ask_stop(&w->sessions, w->thread);
	assert_int_equal(w->interrupts, 1);
	assert_int_equal(status_of(w, false).lost, 0);
	assert_int_equal(status_of(w, true).lost, 4); /* "Off" now would lose them. */
	tick(w, AT + 8, TICK_NS);
	assert_int_equal(w->count[0], 3);
	assert_int_equal(w->count[1], 1);
	assert_int_equal(w->count[2], 1);
	assert_int_equal(status_of(w, true).lost, 0);
	session_ask_stop(&w->sessions, w->thread);
	assert_int_equal(w->interrupts, 1);
	/*
	 * If there is no room for a further address, its ticks are added to those of another one.
	 */
	for (unsigned i = 0; i < SESSION_LEFT_MOST + 3; i++)
		session_tick_asleep(&w->sessions, w->thread, STREAM, AT + 100 + i, TICK_NS);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(status_of(w, false).outside, SESSION_LEFT_MOST + 3);
	/* A table that is replaced loses its ticks that are not written yet. */
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, 2 * TICK_NS);
	assert_int_equal(on(w, 0), 0);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 3);
	assert_int_equal(w->sessions.figures.lost, 2);
}

/*
 * A sleeping thread may sleep for a long time: a stop is requested when its unwritten ticks are one
 * tick old.
 */
static void test_session__what_sleepers_left_is_written_within_a_tick(void **state)
{
	struct world *w = *state;
	uint64_t at, before = clock_now();

	assert_int_equal(on(w, 0), 0);
	w->thread->state = TRACEE_RUNNING;
	session_poll(&w->sessions, before);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	at = w->sessions.write_at_ns;
	assert_in_range(at, before + TICK_NS, clock_now() + TICK_NS);
	session_poll(&w->sessions, at - 1);
	assert_int_equal(w->interrupts, 0);
	session_poll(&w->sessions, at);
	assert_int_equal(w->interrupts, 1);
	/* The stop does not come: it is requested again, later. */
	at = w->sessions.write_at_ns;
	w->thread->state = TRACEE_LISTENING;
	session_poll(&w->sessions, at);
	assert_int_equal(w->interrupts, 1);
	w->thread->state = TRACEE_RUNNING;
	session_poll(&w->sessions, w->sessions.write_at_ns);
	assert_int_equal(w->interrupts, 2);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 1);
	session_poll(&w->sessions, w->sessions.write_at_ns);
	assert_int_equal(w->interrupts, 2);
	assert_int_equal(w->sessions.write_at_ns, 0);
}

/*
 * The time that instants missed in one child is chance; that of all ended children together counts
 * as lost by the parent.
 */
static void test_session__what_ended_children_lack_is_lost_by_the_parent(void **state)
{
	struct world *w = *state;
	struct process *child;
	struct tracee *t;

	assert_int_equal(on(w, 0), 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(
			target_add_process(&w->target, NO_TID, w->process->pid, NULL, &child), 0);
		assert_int_equal(target_add(&w->target, NO_TID, child, &t), 0);
		session_fork(&w->sessions, w->process, child);
		t->account.seen.run_ns = 5 * TICK_NS;
		/* Every other child is found too often. */
		session_tick_asleep(&w->sessions, t, STREAM, AT, (i % 2 ? 6 : 2) * TICK_NS);
		session_thread_ended(t);
		child->session->left_n = 0; /* the ticks are written */
		target_remove(&w->target, t);
		session_clear(&w->sessions, child);
		target_remove_process(&w->target, child);
	}
	assert_int_equal(status_of(w, false).lost, 4);
	/* A child with another table has nothing to do with this one. */
	assert_int_equal(target_add_process(&w->target, NO_TID, w->process->pid, NULL, &child), 0);
	assert_int_equal(target_add(&w->target, NO_TID, child, &t), 0);
	session_fork(&w->sessions, w->process, child);
	t->account.seen.run_ns = 5 * TICK_NS;
	assert_int_equal(on(w, 0), 0);
	session_clear(&w->sessions, child);
	assert_int_equal(status_of(w, false).lost, 0);
}

static void test_session__threads_that_cannot_be_reached_leave_their_ticks(void **state)
{
	struct world *w = *state;
	struct tracee *gone;

	assert_int_equal(on(w, 0), 0);
	assert_int_equal(target_add(&w->target, NO_TID, w->process, &gone), 0);
	/*
	 * The leader is not the only thread: memory is written through the other threads' tids,
	 * none of which lives.
	 */
	tick(w, AT, TICK_NS);
	assert_int_equal(w->count[0], 0);
	assert_int_equal(status_of(w, false).counted, 0);
	target_remove(&w->target, gone);
	tick(w, AT + 4, TICK_NS);
	assert_int_equal(w->count[0], 1);
	assert_int_equal(w->count[1], 1);
}

static void test_session__a_region_that_faults_dies_alone(void **state)
{
	struct world *w = *state;
	struct call_region regions[3];
	struct call_status s;

	for (unsigned i = 0; i < 3; i++) {
		regions[i] = region_of(w);
		regions[i].offset = AT + 0x1000 * i;
	}
	regions[1].base = 0x1000; /* nothing is there */
	assert_int_equal(session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, regions, 3), 0);
	tick(w, AT + 0x1000, 2 * TICK_NS);
	tick(w, AT + 0x1000, TICK_NS); /* Before the regions are tidied. */
	assert_true(w->sessions.untidy);
	session_tidy(&w->sessions);
	assert_false(w->sessions.untidy);
	tick(w, AT + 0x1000, TICK_NS);
	tick(w, AT + 0x2000, TICK_NS);
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_IS_ON);
	assert_int_equal(s.dead, 1);
	assert_int_equal(s.first_dead[0], 1);
	assert_int_equal(s.faulted, 2);
	assert_int_equal(s.outside, 2);
	assert_int_equal(s.counted, 1);
	assert_int_equal(w->sessions.figures.faults, 1);
	assert_int_equal(w->sessions.figures.dropped, 4);
	assert_int_equal(w->count[0], 1);
	/* When the last regions are dead, too, the session ends, which is reported once. */
	assert_int_equal(
		session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, &regions[1], 1), 0);
	tick(w, AT + 0x1000, TICK_NS);
	w->changes = 0;
	session_tidy(&w->sessions);
	assert_int_equal(w->changes, 1);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(w->sessions.unreported, 1);
	w->sessions.untidy = true; /* Another session is untidy. */
	session_tidy(&w->sessions);
	assert_int_equal(w->changes, 1);
	assert_int_equal(w->sessions.unreported, 1);
	tick(w, AT + 0x1000, TICK_NS);
	w->sessions.idle_since_ns = 0;
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_HAS_ENDED);
	assert_int_equal(s.reason, CALL_FAULT);
	assert_int_equal(s.faulted, 1);
	assert_int_equal(w->sessions.unreported, 0);
	assert_true(w->sessions.idle_since_ns != 0);
	assert_int_equal(session_period_ns(&w->sessions, STREAM), 0);
	/* An end that was never reported is forgotten when the program has a new table. */
	assert_int_equal(
		session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, &regions[1], 1), 0);
	tick(w, AT + 0x1000, TICK_NS);
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.unreported, 1);
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(w->sessions.unreported, 0);
}

static void test_session__more_dead_regions_than_are_listed(void **state)
{
	struct world *w = *state;
	struct call_region regions[CALL_DEAD_LISTED + 3];
	struct call_status s;

	for (unsigned i = 0; i < CALL_DEAD_LISTED + 3; i++) {
		regions[i] = region_of(w);
		regions[i].offset = AT + 0x1000 * i;
		regions[i].base = 0x1000; /* nothing is there */
	}
	assert_int_equal(session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, regions,
				 CALL_DEAD_LISTED + 3),
		0);
	for (unsigned i = 1; i < CALL_DEAD_LISTED + 3; i++)
		tick(w, AT + 0x1000 * i, TICK_NS);
	session_tidy(&w->sessions);
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_IS_ON);
	assert_int_equal(s.dead, CALL_DEAD_LISTED + 2);
	for (unsigned i = 0; i < CALL_DEAD_LISTED; i++)
		assert_int_equal(s.first_dead[i], i + 1);
}

/*
 * The supervisor may no longer write to the target (C20): the session ends and reports why. False:
 * this could not be tried.
 */
static bool ends_when_hidden(struct world *w)
{
	struct tracee *init;
	struct call_status s;

	/* An ordinary user cannot access the memory of init, which is no thread of the test. */
	if ((geteuid() == 0 && setresuid(65534, 65534, 65534) < 0) ||
		target_add(&w->target, 1, w->process, &init) < 0 || on(w, 0) < 0)
		return false;
	tick(w, AT, TICK_NS);
	if (w->count[0] || !w->sessions.untidy)
		return false;
	session_tidy(&w->sessions);
	s = status_of(w, false);
	return !w->sessions.n && s.state == CALL_HAS_ENDED && s.reason == CALL_HIDDEN &&
		!s.counted && !s.faulted;
}

static void test_session__a_process_that_hides_has_ended(void **state)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(ends_when_hidden(*state) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_session__all_are_tidied(void **state)
{
	struct world *w = *state;
	struct call_region region = region_of(w);
	struct process *process;
	struct tracee *thread;

	assert_int_equal(target_add_process(&w->target, NO_TID, 1, NULL, &process), 0);
	assert_int_equal(target_add(&w->target, NO_TID, process, &thread), 0);
	assert_int_equal(session_set(&w->sessions, process, CALL_NATIVE, 0, 4, &region, 1), 0);
	assert_int_equal(session_set_thread(&w->sessions, thread, CALL_NATIVE,
				 200 << CALL_TICK_SHIFT, 4, &region, 1),
		0);
	assert_int_equal(session_period_ns(&w->sessions, thread->session->stream), 2000000);
	process->session->off = process->session->untidy = w->sessions.untidy = true;
	thread->session->off = thread->session->untidy = true;
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(w->sessions.unreported, 1);
	/* Tables of both the process and its thread. */
	assert_int_equal(on_thread(w, 0), 0);
	session_clear(&w->sessions, process);
	assert_int_equal(w->sessions.threads, 1);
	assert_int_equal(w->sessions.unreported, 0);
	assert_null(thread->session);
}

static void test_session__system_v_ends_when_a_counter_is_full(void **state)
{
	struct world *w = *state;
	static uint16_t count;
	struct call_region region = {
		.base = (uint64_t)(uintptr_t)&count, .bytes = 2, .offset = AT, .scale = 0x8000};
	struct call_status s;

	count = 32766;
	assert_int_equal(session_set(&w->sessions, w->process, CALL_SYSV, 0, 2, &region, 1), 0);
	tick(w, AT, TICK_NS);
	tick(w, AT, TICK_NS);
	assert_int_equal(count, 32767);
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.n, 0);
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_HAS_ENDED);
	assert_int_equal(s.reason, CALL_FULL);
}

static void test_session__system_v_ends_at_a_fault(void **state)
{
	struct world *w = *state;
	struct call_region region = {.base = 0x1000, .bytes = 2, .offset = AT, .scale = 0x8000};

	assert_int_equal(session_set(&w->sessions, w->process, CALL_SYSV, 0, 2, &region, 1), 0);
	tick(w, AT, TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(status_of(w, false).reason, CALL_FAULT);
	assert_int_equal(status_of(w, false).faulted, 1);
	/* Unwritten ticks of sleeping threads at the end of a session are lost, and reported. */
	assert_int_equal(session_set(&w->sessions, w->process, CALL_SYSV, 0, 2, &region, 1), 0);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, 2 * TICK_NS);
	w->process->session->off = w->process->session->untidy = w->sessions.untidy = true;
	session_tidy(&w->sessions);
	assert_int_equal(status_of(w, false).lost, 2);
	assert_int_equal(status_of(w, true).lost, 2);
	assert_int_equal(w->sessions.figures.lost, 2);
}

static void test_session__each_period_has_a_stream(void **state)
{
	static const uint32_t units[] = {100, 200, 300, 400};
	struct world *w = *state;
	struct process *process[4];
	struct tracee *thread;
	struct call_region region = region_of(w);

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(
			target_add_process(&w->target, NO_TID + (int)i, 1, NULL, &process[i]), 0);
		assert_int_equal(session_set(&w->sessions, process[i], CALL_NATIVE,
					 units[i] << CALL_TICK_SHIFT, 4, &region, 1),
			0);
	}
	assert_int_equal(session_period_ns(&w->sessions, 1), 1000000);
	assert_int_equal(session_period_ns(&w->sessions, 2), 2000000);
	/* There are three streams: the fourth period uses the last one. */
	assert_int_equal(session_period_ns(&w->sessions, 3), 3000000);
	assert_int_equal(process[3]->session->stream, 3);
	/* Tables of equal periods share a stream. */
	assert_int_equal(on_thread(w, 200 << CALL_TICK_SHIFT), 0);
	assert_int_equal(w->thread->session->stream, 2);
	session_clear(&w->sessions, process[1]);
	/* The period of the thread's table. */
	assert_int_equal(session_period_ns(&w->sessions, 2), 2000000);
	session_clear_thread(&w->sessions, w->thread);
	assert_int_equal(session_period_ns(&w->sessions, 2), 0);
	assert_int_equal(target_add(&w->target, NO_TID, process[0], &thread), 0);
	session_tick(&w->sessions, thread, 2, AT, false, TICK_NS);
	assert_int_equal(w->sessions.figures.counted, 0);
}

static void test_session__a_thread_has_one_beside_its_process(void **state)
{
	struct world *w = *state;
	struct tracee *other;
	struct process *process;

	assert_int_equal(on(w, 0), 0);
	w->begun = 0;
	assert_int_equal(on_thread(w, 0), 0);
	assert_int_equal(w->begun, 1);
	/* A refused table changes nothing. */
	assert_int_equal(
		session_set_thread(&w->sessions, w->thread, CALL_NATIVE, 0, 3, NULL, 0), -EINVAL);
	assert_int_equal(w->begun, 1);
	assert_int_equal(w->sessions.n, 2);
	assert_int_equal(w->sessions.threads, 1);
	tick(w, AT, TICK_NS);
	assert_int_equal(w->count[0], 2);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	session_ask_stop(&w->sessions, w->thread);
	assert_int_equal(w->interrupts, 1);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 4);
	session_ask_stop(&w->sessions, w->thread);
	assert_int_equal(w->interrupts, 1);
	assert_int_equal(on_thread(w, 0), 0); /* Replaces the other table. */
	assert_int_equal(w->sessions.threads, 1);
	session_clear_thread(&w->sessions, w->thread);
	session_clear_thread(&w->sessions, w->thread);
	assert_int_equal(w->sessions.threads, 0);
	assert_int_equal(w->sessions.n, 1);
	/* A table without regions is no table. */
	w->sessions.idle_since_ns = 0;
	assert_int_equal(on_thread(w, 0), 0);
	assert_int_equal(
		session_set_thread(&w->sessions, w->thread, CALL_NATIVE, 0, 4, NULL, 0), 0);
	assert_int_equal(w->sessions.threads, 0);
	assert_int_equal(w->sessions.idle_since_ns, 0); /* The process's table is in force. */
	/* "Off" for a process is also off for its threads, but not for those of another process. */
	assert_int_equal(on_thread(w, 0), 0);
	assert_int_equal(target_add_process(&w->target, NO_TID, 1, NULL, &process), 0);
	assert_int_equal(target_add(&w->target, NO_TID, process, &other), 0);
	session_clear(&w->sessions, process);
	assert_int_equal(w->sessions.n, 2);
	session_clear(&w->sessions, w->process);
	assert_int_equal(w->sessions.n, 0);
	assert_null(w->thread->session);
	assert_true(w->sessions.idle_since_ns != 0);
	/* The end of a thread's own session is not reported. */
	assert_int_equal(on_thread(w, 0), 0);
	w->thread->session->off = w->thread->session->untidy = w->sessions.untidy = true;
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(w->sessions.unreported, 0);
	session_clear_thread(&w->sessions, w->thread);
}

static void test_session__a_table_that_counts_nothing_is_none(void **state)
{
	struct world *w = *state;
	struct call_region region = region_of(w);

	assert_int_equal(on(w, 0), 0);
	region.scale = 1;
	assert_int_equal(session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, &region, 1), 0);
	assert_null(w->process->session);
	assert_int_equal(w->sessions.n, 0);
	/* An invalid table changes nothing. */
	assert_int_equal(on(w, 0), 0);
	region.scale = 0x10000;
	region.base = UINT64_MAX;
	assert_int_equal(
		session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, &region, 1), -EINVAL);
	assert_int_equal(w->sessions.n, 1);
}

static void test_session__fork_copies_what_is_in_force(void **state)
{
	struct world *w = *state;
	struct process *child, *grandchild;

	assert_int_equal(target_add_process(&w->target, NO_TID, 1, NULL, &child), 0);
	assert_int_equal(target_add_process(&w->target, NO_TID + 1, 1, NULL, &grandchild), 0);
	session_fork(&w->sessions, w->process, child);
	assert_null(child->session);
	assert_int_equal(on(w, 0), 0);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	w->process->session->dead[0] = 1;
	session_fork(&w->sessions, w->process, child);
	assert_non_null(child->session);
	assert_int_equal(w->sessions.n, 2);
	assert_ptr_equal(child->session->table, w->process->session->table);
	assert_int_equal(child->session->table->references, 2);
	assert_int_equal(child->session->stream, STREAM);
	assert_int_equal(child->session->dead[0], 1);
	assert_int_equal(child->session->left_n, 0);
	child->session->off = true;
	session_fork(&w->sessions, child, grandchild);
	assert_null(grandchild->session);
}

static void look(struct world *w, uint64_t run_ms, uint64_t wait_ms, uint64_t now_ms, uint64_t pc)
{
	struct cpu_time cpu = {run_ms * 1000000, wait_ms * 1000000, 1};

	session_elapse(&w->sessions, w->thread, &cpu, now_ms * 1000000, pc ? &pc : NULL);
}

static void test_session__elapsed_time_is_counted_where_a_thread_is_blocked(void **state)
{
	struct world *w = *state;

	look(w, 0, 0, 0, AT); /* There is no table. */
	assert_int_equal(session_elapsed_period_ns(w->thread), 0);
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(session_elapsed_period_ns(w->thread), 0);
	look(w, 0, 0, 500, AT); /* There is a table, but not one of elapsed time. */
	assert_int_equal(on(w, CALL_WALL), 0);
	assert_int_equal(w->sessions.elapsed, 1);
	assert_int_equal(session_elapsed_period_ns(w->thread), TICK_NS);
	look(w, 3000, 2000, 1000, AT); /* The beginning. */
	look(w, 3000, 2000, 1009, AT);
	look(w, 3001, 2000, 1021, AT);     /* 20 ms off its CPU. */
	look(w, 3051, 2000, 1081, AT + 4); /* 30 ms. */
	look(w, 3091, 2000, 1121, 0);      /* It ran. */
	look(w, 3091, 2000, 1130, AT + 4); /* 39 ms. */
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 2);
	assert_int_equal(w->count[1], 1);
	look(w, 3091, 2000, 1131, AT + 8);
	/* A CPU time ahead of the clock subtracts nothing. */
	look(w, 3500, 2000, 1131, AT + 8);
	look(w, 3091, 2000, 1140, AT + 8);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[2], 1);
	/* Another table begins again. */
	assert_int_equal(on(w, CALL_WALL), 0);
	look(w, 3091, 2000, 5000, AT);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 2);
}

static void test_session__waiting_for_a_cpu_is_counted_where_the_thread_runs(void **state)
{
	struct world *w = *state;

	assert_int_equal(on(w, CALL_WALL), 0);
	look(w, 0, 100, 1000, 0);
	look(w, 0, 125, 1025, 0);
	tick(w, AT, TICK_NS); /* This is a tick by itself. */
	assert_int_equal(w->count[0], 3);
	tick(w, AT, TICK_NS);
	assert_int_equal(w->count[0], 4);
	/* 65 ms off the CPU; two ticks of it were counted above. */
	look(w, 20, 130, 1085, AT + 4);
	tick(w, AT + 8, TICK_NS);
	assert_int_equal(w->count[1], 4);
	assert_int_equal(w->count[2], 1);
	look(w, 30, 145, 1110, 0);
	tick(w, AT + 12, TICK_NS);
	assert_int_equal(w->count[3], 2);
	/* Time in system calls counts as outside. */
	assert_int_equal(on(w, CALL_WALL | CALL_USER), 0);
	look(w, 0, 0, 1000, AT);
	look(w, 0, 0, 1050, AT);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(status_of(w, false).outside, 5);
}

static void test_session__elapsed_time_at_too_many_places_is_lost(void **state)
{
	struct world *w = *state;
	uint64_t now = 1000;

	assert_int_equal(on_thread(w, CALL_WALL), 0);
	look(w, 0, 0, now, AT);
	for (unsigned i = 0; i < SESSION_ELAPSED_MOST + 3; i++)
		look(w, 0, 0, now += 10, 0x100000 + i);
	look(w, 0, 0, now += 10, 0x100000);
	assert_int_equal(w->thread->session->tally.lost, 3);
	assert_int_equal(w->sessions.figures.lost, 3);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->thread->session->tally.outside, SESSION_ELAPSED_MOST + 1);
	/* The shorter of two ticks. */
	assert_int_equal(on(w, CALL_WALL | 100 << CALL_TICK_SHIFT), 0);
	assert_int_equal(session_elapsed_period_ns(w->thread), 1000000);
	assert_int_equal(on(w, CALL_WALL | 3000 << CALL_TICK_SHIFT), 0);
	assert_int_equal(session_elapsed_period_ns(w->thread), TICK_NS);
	session_clear_thread(&w->sessions, w->thread);
	assert_int_equal(session_elapsed_period_ns(w->thread), 3 * TICK_NS);
}

#define SESSION_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(test_session__same_period_keeps_the_clock),
		SESSION_TEST(test_session__a_tick_is_a_period_of_weight),
		SESSION_TEST(test_session__status_tells_what_no_instant_met),
		SESSION_TEST(test_session__status_tells_where_ticks_went),
		SESSION_TEST(test_session__ticks_of_sleepers_are_counted_at_the_next_stop),
		SESSION_TEST(test_session__what_sleepers_left_is_written_within_a_tick),
		SESSION_TEST(test_session__what_ended_children_lack_is_lost_by_the_parent),
		SESSION_TEST(test_session__threads_that_cannot_be_reached_leave_their_ticks),
		SESSION_TEST(test_session__a_region_that_faults_dies_alone),
		SESSION_TEST(test_session__more_dead_regions_than_are_listed),
		SESSION_TEST(test_session__a_process_that_hides_has_ended),
		SESSION_TEST(test_session__all_are_tidied),
		SESSION_TEST(test_session__system_v_ends_when_a_counter_is_full),
		SESSION_TEST(test_session__system_v_ends_at_a_fault),
		SESSION_TEST(test_session__each_period_has_a_stream),
		SESSION_TEST(test_session__a_thread_has_one_beside_its_process),
		SESSION_TEST(test_session__a_table_that_counts_nothing_is_none),
		SESSION_TEST(test_session__fork_copies_what_is_in_force),
		SESSION_TEST(test_session__elapsed_time_is_counted_where_a_thread_is_blocked),
		SESSION_TEST(test_session__waiting_for_a_cpu_is_counted_where_the_thread_runs),
		SESSION_TEST(test_session__elapsed_time_at_too_many_places_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
