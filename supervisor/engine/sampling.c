/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "supervisor/calls/histogram.h"
#include "supervisor/engine/account.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/handover.h"
#include "supervisor/os/clock.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/priority.h"
#include "supervisor/os/waiter.h"
#include "supervisor/os/window.h"

/* For how long stops on other CPUs are looked for before the tracing thread sleeps. */
#define SPIN_NS 50000
/* How long before a waiter the tracing thread wakes up; how much longer it awaits it. */
#define LEAD_NS       40000
#define LEAD_MOST_NS  100000
#define LEAD_SPARE_NS 8000
#define AWAIT_NS      100000
/* In real time three quarters of a CPU may be used, and no more, over this long. */
#define OWN_SPAN_NS UINT64_C(1000000000)
#define OWN_PARTS   3 / 4

static int probe_activity(void *context, struct sample_thread *s, struct activity *ret_activity)
{
	struct tracee *t = s->owner;

	/* One that has been asked already, or is stopped, is none to ask. */
	if (t->state != TRACEE_RUNNING || mend_busy(t)) {
		*ret_activity = (struct activity){.syscall = -1};
		return 0;
	}
	return look_read_activity(context, t, ret_activity);
}

static int probe_cpu_time(void *context, struct sample_thread *s, struct cpu_time *ret_cpu)
{
	struct engine *engine = context;

	return procfiles_read_cpu(&engine->files, s->owner, ret_cpu);
}

static int probe_switched(void *context, struct sample_thread *s, uint64_t *ret_ns)
{
	struct engine *engine = context;

	return procfiles_read_switched(&engine->files, s->owner, ret_ns);
}

static int probe_last_cpu(void *context, struct sample_thread *s)
{
	struct engine *engine = context;

	return procfiles_read_last_cpu(&engine->files, s->owner);
}

static int probe_arrived(void *context, unsigned cpu, uint64_t *ret_ns)
{
	struct engine *engine = context;
	struct sampling *s = &engine->sampling;

	if ((int)cpu != s->host)
		return s->waiter[cpu].started ? cpu_waiter_stamp(&s->waiter[cpu], ret_ns)
					      : -ENODATA;
	return s->stamp_fd < 0 ? -ENODATA : procfs_read_switched(s->stamp_fd, ret_ns);
}

static bool probe_holds(void *context, unsigned cpu)
{
	struct engine *engine = context;
	struct cpu_waiter *w = &engine->sampling.waiter[cpu];

	return (int)cpu == engine->sampling.host || !w->started ||
		cpu_waiter_state(w) == CPU_WAITER_HOLDS;
}

/* Of the runnable threads of the machine this one is one, and each that holds a CPU for us. */
static int probe_runnable(void *context)
{
	struct engine *engine = context;
	struct sampling *s = &engine->sampling;
	int runnable = s->load_fd < 0 ? -1 : procfs_read_runnable(s->load_fd);

	if (runnable < 0)
		return -1;
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		runnable -= cpu_waiter_state(&s->waiter[i]) == CPU_WAITER_HOLDS;
	return runnable > 1 ? runnable - 1 : 0;
}

static const struct probe probe = {
	.activity = probe_activity,
	.cpu_time = probe_cpu_time,
	.switched = probe_switched,
	.last_cpu = probe_last_cpu,
	.arrived = probe_arrived,
	.holds = probe_holds,
	.runnable = probe_runnable,
};

int sampling_init(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	int number[CPU_SETSIZE];
	unsigned cpus = 0;
	uint64_t seed = 0;

	s->host = -1;
	s->lead_ns = LEAD_NS;
	s->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->bell_fd < 0)
		return -errno;
	s->load_fd = procfs_open_load();
	s->stamp_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	CPU_ZERO(&s->allowed);
	(void)sched_getaffinity(0, sizeof(s->allowed), &s->allowed);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &s->allowed))
			number[cpus++] = i;
	if (!cpus)
		number[cpus++] = 0;
	(void)getrandom(&seed, sizeof(seed), GRND_NONBLOCK);
	s->waiter = mem_new(cpus, sizeof(*s->waiter));
	if (!s->waiter)
		return -ENOMEM;
	return sampler_init(&s->sampler, &probe, engine, number, cpus, seed ^ clock_now());
}

static bool has_waiter(const struct sample_cpu *c)
{
	return c->way == SAMPLE_WAITER || c->way == SAMPLE_AWAITED;
}

static void use_waiters(struct engine *engine)
{
	struct sampling *s = &engine->sampling;

	for (unsigned i = 0; i < s->sampler.cpus; i++) {
		struct sample_cpu *c = &s->sampler.cpu[i];
		struct cpu_waiter *w = &s->waiter[i];
		uint64_t next = has_waiter(c) ? sampler_next(&s->sampler, i) : PLAN_NEVER;

		if (has_waiter(c) && !w->started)
			(void)cpu_waiter_start(
				w, c->number, s->bell_fd, &s->heard, s->sampler.realtime);
		if (w->started && atomic_load(&w->at_ns) != next)
			cpu_waiter_set(w, next);
	}
}

static void go_to(struct engine *engine, int host)
{
	struct sampling *s = &engine->sampling;
	cpu_set_t set = s->allowed;

	if (host == s->host)
		return;
	if (host >= 0) {
		CPU_ZERO(&set);
		CPU_SET(s->sampler.cpu[host].number, &set);
	}
	(void)sched_setaffinity(0, sizeof(set), &set);
	s->host = host;
}

void sampling_unpin(struct engine *engine)
{
	if (engine->sampling.begun)
		go_to(engine, -1);
}

/* Who waits where, from now on. */
static void take_ways(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;
	int host;

	if (now < s->sampler.ways_next_ns)
		return;
	host = (int)sampler_ways(&s->sampler, now);
	go_to(engine, host);
	use_waiters(engine);
}

void sampling_begin(struct engine *engine)
{
	struct sampling *s = &engine->sampling;

	if (!engine->options->no_realtime && priority_guard() == 0 && priority_realtime() == 0)
		s->sampler.realtime = true;
	else
		priority_prompt();
	engine->audit.realtime = s->sampler.realtime;
	say_line(&engine->say, SAY_DETAIL, "%s",
		s->sampler.realtime ? "the sampler has real-time priority (SCHED_FIFO)"
				    : "the sampler has no real-time priority");
	s->begun = true;
	s->used_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
	take_ways(engine, clock_now());
	sampling_set_periods(engine);
}

void sampling_release(struct engine *engine)
{
	struct sampling *s = &engine->sampling;

	for (unsigned i = 0; s->waiter && i < s->sampler.cpus; i++)
		cpu_waiter_stop(&s->waiter[i]);
	free(s->waiter);
	free(s->asked);
	s->waiter = NULL;
	s->asked = NULL;
	sampler_release(&s->sampler);
	if (s->bell_fd >= 0)
		(void)close(s->bell_fd);
	if (s->stamp_fd >= 0)
		(void)close(s->stamp_fd);
	if (s->load_fd >= 0)
		(void)close(s->load_fd);
	s->bell_fd = s->stamp_fd = s->load_fd = -1;
}

int sampling_add(struct engine *engine, struct tracee *t)
{
	struct sample_thread *thread = mem_new(1, sizeof(*thread));

	if (!thread)
		return -ENOMEM;
	if (sampler_add(&engine->sampling.sampler, thread, t) < 0) {
		free(thread);
		return -ENOMEM;
	}
	t->sample = thread;
	return 0;
}

static void forget_asked(struct sampling *s, const struct tracee *t)
{
	for (size_t i = 0; i < s->asked_n; i++) {
		if (s->asked[i] == t) {
			s->asked[i] = s->asked[--s->asked_n];
			return;
		}
	}
}

void sampling_remove(struct engine *engine, struct tracee *t)
{
	forget_asked(&engine->sampling, t);
	if (t->sample)
		sampler_remove(&engine->sampling.sampler, t->sample);
	free(t->sample);
	t->sample = NULL;
}

void sampling_set_periods(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t now = clock_now();

	if (!s->begun)
		return;
	sampler_set_period(&s->sampler, 0, engine->counting ? engine->period_ns : 0, now);
	for (unsigned i = 1; i < SAMPLING_HISTOGRAM; i++)
		sampler_set_period(&s->sampler, i, session_period_ns(&engine->sessions, i), now);
	sampler_set_period(&s->sampler, SAMPLING_HISTOGRAM,
		engine->counting && engine->options->histogram ? engine->period_ns : 0, now);
	use_waiters(engine);
}

bool sampling_ask(struct engine *engine, struct tracee *t)
{
	struct tracee_step step = tracee_step(t->state, TRACEE_ASK);

	if (step.action != TRACEE_INTERRUPT || mend_busy(t) ||
		launch_is_before_exec(&engine->launch, t->tid) ||
		!procfiles_claim(&engine->files, t) || tracer_interrupt(t->tid) < 0)
		return false;
	(void)target_step(t, TRACEE_ASK);
	t->asked_ns = t->not_stopped_ns = clock_now();
	t->asked_cpu = t->account.seen;
	t->missed = false;
	t->ordered = false;
	return true;
}

/* An instant of @cpu, at which the supervisor came at @woke. */
static void take_instant(struct engine *engine, unsigned cpu, uint64_t planned, uint64_t woke)
{
	struct sampling *s = &engine->sampling;
	bool here = (int)cpu == s->host;
	struct sample_thread *found;
	struct tracee *t;

	/* A table's tick is not given up: its counters are the program's, not the profile's. */
	if (budget_is_spent(&engine->budget) &&
		!(plan_due(&s->sampler.cpu[cpu].plan, planned) & ~1U)) {
		sampler_miss(&s->sampler, cpu, planned, true);
		return;
	}
	found = sampler_instant(&s->sampler, cpu, planned, woke);
	t = found ? found->owner : NULL;
	if (t && found->order.asleep) {
		look_take_tick(engine, t);
		return;
	}
	if (!t)
		return;
	if (!sampling_ask(engine, t)) {
		sampler_lose(&s->sampler, found);
		return;
	}
	t->ordered = true;
	t->remote = !here;
	if (found->order.proof != SAMPLE_BY_STAMP)
		t->asked_cpu = found->order.before;
	sampler_asked(&s->sampler, found, !here);
	if (!here &&
		mem_grow((void **)&s->asked, &s->asked_room, s->asked_n + 1, sizeof(*s->asked)) ==
			0)
		s->asked[s->asked_n++] = t;
}

static void serve_waiter(struct engine *engine, unsigned cpu, uint64_t now)
{
	struct sampling *s = &engine->sampling;
	struct cpu_waiter *w = &s->waiter[cpu];
	enum cpu_waiter_state state = cpu_waiter_state(w);
	uint64_t held;

	if (state == CPU_WAITER_ASLEEP)
		return;
	if (state == CPU_WAITER_HOLDS)
		take_instant(engine, cpu, atomic_load(&w->at_ns), atomic_load(&w->woke_ns));
	else
		sampler_miss(&s->sampler, cpu, now, false);
	/* It may have let go long before. */
	held = clock_now() - atomic_load(&w->woke_ns);
	sampler_had(&s->sampler, cpu, held < CPU_WAITER_HOLD_NS ? held : CPU_WAITER_HOLD_NS);
	cpu_waiter_set(w, sampler_next(&s->sampler, cpu));
}

/*
 * All that this thread does is done in place of the threads of its CPU; what lies between two
 * sleeps is known to the nanosecond.
 */
bool sampling_rest(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t used;

	if (!s->begun)
		return true;
	atomic_store(&s->heard, false);
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		if (s->waiter[i].started && cpu_waiter_state(&s->waiter[i]) != CPU_WAITER_ASLEEP)
			return false;
	used = clock_read(CLOCK_THREAD_CPUTIME_ID);
	if (s->host >= 0)
		sampler_had(&s->sampler, (unsigned)s->host, used - s->used_ns);
	s->used_ns = used;
	return true;
}

/* The instant of the CPU that the tracing thread is to be awake for; PLAN_NEVER: there is none. */
static uint64_t awaited_at(const struct sampling *s)
{
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		if (s->sampler.cpu[i].way == SAMPLE_AWAITED && s->waiter[i].started)
			return atomic_load(&s->waiter[i].at_ns);
	return PLAN_NEVER;
}

uint64_t sampling_next(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t next = PLAN_NEVER, awaited = s->begun ? awaited_at(s) : PLAN_NEVER;

	for (unsigned i = 0; s->begun && i < s->sampler.cpus; i++) {
		uint64_t at = has_waiter(&s->sampler.cpu[i]) && s->waiter[i].started
			? PLAN_NEVER
			: sampler_next(&s->sampler, i);

		next = at < next ? at : next;
	}
	s->lead_at_ns = 0;
	/* A waiter that is late itself, as it does not get its CPU, rings when it comes. */
	if (awaited != PLAN_NEVER && awaited - s->lead_ns < next && clock_now() < awaited)
		next = s->lead_at_ns = awaited - s->lead_ns;
	return next;
}

/* Awake a little before a thread that waits on another CPU: it need not hold that for long. */
static uint64_t await_waiter(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;
	uint64_t at = awaited_at(s), late;

	if (!s->lead_at_ns || now < s->lead_at_ns || at == PLAN_NEVER)
		return now;
	/* The lead is how late this thread mostly wakes up, and a little more. */
	late = now - s->lead_at_ns < LEAD_MOST_NS ? now - s->lead_at_ns : LEAD_MOST_NS;
	s->lead_ns += ((int64_t)(late + LEAD_SPARE_NS) - (int64_t)s->lead_ns) / 8;
	s->lead_at_ns = 0;
	/* It may have been told another time since. */
	while (now < at + AWAIT_NS && now + LEAD_MOST_NS > at) {
		for (unsigned i = 0; i < s->sampler.cpus; i++)
			if (s->waiter[i].started &&
				cpu_waiter_state(&s->waiter[i]) != CPU_WAITER_ASLEEP)
				return now;
		now = clock_now();
	}
	return now;
}

/* Real time is given up where sampling would use too much of a CPU. */
static void watch_own_time(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;
	uint64_t used;

	if (!s->sampler.realtime || now - s->own_checked_ns < OWN_SPAN_NS)
		return;
	used = clock_read(CLOCK_PROCESS_CPUTIME_ID);
	if (priority_is_realtime() &&
		used - s->own_cpu_ns <= (now - s->own_checked_ns) * OWN_PARTS) {
		s->own_checked_ns = now;
		s->own_cpu_ns = used;
		return;
	}
	/* The first look is the beginning. */
	if (s->own_checked_ns) {
		s->sampler.realtime = engine->audit.realtime = false;
		priority_give_up();
		for (unsigned i = 0; i < s->sampler.cpus; i++)
			cpu_waiter_stop(&s->waiter[i]);
		use_waiters(engine);
		say_line(&engine->say, SAY_DETAIL,
			"sampling took three quarters of a CPU in real time, and goes on without "
			"it");
	}
	s->own_checked_ns = now;
	s->own_cpu_ns = used;
}

void sampling_wake(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;

	if (!s->begun)
		return;
	atomic_store(&s->heard, true);
	now = await_waiter(engine, now);
	for (unsigned i = 0; i < s->sampler.cpus; i++) {
		uint64_t next = sampler_next(&s->sampler, i);

		if (has_waiter(&s->sampler.cpu[i]) && s->waiter[i].started) {
			serve_waiter(engine, i, now);
			continue;
		}
		/* It woke up when it was just not wanted any more. */
		if (s->waiter[i].started && cpu_waiter_state(&s->waiter[i]) != CPU_WAITER_ASLEEP)
			cpu_waiter_set(&s->waiter[i], PLAN_NEVER);
		if (now >= next)
			take_instant(engine, i, next, now);
	}
	sampling_collect(engine);
	if (!s->asked_n)
		take_ways(engine, now);
	watch_own_time(engine, now);
}

/*
 * Looks for the stops that were just asked for: a thread on another CPU stops within some 10 us,
 * sooner than this process could fall asleep and be woken. What has not come then is found by
 * SIGCHLD: a thread may have to wait for a CPU, and must not hold up the others.
 */
void sampling_collect(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t now = clock_now(), until = now + (s->sampler.cpus > 1 ? SPIN_NS : 0);

	while (s->asked_n && now < until) {
		for (size_t i = s->asked_n; i-- > 0;) {
			struct tracee *t = s->asked[i];
			struct waiter_result seen;

			if (waiter_peek(t->tid, &seen) < 0) {
				forget_asked(s, t);
				continue;
			}
			now = clock_now();
			if (seen.kind == WAITER_NOTHING) {
				t->not_stopped_ns = now;
				continue;
			}
			forget_asked(s, t);
			s->handle(engine, &seen);
			if (i > s->asked_n)
				i = s->asked_n;
		}
	}
	s->asked_n = 0;
}

/*
 * How long a stop lasted. The stop is seen between two looks: while we spin those are a
 * microsecond apart. A thread that had to wait for a CPU first is found later, by SIGCHLD; of the
 * time since it was asked, what it ran and what it waited is not stop time. One that was in a
 * system call may have slept there meanwhile, which nothing tells apart: then only what is certain
 * counts, the time since we saw it.
 */
uint64_t sampling_stop_time(const struct tracee *t, const struct cpu_time *cpu, bool in_call,
	uint64_t seen_ns, uint64_t end_ns)
{
	uint64_t whole = end_ns - t->asked_ns;
	uint64_t other =
		(cpu->run_ns - t->asked_cpu.run_ns) + (cpu->wait_ns - t->asked_cpu.wait_ns);
	uint64_t least = end_ns - seen_ns, most = end_ns - t->not_stopped_ns;
	uint64_t stop = whole > other && !in_call ? whole - other : 0;

	if (stop < least)
		stop = least;
	return stop < most ? stop : most;
}

static void record_stop(
	struct engine *engine, struct tracee *t, const struct arch_snapshot *snapshot, uint64_t now)
{
	struct record_sample sample = {
		.flags = snapshot->syscall >= 0 ? RECORD_SAMPLE_KERNEL : 0,
		.pc = snapshot->pc,
		.sp = snapshot->sp,
		.fp = snapshot->fp,
		.syscall = snapshot->syscall,
		.machine = snapshot->machine,
	};

	if (sample.syscall >= 0 && sample.syscall == arch_native.restart_syscall)
		sample.syscall = t->syscall;
	else
		t->syscall = sample.syscall;
	handover_announce(engine, t, snapshot->pc, now);
	maps_cover_stack(&engine->maps, t->process, snapshot->sp, now);
	if (engine->stack.most)
		emit_describe_stack(&engine->stack, snapshot, &sample);
	handover_sample(engine, t, &sample, t->sample->order.weight_ns[0], now);
}

/* The tables of the process count, while the thread is stopped. */
static void count_ticks(struct engine *engine, struct tracee *t, uint64_t pc)
{
	const struct sample_order *order = &t->sample->order;

	for (unsigned i = 1; i < PLAN_STREAMS; i++)
		if (order->streams & 1u << i)
			session_tick(&engine->sessions, t, i, pc, order->weight_ns[i]);
	if (engine->counting && order->streams & 1u << SAMPLING_HISTOGRAM)
		histogram_tick(engine->options->histogram, t->process, engine->period_ns, pc,
			order->weight_ns[SAMPLING_HISTOGRAM]);
}

void sampling_stop(struct engine *engine, struct tracee *t, int signal)
{
	uint64_t seen = clock_now(), end, stop;
	bool asked = t->asked_ns != 0, known, valid = false, profiled;
	struct sampling *s = &engine->sampling;
	struct arch_snapshot snapshot;
	struct cpu_time cpu;
	int r;

	window_enter();
	if (asked && t->remote)
		stack_copy_guess(&engine->stack, t->tid, &t->process->stacks, &t->home);
	/* The order matters: after the wait alone the CPU time may be stale, GETREGSET settles it.
	 */
	r = tracer_get_snapshot(t->tid, &snapshot);
	known = r == 0;
	if (known)
		r = procfiles_read_open_cpu(&engine->files, t, &cpu);
	if (r == 0 && asked && t->ordered && t->sample)
		valid = sampler_judge(
			&s->sampler, t->sample, &cpu, t->asked_ns, snapshot.syscall >= 0);
	profiled = valid && engine->counting && t->sample->order.streams & 1;
	if (valid)
		count_ticks(engine, t, snapshot.pc);
	if (profiled && engine->stack.most)
		stack_copy_take(&engine->stack, t->tid, &snapshot, &t->process->stacks, &t->home);
	stack_copy_forget(&engine->stack);
	end = mend_resume(&engine->mender, t, signal, known ? &snapshot : NULL);
	window_leave();
	t->ordered = false;
	if (r < 0 || !asked) {
		t->asked_ns = 0;
		return;
	}
	account_see(engine, t, &cpu, end);
	stop = sampling_stop_time(t, &cpu, snapshot.syscall >= 0, seen, end);
	/* The look for those that do not come is made once a second only. */
	engine->audit.missed_stops += !t->missed && seen - t->asked_ns > CLOCK_SECOND_NS;
	t->asked_ns = 0;
	t->machine = snapshot.machine;
	look_stopped(engine, t, &cpu, stop, end);
	engine->audit.stops++;
	engine->audit.stopped_ns += stop;
	audit_histogram_add(&engine->audit.stop, stop);
	budget_spend(&engine->budget, stop);
	if (valid)
		sampler_resumed(&s->sampler, t->sample, &cpu, end, stop);
	if (profiled)
		record_stop(engine, t, &snapshot, clock_now());
	else if (valid)
		sampler_note(t->sample, snapshot.syscall >= 0);
}
