/* SPDX-License-Identifier: MIT */
/*
 * The tables of everything that is traced (images, processes, threads) and look-ups in them.
 * Nothing here reads /proc or calls ptrace.
 */
#ifndef SUPERVISOR_TARGET_H
#define SUPERVISOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/pages.h"
#include "supervisor/os/procfs.h"
#include "supervisor/target/account.h"
#include "supervisor/target/elapsed.h"
#include "supervisor/target/restart_rule.h"
#include "supervisor/target/runtime_copy.h"
#include "supervisor/target/stack.h"
#include "supervisor/target/tracee.h"
#include "supervisor/target/wall.h"

struct restart;
struct region_table;
struct sample_thread;
struct session;

/* Files of a thread and of a process that are kept open (procfiles.h). */
enum thread_file { THREAD_CPU, THREAD_ACTIVITY, THREAD_STAT, THREAD_SWITCHED, THREAD_FILES };
enum process_file {
	PROCESS_MAPS,
	PROCESS_STATM,
	PROCESS_PIDFD,
	PROCESS_PAGEMAP,
	PROCESS_MEM,
	PROCESS_FILES
};

/* An executable that processes of the target run. */
struct image {
	char *path;
	bool traces_asked; /* whether the program calls ptrace itself (special.h) */
	uint64_t sent_ns;  /* CPU time reported to the present analyst */
	uint64_t lost_ns;  /* CPU time that was lost with an analyst that died */
	/*
	 * With the wall clock: waiting time of threads that ended; the part sent to the present
	 * analyst.
	 */
	struct waiting waited, sent;
};

struct process {
	int pid, parent;
	int reader_tid; /* thread through which /proc is read (procfiles.h); 0: the first */
	int inner_pid;  /* the pid in its own pid namespace, for service.c; 0: not read yet */
	struct image *image;
	unsigned threads;   /* number of threads that are not gone */
	unsigned flags;     /* RECORD_PROCESS_… */
	bool announced;     /* the analyst knows the process and its image */
	uint64_t kernel_ns; /* CPU time of threads whose accounts are closed */

	/* Executable mappings, as last read; sorted by address. */
	struct mapped_range *range;
	size_t ranges, range_room;
	bool maps_read;      /* since the last exec */
	bool maps_announced; /* the analyst has them */
	uint32_t maps_generation;
	unsigned maps_reads;    /* since the last exec */
	uint64_t maps_again_ns; /* no reading before this time, to limit the cost */
	int fd[PROCESS_FILES];  /* procfiles.c; negative: not open */
	bool awaited;           /* fds.c: a stop is, when descriptors were last closed */
	/* pages mapped: at the last reading of the maps, and as last read */
	uint64_t pages, pages_next;
	/* KiB of executable mappings, at the same two times */
	uint64_t executable, executable_next;
	uint64_t pages_since_ns,
		pages_again_ns; /* when these last changed; when they are read again */
	uint64_t maps_hash;     /* hash of the executable mappings */
	/* Tables of --region and of sprofil, owned by the calls; NULL none. */
	struct region_table *histogram;
	struct session *session;
	struct pages memory;             /* which of its pages are in memory, as far as known */
	struct stack_ranges stacks;      /* memory that can contain a stack pointer, as last read */
	struct handled_calls handled;    /* since the last exec (restart.c) */
	struct runtime_process *runtime; /* a language's runtime; NULL: none is known */
};

struct tracee {
	int tid;
	struct process *process; /* NULL only in TRACEE_EARLY */
	struct image *image;     /* the image to which its CPU time belongs */
	enum tracee_state state;
	size_t slot;          /* index in target.tracee */
	int fd[THREAD_FILES]; /* procfiles.c; negative: not open */
	struct account account;
	bool reaped;                                   /* its files cannot be read any more */
	struct cpu_time final_cpu;                     /* its CPU time, read before it was reaped */
	struct kernel_time begin_kernel, final_kernel; /* when it was first counted; as final_cpu */
	struct wall wall;
	struct session *session;   /* session of this thread alone, owned by the calls; NULL none */
	struct elapsed elapsed[2]; /* for the process's table and for the thread's own */
	uint64_t table_began_ns;   /* its CPU time when the process's table was put in force */
	struct sample_thread *sample; /* NULL: not sampled yet */
	bool hit;                     /* the stop is requested for a sample */
	bool left_out;                /* not profiled, because of --thread-name or --tid */
	bool was_chosen;              /* already counted as chosen */
	uint64_t choice_since_ns;     /* birth, or the last change of left_out */
	uint64_t choice_again_ns;     /* when its name is read for the choice; 0 never */
	uint16_t machine;             /* machine of its last stop; 0: no stop yet */
	uint64_t stop_requested_ns;   /* when the interrupt was sent; 0: no stop was requested */
	bool was_alone; /* when the stop was requested, it was the only thread of its process */
	uint64_t not_stopped_ns;            /* when the thread was last seen not to have stopped */
	struct cpu_time stop_requested_cpu; /* CPU time reading at stop_requested_ns */
	bool detach_at_stop;    /* a child that is not followed: detached at its first stop */
	bool unwatched;         /* already counted as not sampled for want of descriptors */
	bool missed;            /* this interrupt is already counted as missed */
	struct stack_home home; /* where its stacks are */
	struct runtime_thread runtime; /* frames of a language's runtime */
	int32_t syscall;               /* system call of its last stop, for restart_syscall */
	uint64_t name_again_ns;        /* when to read its name again */
	uint64_t name_since_ns;        /* when its name was last seen to have changed */
	char name[PROCFS_NAME_BYTES];
	struct restart *restart; /* restart of its system call (restart.h); NULL: none so far */
	bool restarting;         /* one of its calls is watched */
	uint64_t early_since_ns; /* TRACEE_EARLY: since when the thread is held */
};

struct target {
	struct couriers *couriers; /* borrowed; NULL: pages are waited for */
	struct tracee **tracee;
	size_t tracees, tracee_room;
	/* Positions of the passes that handle a few threads at a time. */
	size_t account_cursor, sweep_cursor, blocked_cursor;
	struct tracee **by_tid; /* open addressing; the size is a power of two */
	size_t by_tid_size;
	struct process **process;
	size_t processes, process_room;
	struct image **image;
	size_t images, image_room;
};

/* Frees everything and closes all descriptors. */
void target_release(struct target *target);

/* NULL: not found. */
struct tracee *target_find(const struct target *target, int tid);
struct process *target_find_process(const struct target *target, int pid);

/* The state machine's step for an event of a thread: the only place that changes its state. */
enum tracee_action target_step(struct tracee *tracee, enum tracee_event event);

/* Adds a thread in TRACEE_EXPECTED. @process may be NULL for a thread that came early. -ENOMEM. */
int target_add(struct target *target, int tid, struct process *process, struct tracee **ret_tracee);
/* Removes a thread and closes its descriptors. Its process stays. */
void target_remove(struct target *target, struct tracee *tracee);
/* Sets the process of a thread that stopped before its process was known. */
void target_place(struct tracee *tracee, struct process *process);
/* Changes a thread's tid to @tid (exec by a thread that is not the leader). */
void target_rename(struct target *target, struct tracee *tracee, int tid);

int target_add_process(struct target *target, int pid, int parent, struct image *image,
	struct process **ret_process);
void target_remove_process(struct target *target, struct process *process);

/* Finds or adds an image. */
int target_image(struct target *target, const char *path, struct image **ret_image);

#endif
