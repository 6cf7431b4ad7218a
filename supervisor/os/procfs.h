/* SPDX-License-Identifier: MIT */
/*
 * Readers of /proc files; maps and status have files of their own. Nothing here stops a thread.
 * Results are 0 or positive, or -errno; -ESRCH or -ENOENT if the thread is gone.
 */
#ifndef SUPERVISOR_PROCFS_H
#define SUPERVISOR_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens, for reading, the file whose path @format makes. Not in the stop window. */
int procfs_open(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Returns the whole text of the file whose path @format makes, freed by the caller; NULL: failed.
 * Not in the stop window.
 */
char *procfs_read_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads up to @room - 1 bytes from the file's start, and appends a NUL. Returns their number. */
int procfs_read(int fd, char *text, size_t room);
/* Room for what the functions below parse: of sched, the beginning. */
enum {
	PROCFS_CPU_BYTES = 512,
	PROCFS_STAT_BYTES = 1024,
	PROCFS_CALL_BYTES = 256,
	PROCFS_TURN_BYTES = 512,
	PROCFS_QUEUED_BYTES = 2048
};

/* The CPU time of a thread, as counted by the scheduler. */
struct cpu_time {
	uint64_t run_ns;  /* on a CPU */
	uint64_t wait_ns; /* in the run queue */
	uint64_t slices;  /* times it was scheduled in */
};

enum cpu_source {
	CPU_SOURCE_SCHEDSTAT, /* nanoseconds */
	CPU_SOURCE_STAT,      /* user + system time in clock ticks; wait and slices are 0 */
};

/* Returns the source that this kernel provides: schedstat may be absent, or all zero. */
enum cpu_source procfs_cpu_source(void);

/*
 * Reads the CPU time of a thread. If the thread runs, the result may be up to a scheduler tick too
 * small. May run in the stop window.
 */
int procfs_read_cpu(enum cpu_source source, int fd, struct cpu_time *ret_cpu);

/*
 * Parses schedstat, "123456789 4567 89\n" to {123456789, 4567, 89}; or stat, where the CPU time is
 * the sum of fields 14 and 15: "7 (a) b) S 1 … 12 3 …" with 100 ticks a second to {150000000, 0,
 * 0}.
 */
int procfs_parse_cpu(enum cpu_source source, const char *text, struct cpu_time *ret_cpu);

/* What a thread does, from /proc/PID/task/TID/syscall. */
struct activity {
	bool running;    /* running or in the run queue; then all other fields are 0 */
	int32_t syscall; /* number; -1: blocked outside of a call, e.g. in a page fault */
	uint64_t sp, pc;
};
/*
 * Parses "running\n", or "232 0x4 0x7ff… 0x400 0xffffffff 0x0 0x0 0x7ffe0 0x7f1c\n" (call,
 * arguments, sp, pc), or "-1 0x7ffe0 0x7f1c\n" (sp, pc). -EPROTO: @text has another form.
 */
int procfs_parse_activity(const char *text, struct activity *ret_activity);
/* Like procfs_parse_activity(); also parses the call's arguments (0: not in a call). */
int procfs_parse_call(const char *text, struct activity *ret_activity, uint64_t ret_argument[6]);

/*
 * Parses the time since which a thread waits for a CPU, by the scheduler's clock, rounded down to
 * 1,024 ns: "...\nse.avg.last_update_time  :  56887693467648\n..." to 56887693467648. -EPROTO: the
 * line is missing or malformed.
 *
 * The text is that of /proc/PID/task/TID/sched, which exists with CONFIG_SCHED_DEBUG. The kernel
 * sets this time when a thread enters the run queue. The clock that it uses for that falls behind
 * if the kernel scales load by the CPU's frequency.
 */
int procfs_parse_queued(const char *text, uint64_t *ret_ns);

/* A thread's last turn on a CPU, from the sched file. */
struct turn {
	/*
	 * Time of the last context switch (exec_start), by the scheduler's clock. The thread that
	 * left the CPU and the one that got it have the same time. While a thread runs, each
	 * scheduler tick sets its time anew.
	 */
	uint64_t switched_ns;
	uint64_t run_ns; /* the thread's CPU time at switched_ns (CLOCK_THREAD_CPUTIME_ID) */
};
int procfs_read_turn(int fd, struct turn *ret_turn);
/*
 * Parses "redis-server (7, #threads: 5)\n---\nse.exec_start  :  23722024.318874\n..."
 * (milliseconds) to a switched_ns of 23722024318874. run_ns is 0 if @text is cut before the line of
 * the CPU time. -EPROTO: se.exec_start is missing or malformed.
 */
int procfs_parse_turn(const char *text, struct turn *ret_turn);

/*
 * Parses field 39 of stat: the CPU that a thread is on, waits for, or was last on. Example: "7 (a)
 * b) R 1 … 17 3 0 …" gives 3, if 3 is its field 39. -EPROTO: the field is missing.
 */
int procfs_parse_last_cpu(const char *text);

/* Returns where the stack of a process's main thread begins, at its argc; 0: unknown. */
uint64_t procfs_read_stack_bottom(int pid);
/* Parses field 28 of stat; 0: unknown. */
uint64_t procfs_parse_stack_bottom(const char *text);

/* Page faults, and CPU time in the kernel, which the kernel counts in ticks of 1 to 10 ms. */
struct kernel_time {
	uint64_t minor_faults, major_faults;
	uint64_t system_ns;
};

/* Parses fields 10, 12 and 15 of stat. -EPROTO: they are not there. */
int procfs_parse_kernel_time(const char *text, struct kernel_time *ret_time);

/* Parses the thread's state, field 3 of stat: "7 (a) b) S 1 …" to 'S'. -EPROTO: it is missing. */
int procfs_parse_state(const char *text, char *ret_state);

/* The thread's name (comm), without the newline. "" if it cannot be read. */
#define PROCFS_NAME_BYTES 64
void procfs_read_name(int pid, int tid, char ret_name[PROCFS_NAME_BYTES]);

/* Reads the path of the executable as the kernel prints it; "" if it cannot be read. */
void procfs_read_exe(int pid, char *ret_path, size_t bytes);

/* Appends the tids of a process to *@tids (grown as needed, freed by the caller). */
int procfs_read_threads(int pid, int **tids, size_t *n, size_t *room);

/* Reads the number of pages that the process has mapped: "5410 812 ...\n" gives 5410. */
int procfs_read_pages(int statm_fd, uint64_t *ret_pages);

/* Opens /proc/loadavg. -ENOTSUP: lxcfs has replaced it by a file that is seconds old. */
int procfs_open_load(void);
/* Returns how many threads of the whole machine are running or runnable, including the reader. */
int procfs_read_runnable(int load_fd);
/* Parses "0.20 0.18 0.12 3/80 11206\n" to 3. -EPROTO: @text has another form. */
int procfs_parse_runnable(const char *text);

/* Returns a scheduler tick in ns (1/HZ). */
uint64_t procfs_scheduler_tick_ns(void);

#endif
