/* SPDX-License-Identifier: MIT */
#include "analyst/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/arrays.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "proto/record.h"

void processes_release(struct processes *processes)
{
	for (size_t i = 0; i < processes->n; i++) {
		free(processes->list[i].path);
		free(processes->list[i].name);
	}
	free(processes->list);
	*processes = (struct processes){0};
}

/* Finds or makes. */
static struct process_facts *get(struct processes *processes, uint32_t pid)
{
	struct process_facts facts = {.pid = pid};
	size_t low = 0, high = processes->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (processes->list[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < processes->n && processes->list[low].pid == pid)
		return &processes->list[low];
	if (processes->n == processes->room) {
		size_t room = processes->room * 2 + 16;
		void *grown = reallocarray(processes->list, room, sizeof(*processes->list));

		if (!grown)
			return NULL;
		processes->list = grown;
		processes->room = room;
	}
	facts.path = strdup("");
	facts.name = strdup("");
	if (!facts.path || !facts.name) {
		free(facts.path);
		free(facts.name);
		return NULL;
	}
	memmove(processes->list + low + 1, processes->list + low,
		(processes->n - low) * sizeof(*processes->list));
	processes->list[low] = facts;
	processes->n++;
	return &processes->list[low];
}

int processes_exec(struct processes *processes, const struct record_exec *exec)
{
	struct process_facts *facts = get(processes, exec->pid);

	if (!facts || arrays_replace(&facts->path, exec->path) < 0 ||
		arrays_replace(&facts->name, exec->name) < 0)
		return -ENOMEM;
	return 0;
}

int processes_sample(struct processes *processes, uint32_t pid, uint64_t weight_ns)
{
	struct process_facts *facts = get(processes, pid);

	if (!facts)
		return -ENOMEM;
	facts->samples++;
	facts->weight += (double)weight_ns;
	facts->weight_squared += (double)weight_ns * (double)weight_ns;
	return 0;
}

int processes_exit(struct processes *processes, const struct record_exit *exit)
{
	struct process_facts *facts = get(processes, exit->pid);

	if (!facts)
		return -ENOMEM;
	/* A number that was used again: both are in one profile. */
	facts->kernel_ns += exit->kernel_ns;
	facts->unsampled_ns += exit->unsampled_ns;
	return 0;
}

static int add_unsampled(const struct process_facts *facts, struct profile *profile)
{
	const struct task task = {.pid = facts->pid, .process = facts->name, .thread = facts->name};
	int mapping = profile_mapping_of(profile, facts->path);
	int index = profile_add_task(profile, &task);

	if (mapping < 0 || index < 0)
		return -ENOMEM;
	return profile_add_unsampled(
		profile, (uint32_t)index, (uint32_t)mapping, (int64_t)facts->unsampled_ns);
}

int processes_finish(const struct processes *processes, struct profile *all)
{
	int r = 0;

	for (size_t i = 0; i < processes->n && r >= 0; i++) {
		if (processes->list[i].unsampled_ns)
			r = add_unsampled(&processes->list[i], all);
	}
	return r < 0 ? r : 0;
}

static int set_audit(const struct process_facts *facts, struct profile *profile)
{
	const struct {
		const char *key;
		uint64_t value;
	} figures[] = {
		{"samples", facts->samples},
		{"period_ns", profile_period_ns(profile)},
		{"profiled_cpu_ns", (uint64_t)facts->weight},
		{"unattributed_cpu_ns", facts->unsampled_ns},
		{"kernel_cpu_ns", facts->kernel_ns},
		{"wall_ns", profile_duration_ns(profile)},
		{"processes", 1},
		{STATS_EFFECTIVE_SAMPLES,
			(uint64_t)(stats_effective_samples(facts->weight, facts->weight_squared) +
				0.5)},
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		int r = profile_set_audit(profile, figures[i].key, figures[i].value);

		if (r < 0)
			return r;
	}
	return 0;
}

int processes_profile(
	const struct process_facts *facts, const struct profile *all, struct profile **ret_profile)
{
	struct profile *profile;
	int r = profile_split(all, facts->pid, &profile);

	if (r < 0)
		return r;
	r = profile_mapping_of(profile, facts->path);
	if (r >= 0) {
		profile_set_main(profile, (uint32_t)r);
		r = set_audit(facts, profile);
	}
	if (r < 0) {
		profile_free(profile);
		return r;
	}
	*ret_profile = profile;
	return 0;
}
