/* SPDX-License-Identifier: MIT */
/*
 * CPU time for stacks. A sample has a planned weight; how much CPU time a thread used, the kernel
 * tells exactly. An account holds both for each thread, and at a report (settle.h) the time of a
 * thread is shared out over its samples in proportion to their weights.
 *
 * A thread is what has one tid within one image of a process, until its last time, the exec or the
 * exit. A tid that comes again is another thread; a name has no part in it.
 *
 * Threads with fewer than SHARES_FEW samples are pooled with those of their process; such a pool
 * with fewer than SHARES_FEW samples, with those of the same executable. What ends is pooled at
 * once: what has ended without a sample takes no memory, a thread with samples 32 bytes, and a
 * stack 20 for each thread that was sampled there.
 *
 * Stacks are the profile's indexes, or SHARES_LEFT_OUT. Pure. Results are 0 or -ENOMEM.
 */
#ifndef ANALYST_SHARES_H
#define ANALYST_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/table.h"

/* The relative standard error of so many samples is 22 %. */
enum { SHARES_FEW = 20 };

/* The pool of threads whose time the kernel has not told: their weights stand as their time. */
enum { SHARES_AS_WEIGHED = 0 };

struct share_pool {
	uint64_t cpu_ns, weight_ns;
	uint64_t covered_ns; /* the weight that it had when its time was last told */
	uint32_t samples;
	uint32_t into; /* the pool that took it over; its own index: none */
};

struct share_thread {
	uint32_t tid, pool;
	bool timed; /* the kernel's time has been told, be it 0 */
};

/* A process's present image. Its pool has the threads that have ended. */
struct share_process {
	uint32_t pid, executable, pool;
	struct share_thread *thread; /* sorted by tid */
	size_t threads, room;
};

struct share_executable {
	char *path;
	uint32_t pool;
};

/* The stack of ticks that are not to be in the profile, but take their part of the time. */
#define SHARES_LEFT_OUT UINT32_MAX

/* What a pool's samples at one stack weigh. */
struct share_entry {
	uint64_t weight_ns;
	uint32_t pool;
	uint32_t next; /* of the same stack: index + 1, 0 none */
};

/* CPU time that no sample was found for. */
struct share_rest {
	uint32_t executable, pid; /* pid 0: of several processes */
	uint64_t cpu_ns;
};

struct shares {
	bool per_process; /* nothing is pooled across processes */
	struct share_pool *pool;
	size_t pools, pool_room;
	uint32_t free;                 /* a list by .into; 0 none */
	struct share_process *process; /* sorted by pid */
	size_t processes, process_room;
	struct share_executable *executable;
	size_t executables, executable_room;
	struct table paths;
	struct share_entry *entry;
	size_t entries, entry_room;
	uint32_t *first; /* by stack: index of an entry + 1, 0 none */
	size_t stacks, stack_room;
	uint32_t first_left_out; /* the same of SHARES_LEFT_OUT */
	struct share_rest *rest; /* of images that have ended, per process */
	size_t rests, rest_room;
};

int shares_init(struct shares *shares, bool per_process);
void shares_release(struct shares *shares);

/* A process appears; @parent, or 0: whose image it has. One of that pid that was there has ended.
 */
int shares_process(struct shares *shares, uint32_t pid, uint32_t parent);
/* It has another image from now on: the threads of the old one have ended. */
int shares_exec(struct shares *shares, uint32_t pid, const char *path);
int shares_exit(struct shares *shares, uint32_t pid);

/* A sample of a thread at a stack. Without weight it is left out. */
int shares_sample(
	struct shares *shares, uint32_t pid, uint32_t tid, uint32_t stack, uint64_t weight_ns);
/* The kernel's time of a thread since it was last told. @last: the thread has ended. */
int shares_cpu(struct shares *shares, uint32_t pid, uint32_t tid, uint64_t cpu_ns, bool last);

/*
 * The same rules on any array of pools: a thread has ended, a process's image has. They change
 * nothing but the pools; a pool that is its own stays one.
 */
void shares_end_thread(
	struct share_pool *pool, const struct share_thread *thread, uint32_t of_process);
void shares_end_process(
	const struct shares *shares, struct share_pool *pool, const struct share_process *process);

#endif
