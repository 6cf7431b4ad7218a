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

/* The CPU time of a thread, as charged by the kernel. */
struct account {
	uint64_t start_ns;       /* CPU time at which counting began */
	uint64_t reported_ns;    /* CPU time reported to the analyst */
	uint64_t reported_at_ns; /* CLOCK_MONOTONIC of that report */
	/* the last reading of the CPU time; up to a scheduler tick old if not made in a stop */
	struct cpu_time seen;
	uint64_t seen_at_ns; /* CLOCK_MONOTONIC of that reading */
	/* CLOCK_MONOTONIC of the last reading that differed from the one before */
	uint64_t moved_at_ns;
};

/* An executable that processes of the target run. */
struct image {
	char *path;
	bool traces_asked; /* the examiner was asked whether the program calls ptrace (special.h) */
	uint64_t sent_ns;  /* CPU time reported to the analyst that runs now */
	uint64_t lost_ns;  /* CPU time that was lost with an analyst that died */
	/* Waiting time of ended threads, and the part of it sent to the present analyst. */
	struct waiting waited, sent;
};

/* What is known of a parent process's pidfds of its children (supervisor/engine/exits.h). */
struct exit_watch {
	bool uses_pidfds; /* the parent had a pidfd when a child began to exit */
	/* valid if @uses_pidfds: number of the last such pidfd; the parent often reuses it */
	int last_fd;
	unsigned plain; /* number of exits at which the parent had no pidfd */
	/* CLOCK_MONOTONIC: when to search the parent for pidfds again, even if @plain is high */
	uint64_t again_ns;
	/* CLOCK_MONOTONIC: no search for pidfds before this time, as the last one took long */
	uint64_t rest_ns;
};

struct process {
	int pid, parent;
	int reader_tid; /* thread through which /proc is read (procfiles.h); 0: the leader */
	int inner_pid;  /* its pid in its own pid namespace, for service.c; 0: not read yet */
	struct image *image;
	unsigned threads; /* number of threads that are not gone */
	/* exclusive or of their tids; if there are two threads, @tids ^ one tid is the other */
	int tids;
	unsigned flags; /* RECORD_PROCESS_… */
	bool announced; /* the analyst knows the process and its image */
	/* CPU time charged by the kernel to its threads that are not counted any more */
	uint64_t kernel_ns;

	/* Executable mappings, as last read; sorted by address. */
	struct mapped_range *range;
	size_t ranges, range_room;
	bool maps_read;      /* the maps were read since the last exec */
	bool maps_announced; /* the analyst has the maps */
	uint32_t maps_generation;
	unsigned maps_reads;    /* number of readings of the maps since the last exec */
	uint64_t maps_again_ns; /* no reading before this time, to limit the cost */
	int fd[PROCESS_FILES];  /* kept open for procfiles.c; negative: not open */
	bool awaited;           /* used by fds.c only: a stop of one of its threads is requested */
	/*
	 * Number of mapped pages: @pages when the maps were last read or found to be still good,
	 * @pages_next at the last check that read @executable_next.
	 */
	uint64_t pages, pages_next;
	/*
	 * KiB of executable mappings: @executable when the maps were last read, @executable_next
	 * when they were last checked.
	 */
	uint64_t executable, executable_next;
	/* CLOCK_MONOTONIC: when @executable was last found changed */
	uint64_t pages_since_ns;
	uint64_t pages_again_ns; /* CLOCK_MONOTONIC: no check of the pages before this time */
	uint64_t maps_hash;      /* hash of the executable mappings */
	/*
	 * Counters in this process, owned by supervisor/calls: those of sprofrun's option --region,
	 * and those that the process requested with sprofil(). NULL: none.
	 */
	struct region_table *histogram;
	struct session *session;
	struct exit_watch exits;         /* of its children (exits.h) */
	struct pages memory;             /* which of its pages are in memory, as far as known */
	struct stack_ranges stacks;      /* memory where stacks can be, as last read */
	struct handled_calls handled;    /* calls that a handler interrupted since the last exec */
	struct runtime_process *runtime; /* a language's runtime; NULL: none is known */
};

struct tracee {
	int tid;
	int inner_tid; /* its tid in its own pid namespace, for service.c; 0: not read yet */
	struct process *process; /* NULL: the thread is held, or detached, at its first stop */
	struct image *image;     /* the image to which its CPU time belongs */
	enum tracee_state state;
	size_t slot;          /* index in target.tracee */
	int fd[THREAD_FILES]; /* kept open for procfiles.c; negative: not open */
	struct account account;
	bool reaped;                     /* its files cannot be read any more */
	struct cpu_time final_cpu;       /* its CPU time, read before it was reaped */
	struct kernel_time begin_kernel; /* read when its CPU time was first counted */
	struct kernel_time final_kernel; /* read with final_cpu */
	struct wall wall;
	/*
	 * counters that the thread requested with sprofil() for itself alone, owned by
	 * supervisor/calls; NULL: none
	 */
	struct session *session;
	/* time off CPU: [0] for the table of process->session, [1] for that of @session */
	struct elapsed elapsed[2];
	/* CPU time of the thread in ns when the counting for process->session began */
	uint64_t table_began_ns;
	struct sample_thread *sample; /* NULL: not sampled yet */
	bool left_out;                /* not profiled, because of --thread-name or --tid */
	bool to_dump;                 /* --dump: it lived when the dump began */
	/* the thread is already in the number of threads that --thread-name or --tid selected */
	bool was_chosen;
	/* CLOCK_MONOTONIC: birth of the thread, or the last change of @left_out */
	uint64_t choice_since_ns;
	/* CLOCK_MONOTONIC: when its name is next compared with --thread-name; 0: never */
	uint64_t choice_again_ns;
	uint16_t machine;           /* ELF machine at its last stop; 0: no stop yet */
	uint64_t stop_requested_ns; /* when the interrupt was sent; 0: no stop was requested */
	/* when the stop was requested, the thread was the only one of its process */
	bool was_alone;
	uint64_t not_stopped_ns;            /* when it was last seen running after the request */
	struct cpu_time stop_requested_cpu; /* CPU time reading at stop_requested_ns */
	/* the kernel stops the thread when it begins to exit; set by exits_set() */
	bool stops_at_exit;
	bool detach_at_stop; /* a child that is not followed: detached at its first stop */
	bool unwatched;      /* already counted as not sampled for want of descriptors */
	/* its present stop request is already counted in the audit's missed_stops */
	bool missed;
	struct stack_home home;        /* where its stacks are */
	struct runtime_thread runtime; /* where its frames in a language's runtime are */
	/* system call at its last stop: restart_syscall continues this call; -1: none */
	int32_t syscall;
	uint64_t name_again_ns; /* when to read its name again */
	uint64_t name_since_ns; /* when its name was last seen to have changed */
	char name[PROCFS_NAME_BYTES];
	struct restart *restart; /* restart of its system call (restart.h); NULL: none so far */
	bool restarting;         /* its call is being restarted and watched (restart.h) */
	uint64_t early_since_ns; /* since when it has been held in its first stop; 0: not held */
};

struct target {
	struct couriers *couriers; /* borrowed; NULL: the tracing thread waits for pages */
	struct tracee **tracee;
	size_t tracees, tracee_room;
	/* Indices in @tracee where passes continue that handle a few threads at a time. */
	size_t account_cursor, sweep_cursor, blocked_cursor;
	/*
	 * --dump has visited exactly the threads whose slots are below this number. target_remove()
	 * moves threads so that this stays true.
	 */
	size_t visited;
	struct tracee **by_tid; /* hash table with open addressing; the size is a power of two */
	size_t by_tid_size;
	struct process **process;
	size_t processes, process_room;
	struct image **image;
	size_t images, image_room;
};

/* Frees everything and closes all descriptors. */
void target_release(struct target *target);

/* Returns the thread with this tid; NULL: there is none. */
struct tracee *target_find(const struct target *target, int tid);
/* Returns the other thread of @tracee's process. NULL: the process has not exactly two threads. */
struct tracee *target_find_other(const struct target *target, const struct tracee *tracee);
struct process *target_find_process(const struct target *target, int pid);

/* Steps a thread's state machine. No other code changes a thread's state. */
enum tracee_action target_step(struct tracee *tracee, enum tracee_event event);

/*
 * Adds a thread in state TRACEE_EXPECTED. @process: NULL if not yet known, as the thread stopped
 * before the event in which its parent names it. 0, or -ENOMEM.
 */
int target_add(struct target *target, int tid, struct process *process, struct tracee **ret_tracee);
/* Removes a thread and closes its descriptors. Its process stays. */
void target_remove(struct target *target, struct tracee *tracee);
/* Sets the process of a thread that stopped before its process was known. */
void target_place(struct tracee *tracee, struct process *process);
/* Changes a thread's tid to @tid (exec by a thread that is not the leader). */
void target_rename(struct target *target, struct tracee *tracee, int tid);

/* Adds a process without threads. 0, or -ENOMEM. */
int target_add_process(struct target *target, int pid, int parent, struct image *image,
	struct process **ret_process);
/* Removes a process, which has no threads any more, and closes its descriptors. */
void target_remove_process(struct target *target, struct process *process);

/* Finds or adds the image with this path. 0, or -ENOMEM. */
int target_image(struct target *target, const char *path, struct image **ret_image);

#endif
