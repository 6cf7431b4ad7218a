/* SPDX-License-Identifier: MIT */
/* The CPU time that the kernel charges to each thread: read, summed, and told to the analyst. */
#include "supervisor/engine/engine_internal.h"

#include <errno.h>
#include <unistd.h>

/* Threads that are read in one turn of account_sweep(). */
#define SWEEP_MOST 8

int account_read_cpu(struct engine *engine, struct tracee *t, struct cpu_time *ret_cpu)
{
	int fd = t->cpu_fd, r;

	if (fd >= 0)
		return procfs_read_cpu(engine->cpu_source, fd, ret_cpu);
	fd = procfs_open_cpu(engine->cpu_source, t->process->pid, t->tid);
	if (fd == -EMFILE || fd == -ENFILE) {
		(void)fds_fit(engine, t->process, &fd);
		fd = procfs_open_cpu(engine->cpu_source, t->process->pid, t->tid);
	}
	if (fd < 0)
		return fd;
	r = procfs_read_cpu(engine->cpu_source, fd, ret_cpu);
	/* The stop window needs it open. */
	if (fds_fit(engine, t->process, &fd))
		t->cpu_fd = fd;
	else
		(void)close(fd);
	return r;
}

void account_see(struct engine *engine, struct tracee *t, const struct cpu_time *cpu, uint64_t now)
{
	struct account *a = &t->account;

	if (cpu->run_ns != a->seen.run_ns || cpu->slices != a->seen.slices)
		a->moved_at_ns = now;
	if (cpu->run_ns > a->seen.run_ns)
		sampling_earn(engine, cpu->run_ns - a->seen.run_ns);
	a->seen = *cpu;
	a->seen_at_ns = now;
}

void account_begin(struct engine *engine, struct tracee *t, bool newborn)
{
	struct cpu_time cpu = {0};
	uint64_t now = engine_now();

	if (!newborn)
		(void)account_read_cpu(engine, t, &cpu);
	t->account = (struct account){.start_ns = cpu.run_ns,
		.told_ns = cpu.run_ns,
		.seen = cpu,
		.seen_at_ns = now,
		.moved_at_ns = now};
	look_begin(engine, t, &cpu, now);
}

void account_tell(struct engine *engine, struct tracee *t, bool last)
{
	struct account *a = &t->account;
	const struct record_cpu record = {.pid = (uint32_t)t->process->pid,
		.tid = (uint32_t)t->tid,
		.cpu_ns = a->seen.run_ns > a->told_ns ? a->seen.run_ns - a->told_ns : 0};

	if (!engine->counting || (!record.cpu_ns && !last))
		return;
	if (emit_cpu(&engine->emitter, engine_now(), &record, last))
		t->image->sent_ns += record.cpu_ns;
	else if (last)
		t->image->lost_ns += record.cpu_ns;
	else
		return; /* told later */
	a->told_ns += record.cpu_ns;
}

void account_charge(struct engine *engine, struct tracee *t)
{
	struct account *a = &t->account;
	uint64_t used = a->seen.run_ns > a->start_ns ? a->seen.run_ns - a->start_ns : 0;

	if (!engine->counting)
		return;
	engine->audit.kernel_ns += used;
	t->process->kernel_ns += used;
	account_tell(engine, t, true);
	a->start_ns = a->told_ns = a->seen.run_ns;
}

void account_close(struct engine *engine, struct tracee *t)
{
	struct cpu_time cpu = t->account.seen;

	if (!t->process)
		return;
	(void)account_read_cpu(engine, t, &cpu);
	if (!engine->counting)
		return;
	account_see(engine, t, &cpu, engine_now());
	look_close(engine, t, &cpu, engine_now());
	account_charge(engine, t);
}

void account_end(struct engine *engine, struct process *process, uint32_t status)
{
	const struct record_exit record = {
		.pid = (uint32_t)process->pid, .status = status, .kernel_ns = process->kernel_ns};

	process->kernel_ns = 0;
	(void)emit_exit(&engine->emitter, engine_now(), &record);
}

void account_sweep(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;

	for (unsigned i = 0; i < SWEEP_MOST && i < target->tracees; i++) {
		struct cpu_time cpu;
		struct tracee *t;

		if (target->account_cursor >= target->tracees)
			target->account_cursor = 0;
		t = target->tracee[target->account_cursor++];
		if (!t->process || t->state == TRACEE_GONE || engine_is_ours(engine, t) ||
			account_read_cpu(engine, t, &cpu) < 0)
			continue;
		account_see(engine, t, &cpu, now);
		if (now - t->account.told_at_ns < ENGINE_SECOND_NS)
			continue;
		t->account.told_at_ns = now;
		account_tell(engine, t, false);
	}
}

void account_count(struct engine *engine, bool counting)
{
	if (engine->counting == counting)
		return;
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (counting && t->process)
			account_begin(engine, t, false);
		else
			account_close(engine, t);
	}
	engine->counting = counting;
	sampling_set_periods(engine);
}

void account_settle(struct engine *engine)
{
	struct target *target = &engine->target;

	account_count(engine, false);
	for (size_t i = 0; engine->options->per_process && i < target->processes; i++)
		account_end(engine, target->process[i], RECORD_EXIT_DETACHED);
	for (size_t i = 0; i < target->images; i++) {
		struct image *image = target->image[i];
		const struct record_unsampled rest = {image->lost_ns, image->waited.queue_ns,
			image->waited.blocked_ns, image->path};

		waiting_add(&engine->audit.unattributed, &image->waited);
		if (rest.cpu_ns || rest.queue_ns || rest.blocked_ns)
			(void)emit_unsampled(&engine->emitter, engine_now(), &rest);
		image->lost_ns = 0;
		image->waited = (struct waiting){0};
	}
}
