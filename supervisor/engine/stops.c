/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/stops.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "supervisor/calls/histogram.h"
#include "supervisor/calls/session_ticks.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/handover.h"
#include "supervisor/os/window.h"
#include "supervisor/target/tracee_memory.h"

bool stops_ask(struct engine *engine, struct tracee *t)
{
	struct tracee_step step = tracee_step(t->state, TRACEE_REQUEST_STOP);

	if (step.action != TRACEE_INTERRUPT || restart_busy(t) ||
		launch_is_before_exec(&engine->launch, t->tid) ||
		!procfiles_claim(&engine->files, t) || tracer_interrupt(t->tid) < 0)
		return false;
	(void)target_step(t, TRACEE_REQUEST_STOP);
	t->stop_requested_ns = t->not_stopped_ns = clock_now();
	t->stop_requested_cpu = t->account.seen;
	t->was_alone = t->process->threads == 1 && t->tid == t->process->pid;
	t->missed = false;
	return true;
}

bool stops_awaits_sample(const struct tracee *t)
{
	return t->stop_requested_ns && t->sample && t->sample->stopping;
}

bool stops_are_over(struct engine *engine)
{
	for (size_t i = 0; i < engine->target.tracees; i++) {
		if (engine->target.tracee[i]->state == TRACEE_STOP_REQUESTED)
			return false;
	}
	return true;
}

/*
 * The duration of a stop is the time from its request to @end_ns, less the time that the thread was
 * on a CPU and in a run queue meanwhile. It is at least the time since @seen_ns, when the stop was
 * seen. It is at most the time since @t->not_stopped_ns, when the thread was last known not to be
 * stopped. In a system call the thread may also have slept before its stop, for an unknown time:
 * then only the time since @seen_ns counts.
 */
uint64_t stops_time(const struct tracee *t, const struct cpu_time *cpu, bool in_call,
	uint64_t seen_ns, uint64_t end_ns)
{
	uint64_t whole = end_ns - t->stop_requested_ns;
	uint64_t other = (cpu->run_ns - t->stop_requested_cpu.run_ns) +
		(cpu->wait_ns - t->stop_requested_cpu.wait_ns);
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
	handover_sample(engine, t, &sample, t->sample->hit.due.weight_ns[0], now);
}

static void count_ticks(
	struct engine *engine, struct tracee *t, const struct arch_snapshot *snapshot)
{
	const struct plan_due *due = &t->sample->hit.due;
	bool in_call = snapshot->syscall >= 0;

	for (unsigned i = 1; i < PLAN_STREAMS; i++)
		if (due->streams & 1u << i)
			session_tick(
				&engine->sessions, t, i, snapshot->pc, in_call, due->weight_ns[i]);
	if (engine->counting && due->streams & 1u << SAMPLING_HISTOGRAM)
		histogram_tick(engine->options->histogram, t->process, engine->period_ns,
			snapshot->pc, due->weight_ns[SAMPLING_HISTOGRAM]);
}

/* At an exec the kernel already has the new image's name: the old image's file name is sent. */
static void announce_name(struct engine *engine, struct tracee *t, int32_t syscall, uint64_t now)
{
	const char *path = t->image->path, *slash = strrchr(path, '/');

	if (t->name[0])
		return;
	if (syscall != SYS_execve)
		procfs_read_name(t->process->pid, t->tid, t->name);
	if (!t->name[0])
		(void)snprintf(t->name, sizeof(t->name), "%s", slash ? slash + 1 : path);
	if (!emit_thread(&engine->emitter, now, t))
		t->name[0] = '\0';
}

/* Sends no registers: at an exec they are the new image's, and a zombie has none. */
static void record_call(struct engine *engine, struct tracee *t, int32_t syscall, uint64_t now)
{
	struct record_sample sample = {
		.flags = RECORD_SAMPLE_KERNEL, .syscall = syscall, .machine = arch_native.machine};

	(void)emit_process(&engine->emitter, now, t->process);
	announce_name(engine, t, syscall, now);
	handover_sample(engine, t, &sample, t->sample->hit.due.weight_ns[0], now);
}

/*
 * Counts the ticks of @t's hit as lost. Call only if @t has ended or has another image: otherwise
 * the later ticks of the thread make up for them.
 */
static void lose_ticks(struct engine *engine, struct tracee *t)
{
	const struct plan_due *due = &t->sample->hit.due;

	for (unsigned i = 1; i < PLAN_STREAMS; i++)
		if (due->streams & 1u << i)
			session_tick_lost(&engine->sessions, t, i, due->weight_ns[i]);
}

void stops_overtaken(struct engine *engine, struct tracee *t, int32_t syscall)
{
	struct sampler *sampler = &engine->sampling.sampler;
	struct cpu_time cpu;

	if (stops_awaits_sample(t)) {
		if (syscall >= 0 || t->reaped)
			lose_ticks(engine, t);
		/*
		 * The sample is recorded as one in @syscall. It is lost if the call is unknown, if
		 * a table also counts it (a tick needs a pc), or if the code is 32-bit, whose calls
		 * have other numbers.
		 */
		if (syscall < 0 || t->sample->hit.due.streams != 1 || !engine->counting ||
			(t->machine && t->machine != arch_native.machine) ||
			procfiles_read_cpu(&engine->files, t, &cpu) < 0)
			sampler_lose(sampler, t->sample, false);
		else if (sampler_judge(sampler, t->sample, &cpu, false))
			record_call(engine, t, syscall, clock_now());
	}
	t->stop_requested_ns = 0;
}

void stops_take(struct engine *engine, struct tracee *t, int signal)
{
	uint64_t seen = clock_now(), end, stop;
	bool asked = t->stop_requested_ns != 0, known, valid = false, profiled, own;
	struct sampling *s = &engine->sampling;
	const struct remote memory = tracee_memory_of(t->process, t->tid);
	struct arch_snapshot snapshot;
	struct cpu_time cpu;
	int r;

	/* Ticks of sleeping threads are written at any stop in their process. */
	session_catch_up(&engine->sessions, t);
	window_enter();
	/* PTRACE_GETREGSET comes first: it waits until the thread's CPU time is no longer stale. */
	r = tracer_get_snapshot(t->tid, &snapshot);
	known = r == 0;
	if (known)
		r = procfiles_read_open_cpu(&engine->files, t, &cpu);
	if (r == 0 && stops_awaits_sample(t))
		valid = sampler_judge(
			&s->sampler, t->sample, &cpu, snapshot.syscall == SYS_sched_yield);
	profiled = valid && engine->counting && t->sample->hit.due.streams & 1;
	if (valid)
		count_ticks(engine, t, &snapshot);
	if (profiled && engine->stack.most)
		stack_copy_take(&engine->stack, &memory, &snapshot, &t->process->stacks, &t->home);
	if (profiled)
		runtime_records_copy(engine, t, &snapshot);
	end = restart_resume(&engine->restarter, t, signal, known ? &snapshot : NULL);
	window_leave();
	/* On an error the thread has been killed in its stop. */
	if (r < 0 && stops_awaits_sample(t))
		sampler_lose(&s->sampler, t->sample, false);
	if (r < 0 || !asked) {
		t->stop_requested_ns = 0;
		return;
	}
	own = cpu_account_update(engine, t, &cpu, end);
	stop = stops_time(t, &cpu, snapshot.syscall >= 0, seen, end);
	/* count_missed() (engine_loop.c) runs once a second, and may not have counted this stop. */
	engine->audit.missed_stops += !t->missed && seen - t->stop_requested_ns > CLOCK_SECOND_NS;
	t->stop_requested_ns = 0;
	t->machine = snapshot.machine;
	if (own)
		blocked_scan_stopped(engine, t, &cpu, stop, end);
	engine->audit.stops++;
	engine->audit.stopped_ns += stop;
	audit_histogram_add(&engine->audit.stop, stop);
	if (valid) {
		struct sample_loss loss = sampler_resumed(&s->sampler, t->sample, &cpu, end);

		cost_uninterrupted(&engine->bounds.cost, loss.lost_ns, loss.apart_ns);
		expected_note(engine, t);
	}
	if (profiled)
		record_stop(engine, t, &snapshot, clock_now());
}
