/* SPDX-License-Identifier: MIT */
/*
 * The /proc files of threads and processes, opened once and read often. What cannot be kept open
 * (fds.h) is read all the same. Results are 0 or positive, or -errno; one that is gone gives -ESRCH
 * or -ENOENT.
 */
#ifndef SUPERVISOR_PROCFILES_H
#define SUPERVISOR_PROCFILES_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"
#include "supervisor/target/fds.h"
#include "supervisor/target/target.h"

struct say;

struct procfiles {
	struct fds fds;
	enum cpu_source cpu_source; /* which file THREAD_CPU is */
	const struct say *say;
	uint64_t unwatched; /* threads that were not sampled (always) for want of descriptors */
	bool said_no_fds;
};

void procfiles_init(struct procfiles *files, struct target *target, const struct say *say);

/* A thread's CPU time, for one that runs on another CPU up to a scheduler tick stale. */
int procfiles_read_cpu(struct procfiles *files, struct tracee *tracee, struct cpu_time *ret_cpu);
/* The same in the stop window, which nothing is opened in. -EBADF: it is not open. */
int procfiles_read_open_cpu(
	const struct procfiles *files, const struct tracee *tracee, struct cpu_time *ret_cpu);
/* CPU time, with slices that change whenever the thread runs, whatever the source is. */
int procfiles_read_runs(struct procfiles *files, struct tracee *tracee, struct cpu_time *ret_cpu);
/* What the thread does; with the arguments of the call that it is in. */
int procfiles_read_activity(
	struct procfiles *files, struct tracee *tracee, struct activity *ret_activity);
int procfiles_read_call(struct procfiles *files, struct tracee *tracee,
	struct activity *ret_activity, uint64_t ret_argument[6]);
/* When the scheduler last put it on a CPU or took it off one, the scheduler's clock. */
int procfiles_read_switched(struct procfiles *files, struct tracee *tracee, uint64_t *ret_ns);
/* The CPU that it is on, waits for, or was last on. */
int procfiles_read_last_cpu(struct procfiles *files, struct tracee *tracee);
/* 'R', 'S', 'D', 'T', … */
int procfiles_read_state(struct procfiles *files, struct tracee *tracee, char *ret_state);

/* The descriptor of a process's file, opened if need be; it stays with the process. -errno. */
int procfiles_of(struct procfiles *files, struct process *process, enum process_file file);

/*
 * What the stop window of @tracee needs is open, if need be at the cost of another thread. False:
 * the thread cannot be sampled now, which is counted if no other thread has descriptors either.
 */
bool procfiles_claim(struct procfiles *files, struct tracee *tracee);

#endif
