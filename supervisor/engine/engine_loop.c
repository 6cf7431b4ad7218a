/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/engine_loop.h"

#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/calls/session_ticks.h"
#include "supervisor/engine/control.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/figures.h"
#include "supervisor/engine/rotate.h"
#include "supervisor/engine/serving.h"
#include "supervisor/engine/stops.h"
#include "supervisor/os/proc_status.h"

#define SECOND_NS CLOCK_SECOND_NS
/* Interval between two steps of the sweep over all threads. */
#define SWEEP_NS 4000000
/*
 * serve_only: how long the helper stays attached after profiling ends, in ns, as the program may
 * soon begin profiling again.
 */
#define LINGER_NS 200000000

/*
 * Counts the stop requests to which no stop has come for a second. Each is counted once: the thread
 * is in the D state, or no CPU is free for it. But if the thread is a leader and a zombie, it has
 * ended, and is not counted. A wait reports the end of a leader only after that of its last thread
 * (race: leader_ends_while_asked).
 */
static void count_missed(struct engine *engine, uint64_t now)
{
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (t->state != TRACEE_STOP_REQUESTED || !t->stop_requested_ns ||
			now <= t->stop_requested_ns + SECOND_NS)
			continue;
		if (proc_status_is_zombie(t->tid)) {
			stops_overtaken(engine, t, SYS_exit);
		} else if (!t->missed) {
			t->missed = true;
			engine->audit.missed_stops++;
		}
	}
}

static void say_who_is_left(struct engine *engine)
{
	if (!engine->result->command_ended || engine->timing.said_who_is_left)
		return;
	engine->timing.said_who_is_left = true;
	say_line(&engine->say, SAY_NOTE,
		"the command has ended; %zu of its processes live on and are profiled (an "
		"interrupt "
		"lets them go)",
		engine->target.processes);
}

static void once_a_second(struct engine *engine, uint64_t now)
{
	char text[FIGURES_BYTES];

	if (now < engine->timing.audit_again_ns)
		return;
	say_who_is_left(engine);
	engine->timing.audit_again_ns = now + SECOND_NS;
	count_missed(engine, now);
	/*
	 * Deaths are handled before the figures are printed: the CPU time of threads that have
	 * ended must be in the figures.
	 */
	lifecycle_drain(engine);
	lifecycle_sweep(engine);
	if (figures_print(engine, now, text))
		(void)emit_audit(&engine->emitter, now, RECORD_AUDIT, 0, text);
}

/* Does the periodic work that is due. A call takes a bounded time. */
static void sweep(struct engine *engine, uint64_t now)
{
	if (engine->timing.begins_at_ns && now >= engine->timing.begins_at_ns) {
		engine->timing.begins_at_ns = 0;
		engine->timing.delayed = false;
		engine->audit.began_ns = now;
		counting_set(engine, !engine->timing.frozen);
		rotate_begin(engine, now);
	}
	sampling_keep(engine, now);
	if (reader_poll(engine, now, false))
		rotate_put_off(engine, clock_now());
	rotate_poll(engine, now);
	serving_poll(engine);
	session_tidy(&engine->sessions);
	session_poll(&engine->sessions, now);
	special_poll(&engine->special, 0);
	restart_expire(&engine->restarter, now);
	lifecycle_continue_command(engine, now);
	if (engine->births.early)
		birth_adopt_orphans(engine, now);
	choice_poll(engine, now);
	blocked_scan_tick(engine, now);
	elapse_tick(engine, now);
	if (now - engine->timing.swept_ns < SWEEP_NS)
		return;
	engine->timing.swept_ns = now;
	cpu_account_sweep(engine, now);
	bounds_keep(engine, now);
}

static void sleep_until(struct engine *engine, uint64_t until_ns)
{
	struct pollfd fds[5] = {
		{.fd = engine->signal_fd, .events = POLLIN},
		{.fd = engine->reader.link.pid ? engine->reader.link.request_fd : -1,
			.events = POLLIN},
		{.fd = engine->service.read_fd, .events = POLLIN},
		{.fd = engine->sampling.summons.bell_fd, .events = POLLIN},
		{.fd = engine->serving.fd, .events = POLLIN},
	};
	uint64_t rings;
	uint64_t now = clock_now();
	uint64_t left = until_ns > now ? until_ns - now : 0;
	struct timespec timeout = {(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};
	int n;

	watchdog_note(&engine->watchdog, 0);
	/*
	 * Just before the sleep: if a waiter calls this thread while it still runs, the kernel
	 * moves it to the waiter's CPU, where it does not preempt as a thread that wakes up does.
	 */
	sampling_rest(engine);
	n = ppoll(fds, 5, &timeout, NULL);
	now = clock_now();
	watchdog_note(&engine->watchdog, now);
	/*
	 * A hit that a CPU's waiter has found is served first: the thread that the waiter preempted
	 * cannot run until then.
	 */
	if (n > 0 && fds[3].revents)
		(void)!read(fds[3].fd, &rings, sizeof(rings));
	sampling_wake(engine, now);
	if (n > 0 && fds[0].revents)
		control_signals(engine);
	if (engine->life.undrained)
		lifecycle_drain(engine);
	else if (engine->life.search_due || (n > 0 && fds[0].revents))
		lifecycle_notice(engine, now);
	if (n <= 0)
		return;
	if (fds[1].revents & POLLIN)
		control_requests(engine);
	if (fds[2].revents & POLLIN)
		service_read(&engine->service);
	if (fds[4].revents)
		serving_read(engine);
}

/* Returns when an idle helper ends (CLOCK_MONOTONIC); 0: it has sessions, or this is no helper. */
static uint64_t leaves_at(const struct engine *engine)
{
	const struct sessions *sessions = &engine->sessions;

	return engine->options->serve_only && !sessions->n && !sessions->unreported
		? sessions->idle_since_ns + LINGER_NS
		: 0;
}

static bool over(struct engine *engine, uint64_t now)
{
	/* --duration is over. With --ring this counts as a request for the profile. */
	if (engine->timing.ends_at_ns && now >= engine->timing.ends_at_ns)
		engine->timing.stop = engine->rotation.asked = true;
	if (leaves_at(engine) && now >= leaves_at(engine))
		engine->timing.stop = true;
	return engine->timing.stop || !engine->target.tracees;
}

/*
 * Returns when the engine must wake up at the latest. It cannot rely on sampling instants, which
 * may be seconds apart.
 */
static uint64_t next_event(struct engine *engine)
{
	uint64_t next = sampling_next(engine),
		 others[] = {engine->timing.audit_again_ns, engine->timing.ends_at_ns,
			 engine->timing.begins_at_ns, engine->rotation.again_ns,
			 engine->restarter.next_ns, elapse_next(engine), engine->choice.next_ns,
			 engine->life.continues_at_ns, leaves_at(engine),
			 engine->sessions.write_at_ns,
			 engine->life.search_due ? engine->life.search_at_ns : 0,
			 engine->births.early || engine->options->wall
				 ? engine->timing.swept_ns + SWEEP_NS
				 : 0};

	if (engine->life.undrained)
		return 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i] && others[i] < next)
			next = others[i];
	return next;
}

static void call_begun(struct engine *engine)
{
	const struct engine_options *options = engine->options;

	if (engine->life.begun_called || (options->command && !engine->life.executed))
		return;
	engine->life.begun_called = true;
	if (options->begun)
		options->begun(options->context, engine->target.processes);
}

void engine_loop(struct engine *engine)
{
	uint64_t now = clock_now();

	sampling_begin(engine);
	while (!over(engine, now)) {
		sleep_until(engine, next_event(engine));
		now = clock_now();
		sweep(engine, now);
		call_begun(engine);
		emit_bell(&engine->emitter, now);
		once_a_second(engine, now);
	}
	engine->result->target_ended = !engine->timing.stop &&
		(uint32_t)engine->result->target_status != RECORD_EXIT_DETACHED;
}
