/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/cpu_account.h"

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/os/waiter.h"

/* Threads read per call of cpu_account_sweep(). */
#define SWEEP_MOST 8
/*
 * Every thread is read in turn, so if the last reading of a thread is PASS_LONG_NS old, there are
 * many threads. Then the sampler reads most of them in random order. But a thread that was on a CPU
 * for 1/AT_WORK_PARTS of the time since that reading is busy: the sampler is made to read it early.
 */
#define PASS_LONG_NS  20000000
#define AT_WORK_PARTS 8
/* cpu_account_sweep() does not repeat a reading that is younger than this. */
#define FRESH_NS 16000000

/*
 * A thread other than the leader may call exec. Before the new image is loaded and the exec event
 * comes, the old leader is gone, and the caller has the leader's tid. In between, /proc shows the
 * caller's CPU time under the leader's tid, also in files opened before. The kernel changes the
 * tids when all other threads have been reaped, which the supervisor does: while the supervisor
 * knows a third thread, the tids have not changed. With only two threads, waiter_peek() looks for
 * the one that is not the leader, after the reading. That thread is found under its own tid, alive
 * or as a zombie, until the tids change, and not from then on: the kernel changes and looks up tids
 * under its tasklist_lock (test: exec_before_its_event).
 */
bool cpu_account_owns(struct engine *engine, const struct tracee *t, const struct cpu_time *cpu)
{
	const struct cpu_time *seen = &t->account.seen;
	struct waiter_result result;

	if (t->reaped || t->process->threads > 2 ||
		(cpu->run_ns == seen->run_ns && cpu->wait_ns == seen->wait_ns))
		return true;
	if (t->tid == t->process->pid)
		t = target_find_other(&engine->target, t);
	return !t || waiter_peek(t->tid, &result) == 0;
}

bool cpu_account_update(
	struct engine *engine, struct tracee *t, const struct cpu_time *cpu, uint64_t now)
{
	struct account *a = &t->account;

	if (!cpu_account_owns(engine, t, cpu))
		return false;
	if (cpu->run_ns != a->seen.run_ns || cpu->slices != a->seen.slices)
		a->moved_at_ns = now;
	if (cpu->run_ns > a->seen.run_ns && !t->left_out)
		cost_earn(&engine->bounds.cost, cpu->run_ns - a->seen.run_ns);
	a->seen = *cpu;
	a->seen_at_ns = now;
	return true;
}

void cpu_account_report(struct engine *engine, struct tracee *t, bool last)
{
	struct account *a = &t->account;
	const struct record_cpu record = {.pid = (uint32_t)t->process->pid,
		.tid = (uint32_t)t->tid,
		.cpu_ns = a->seen.run_ns > a->reported_ns ? a->seen.run_ns - a->reported_ns : 0};

	if (!engine->counting || t->left_out || (!record.cpu_ns && !last))
		return;
	/*
	 * A forked child without a sample may not have been sent to the analyst yet: the process
	 * and its image come before its CPU time.
	 */
	(void)emit_process(&engine->emitter, clock_now(), t->process);
	/* The analyst forgets the thread here. If it is sampled again, its name comes first. */
	if (last) {
		t->name[0] = '\0';
		t->name_again_ns = 0;
	}
	if (emit_cpu(&engine->emitter, clock_now(), &record, last))
		t->image->sent_ns += record.cpu_ns;
	else if (last)
		t->image->lost_ns += record.cpu_ns;
	else
		return; /* The CPU time up to here is reported later. */
	a->reported_ns += record.cpu_ns;
}

void cpu_account_close(struct engine *engine, struct tracee *t)
{
	struct account *a = &t->account;
	uint64_t used = a->seen.run_ns > a->start_ns ? a->seen.run_ns - a->start_ns : 0;

	if (!engine->counting)
		return;
	if (t->left_out) {
		engine->audit.left_out_ns += used;
	} else {
		engine->audit.kernel_ns += used;
		t->process->kernel_ns += used;
		cpu_account_report(engine, t, true);
	}
	a->start_ns = a->reported_ns = a->seen.run_ns;
}

void cpu_account_end(struct engine *engine, struct process *process, uint32_t status)
{
	const struct record_exit record = {
		.pid = (uint32_t)process->pid, .status = status, .kernel_ns = process->kernel_ns};

	process->kernel_ns = 0;
	(void)emit_exit(&engine->emitter, clock_now(), &record);
}

/* Makes the sampler read a thread's CPU time soon if @cpu shows that the thread is busy. */
static void sample_again(
	struct engine *engine, struct tracee *t, const struct cpu_time *cpu, uint64_t now)
{
	uint64_t span = now - t->account.seen_at_ns, ran = cpu->run_ns - t->account.seen.run_ns;

	if (t->sample && t->account.seen_at_ns && span >= PASS_LONG_NS &&
		ran >= span / AT_WORK_PARTS)
		sampler_heed(&engine->sampling.sampler, t->sample);
}

/* Reads the thread's CPU time, unless that was done less than @fresh_ns ago. */
static bool update_from_proc(
	struct engine *engine, struct tracee *t, uint64_t now, uint64_t fresh_ns)
{
	struct cpu_time cpu;

	if (!t->process || t->state == TRACEE_GONE ||
		launch_is_before_exec(&engine->launch, t->tid))
		return false;
	if (now - t->account.seen_at_ns < fresh_ns)
		return true;
	if (procfiles_read_cpu(&engine->files, t, &cpu) < 0)
		return false;
	sample_again(engine, t, &cpu, now);
	return cpu_account_update(engine, t, &cpu, now);
}

void cpu_account_report_all(struct engine *engine, uint64_t now)
{
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (!update_from_proc(engine, t, now, 0))
			continue;
		t->account.reported_at_ns = now;
		cpu_account_report(engine, t, false);
	}
}

void cpu_account_read_all(struct engine *engine, const struct process *process)
{
	uint64_t now = clock_now();

	for (size_t i = 0; i < engine->target.tracees; i++)
		if (engine->target.tracee[i]->process == process)
			(void)update_from_proc(engine, engine->target.tracee[i], now, 0);
}

void cpu_account_sweep(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;

	for (unsigned i = 0; i < SWEEP_MOST && i < target->tracees; i++) {
		struct tracee *t;

		if (target->account_cursor >= target->tracees)
			target->account_cursor = 0;
		t = target->tracee[target->account_cursor++];
		if (!update_from_proc(engine, t, now, FRESH_NS))
			continue;
		if (now - t->account.reported_at_ns < CLOCK_SECOND_NS)
			continue;
		t->account.reported_at_ns = now;
		cpu_account_report(engine, t, false);
	}
}
