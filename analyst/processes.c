/* SPDX-License-Identifier: MIT */
#include "analyst/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/counts.h"
#include "base/array.h"
#include "base/text.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "proto/record.h"

void processes_release(struct processes *processes)
{
	for (size_t i = 0; i < processes->n; i++) {
		free(processes->list[i].path);
		free(processes->list[i].name);
		free(processes->list[i].tid);
	}
	free(processes->list);
	*processes = (struct processes){0};
}

static size_t place_of(const struct processes *processes, uint32_t pid)
{
	return array_bisect(i, 0, processes->n, processes->list[i].pid < pid);
}

const char *processes_name(const struct processes *processes, uint32_t pid)
{
	size_t at = place_of(processes, pid);

	return at < processes->n && processes->list[at].pid == pid ? processes->list[at].name : "";
}

/* Finds or adds a process; NULL: out of memory. */
static struct process_facts *get(struct processes *processes, uint32_t pid)
{
	struct process_facts facts = {.pid = pid};
	size_t low = place_of(processes, pid);

	if (low < processes->n && processes->list[low].pid == pid)
		return &processes->list[low];
	if (array_grow(&processes->list, &processes->room, processes->n + 1) < 0)
		return NULL;
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

	if (!facts || text_replace(&facts->path, exec->path) < 0 ||
		text_replace(&facts->name, exec->name) < 0)
		return -ENOMEM;
	return 0;
}

int processes_sample(struct processes *processes, uint32_t pid, uint64_t weight_ns, bool left_out)
{
	struct process_facts *facts = get(processes, pid);

	if (!facts)
		return -ENOMEM;
	if (left_out) {
		facts->left_out += (double)weight_ns;
		return 0;
	}
	facts->weight += (double)weight_ns;
	facts->weight_squared += (double)weight_ns * (double)weight_ns;
	return 0;
}

static int add_thread(struct process_facts *facts, uint32_t tid)
{
	size_t at = array_bisect(i, 0, facts->tids, facts->tid[i] < tid);

	if (at < facts->tids && facts->tid[at] == tid)
		return 0;
	if (array_grow(&facts->tid, &facts->tid_room, facts->tids + 1) < 0)
		return -ENOMEM;
	memmove(facts->tid + at + 1, facts->tid + at, (facts->tids - at) * sizeof(*facts->tid));
	facts->tid[at] = tid;
	facts->tids++;
	return 0;
}

int processes_thread(struct processes *processes, const struct record_thread *thread)
{
	struct process_facts *facts = get(processes, thread->pid);

	return facts ? add_thread(facts, thread->tid) : -ENOMEM;
}

int processes_cpu(struct processes *processes, const struct record_cpu *cpu)
{
	struct process_facts *facts = get(processes, cpu->pid);

	if (!facts)
		return -ENOMEM;
	facts->cpu_ns += cpu->cpu_ns;
	return add_thread(facts, cpu->tid);
}

int processes_exit(struct processes *processes, const struct record_exit *exit)
{
	struct process_facts *facts = get(processes, exit->pid);

	if (!facts)
		return -ENOMEM;
	/* Processes that reuse a pid share a profile, so their times are added up. */
	facts->kernel_ns += exit->kernel_ns;
	return 0;
}

static int set_audit(
	const struct process_facts *facts, const struct profile *all, struct profile *profile)
{
	struct audit_sums sums = audit_sums(profile);
	uint64_t realtime = 0, lost = 0, in_calls;
	/*
	 * Without an exit record (the stream was cut off), the CPU time reported for threads is
	 * used.
	 */
	uint64_t kernel_ns = facts->kernel_ns ? facts->kernel_ns : facts->cpu_ns;
	uint64_t in_rows_ns = sums.cpu_ns + sums.unsampled_ns;
	uint64_t left_out_ns = kernel_ns > in_rows_ns ? kernel_ns - in_rows_ns : 0;
	bool user_only = profile_audit(all, AUDIT_SYSCALL_CPU, &in_calls);
	bool knows_realtime = profile_audit(all, "realtime", &realtime);
	/* A lost sample has no known process. If any was lost, no process gets "found_ns". */
	bool knows_found = !profile_audit(all, "lost_samples", &lost) || !lost;
	const struct audit_figure figures[] = {
		{"period_ns", profile_period_ns(profile)},
		{"profiled_cpu_ns", sums.cpu_ns},
		{"unattributed_cpu_ns", sums.unsampled_ns + (user_only ? left_out_ns : 0)},
		{user_only ? AUDIT_SYSCALL_CPU : NULL, left_out_ns},
		{"kernel_cpu_ns", kernel_ns},
		{knows_found ? "found_ns" : NULL, (uint64_t)(facts->weight + facts->left_out)},
		{knows_realtime ? "realtime" : NULL, realtime},
		{"wall_ns", profile_duration_ns(profile)},
		{"processes", 1},
		{facts->tids ? "threads" : NULL, facts->tids},
		{STATS_EFFECTIVE_SAMPLES,
			(uint64_t)(stats_effective_samples(facts->weight, facts->weight_squared) +
				0.5)},
	};

	return counts_set_audit(profile, figures, sizeof(figures) / sizeof(*figures));
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
		r = set_audit(facts, all, profile);
	}
	if (r < 0) {
		profile_free(profile);
		return r;
	}
	*ret_profile = profile;
	return 0;
}
