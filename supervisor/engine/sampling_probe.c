/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/sampling.h"

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"

static int probe_activity(void *context, struct sample_thread *s, struct activity *ret_activity)
{
	struct tracee *t = s->owner;

	/*
	 * The thread is stopped, or its stop is requested: no further stop can be requested now. It
	 * is shown as blocked, in no call and at no address, so that it is not sampled.
	 */
	if (t->state != TRACEE_RUNNING) {
		*ret_activity = (struct activity){.syscall = -1};
		return 0;
	}
	/* While its call is being restarted the thread cannot be stopped, but the call is known. */
	if (restart_busy(t)) {
		*ret_activity = restart_activity(t);
		return 0;
	}
	return blocked_scan_read_activity(context, t, ret_activity);
}

static int probe_cpu_time(void *context, struct sample_thread *s, struct cpu_time *ret_cpu)
{
	struct engine *engine = context;

	return procfiles_read_cpu(&engine->files, s->owner, ret_cpu);
}

static int probe_turn(void *context, struct sample_thread *s, struct turn *ret_turn)
{
	struct engine *engine = context;

	return procfiles_read_turn(&engine->files, s->owner, ret_turn);
}

static int probe_queued(void *context, struct sample_thread *s, uint64_t *ret_ns)
{
	struct engine *engine = context;

	return procfiles_read_queued(&engine->files, s->owner, ret_ns);
}

static int probe_last_cpu(void *context, struct sample_thread *s)
{
	struct engine *engine = context;

	return procfiles_read_last_cpu(&engine->files, s->owner);
}

static uint64_t probe_now(void *context)
{
	(void)context;
	return clock_now();
}

/* Returns how many other threads are runnable; /proc/loadavg counts the calling one, too. */
static int probe_runnable(void *context)
{
	struct sampling *s = &((struct engine *)context)->sampling;
	int runnable = s->load_fd < 0 ? -1 : procfs_read_runnable(s->load_fd);

	if (runnable < 0)
		return -1;
	return runnable > 0 ? runnable - 1 : 0;
}

const struct probe sampling_probe = {
	.activity = probe_activity,
	.cpu_time = probe_cpu_time,
	.turn = probe_turn,
	.queued = probe_queued,
	.last_cpu = probe_last_cpu,
	.now = probe_now,
	.runnable = probe_runnable,
};
