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

#include "supervisor/sample/clock.h"
#include "supervisor/calls/histogram.h"
#include "supervisor/sample/moment.h"
#include "supervisor/os/procfs.h"
#include "supervisor/sample/rhythm.h"
#include "supervisor/calls/session.h"
#include "supervisor/target/stack.h"
#include "supervisor/target/tracee.h"
#include "supervisor/sample/wall.h"

/* An executable; processes that run it share one pool of CPU time that nobody was caught at. */
enum image_traces { IMAGE_TRACES_UNKNOWN, IMAGE_TRACES_NOT, IMAGE_TRACES };
struct image {
	char *path;
	enum image_traces traces; /* calls ptrace itself */
	uint64_t pool_ns; /* of processes that ended; the next sample of this image carries it */
	uint64_t sent_ns; /* weight of samples that the present analyst has */
	uint64_t lost_ns; /* weight of samples that an analyst took with it when it died */
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
	uint64_t pool_ns;   /* credit of its threads that ended; its next sample carries it */
	uint64_t kernel_ns; /* CPU time of its threads whose accounts are closed */

	/* Executable mappings, as last read; sorted by address. */
	struct mapped_range *range;
	size_t ranges, range_room;
	bool maps_read;      /* since the last exec */
	bool maps_announced; /* the analyst has them */
	uint32_t maps_generation;
	unsigned maps_reads;        /* since the last exec */
	uint64_t maps_again_ns;     /* not before this time, so that reading stays cheap */
	int maps_fd;                /* for queries; -1 not open */
	int statm_fd;               /* -1 not open */
	int pid_fd;                 /* for the answers to its calls; -1 not open */
	uint64_t pages, pages_next; /* mapped, when the maps were read; as last seen */
	uint64_t executable, executable_next; /* KiB of them, of the same two times */
	uint64_t pages_since_ns,
		pages_again_ns;         /* when these were seen to change; when to look again */
	uint64_t maps_hash;             /* of the executable mappings */
	struct region_table *histogram; /* of --region, as it lies in this process; NULL none */
	struct session *session;        /* of sprofil; NULL none. session_clear() frees it */
	struct stack_ranges stacks;     /* where a stack can be, as last read */
};

struct tracee {
	int tid;
	struct process *process; /* NULL only in TRACEE_EARLY */
	struct image *image;     /* that its credit belongs to */
	enum tracee_state state;
	size_t slot;             /* in target.tracee; hot ones first */
	bool slept;              /* it is cold, or was and nobody has looked at it since */
	struct rhythm rhythm;    /* in which it wakes */
	uint64_t watched_ns;     /* since when its waking is awaited (idle.c); 0: it is not */
	uint64_t watch_again_ns; /* not before this time */
	struct tracee *before,
		*after; /* of the cold ones that are likely to wake at the same time */
	size_t wakes;   /* of a cold one: its place in target.sleeper */
	int cpu_fd, activity_fd, stat_fd; /* -1 not open */
	struct credit credit;
	struct wall wall;
	uint16_t machine; /* of its last stop, 0 there was none */
	struct session_account account;
	struct histogram_account histogram;
	uint64_t runs_ns;          /* the tick that found it runnable */
	int cpu;                   /* where it was seen last; -1 unknown */
	enum moment_was was;       /* when the present tick began */
	uint64_t asked_ns;         /* when the interrupt was sent */
	bool elsewhere;            /* to another CPU than ours */
	uint64_t not_stopped_ns;   /* when it was last seen not to have stopped */
	struct cpu_time asked_cpu; /* reading at that time */
	uint64_t calls; /* a bit for each of its last 64 samples: in a system call; all set at first
			 */
	uint64_t put_off_ns;    /* since when it owes a tick, but at wrong moments (moment.h); 0: it
				   does not */
	bool let_go;            /* a child that is not followed: detached at its first stop */
	bool unwatched;         /* counted as not sampled for want of descriptors */
	bool missed;            /* this interrupt is counted as missed already */
	struct stack_home home; /* its usual stack */
	int32_t syscall;        /* the system call of its last stop, for restart_syscall */
	uint64_t name_again_ns; /* when to look at its name again */
	uint64_t name_since_ns; /* when it was last seen to have changed */
	char name[PROCFS_NAME_BYTES];
	struct mend *mend;       /* of its system call (mend.h); NULL: none was needed yet */
	uint64_t early_since_ns; /* TRACEE_EARLY: since when it is held */
};

/*
 * The cold ones hang at the hour of a clock at which they are likely to wake (rhythm.h), all that
 * wake within the same 4 ms together; with each round of the clock the hours return.
 */
#define TARGET_WAKES_NS UINT64_C(4000000)
#define TARGET_SLEEPERS 256

struct target {
	struct tracee **tracee; /* [0, hot) lately on a CPU, [hot, tracees) the others */
	size_t tracees, tracee_room, hot, cold_cursor, sweep_cursor, look_cursor;
	uint64_t cold_round; /* times the cold cursor has begun anew */
	struct tracee
		*sleeper[TARGET_SLEEPERS]; /* the cold ones, by when they are likely to wake */
	struct tracee **by_tid;            /* open addressing, a power of two */
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

/* A new thread, hot. -ENOMEM. @process may be NULL for one that came early. */
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

/* Moves a thread between the hot and the cold part. */
void target_heat(struct target *target, struct tracee *tracee);
void target_cool(struct target *target, struct tracee *tracee);
/* The place in target.sleeper of those that wake at @ns. */
size_t target_hour(uint64_t ns);

#endif
