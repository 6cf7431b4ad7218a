/* SPDX-License-Identifier: MIT */
/*
 * The /proc files of threads and processes, opened once and read often. Files that cannot be kept
 * open (fds.h) are opened for each reading. Results are 0 or positive, or -errno; -ESRCH or -ENOENT
 * if the thread or process is gone.
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
	enum cpu_source cpu_source; /* the file that THREAD_CPU stands for */
	const struct say *say;
	/* number of threads that at some time were not sampled because descriptors were scarce */
	uint64_t unwatched;
	bool said_no_fds;
	bool reads_refused; /* process_vm_readv(2) is refused: /proc/PID/mem is used */
};

void procfiles_init(struct procfiles *files, struct target *target, const struct say *say);

/* Reads the CPU time, up to a scheduler tick stale if the thread runs on another CPU. */
int procfiles_read_cpu(struct procfiles *files, struct tracee *tracee, struct cpu_time *ret_cpu);
/* Like procfiles_read_cpu(), for the stop window: opens no file. -EBADF: the file is not open. */
int procfiles_read_open_cpu(
	const struct procfiles *files, const struct tracee *tracee, struct cpu_time *ret_cpu);
/*
 * Like procfiles_read_cpu(); with any @cpu_source, ret_cpu->slices changes if the thread has run.
 */
int procfiles_read_runs(struct procfiles *files, struct tracee *tracee, struct cpu_time *ret_cpu);
/*
 * Reads the thread's times and page faults as the kernel counts them. If they cannot be read, sets
 * tracee->begin_kernel, read when counting began, so that the difference is 0.
 */
void procfiles_read_kernel_time(const struct tracee *tracee, struct kernel_time *ret_time);
/* Stores the CPU time of a zombie in final_cpu before it is reaped, for reads after that. */
void procfiles_read_final(struct procfiles *files, struct tracee *tracee);
/* Reads whether the thread is runnable, or else where it is blocked. */
int procfiles_read_activity(
	struct procfiles *files, struct tracee *tracee, struct activity *ret_activity);
/* Like procfiles_read_activity(); also reads the arguments of the call. */
int procfiles_read_call(struct procfiles *files, struct tracee *tracee,
	struct activity *ret_activity, uint64_t ret_argument[6]);
/* Reads when the thread was last scheduled in or out, by the scheduler's clock. */
int procfiles_read_turn(struct procfiles *files, struct tracee *tracee, struct turn *ret_turn);
/* Reads since when the thread has waited for a CPU, by the scheduler's clock. */
int procfiles_read_queued(struct procfiles *files, struct tracee *tracee, uint64_t *ret_ns);
/* Returns the CPU that the thread is on, waits for, or was last on. */
int procfiles_read_last_cpu(struct procfiles *files, struct tracee *tracee);
/* Reads the state letter of /proc/PID/stat: 'R', 'S', 'D', 'T', … */
int procfiles_read_state(struct procfiles *files, struct tracee *tracee, char *ret_state);

/* Returns a descriptor owned by @process, opened if necessary; or -errno. */
int procfiles_of(struct procfiles *files, struct process *process, enum process_file file);

/* Returns the tid through whose /proc files the process is read; at first that of its leader. */
int procfiles_reader(const struct process *process);
/*
 * Chooses another tid, as the files of an ended leader are empty. Closes the process's files. Opens
 * those for access to its memory (pagemap, mem) again at once, because a stop window cannot open
 * files. False: the process has no other thread.
 */
bool procfiles_find_reader(struct procfiles *files, struct process *process);
/* Sets the tid (0: the leader's), and closes the files of the process. */
void procfiles_set_reader(struct process *process, int tid);

/*
 * Opens, through the living thread @tid, the process's pagemap if couriers are used, and its mem if
 * process_vm_readv(2) is refused. A file whose open has failed is not tried again, except after too
 * many open files. Call before the memory is accessed: while pagemap is not open, couriers are sent
 * for every page (pages.h).
 */
void procfiles_open_memory(struct procfiles *files, struct process *process, int tid);

/*
 * Opens the files that @tracee's stop window needs. If descriptors are scarce, closes those of
 * another thread first. False: @tracee cannot be sampled now. If no other thread has descriptors
 * that could be closed later, @tracee is counted in @unwatched.
 */
bool procfiles_claim(struct procfiles *files, struct tracee *tracee);

#endif
