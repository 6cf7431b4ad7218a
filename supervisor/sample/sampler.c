/* SPDX-License-Identifier: MIT */
/*
 * One tick: readings of the threads' CPU time, stops of those that are asked, and what is made of
 *each.
 *
 *	poll ──► ask (turns.c) ──► collect ──► stop window ──► resume ──► record
 */
#include "supervisor/engine/engine_internal.h"

#include <errno.h>
#include <string.h>

#include "supervisor/os/mem.h"
#include "supervisor/target/mend.h"
#include "supervisor/os/window.h"

/* A thread is looked at in every tick until it has not moved for this long. */
#define COOL_DOWN_NS 20000000
/* --max-overhead: stop time that may be saved up, as CPU time of the target that earns it. */
#define BUDGET_SPAN_NS 100000000
/* A thread that was sampled so often knows itself what its stops are worth. */
#define OWN_PAYS 4
/* Threads without an open descriptor that are looked at in a tick, on average. */
#define LOOKS_WITHOUT_FD 16
#define SECOND_NS        UINT64_C(1000000000)
/* A name is looked at again after four times as long as it has stayed as it was, within these
 * bounds. */
#define NAME_LEAST_NS SECOND_NS
#define NAME_MOST_NS  (60 * SECOND_NS)

uint64_t sampler_carried(const struct tracee *t)
{
	return t->process->pool_ns + t->image->pool_ns;
}

uint64_t sampler_due(const struct engine *engine, const struct tracee *t)
{
	return t->credit.pays < OWN_PAYS && engine->due_ns < t->credit.due_ns ? engine->due_ns
									      : t->credit.due_ns;
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

/*
 * A thread that sleeps for a moment is not searched for. But one that slept for longer the last
 * time is likely to do so again, unless it waits for a CPU; and where there are more than the CPUs
 * can run, one that is off its CPU has a long wait before it.
 */
static bool is_cool(const struct engine *engine, const struct tracee *t, uint64_t now)
{
	uint64_t after = COOL_DOWN_NS + 2 * engine->wakeups.period_ns;

	if (idle_crowd(engine) ||
		(t->rhythm.cycle_ns > 2 * after && engine->idle.others < engine->idle.cpus))
		after = engine->wakeups.period_ns;
	return t->state == TRACEE_RUNNING && now - t->credit.moved_at_ns > after &&
		!credit_on_cpu(&t->credit, now, engine->scheduler_tick_ns);
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
		target_heat(&engine->target, t);
		earn(engine, t->credit.moved_ns);
		engine->moved_at_ns = now;
	} else if (is_cool(engine, t, now) && !idle_watches(engine, t, now)) {
		t->put_off_ns = 0;
		target_cool(&engine->target, t);
	}
}

bool sampler_is_over_budget(const struct engine *engine)
{
	return engine->options->max_overhead_ppm && engine->stop_budget_ns <= 0;
}

bool sampler_ask(struct engine *engine, struct tracee *t)
{
	struct tracee_step step = tracee_step(t->state, TRACEE_ASK);

	if (sampler_is_over_budget(engine))
		return false;
	if (mend_busy(t) ||
		mem_grow((void **)&engine->asked, &engine->asked_room, engine->asked_n + 1,
			sizeof(*engine->asked)) < 0)
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

static void remove_from(struct tracee **list, size_t *n, const struct tracee *tracee)
{
	for (size_t i = 0; i < *n; i++) {
		if (list[i] == tracee) {
			list[i] = list[--*n];
			return;
		}
	}
}

void sampler_forget(struct engine *engine, const struct tracee *tracee)
{
	remove_from(engine->asked, &engine->asked_n, tracee);
	remove_from(engine->ranked, &engine->ranked_n, tracee);
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
	bool all;

	engine->parts = 1;
	engine->was_at_once = engine->at_once;
	engine->at_once = false;
	look_begin_tick(engine, now);
	idle_begin_tick(engine, now);
	all = idle_hot_matter(engine, now);
	/* From the end: one that cools down changes places with the last hot one. */
	for (size_t i = target->hot; i-- > 0;) {
		t = target->tracee[i];
		if (!all ||
			(engine->idle.searched && idle_found_all(engine) &&
				!credit_restless(&t->credit, now))) {
			/* It does not run. What it has used is read when it may, or before it is
			 * left alone. */
			t->runs_ns = 0;
			if (is_cool(engine, t, now) && !idle_watches(engine, t, now))
				look_at(engine, t, now);
		} else {
			look_at(engine, t, now);
			idle_see(engine, t, now);
		}
	}
	while ((t = idle_next(engine, now))) {
		look_at(engine, t, now);
		idle_see(engine, t, now);
		look_at_idle(engine, t, now);
	}
	if (all || engine->idle.others)
		turns_ask(engine, now);
	sampler_collect(engine);
	look_tick(engine, now);
}

static uint64_t name_wait(uint64_t unchanged_ns)
{
	uint64_t wait = 4 * unchanged_ns;

	return wait < NAME_LEAST_NS ? NAME_LEAST_NS : wait > NAME_MOST_NS ? NAME_MOST_NS : wait;
}

uint64_t sampler_span(const struct engine *engine, uint64_t now)
{
	const struct target *target = &engine->target;
	uint64_t period = engine->wakeups.period_ns, load = 0, span;

	if (!engine->counting || engine->service.sessions || engine->options->wall || !target->hot)
		return period;
	for (size_t i = 0; i < target->hot; i++) {
		const struct credit *credit = &target->tracee[i]->credit;

		load += credit->load;
		if (!credit_restless(credit, now) || load >= CREDIT_LOAD_WHOLE)
			return period;
	}
	/* With less to do here, somebody else may have more. */
	if (load <= CREDIT_LOAD_WHOLE / 2 || period >= CREDIT_RESTLESS_NS / 2)
		return period;
	span = period * CREDIT_LOAD_WHOLE / load;
	return span < CREDIT_RESTLESS_NS / 2 ? span : CREDIT_RESTLESS_NS / 2;
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
		t->name_since_ns = now;
		memcpy(t->name, name, sizeof(name));
		if (!emit_thread(&engine->emitter, now, t)) {
			t->name[0] = '\0';
			t->name_again_ns = 0;
			return;
		}
	}
	if (!name[0])
		t->name_since_ns = now; /* it could not be read */
	t->name_again_ns = now + name_wait(now - t->name_since_ns);
}

/*
 * How long a stop lasted. The stop is seen between two looks: while we spin those are a
 * microsecond apart. A thread that had to wait for a CPU first is found later, by SIGCHLD; of the
 * time since it was asked, what it ran and what it waited is not stop time. One that was in a
 * system call may have slept there meanwhile, which nothing tells apart: then only what is certain
 * counts, the time since we saw it.
 */
uint64_t sampler_stop_time(const struct tracee *t, const struct cpu_time *cpu, bool in_call,
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

bool sampler_owes(const struct engine *engine, const struct tracee *t, uint64_t credit)
{
	return engine->counting && credit + sampler_carried(t) >= engine->period_ns / 8;
}

void sampler_pay(struct engine *engine, struct tracee *t, struct record_sample *sample,
	uint64_t credit, uint64_t now)
{
	/* It was runnable: what it waited for a CPU it waited here, but it was blocked elsewhere.
	 */
	const struct waiting waited = {.queue_ns = t->wall.queue_ns};
	uint64_t paid = credit_share(&t->credit, credit, engine->period_ns);

	sample->weight_ns = paid + sampler_carried(t);
	sample->pid = (uint32_t)t->process->pid;
	sample->tid = (uint32_t)t->tid;
	sample->queue_ns = waited.queue_ns;
	if (!emit_sample(&engine->emitter, now, sample)) {
		/* Not paid: the next sample stands for this time too. */
		engine->audit.lost_samples++;
		return;
	}
	t->calls = t->calls << 1 | !!(sample->flags & RECORD_SAMPLE_KERNEL);
	credit_pay(&t->credit, credit, paid, engine->period_ns);
	engine->due_ns = clock_next_due(engine->due_ns, paid, engine->period_ns);
	look_paid(engine, t, &waited);
	t->process->pool_ns = 0;
	t->image->pool_ns = 0;
	t->image->sent_ns += sample->weight_ns;
	engine->audit.ticks++;
	engine->audit.profiled_ns += sample->weight_ns;
}

static void record_stop(struct engine *engine, struct tracee *t,
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
	sampler_announce(engine, t, snapshot->pc, now);
	maps_cover_stack(engine, t->process, snapshot->sp, now);
	if (engine->stack.most)
		emit_describe_stack(&engine->stack, snapshot, &sample);
	sampler_pay(engine, t, &sample, credit, now);
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
	if (asked && t->elsewhere)
		stack_copy_guess(&engine->stack, t->tid, &t->process->stacks, &t->home);
	/* The order matters: after the wait alone the CPU time may be stale, GETREGSET settles it.
	 */
	r = tracer_get_snapshot(t->tid, &snapshot);
	known = r == 0;
	if (known)
		r = t->cpu_fd < 0 ? -EBADF : procfs_read_cpu(engine->cpu_source, t->cpu_fd, &cpu);
	if (r == 0 && asked)
		count_tick(engine, t, cpu.run_ns, snapshot.pc);
	if (r == 0 && asked && engine->stack.most)
		stack_copy_take(&engine->stack, t->tid, &snapshot, &t->process->stacks, &t->home);
	stack_copy_forget(&engine->stack);
	end = mend_resume(engine, t, signal, known ? &snapshot : NULL);
	window_leave();
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
	target_heat(&engine->target, t);
	/* The stop was for its session; the profile's tick is not due. */
	if (t->process->session && credit + sampler_carried(t) < sampler_due(engine, t))
		return;
	if (sampler_owes(engine, t, credit))
		record_stop(engine, t, &snapshot, credit, engine_now());
}
