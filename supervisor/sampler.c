/* SPDX-License-Identifier: MIT */
/*
 * One tick: which threads owe one and can be caught, their stops, and what is made of each.
 *
 *	poll ──► ask (interrupt) ──► collect ──► stop window ──► resume ──► record
 */
#include "supervisor/engine_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/mem.h"
#include "supervisor/mend.h"
#include "supervisor/window.h"

/* A thread is looked at in every tick until it has not moved for this long. */
#define COOL_DOWN_NS 20000000
/* --max-overhead: stop time that may be saved up, as CPU time of the target that earns it. */
#define BUDGET_SPAN_NS 100000000
/* Threads without an open descriptor that are looked at in a tick, on average. */
#define LOOKS_WITHOUT_FD 16
/* So many periods' worth of CPU time may be owed before a thread is interrupted on another CPU. */
#define PATIENCE 2
/* Where the moment was a wrong one, wake-ups come so many times as often. */
#define HURRY 5
/* After so many periods of wrong moments a thread is caught at any: the right one may never come. */
#define PUT_OFF_PERIODS 16
#define SECOND_NS UINT64_C(1000000000)
/* Names are looked at again after this long. */
#define NAME_NS	     UINT64_C(1000000000)

/* CPU time that the next sample of this thread would stand for, beyond its own. */
static uint64_t carried_by(const struct tracee *t)
{
	return t->process->pool_ns + t->image->pool_ns;
}

/* Is it worth a stop that may have to wait for its turn on a CPU? */
static bool overdue(struct engine *engine, struct tracee *t)
{
	return credit_overdue(&t->credit, engine->wakeups.period_ns) || session_owed(engine, t);
}

/* Is it on a CPU, as far as can be told without stopping it? */
static bool catchable(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct activity activity;

	if (engine->scheduler_tick_ns && !credit_on_cpu(&t->credit, now, engine->scheduler_tick_ns) &&
		!overdue(engine, t))
		return false;
	return look_read_activity(engine, t, &activity) >= 0 && activity.running;
}

/* The CPU that it is on or waits for, -1 unknown. */
static int last_cpu(struct engine *engine, struct tracee *t)
{
	if (t->stat_fd < 0)
		t->stat_fd = fds_keep(engine, t->process, procfs_open_stat(t->process->pid, t->tid));
	return t->stat_fd < 0 ? -1 : procfs_read_last_cpu(t->stat_fd);
}

static bool owes_tick(struct engine *engine, struct tracee *t, uint64_t now)
{
	if (engine->counting &&
		credit_estimate(&t->credit, now, engine->scheduler_tick_ns) + carried_by(t) >=
			t->credit.due_ns)
		return true;
	return session_due(engine, t, now);
}

/*
 * --max-overhead: stop time is earned by the target's CPU time and spent by stops. What is owed is
 * earned first, so the bound holds however long a stop was; little can be saved up.
 */
static void earn(struct engine *engine, uint64_t ran_ns)
{
	int64_t ppm = engine->options->max_overhead_ppm, most = BUDGET_SPAN_NS / 1000000 * ppm;

	if (ran_ns > BUDGET_SPAN_NS)
		ran_ns = BUDGET_SPAN_NS;
	engine->stop_budget_ns += (int64_t)ran_ns * ppm / 1000000;
	if (engine->stop_budget_ns > most)
		engine->stop_budget_ns = most;
}

/* Reads a thread's CPU time. */
static void look_at(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct cpu_time cpu;

	if (t->state != TRACEE_RUNNING)
		return;
	/* Without a descriptor a look costs ten times as much: some of them in each tick. */
	if (t->cpu_fd < 0 && engine->fds_scarce &&
		wakeups_random(&engine->wakeups, engine->target.tracees) > LOOKS_WITHOUT_FD)
		return;
	if (account_read_cpu(engine, t, &cpu) < 0)
		return;
	if (credit_see(&t->credit, &cpu, now)) {
		target_heat(&engine->target, t, true);
		earn(engine, t->credit.moved_ns);
	} else if (now - t->credit.moved_at_ns > COOL_DOWN_NS + 4 * engine->wakeups.period_ns) {
		target_heat(&engine->target, t, false);
	}
}

/* --max-overhead forbids a stop. */
static bool is_over_budget(const struct engine *engine)
{
	return engine->options->max_overhead_ppm && engine->stop_budget_ns <= 0;
}

bool sampler_ask(struct engine *engine, struct tracee *t)
{
	struct tracee_step step = tracee_step(t->state, TRACEE_ASK);

	if (is_over_budget(engine))
		return false;
	if (mend_busy(t) || mem_grow((void **)&engine->asked, &engine->asked_room,
				    engine->asked_n + 1, sizeof(*engine->asked)) < 0)
		return false;
	if (!fds_claim(engine, t))
		return false;
	if (step.action != TRACEE_INTERRUPT || tracer_interrupt(t->tid) < 0)
		return false;
	t->state = step.state;
	t->asked_ns = t->not_stopped_ns = engine_now();
	t->asked_cpu = t->credit.seen;
	t->missed = false;
	engine->asked[engine->asked_n++] = t;
	return true;
}

/*
 * A thread owes a tick: by a stop if it is runnable. But one that sleeps and wakes often is that, too,
 * when it was woken just now and waits for the CPU that we are on; then it was asleep at the moment of
 * our wake-up, and another moment will do.
 */
static void take(struct engine *engine, struct tracee *t, bool runs, bool here, uint64_t now)
{
	enum moment_was was = MOMENT_UNKNOWN;

	if (is_over_budget(engine))
		return;
	if (here && credit_restless(&t->credit, now) &&
		(!t->put_off_ns || now - t->put_off_ns < PUT_OFF_PERIODS * engine->wakeups.period_ns))
		was = moment_of(&engine->moment, t->process->pid, t->tid, now);
	if (was == MOMENT_ELSEWHERE || was == MOMENT_LATE) {
		if (!t->put_off_ns)
			t->put_off_ns = now;
		engine->parts = HURRY;
		return;
	}
	t->put_off_ns = 0;
	if (runs)
		(void)sampler_ask(engine, t);
	else if (was == MOMENT_REPLACED && !session_due(engine, t, now))
		look_take_tick(engine, t, now);
}

static int hotter_first(const void *a, const void *b)
{
	const struct credit *x = &(*(struct tracee *const *)a)->credit;
	const struct credit *y = &(*(struct tracee *const *)b)->credit;

	return credit_is_hotter(x, y) ? -1 : credit_is_hotter(y, x);
}

/* It is asked wherever it is: it owes too much, or its counters are waited for. */
static bool cannot_wait(struct engine *engine, struct tracee *t)
{
	/* It may have to wait for a CPU, and must not keep the few descriptors meanwhile. */
	if (engine->fds_scarce && t->cpu_fd < 0)
		return false;
	return credit_overdue(&t->credit, PATIENCE * engine->wakeups.period_ns) ||
		session_owed(engine, t);
}

/* Where the threads at work are, as far as a tick has looked. */
struct places {
	int home;	/* the CPU that we are on */
	cpu_set_t busy; /* a thread is on it */
	unsigned visits; /* CPUs other than ours that we must go to, to meet a thread where it is */
	int next;	/* of these the one whose thread owes most, -1 none */
	uint64_t most;	/* that is how much */
};

/*
 * One on another CPU runs on until the interrupt arrives, some microseconds. That matters if it makes
 * system calls: it is then met in them too often. So where it was found in one lately we go to its CPU.
 */
static void ask_remote(struct engine *engine, struct tracee *t, int cpu, bool first,
	struct places *places, uint64_t now)
{
	uint64_t owed = credit_estimate(&t->credit, now, engine->scheduler_tick_ns);
	bool visit = first && t->calls && follow_may(&engine->follow, cpu);

	if (visit) {
		places->visits++;
		if (owed >= places->most) {
			places->most = owed;
			places->next = cpu;
		}
	}
	if (((first && !visit) || cannot_wait(engine, t)) && owes_tick(engine, t, now))
		take(engine, t, true, false, now);
}

/*
 * Of the threads that are on a CPU or wait for it, the one that was put on it last is on it; of those of
 * our CPU it is the one that we took it from: it stands still, and stops where it is. A thread that
 * waits is caught when its turn comes; it has not used anything meanwhile. Moves those of our CPU to the
 * front; returns their number.
 */
static size_t ask_others(struct engine *engine, size_t n, struct places *places, uint64_t now)
{
	size_t looks = 3 * (size_t)engine->follow.cpus, ours = 0;

	qsort(engine->ranked, n, sizeof(*engine->ranked), hotter_first);
	for (size_t i = 0; i < n; i++) {
		struct tracee *t = engine->ranked[i];
		bool restless = credit_restless(&t->credit, now), runs, first;
		int cpu;

		if (!looks && !overdue(engine, t))
			continue;
		looks -= looks > 0;
		runs = catchable(engine, t, now);
		cpu = runs || restless ? last_cpu(engine, t) : -1;
		if (cpu < 0 || cpu >= CPU_SETSIZE)
			continue;
		first = runs && !CPU_ISSET(cpu, &places->busy);
		if (first)
			CPU_SET(cpu, &places->busy);
		if (cpu != places->home && runs)
			ask_remote(engine, t, cpu, first, places, now);
		else if (cpu == places->home && (first || restless || (runs && cannot_wait(engine, t))))
			engine->ranked[ours++] = t;
	}
	return ours;
}

/* From where the next tick is best taken. */
static void go_on(struct engine *engine, const struct places *places)
{
	if (places->next >= 0) {
		follow_to(&engine->follow, places->next);
		/* Nobody was on this CPU: they are late already. */
		if (!CPU_ISSET(places->home, &places->busy) && engine->parts < HURRY)
			engine->parts = HURRY;
		if (engine->parts < places->visits + 1)
			engine->parts = places->visits + 1;
		return;
	}
	if (CPU_COUNT(&places->busy) > 1) {
		follow_stop(&engine->follow);
		return;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &places->busy))
			follow_to(&engine->follow, cpu);
	}
}

static void ask_in_turn(struct engine *engine, size_t n, uint64_t now)
{
	struct places places = {.home = sched_getcpu(), .next = -1};
	size_t ours = ask_others(engine, n, &places, now);

	sampler_collect(engine);
	for (size_t i = 0; i < ours; i++) {
		struct tracee *t = engine->ranked[i];

		if (t->state == TRACEE_RUNNING && owes_tick(engine, t, now))
			take(engine, t, catchable(engine, t, now), true, now);
	}
	/* These have their CPU only when we sleep. */
	engine->asked_n = 0;
	go_on(engine, &places);
}

/* The command before its first exec: what it does is our doing, and its account has not begun. */
static bool is_ours(const struct engine *engine, const struct tracee *t)
{
	return t->tid == engine->launch.pid && engine->launch.error_fd >= 0;
}

/* Asks the threads that owe a tick and can be caught. */
static void ask_those_on_cpu(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;
	size_t n = 0;

	if (mem_grow((void **)&engine->ranked, &engine->ranked_room, target->hot,
		    sizeof(*engine->ranked)) < 0)
		return;
	for (size_t i = 0; i < target->hot; i++) {
		struct tracee *t = target->tracee[i];

		if (t->state == TRACEE_RUNNING && t->process && !mend_busy(t) && !is_ours(engine, t))
			engine->ranked[n++] = t;
	}
	if (!n)
		follow_stop(&engine->follow);
	if (engine->scheduler_tick_ns) {
		ask_in_turn(engine, n, now);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (owes_tick(engine, engine->ranked[i], now))
			take(engine, engine->ranked[i],
				catchable(engine, engine->ranked[i], now), false, now);
	}
}

void sampler_forget(struct engine *engine, const struct tracee *tracee)
{
	for (size_t i = 0; i < engine->asked_n; i++) {
		if (engine->asked[i] == tracee) {
			engine->asked[i] = engine->asked[--engine->asked_n];
			return;
		}
	}
}

/*
 * Looks for the stops that were just asked for: a thread on another CPU stops within some 10 us,
 * sooner than this process could fall asleep and be woken. What has not come then is found by
 * SIGCHLD: a thread may have to wait for a CPU, and must not hold up the others.
 */
void sampler_collect(struct engine *engine)
{
	uint64_t now = engine_now(), until = now + engine->spin_ns;

	while (engine->asked_n && now < until) {
		for (size_t i = engine->asked_n; i-- > 0;) {
			struct tracee *t = engine->asked[i];
			struct waiter_result seen;

			if (waiter_peek(t->tid, &seen) < 0) {
				sampler_forget(engine, t);
				continue;
			}
			now = engine_now();
			if (seen.kind == WAITER_NOTHING) {
				t->not_stopped_ns = now;
				continue;
			}
			sampler_forget(engine, t);
			lifecycle_handle(engine, &seen);
			if (i > engine->asked_n)
				i = engine->asked_n;
		}
	}
	engine->asked_n = 0;
}

void sampler_tick(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;
	struct tracee *t;
	size_t looks;

	moment_begin(&engine->moment, now);
	engine->parts = 1;
	look_begin_tick(engine, now);
	/* Cold ones first: one that has moved is put among the hot, and seen there. */
	looks = idle_begin_tick(engine, now);
	while (looks-- && (t = idle_next(engine, now))) {
		look_at(engine, t, now);
		look_at_idle(engine, t, now);
	}
	/* From the end: one that cools down changes places with the last hot one. */
	for (size_t i = target->hot; i-- > 0;)
		look_at(engine, target->tracee[i], now);
	ask_those_on_cpu(engine, now);
	sampler_collect(engine);
	look_tick(engine, now);
}

void sampler_announce(struct engine *engine, struct tracee *t, uint64_t pc, uint64_t now)
{
	struct process *process = t->process;
	char name[PROCFS_NAME_BYTES];

	(void)emit_process(&engine->emitter, now, process);
	maps_cover(engine, process, pc, now);
	if (now < t->name_again_ns)
		return;
	procfs_read_name(process->pid, t->tid, name);
	if (name[0] && strcmp(name, t->name) != 0) {
		memcpy(t->name, name, sizeof(name));
		if (!emit_thread(&engine->emitter, now, t)) {
			t->name[0] = '\0';
			return;
		}
	}
	t->name_again_ns = now + NAME_NS;
}

/*
 * How long a stop lasted. The stop is seen between two looks: while we spin those are a
 * microsecond apart. A thread that had to wait for a CPU first is found later, by SIGCHLD; of the
 * time since it was asked, what it ran and what it waited is not stop time. One that was in a system
 * call may have slept there meanwhile, which nothing tells apart: then only what is certain counts,
 * the time since we saw it.
 */
uint64_t sampler_stop_time(const struct tracee *t, const struct cpu_time *cpu, bool in_call,
	uint64_t seen_ns, uint64_t end_ns)
{
	uint64_t whole = end_ns - t->asked_ns;
	uint64_t other = (cpu->run_ns - t->asked_cpu.run_ns) + (cpu->wait_ns - t->asked_cpu.wait_ns);
	uint64_t least = end_ns - seen_ns, most = end_ns - t->not_stopped_ns;
	uint64_t stop = whole > other && !in_call ? whole - other : 0;

	if (stop < least)
		stop = least;
	return stop < most ? stop : most;
}

bool sampler_owes(const struct engine *engine, const struct tracee *t, uint64_t credit)
{
	return engine->counting && credit + carried_by(t) >= engine->period_ns / 8;
}

bool sampler_pay(struct engine *engine, struct tracee *t, struct record_sample *sample,
	uint64_t credit, uint64_t now)
{
	/* It was runnable: what it waited for a CPU it waited here, but it was blocked elsewhere. */
	const struct waiting waited = {.queue_ns = t->wall.queue_ns};

	sample->carried_ns = carried_by(t);
	sample->weight_ns = credit + sample->carried_ns;
	sample->pid = (uint32_t)t->process->pid;
	sample->tid = (uint32_t)t->tid;
	sample->queue_ns = waited.queue_ns;
	if (!emit_sample(&engine->emitter, now, sample)) {
		/* Not paid: the next sample stands for this time too. */
		engine->audit.lost_samples++;
		return false;
	}
	credit_pay(&t->credit, credit, engine->period_ns);
	look_paid(engine, t, &waited);
	t->process->pool_ns = 0;
	t->image->pool_ns = 0;
	t->image->sent_ns += sample->weight_ns;
	engine->audit.ticks++;
	engine->audit.profiled_ns += sample->weight_ns;
	return true;
}

static bool record_stop(struct engine *engine, struct tracee *t,
	const struct arch_snapshot *snapshot, uint64_t credit, uint64_t now)
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
	t->calls = (uint16_t)(t->calls << 1 | (sample.syscall >= 0));
	sampler_announce(engine, t, snapshot->pc, now);
	maps_cover_stack(engine, t->process, snapshot->sp, now);
	if (engine->stack.most)
		emit_describe_stack(&engine->stack, snapshot, &sample);
	return sampler_pay(engine, t, &sample, credit, now);
}

/* The consumers that count whole ticks, while the thread is stopped. */
static void count_tick(struct engine *engine, struct tracee *t, uint64_t run_ns, uint64_t pc)
{
	session_count(engine, t, run_ns, pc);
	histogram_tick(engine, t, run_ns, pc);
}

void sampler_stop(struct engine *engine, struct tracee *t, int signal)
{
	uint64_t seen = engine_now(), end, stop, credit = 0;
	bool asked = t->asked_ns != 0, known;
	struct arch_snapshot snapshot;
	struct cpu_time cpu;
	int r;

	window_enter();
	/* The order matters: after the wait alone the CPU time may be stale, GETREGSET settles it. */
	r = tracer_get_snapshot(t->tid, &snapshot);
	known = r == 0;
	if (known)
		r = t->cpu_fd < 0 ? -EBADF
				  : procfs_read_cpu(engine->cpu_source, t->cpu_fd, &cpu);
	if (r == 0 && asked)
		count_tick(engine, t, cpu.run_ns, snapshot.pc);
	if (r == 0 && asked && engine->stack.most)
		stack_copy_take(&engine->stack, t->tid, &snapshot, &t->process->stacks, &t->home);
	mend_resume(engine, t, signal, known ? &snapshot : NULL);
	window_leave();

	end = engine_now();
	if (r < 0 || !asked) {
		t->asked_ns = 0;
		return;
	}
	credit = credit_settle(&t->credit, &cpu, end);
	earn(engine, t->credit.moved_ns);
	stop = sampler_stop_time(t, &cpu, snapshot.syscall >= 0, seen, end);
	/* The look for those that do not come is made once a second only. */
	engine->audit.missed_stops += !t->missed && seen - t->asked_ns > SECOND_NS;
	t->asked_ns = 0;
	t->machine = snapshot.machine;
	look_stopped(engine, t, &cpu, stop, end);
	engine->audit.stops++;
	engine->audit.stopped_ns += stop;
	audit_histogram_add(&engine->audit.stop, stop);
	engine->stop_budget_ns -= (int64_t)stop;
	target_heat(&engine->target, t, true);
	/* The stop was for its session; the profile's tick is not due. */
	if (t->process->session && credit + carried_by(t) < t->credit.due_ns)
		return;
	if (!sampler_owes(engine, t, credit))
		return;
	(void)record_stop(engine, t, &snapshot, credit, end);
}
