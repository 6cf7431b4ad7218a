/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/counting.h"

#include "base/clock.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/engine_state.h"

void counting_begin(struct engine *engine, struct tracee *t, bool newborn)
{
	struct cpu_time cpu = t->account.seen, present;
	uint64_t now = clock_now();

	t->begin_kernel = (struct kernel_time){0};
	if (!newborn) {
		if (procfiles_read_cpu(&engine->files, t, &present) == 0 &&
			cpu_account_owns(engine, t, &present))
			cpu = present;
		procfiles_read_kernel_time(t, &t->begin_kernel);
	}
	t->account = (struct account){.start_ns = cpu.run_ns,
		.reported_ns = cpu.run_ns,
		.seen = cpu,
		.seen_at_ns = now,
		.moved_at_ns = now};
	if (!t->left_out)
		blocked_scan_begin(engine, t, &cpu, now);
}

static uint64_t grown(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void add_kernel_time(struct engine *engine, struct tracee *t)
{
	struct kernel_time *all = &engine->audit.in_kernel, now;

	procfiles_read_kernel_time(t, &now);
	all->minor_faults += grown(t->begin_kernel.minor_faults, now.minor_faults);
	all->major_faults += grown(t->begin_kernel.major_faults, now.major_faults);
	all->system_ns += grown(t->begin_kernel.system_ns, now.system_ns);
	t->begin_kernel = now;
}

void counting_close(struct engine *engine, struct tracee *t)
{
	struct cpu_time cpu;

	if (!t->process)
		return;
	/* The tables of sprofil(3) need this reading, also while the profile counts nothing. */
	if (procfiles_read_cpu(&engine->files, t, &cpu) == 0)
		(void)cpu_account_update(engine, t, &cpu, clock_now());
	if (!engine->counting)
		return;
	blocked_scan_close(engine, t, clock_now());
	cpu_account_close(engine, t);
	add_kernel_time(engine, t);
}

void counting_set(struct engine *engine, bool counting)
{
	if (engine->counting == counting)
		return;
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (counting && t->process)
			counting_begin(engine, t, false);
		else
			counting_close(engine, t);
	}
	engine->counting = counting;
	sampling_set_periods(engine);
}

void counting_freeze(struct engine *engine, bool frozen)
{
	engine->timing.frozen = frozen;
	if (!engine->timing.delayed && !engine->rotation.paused_ns)
		counting_set(engine, !frozen);
}

void counting_settle(struct engine *engine)
{
	struct target *target = &engine->target;

	counting_set(engine, false);
	for (size_t i = 0; engine->options->per_process && i < target->processes; i++)
		cpu_account_end(engine, target->process[i], RECORD_EXIT_DETACHED);
	for (size_t i = 0; i < target->images; i++) {
		struct image *image = target->image[i];
		const struct record_unsampled rest = {image->lost_ns, image->waited.queue_ns,
			image->waited.blocked_ns, image->path};

		waiting_add(&engine->audit.unattributed, &image->waited);
		if (rest.cpu_ns || rest.queue_ns || rest.blocked_ns)
			(void)emit_unsampled(&engine->emitter, clock_now(), &rest);
		image->lost_ns = 0;
		image->waited = (struct waiting){0};
	}
}
