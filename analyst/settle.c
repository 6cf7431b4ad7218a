/* SPDX-License-Identifier: MIT */
#include "analyst/settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/processes.h"
#include "analyst/unsampled.h"
#include "analyst/wallclock.h"
#include "profile/profile.h"

__extension__ typedef unsigned __int128 u128;

static void add_rest(struct settled *settled, uint32_t executable, uint32_t pid, uint32_t pool)
{
	const struct share_pool *of = &settled->pool[pool];

	if (!of->samples && of->cpu_ns)
		settled->rest[settled->rests++] = (struct share_rest){executable, pid, of->cpu_ns};
}

int settle(const struct shares *shares, struct settled *ret_settled)
{
	struct settled s = {.shares = shares};
	size_t rests = shares->rests + shares->processes + shares->executables;

	s.pool = malloc(shares->pools * sizeof(*s.pool));
	s.given_ns = calloc(shares->pools, sizeof(*s.given_ns));
	s.rest = calloc(rests, sizeof(*s.rest));
	if (!s.pool || !s.given_ns || !s.rest) {
		settled_release(&s);
		return -ENOMEM;
	}
	memcpy(s.pool, shares->pool, shares->pools * sizeof(*s.pool));
	for (size_t i = 0; i < shares->rests; i++)
		s.rest[s.rests++] = shares->rest[i];
	for (size_t i = 0; i < shares->processes; i++) {
		const struct share_process *process = &shares->process[i];

		for (size_t j = 0; j < process->threads; j++)
			shares_end_thread(s.pool, &process->thread[j], process->pool);
		shares_end_process(shares, s.pool, process);
		if (shares->per_process)
			add_rest(&s, process->executable, process->pid, process->pool);
	}
	for (size_t i = 0; i < shares->executables; i++)
		add_rest(&s, (uint32_t)i, 0, shares->executable[i].pool);
	*ret_settled = s;
	return 0;
}

void settled_release(struct settled *settled)
{
	free(settled->pool);
	free(settled->given_ns);
	free(settled->rest);
	*settled = (struct settled){0};
}

/* The pool that took over @pool in the end: from thread to process to executable. */
static uint32_t final_pool(const struct settled *settled, uint32_t pool)
{
	while (settled->pool[pool].into != pool)
		pool = settled->pool[pool].into;
	return pool;
}

static uint64_t part_of(const struct share_pool *pool, uint64_t weight_ns)
{
	return (uint64_t)((u128)pool->cpu_ns * weight_ns / pool->weight_ns);
}

static uint32_t first_entry(const struct settled *settled, uint32_t stack)
{
	return stack < settled->shares->stacks ? settled->shares->first[stack] : 0;
}

/* Returns the CPU time of samples of the pool whose total weight is @weight_ns. */
static uint64_t give(struct settled *settled, uint32_t pool, uint64_t weight_ns)
{
	uint32_t index = final_pool(settled, pool);
	uint64_t before = settled->given_ns[index];

	settled->given_ns[index] += weight_ns;
	return part_of(&settled->pool[index], settled->given_ns[index]) -
		part_of(&settled->pool[index], before);
}

static uint64_t give_left_out(struct settled *settled)
{
	const struct shares *shares = settled->shares;
	uint64_t cpu_ns = 0;

	for (size_t i = 0; i < shares->left_outs; i++) {
		if (shares->left_out_ns[i])
			cpu_ns += give(settled, (uint32_t)i, shares->left_out_ns[i]);
	}
	return cpu_ns;
}

uint64_t settled_cpu_ns(struct settled *settled, uint32_t stack)
{
	const struct share_entry *entry;
	uint64_t cpu_ns = 0;

	if (stack == SHARES_LEFT_OUT)
		return give_left_out(settled);
	for (uint32_t i = first_entry(settled, stack); i; i = entry->next) {
		entry = &settled->shares->entry[i - 1];
		cpu_ns += give(settled, entry->pool, entry->weight_ns);
	}
	return cpu_ns;
}

double settled_factor(const struct settled *settled, uint32_t stack)
{
	const struct share_entry *entry;
	double cpu_ns = 0, weight_ns = 0;

	for (uint32_t i = first_entry(settled, stack); i; i = entry->next) {
		const struct share_pool *pool;
		double factor = 1;

		entry = &settled->shares->entry[i - 1];
		pool = &settled->pool[final_pool(settled, entry->pool)];
		if (pool->covered_ns)
			factor = (double)pool->cpu_ns / (double)pool->covered_ns;
		weight_ns += (double)entry->weight_ns;
		cpu_ns += (double)entry->weight_ns * factor;
	}
	return weight_ns > 0 ? cpu_ns / weight_ns : 1;
}

static void set_cpu_ns(
	struct profile *profile, const struct wallclock *wallclock, size_t stack, uint64_t cpu_ns)
{
	int64_t weight_ns = profile_sample(profile, stack).value[VALUE_CPU_NS];

	profile_set_value(profile, stack, VALUE_CPU_NS, (int64_t)cpu_ns);
	wallclock_correct(wallclock, profile, stack, (int64_t)cpu_ns - weight_ns);
}

int settle_finish(const struct shares *shares, const struct processes *processes,
	const struct wallclock *wallclock, struct profile *profile, uint64_t *ret_left_out_ns)
{
	struct settled settled;
	int r = settle(shares, &settled);

	if (r < 0)
		return r;
	for (size_t i = 0; i < profile_samples(profile); i++)
		set_cpu_ns(profile, wallclock, i, settled_cpu_ns(&settled, (uint32_t)i));
	*ret_left_out_ns = settled_cpu_ns(&settled, SHARES_LEFT_OUT);
	for (size_t i = 0; i < settled.rests && r == 0; i++) {
		const struct share_rest *rest = &settled.rest[i];
		const struct record_unsampled times = {
			.cpu_ns = rest->cpu_ns, .path = shares->executable[rest->executable].path};

		r = unsampled_add(profile, wallclock, &times, rest->pid,
			processes_name(processes, rest->pid));
	}
	settled_release(&settled);
	return r;
}

int settle_factors(const struct shares *shares, size_t stacks, float *ret_factor)
{
	struct settled settled;
	int r = settle(shares, &settled);

	if (r < 0)
		return r;
	for (size_t i = 0; i < stacks; i++)
		ret_factor[i] = (float)settled_factor(&settled, (uint32_t)i);
	settled_release(&settled);
	return 0;
}
