/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/sampling_probe.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"

static int probe_activity(void *context, struct sample_thread *s, struct activity *ret_activity)
{
	struct tracee *t = s->owner;

	/* A thread that was asked to stop already, or stands in a stop, cannot be asked again. */
	if (t->state != TRACEE_RUNNING) {
		*ret_activity = (struct activity){.syscall = -1};
		return 0;
	}
	/* Nor can a thread whose call is being repaired; but it is known to be in that call. */
	if (mend_busy(t)) {
		*ret_activity = mend_activity(t);
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

static int probe_arrived(void *context, unsigned cpu, struct arrival *ret_arrival)
{
	struct engine *engine = context;
	struct sampling *s = &engine->sampling;

	if ((int)cpu != s->host)
		return s->waiter[cpu].started ? cpu_waiter_arrival(&s->waiter[cpu], ret_arrival)
					      : -ENODATA;
	*ret_arrival = s->arrival;
	return s->arrival.last_ns ? 0 : arrival_read(&s->log, s->sched_fd, ret_arrival);
}

static bool probe_holds(void *context, unsigned cpu)
{
	struct sampling *s = &((struct engine *)context)->sampling;
	struct cpu_waiter *w = &s->waiter[cpu];

	/* Awake since before the instant, the tracing thread cannot tell whom it replaced. */
	if ((int)cpu == s->host)
		return s->came;
	return !w->started || cpu_waiter_state(w) == CPU_WAITER_HOLDS;
}

static uint64_t probe_now(void *context)
{
	(void)context;
	return clock_now();
}

/*
 * Has the analyst run since this was asked last? It works for us: whoever takes its CPU changes
 * nothing for the target.
 */
static bool analyst_has_run(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t before = s->analyst_ran_ns;
	int pid = engine->reader.link.pid;

	if (pid && pid != s->analyst_pid)
		s->analyst_pid = clock_getcpuclockid(pid, &s->analyst_clock) == 0 ? pid : 0;
	if (!pid || !s->analyst_pid)
		return false;
	s->analyst_ran_ns = clock_read(s->analyst_clock);
	return s->analyst_ran_ns != before;
}

/*
 * /proc/loadavg counts this thread, each waiter that is awake, and the analyst: they are left out.
 */
static int probe_runnable(void *context)
{
	struct engine *engine = context;
	struct sampling *s = &engine->sampling;
	int runnable = s->load_fd < 0 ? -1 : procfs_read_runnable(s->load_fd);

	if (runnable < 0)
		return -1;
	for (unsigned i = 0; i < s->sampler.cpus; i++) {
		enum cpu_waiter_state state = cpu_waiter_state(&s->waiter[i]);

		runnable -= state == CPU_WAITER_HOLDS || state == CPU_WAITER_KEEPS;
	}
	runnable--;
	/* More than the one thread that is sampled. */
	if (runnable > 1 && analyst_has_run(engine))
		runnable--;
	return runnable > 0 ? runnable : 0;
}

const struct probe sampling_probe = {
	.activity = probe_activity,
	.cpu_time = probe_cpu_time,
	.switched = probe_switched,
	.queued = probe_queued,
	.last_cpu = probe_last_cpu,
	.arrived = probe_arrived,
	.holds = probe_holds,
	.now = probe_now,
	.runnable = probe_runnable,
};
