/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "supervisor/engine/engine_state.h"
#include "supervisor/os/mem.h"

void sampling_cpus_check(struct engine *engine, int pid)
{
	struct sampling *s = &engine->sampling;
	cpu_set_t theirs;

	CPU_ZERO(&theirs);
	if (sched_getaffinity(pid, sizeof(theirs), &theirs) < 0)
		return;
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		if (!atomic_load(&s->cpu[i]->gone))
			CPU_CLR(s->cpu[i]->waiter.cpu, &theirs);
	if (CPU_COUNT(&theirs) == 0)
		return;
	s->uncovered = true;
	say_line(&engine->say, SAY_WARNING,
		"process %d may run on CPUs that sprofrun may not use (its cpuset leaves them "
		"out): what it does there is not sampled",
		pid);
}

/* Adds a CPU, whose waiter is not started yet. @alone: it is the only one. 0, or -ENOMEM. */
static int add(struct sampling *s, int number, bool alone)
{
	unsigned index = s->sampler.cpus;
	struct sampled_cpu *c;

	if (mem_grow((void **)&s->cpu, &s->cpu_room, index + 1, sizeof(*s->cpu)) < 0)
		return -ENOMEM;
	c = mem_new(1, sizeof(*c));
	if (!c || sampler_add_cpu(&s->sampler, number) < 0) {
		free(c);
		return -ENOMEM;
	}
	s->cpu[index] = c;
	c->sampling = s;
	c->instant.cpu = index;
	c->waiter.cpu = number;
	c->waiter.wake = s->wake;
	c->waiter.context = c;
	/*
	 * On a single CPU no waiter waits for the turn of another, so no thread need be expected
	 * (expected.c): there is no file for it.
	 */
	c->expected.fd = alone ? -1 : fcntl(s->sched_fd, F_DUPFD_CLOEXEC, 0);
	plan_init(&c->plan, s->seed + index * UINT64_C(0x9e3779b97f4a7c15));
	atomic_store(&c->stretch_1024, PLAN_ONE);
	atomic_store(&c->next_ns, PLAN_NEVER);
	return 0;
}

int sampling_cpus_init(struct sampling *s,
	uint64_t (*wake)(void *context, uint64_t woke, const struct arrival *arrival, int error))
{
	cpu_set_t all;
	int r = 0;

	s->wake = wake;
	priority_cpus(&s->summons.started_on, &all);
	if (!CPU_COUNT(&all))
		CPU_SET(0, &all);
	for (int i = 0; r == 0 && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			r = add(s, i, CPU_COUNT(&all) == 1);
	return r;
}

void sampling_cpus_release(struct sampling *s)
{
	for (unsigned i = 0; s->cpu && i < s->sampler.cpus; i++) {
		cpu_waiter_stop(&s->cpu[i]->waiter);
		if (s->cpu[i]->expected.fd >= 0)
			(void)close(s->cpu[i]->expected.fd);
		free(s->cpu[i]);
	}
	free(s->cpu);
	s->cpu = NULL;
}

static void start(struct sampled_cpu *c)
{
	c->waiter.realtime = c->sampling->sampler.realtime;
	c->waiter.first = c->sampling->realtime.first;
	(void)cpu_waiter_start(&c->waiter);
}

void sampling_cpus_start(struct sampling *s)
{
	for (unsigned i = 0; i < s->sampler.cpus; i++) {
		cpu_waiter_stop(&s->cpu[i]->waiter);
		start(s->cpu[i]);
	}
}

static void renew(struct sampled_cpu *c)
{
	if (c->waiter.started)
		cpu_waiter_poke(&c->waiter);
	else
		(void)c->waiter.wake(c, 0, NULL, 0);
}

void sampling_cpus_renew(struct sampling *s)
{
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		renew(s->cpu[i]);
}

/*
 * A CPU that is gone has no instants. Its waiter would take them on another CPU, as the kernel lets
 * the waiter run on any CPU.
 */
static void note_gone(struct engine *engine, struct sampled_cpu *c, bool gone)
{
	struct sampler *s = &c->sampling->sampler;

	if (atomic_exchange(&c->gone, gone) == gone)
		return;
	s->present = gone ? s->present - 1 : s->present + 1;
	renew(c);
	say_line(&engine->say, SAY_DETAIL, "CPU %d is %s", c->waiter.cpu,
		gone ? "gone (offline, or not in the cpuset any more)" : "back");
}

/*
 * The kernel unpins threads if a CPU goes offline; before Linux 6.2, also if a cpuset is written.
 */
void sampling_cpus_review(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	const struct target *target = &engine->target;
	bool strayed = s->strayed;
	cpu_set_t own, all;

	s->strayed = false;
	if (strayed)
		summons_unpin(&s->summons); /* the next call pins this thread, too */
	priority_cpus(&own, &all);
	if (!CPU_COUNT(&all))
		return;
	for (unsigned i = 0; i < s->sampler.cpus; i++) {
		if (strayed)
			cpu_waiter_pin(&s->cpu[i]->waiter);
		note_gone(engine, s->cpu[i], !CPU_ISSET(s->cpu[i]->waiter.cpu, &all));
		CPU_CLR(s->cpu[i]->waiter.cpu, &all);
	}
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &all) || add(s, i, false) < 0)
			continue;
		start(s->cpu[s->sampler.cpus - 1]);
		renew(s->cpu[s->sampler.cpus - 1]);
		say_line(&engine->say, SAY_DETAIL, "CPU %d is new, and sampled from now on", i);
	}
	if (target->processes && !s->uncovered)
		sampling_cpus_check(
			engine, target->process[s->check_cursor++ % target->processes]->pid);
}
