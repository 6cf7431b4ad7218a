/* SPDX-License-Identifier: MIT */
/* Facts about each process, for a profile of each (--per-process). */
#ifndef ANALYST_PROCESSES_H
#define ANALYST_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct record_cpu;
struct record_exec;
struct record_exit;
struct record_thread;

struct process_facts {
	uint32_t pid;
	char *path, *name; /* of the last image */
	double weight, weight_squared;
	/* weight, in ns, of samples that are not in the profile (--user-only) */
	double left_out;
	uint64_t kernel_ns; /* CPU time reported at the process's exit */
	uint64_t cpu_ns;    /* CPU time reported for the process's threads */
	uint32_t *tid;      /* of its threads that were sampled or used CPU time; sorted */
	size_t tids, tid_room;
};

struct processes {
	struct process_facts *list; /* sorted by pid */
	size_t n, room;
};

void processes_release(struct processes *processes);

/* Each adds a record to the facts about the record's process. -ENOMEM. */
int processes_exec(struct processes *processes, const struct record_exec *exec);
int processes_sample(struct processes *processes, uint32_t pid, uint64_t weight_ns, bool left_out);
int processes_thread(struct processes *processes, const struct record_thread *thread);
int processes_cpu(struct processes *processes, const struct record_cpu *cpu);
int processes_exit(struct processes *processes, const struct record_exit *exit);

/* The name of process @pid; "" if it is unknown. */
const char *processes_name(const struct processes *processes, uint32_t pid);
/* Extracts the profile of one process, with an audit of its own. -ENOMEM. */
int processes_profile(
	const struct process_facts *facts, const struct profile *all, struct profile **ret_profile);

#endif
