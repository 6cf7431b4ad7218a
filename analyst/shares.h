/* SPDX-License-Identifier: MIT */
/*
 * Distributes CPU time over stacks. A sample has a planned weight; the kernel reports a thread's
 * exact CPU time. The thread's time is distributed over its samples in proportion to their weights
 * (settle.h).
 *
 * A thread is a tid within one image of a process, until its last report, the exec or the exit. A
 * reused tid is another thread; the name does not matter.
 *
 * Threads with fewer than SHARES_FEW samples are pooled with those of their process; if this pool
 * has fewer than SHARES_FEW, it is pooled with those of the same executable. Pooling happens as
 * soon as a thread or process ends. An ended thread or process without a sample takes no memory.
 * With samples, a thread takes 32 bytes, and a stack takes 20 bytes for each thread sampled there.
 *
 * Stacks are the profile's indexes, or SHARES_LEFT_OUT. Pure. Results are 0 or -ENOMEM.
 */
#ifndef ANALYST_SHARES_H
#define ANALYST_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/*
 * A thread with fewer samples gets no pool of its own: 20 samples give a CPU time with a relative
 * standard error of 22 %.
 */
enum { SHARES_FEW = 20 };

/*
 * The pool of threads whose CPU time was never reported: the weights of their samples are taken as
 * their CPU time.
 */
enum { SHARES_AS_WEIGHED = 0 };

struct share_pool {
	uint64_t cpu_ns, weight_ns;
	uint64_t covered_ns; /* value of weight_ns when CPU time was last reported */
	uint32_t samples;
	uint32_t into; /* the pool that took over this one; its own index: none */
};

struct share_thread {
	uint32_t tid, pool;
	bool timed;      /* the kernel has reported the time, possibly 0 */
	uint64_t cpu_ns; /* the reported time of this image */
};

/* A process's present image. @pool is the pool of its ended threads with few samples. */
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
 * The stack of samples left out of the profile (--user-only). These samples get their part of the
 * CPU time, too.
 */
#define SHARES_LEFT_OUT UINT32_MAX

/* The weight of a pool's samples at one stack. */
struct share_entry {
	uint64_t weight_ns;
	uint32_t pool;
	uint32_t next; /* the stack's next entry: index + 1; 0: none */
};

/* CPU time without samples. */
struct share_rest {
	uint32_t executable, pid; /* pid 0: the time is of several processes */
	uint64_t cpu_ns;
};

struct shares {
	bool per_process; /* processes are not pooled */
	struct share_pool *pool;
	size_t pools, pool_room;
	/* index of the first unused pool; .into of each is the next one; 0: none */
	uint32_t free;
	struct share_process *process; /* sorted by pid */
	size_t processes, process_room;
	struct share_executable *executable;
	size_t executables, executable_room;
	struct table paths;
	struct share_entry *entry;
	size_t entries, entry_room;
	uint32_t *first; /* by stack: index of an entry + 1; 0: none */
	size_t stacks, stack_room;
	uint64_t *left_out_ns; /* by pool: weight of its samples at SHARES_LEFT_OUT */
	size_t left_outs, left_out_room;
	struct share_rest *rest; /* with per_process: time of ended images */
	size_t rests, rest_room;
};

int shares_init(struct shares *shares, bool per_process);
void shares_release(struct shares *shares);

/*
 * Adds process @pid; an older process with this pid has ended. @parent: the process that forked it,
 * and whose executable it runs; 0: none.
 */
int shares_process(struct shares *shares, uint32_t pid, uint32_t parent);
/* Ends the accounts of the process's old image. */
int shares_exec(struct shares *shares, uint32_t pid, const char *path);
int shares_exit(struct shares *shares, uint32_t pid);

/* A sample without weight is ignored. */
int shares_sample(
	struct shares *shares, uint32_t pid, uint32_t tid, uint32_t stack, uint64_t weight_ns);
/* Adds a thread's CPU time since its last report. @last: the thread has ended. */
int shares_cpu(struct shares *shares, uint32_t pid, uint32_t tid, uint64_t cpu_ns, bool last);

/* The CPU time that shares_cpu() has added for a living thread. False: there is none. */
bool shares_thread_cpu(
	const struct shares *shares, uint32_t pid, uint32_t tid, uint64_t *ret_cpu_ns);

/*
 * To be called if the supervisor was killed, as the last reports of CPU time are then missing: each
 * thread's weight since its last report is added as CPU time.
 */
void shares_cover(struct shares *shares);

/*
 * Ends the account of a thread or an image. If its pool has fewer than SHARES_FEW samples, the pool
 * of the process or of the executable takes it over; an image's pool stays if shares->per_process.
 * A thread without reported time goes to SHARES_AS_WEIGHED. @pool is shares->pool or a copy of it.
 */
void shares_end_thread(
	struct share_pool *pool, const struct share_thread *thread, uint32_t of_process);
void shares_end_process(
	const struct shares *shares, struct share_pool *pool, const struct share_process *process);

#endif
