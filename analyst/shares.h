/* SPDX-License-Identifier: MIT */
/*
 * Distributes CPU time over stacks. A sample has a planned weight; the kernel reports the exact CPU
 * time of a thread. An account holds both for each thread, and at a report (settle.h) the time of a
 * thread is distributed over its samples in proportion to their weights.
 *
 * A thread is identified by its tid within one image of a process, until its last report, the exec
 * or the exit. A tid that is reused is another thread; the name does not matter.
 *
 * Threads with fewer than SHARES_FEW samples are pooled with those of their process; if this pool
 * has fewer than SHARES_FEW samples, it is pooled with those of the same executable. Threads and
 * processes are pooled as soon as they end: without a sample they take no memory then; a thread
 * with samples takes 32 bytes, and a stack 20 bytes for each thread sampled there.
 *
 * Stacks are the profile's indexes, or SHARES_LEFT_OUT. Pure. Results are 0 or -ENOMEM.
 */
#ifndef ANALYST_SHARES_H
#define ANALYST_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* A pool with fewer samples is merged: with 20, the relative standard error is 22 %. */
enum { SHARES_FEW = 20 };

/* The index of the pool of threads without reported time: their weights count as their time. */
enum { SHARES_AS_WEIGHED = 0 };

struct share_pool {
	uint64_t cpu_ns, weight_ns;
	uint64_t covered_ns; /* the pool's weight when its time was last reported */
	uint32_t samples;
	uint32_t into; /* index of the pool that took over this one; its own index: none did */
};

struct share_thread {
	uint32_t tid, pool;
	bool timed;      /* the kernel's time has been reported, possibly 0 */
	uint64_t cpu_ns; /* the time reported so far, in this image */
};

/* A process's present image. Its pool is that of the threads that have ended. */
struct share_process {
	uint32_t pid, executable, pool;
	struct share_thread *thread; /* sorted by tid */
	size_t threads, room;
};

struct share_executable {
	char *path;
	uint32_t pool;
};

/*
 * Stands for the stack of all samples that are left out of the profile (--user-only). They get
 * their part of the CPU time, like any stack.
 */
#define SHARES_LEFT_OUT UINT32_MAX

/* The weight of a pool's samples at one stack. */
struct share_entry {
	uint64_t weight_ns;
	uint32_t pool;
	uint32_t next; /* next entry of the same stack: index + 1, 0 none */
};

/* CPU time without samples. */
struct share_rest {
	uint32_t executable, pid; /* pid 0: the time is that of several processes */
	uint64_t cpu_ns;
};

struct shares {
	bool per_process; /* nothing is pooled across processes */
	struct share_pool *pool;
	size_t pools, pool_room;
	uint32_t free; /* first of the unused pools, a list linked by .into; 0 none */
	struct share_process *process; /* sorted by pid */
	size_t processes, process_room;
	struct share_executable *executable;
	size_t executables, executable_room;
	struct table paths;
	struct share_entry *entry;
	size_t entries, entry_room;
	uint32_t *first; /* by stack: index of an entry + 1, 0 none */
	size_t stacks, stack_room;
	uint64_t *left_out_ns; /* by pool: the weight of its samples at SHARES_LEFT_OUT */
	size_t left_outs, left_out_room;
	struct share_rest *rest; /* time of images that have ended, per process */
	size_t rests, rest_room;
};

int shares_init(struct shares *shares, bool per_process);
void shares_release(struct shares *shares);

/*
 * Adds a process; an older one with this pid has ended. @parent: the process whose image it has
 * copied, or 0: none.
 */
int shares_process(struct shares *shares, uint32_t pid, uint32_t parent);
/* Ends the accounts of the threads of a process's image, as it has a new one. */
int shares_exec(struct shares *shares, uint32_t pid, const char *path);
int shares_exit(struct shares *shares, uint32_t pid);

/* Adds a sample of a thread at a stack. A sample without weight is ignored. */
int shares_sample(
	struct shares *shares, uint32_t pid, uint32_t tid, uint32_t stack, uint64_t weight_ns);
/* Adds the kernel's time of a thread since the last report. @last: the thread has ended. */
int shares_cpu(struct shares *shares, uint32_t pid, uint32_t tid, uint64_t cpu_ns, bool last);

/*
 * The sum of the times given to shares_cpu() for a thread that has not ended. False: no time was
 * given.
 */
bool shares_thread_cpu(
	const struct shares *shares, uint32_t pid, uint32_t tid, uint64_t *ret_cpu_ns);

/*
 * To be called when the supervisor was killed: the weight of each thread's samples since its last
 * report counts as its CPU time since then.
 */
void shares_cover(struct shares *shares);

/*
 * These functions apply the pooling rules to any copy of the pools: they pool a thread, or the
 * image of a process, that has ended. They change only @pool. A pool with SHARES_FEW samples or
 * more stays separate.
 */
void shares_end_thread(
	struct share_pool *pool, const struct share_thread *thread, uint32_t of_process);
void shares_end_process(
	const struct shares *shares, struct share_pool *pool, const struct share_process *process);

#endif
