/* SPDX-License-Identifier: MIT */
/* The clock. While the supervisor sleeps, tasks use their CPUs, and events that are due happen. */
#include "tests/kernel/kernel.h"

#include <errno.h>

/* CPU time that each system call of the supervisor takes. */
#define CALL_NS 300

static bool wants_cpu(const struct task *t)
{
	return t->state == TASK_RUNS;
}

/* Returns the task that gets @cpu for the next piece of time; tasks take turns. */
static struct task *next_on(struct kernel *k, int cpu)
{
	struct task *next = NULL;

	for (size_t i = 0; i < k->tasks; i++) {
		struct task *t = &k->task[i];

		if (wants_cpu(t) && t->cpu == cpu && (!next || t->run_ns < next->run_ns))
			next = t;
	}
	return next;
}

static void use(struct kernel *k, struct task *t, uint64_t ns)
{
	if (!t->on_cpu)
		t->switched_ns = k->now_ns - ns;
	t->slices += !t->on_cpu;
	t->on_cpu = true;
	t->run_ns += ns;
	if (t->at->op == OP_RUN)
		t->ran_ns += ns;
	while (t->at->op == OP_RUN && t->ran_ns >= (uint64_t)t->at->a) {
		t->ran_ns -= (uint64_t)t->at->a;
		t->at++;
	}
	if (t->at->op != OP_RUN)
		t->ran_ns = 0;
}

/* Lets @ns pass. The supervisor occupies CPU 0 unless it is @asleep. */
static void pass(struct kernel *k, uint64_t ns, bool asleep)
{
	k->now_ns += ns;
	for (int cpu = asleep ? 0 : 1; cpu < (int)k->cpus; cpu++) {
		struct task *t = next_on(k, cpu);

		for (size_t i = 0; i < k->tasks; i++)
			if (k->task[i].cpu == cpu && &k->task[i] != t) {
				k->task[i].on_cpu = false;
				k->task[i].wait_ns += wants_cpu(&k->task[i]) ? ns : 0;
			}
		if (t)
			use(k, t, ns);
	}
	for (size_t i = 0; !asleep && i < k->tasks; i++)
		if (k->task[i].cpu == 0) {
			if (k->task[i].on_cpu)
				k->task[i].switched_ns = k->woke_ns;
			k->task[i].on_cpu = false;
			k->task[i].wait_ns += wants_cpu(&k->task[i]) ? ns : 0;
		}
}

void kernel_tick(struct kernel *k)
{
	k->own_ns += CALL_NS;
	pass(k, CALL_NS, false);
}

/* When is the next event due that happens by time alone, without a choice? */
static uint64_t next_due(struct kernel *k)
{
	uint64_t next = UINT64_MAX;

	for (int cpu = 0; cpu < (int)k->cpus; cpu++) {
		struct task *t = next_on(k, cpu);

		if (t && t->at->op == OP_RUN && k->now_ns + (uint64_t)t->at->a - t->ran_ns < next)
			next = k->now_ns + (uint64_t)t->at->a - t->ran_ns;
	}
	for (size_t i = 0; i < k->tasks; i++) {
		const struct task *t = &k->task[i];
		bool loads = t->state == TASK_DEEP && t->until_ns > k->now_ns;

		if ((loads || t->state == TASK_SLEEPS) && t->until_ns && t->until_ns < next)
			next = t->until_ns;
	}
	for (size_t i = 0; i < k->signals; i++)
		if (k->signal[i].signal && k->signal[i].at_ns > k->now_ns &&
			k->signal[i].at_ns < next)
			next = k->signal[i].at_ns;
	return next;
}

static void wake_sleepers(struct kernel *k)
{
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *t = &k->task[i];

		if (t->state != TASK_SLEEPS || !t->until_ns || t->until_ns > k->now_ns)
			continue;
		kernel_time_over(k, t);
	}
}

static bool sleep_until(struct kernel *k, uint64_t until, bool (*awake)(struct kernel *k))
{
	kernel_tick(k);
	if (++k->calls > 2000000)
		kernel_fail(k, "the supervisor does not end");
	k->sleeps++;
	while (!k->broken && !awake(k)) {
		unsigned n = kernel_enabled(k);
		uint64_t due;

		/* A task acts, or time passes first. */
		if (n && !kernel_choose(k, 2, 1)) {
			kernel_step(k, kernel_choose(k, n, 0));
			pass(k, CALL_NS, true);
			continue;
		}
		if (k->now_ns >= until)
			return false;
		due = next_due(k);
		if (due > until)
			due = until;
		if (due == UINT64_MAX) {
			kernel_fail(k, "the supervisor and all tasks sleep for ever");
			return false;
		}
		pass(k, due > k->now_ns ? due - k->now_ns : 0, true);
		wake_sleepers(k);
		if (k->each && !k->broken)
			k->each(k);
	}
	return !k->broken;
}

bool kernel_sleep(struct kernel *k, uint64_t until, bool (*awake)(struct kernel *k))
{
	bool woken = sleep_until(k, until, awake);

	k->woke_ns = k->now_ns;
	k->rest_own_ns = k->own_ns;
	return woken;
}

void kernel_run_out(struct kernel *k)
{
	uint64_t until = k->now_ns + UINT64_C(100000000000);

	while (!k->broken && k->now_ns < until) {
		unsigned n = kernel_enabled(k);
		uint64_t due;

		if (n) {
			kernel_step(k, kernel_choose(k, n, 0));
			continue;
		}
		due = next_due(k);
		if (due == UINT64_MAX || due > until)
			return;
		pass(k, due > k->now_ns ? due - k->now_ns : 0, true);
		wake_sleepers(k);
	}
}
