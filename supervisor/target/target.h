/* SPDX-License-Identifier: MIT */
/*
 * Everything that is traced: images (executables), processes and threads, and how they are found.
 * Only the tables; nothing here reads /proc or calls ptrace.
 */
#ifndef SUPERVISOR_TARGET_H
#define SUPERVISOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"
#include "supervisor/target/account.h"
#include "supervisor/target/elapsed.h"
#include "supervisor/target/repair.h"
#include "supervisor/target/stack.h"
#include "supervisor/target/tracee.h"
#include "supervisor/target/wall.h"

struct mend;
struct region_table;
struct sample_thread;
struct session;

/* Files of a thread and of a process that are kept open (procfiles.h). */
enum thread_file { THREAD_CPU, THREAD_ACTIVITY, THREAD_STAT, THREAD_SWITCHED, THREAD_FILES };
enum process_file { PROCESS_MAPS, PROCESS_STATM, PROCESS_PIDFD, PROCESS_FILES };

/* An executable. */
enum image_traces { IMAGE_TRACES_UNKNOWN, IMAGE_TRACES_NOT, IMAGE_TRACES };
struct image {
	char *path;
	enum image_traces traces; /* calls ptrace itself */
	uint64_t sent_ns;         /* CPU time that the present analyst has been told of */
	uint64_t lost_ns;         /* CPU time that an analyst took with it when it died */
	/* With the wall clock: waiting time of threads that ended; as sent to the present analyst.
	 */
	struct waiting waited, sent;
};

struct process {
	int pid, parent;
	int inner_pid; /* in its own pid namespace, for service.c; 0: not read yet */
	struct image *image;
	unsigned threads;   /* that are not gone */
	unsigned flags;     /* RECORD_PROCESS_… */
	bool announced;     /* the analyst knows it and its image */
	uint64_t kernel_ns; /* CPU time of its threads whose accounts are closed */

	/* Executable mappings, as last read; sorted by address. */
	struct mapped_range *range;
	size_t ranges, range_room;
	bool maps_read;      /* since the last exec */
	bool maps_announced; /* the analyst has them */
	uint32_t maps_generation;
	unsigned maps_reads;        /* since the last exec */
	uint64_t maps_again_ns;     /* not before this time, so that reading stays cheap */
	int fd[PROCESS_FILES];      /* procfiles.c; negative: not open */
	uint64_t pages, pages_next; /* mapped, when the maps were read; as last seen */
	uint64_t executable, executable_next; /* KiB of them, of the same two times */
	uint64_t pages_since_ns,
		pages_again_ns; /* when these were seen to change; when to look again */
	uint64_t maps_hash;     /* of the executable mappings */
	/* Of the calls, which free them: of --region and of sprofil; NULL none. */
	struct region_table *histogram;
	struct session *session;
	struct stack_ranges stacks;   /* where a stack can be, as last read */
	struct repair_places handled; /* since the last exec (mend.c) */
};

struct tracee {
	int tid;
	struct process *process; /* NULL only in TRACEE_EARLY */
	struct image *image;     /* that its CPU time belongs to */
	enum tracee_state state;
	size_t slot;          /* in target.tracee */
	int fd[THREAD_FILES]; /* procfiles.c; negative: not open */
	struct account account;
	struct wall wall;
	struct session *session;      /* of the calls: of this thread alone; NULL none */
	struct elapsed elapsed[2];    /* for its process's table and for its own */
	struct sample_thread *sample; /* NULL: it is not sampled yet */
	bool ordered;                 /* the stop that was asked for is a sample's */
	bool left_out;                /* of the profile, by --thread-name or --tid */
	bool was_chosen;              /* it is counted as chosen */
	uint64_t choice_since_ns;     /* it was born, or chosen or left out */
	uint64_t choice_again_ns;     /* when its name is to be looked at, 0 never */
	uint16_t machine;             /* of its last stop, 0 there was none */
	uint64_t asked_ns;            /* when the interrupt was sent, 0: no stop was asked for */
	bool remote;                  /* it was sent to another CPU than ours */
	uint64_t not_stopped_ns;      /* when it was last seen not to have stopped */
	struct cpu_time asked_cpu;    /* reading at that time */
	bool let_go;                  /* a child that is not followed: detached at its first stop */
	bool unwatched;               /* counted as not sampled for want of descriptors */
	bool missed;                  /* this interrupt is counted as missed already */
	struct stack_home home;       /* its usual stack */
	int32_t syscall;              /* the system call of its last stop, for restart_syscall */
	uint64_t name_again_ns;       /* when to look at its name again */
	uint64_t name_since_ns;       /* when it was last seen to have changed */
	char name[PROCFS_NAME_BYTES];
	struct mend *mend;       /* of its system call (mend.h); NULL: none was needed yet */
	bool mending;            /* a call of it is watched */
	uint64_t early_since_ns; /* TRACEE_EARLY: since when it is held */
};

struct target {
	struct tracee **tracee;
	size_t tracees, tracee_room;
	/* Where those stand who go through all threads some at a time. */
	size_t account_cursor, sweep_cursor, look_cursor;
	struct tracee **by_tid; /* open addressing, a power of two */
	size_t by_tid_size;
	struct process **process;
	size_t processes, process_room;
	struct image **image;
	size_t images, image_room;
};

/* Frees everything; all descriptors are closed. */
void target_release(struct target *target);

/* NULL: not there. */
struct tracee *target_find(const struct target *target, int tid);
struct process *target_find_process(const struct target *target, int pid);

/* The state machine's step for one event of a thread: the one place that changes its state. */
enum tracee_action target_step(struct tracee *tracee, enum tracee_event event);

/* A new thread, in TRACEE_EXPECTED. -ENOMEM. @process may be NULL for one that came early. */
int target_add(struct target *target, int tid, struct process *process, struct tracee **ret_tracee);
/* Removes a thread and closes what it holds. Its process stays. */
void target_remove(struct target *target, struct tracee *tracee);
/* Gives an early thread its process. */
void target_place(struct tracee *tracee, struct process *process);
/* The thread goes by the tid @tid from now on (exec by another thread than the leader). */
void target_rename(struct target *target, struct tracee *tracee, int tid);

int target_add_process(struct target *target, int pid, int parent, struct image *image,
	struct process **ret_process);
void target_remove_process(struct target *target, struct process *process);

/* Finds or makes. */
int target_image(struct target *target, const char *path, struct image **ret_image);

#endif
