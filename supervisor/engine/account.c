/* SPDX-License-Identifier: MIT */
/* The accounts of CPU time: each thread's, and what is left over when it ends. */
#include "supervisor/engine/engine_internal.h"

#include <errno.h>
#include <unistd.h>

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

/* An account that begins now. A newborn has used nothing. */
void account_begin(struct engine *engine, struct tracee *t, bool newborn)
{
	uint64_t period = engine->period_ns;
	struct cpu_time cpu = {0};

	if (!newborn)
		(void)account_read_cpu(engine, t, &cpu);
	credit_begin(
		&t->credit, &cpu, engine_now(), period, wakeups_random(&engine->wakeups, period));
	look_begin(engine, t, &cpu, engine_now());
}

/* The credit of a thread that cannot be sampled any more goes to its process, or its image. */
void account_pool(struct engine *engine, struct tracee *t, uint64_t run_ns)
{
	uint64_t credit = run_ns > t->credit.paid_ns ? run_ns - t->credit.paid_ns : 0;

	if (t->process->image == t->image || engine->options->per_process)
		t->process->pool_ns += credit;
	else
		t->image->pool_ns += credit; /* it ended in an image that was replaced since */
	credit_clear(&t->credit, run_ns);
}

/* The account of one thread is closed at what the kernel says now. */
void account_close(struct engine *engine, struct tracee *t)
{
	struct cpu_time cpu = t->credit.seen;

	if (!t->process)
		return;
	(void)account_read_cpu(engine, t, &cpu);
	if (!engine->counting)
		return;
	look_close(engine, t, &cpu, engine_now());
	account_charge(engine, t, cpu.run_ns);
}

void account_charge(struct engine *engine, struct tracee *t, uint64_t run_ns)
{
	engine->audit.kernel_ns += run_ns - t->credit.start_ns;
	t->process->kernel_ns += run_ns - t->credit.start_ns;
	account_pool(engine, t, run_ns);
	t->credit.start_ns = run_ns;
}

void account_leave(struct engine *engine, struct process *process)
{
	if (engine->options->per_process)
		return;
	process->image->pool_ns += process->pool_ns;
	process->pool_ns = 0;
}

void account_end(struct engine *engine, struct process *process, uint32_t status)
{
	struct record_exit record = {
		.pid = (uint32_t)process->pid, .status = status, .kernel_ns = process->kernel_ns};

	account_leave(engine, process);
	engine->audit.unattributed_ns += process->pool_ns;
	process->pool_ns = process->kernel_ns = 0;
	(void)emit_exit(&engine->emitter, engine_now(), &record);
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
}

void account_settle(struct engine *engine)
{
	struct target *target = &engine->target;

	account_count(engine, false);
	for (size_t i = 0; i < target->processes; i++) {
		if (engine->options->per_process)
			account_end(engine, target->process[i], RECORD_EXIT_DETACHED);
		account_leave(engine, target->process[i]);
	}
	for (size_t i = 0; i < target->images; i++) {
		struct image *image = target->image[i];
		const struct record_unsampled rest = {image->pool_ns + image->lost_ns,
			image->waited.queue_ns, image->waited.blocked_ns, image->path};

		engine->audit.unattributed_ns += rest.cpu_ns;
		waiting_add(&engine->audit.unattributed, &image->waited);
		if (rest.cpu_ns || rest.queue_ns || rest.blocked_ns)
			(void)emit_unsampled(&engine->emitter, engine_now(), &rest);
		image->pool_ns = image->lost_ns = 0;
		image->waited = (struct waiting){0};
	}
}
