/* SPDX-License-Identifier: MIT */
/*
 * What is read of /proc; maps and status have files of their own. Nothing here stops a thread.
 * Results are 0 or positive, or -errno; a thread that is gone gives -ESRCH or -ENOENT.
 */
#ifndef SUPERVISOR_PROCFS_H
#define SUPERVISOR_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a file of /proc for reading, outside of the stop window only. */
int procfs_open(const char *path);
/* Reads a small file into @text, NUL-terminated, and closes it. @fd may be an error: the result. */
int procfs_read_once(int fd, char *text, size_t room);

/* A thread's CPU time, as the scheduler counts it. */
struct cpu_time {
	uint64_t run_ns;  /* on a CPU */
	uint64_t wait_ns; /* runnable, waiting for one */
	uint64_t slices;  /* times it was put on one */
};

enum cpu_source {
	CPU_SOURCE_SCHEDSTAT, /* nanoseconds */
	CPU_SOURCE_STAT,      /* user + system time in clock ticks; wait and slices are 0 */
};

/* What this kernel offers: schedstat may be absent, or all zero. */
enum cpu_source procfs_cpu_source(void);

/* A descriptor to read a thread's CPU time from; it stays valid until the thread is reaped. */
int procfs_open_cpu(enum cpu_source source, int pid, int tid);
/* May run in the stop window. For a thread running on another CPU up to a scheduler tick stale. */
int procfs_read_cpu(enum cpu_source source, int fd, struct cpu_time *ret_cpu);

/*
 * Parses schedstat, "123456789 4567 89\n" to {123456789, 4567, 89}, or stat, of which fields 14 and
 * 15 count: "7 (a) b) S 1 … 12 3 …" with 100 ticks a second to {150000000, 0, 0}.
 */
int procfs_parse_cpu(enum cpu_source source, const char *text, struct cpu_time *ret_cpu);

/* What a thread does, from /proc/PID/task/TID/syscall. */
struct activity {
	bool running;    /* on a CPU or waiting for one; the rest is then 0 */
	int32_t syscall; /* number, -1 blocked outside of one */
	uint64_t sp, pc;
};
int procfs_open_activity(int pid, int tid);
int procfs_read_activity(int fd, struct activity *ret_activity);
/* The same with the arguments of the call, which are 0 when it runs. */
int procfs_read_call(int fd, struct activity *ret_activity, uint64_t ret_argument[6]);
/* "running\n", or "232 0x4 0x7ff… 0x400 0xffffffff 0x0 0x0 0x7ffe0 0x7f1c\n" (call, arguments, sp,
 * pc), or "-1 0x7ffe0 0x7f1c\n". */
int procfs_parse_activity(const char *text, struct activity *ret_activity);

/*
 * When the scheduler last put a thread on a CPU or took it off one, by its clock (exec_start), from
 * an open /proc/PID/task/TID/sched of kernels with CONFIG_SCHED_DEBUG. At one switch both threads
 * have the same nanosecond. That of a running thread moves on with the scheduler's ticks.
 */
int procfs_open_switched(int pid, int tid);
int procfs_read_switched(int fd, uint64_t *ret_ns);

/* The same file, of a thread that runs: its turn on the CPU. */
struct turn {
	uint64_t switched_ns; /* exec_start: when the turn began, or the last tick in it */
	uint64_t run_ns;      /* the thread's CPU time up to then (CLOCK_THREAD_CPUTIME_ID) */
	uint64_t switches;    /* turns that it has ended */
};
int procfs_read_turn(int fd, struct turn *ret_turn);
/*
 * "redis-server (7, #threads: 5)\n---\nse.exec_start    :    23722024.318874\n..." (milliseconds)
 * to 23722024318874, and so on. What comes after exec_start is 0 where @text ends before. -EPROTO.
 */
int procfs_parse_turn(const char *text, struct turn *ret_turn);

/* A descriptor to read a thread's CPU from. */
int procfs_open_stat(int pid, int tid);
/* The CPU that a thread is on, waits for, or was last on. */
int procfs_read_last_cpu(int stat_fd);
/* Field 39 of stat: "7 (a) b) R 1 … 17 3 0 …" with 3 there gives 3. -EPROTO. */
int procfs_parse_last_cpu(const char *text);

/* Where the stack of a process' main thread begins, at its argc; 0: that is not told. */
uint64_t procfs_read_stack_bottom(int pid);
/* Field 28 of stat. */
uint64_t procfs_parse_stack_bottom(const char *text);

/* Its state: 'R', 'S', 'D', 'T' …, field 3 of stat. */
int procfs_read_state(int stat_fd, char *ret_state);
/* "7 (a) b) S 1 …" gives 'S'. -EPROTO. */
int procfs_parse_state(const char *text, char *ret_state);

/* Its name (comm), without the newline. "" when it cannot be had. */
#define PROCFS_NAME_BYTES 64
void procfs_read_name(int pid, int tid, char ret_name[PROCFS_NAME_BYTES]);

/* Path of the executable as the kernel tells it; "" when it cannot be had. */
void procfs_read_exe(int pid, char *ret_path, size_t bytes);

/* Tids of a process, appended to *@tids (grown as needed, freed by the caller). */
int procfs_read_threads(int pid, int **tids, size_t *n, size_t *room);

/* Pages that a process has mapped, from an open /proc/PID/statm: "5410 812 ...\n" gives 5410. */
int procfs_open_statm(int pid);
int procfs_read_pages(int statm_fd, uint64_t *ret_pages);

/*
 * Threads of the whole machine that are on a CPU or wait for one, the reader among them, from an
 * open /proc/loadavg: "0.20 0.18 0.12 3/80 11206\n" gives 3. -EPROTO. What a container has in its
 * place (lxcfs) is seconds old, and is not opened.
 */
int procfs_open_load(void);
int procfs_read_runnable(int load_fd);
int procfs_parse_runnable(const char *text);

/* A scheduler tick in ns (1/HZ), and whether CPUs may run without one. */
uint64_t procfs_scheduler_tick_ns(void);
bool procfs_has_tickless_cpus(void);

#endif
