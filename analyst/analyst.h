/* SPDX-License-Identifier: MIT */
/*
 * The analyst makes a profile from the supervisor's records. They come from the ring, which is
 * shared memory, or from a capture, which is a file.
 */
#ifndef ANALYST_ANALYST_H
#define ANALYST_ANALYST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyst/base/locations.h"
#include "analyst/counts.h"
#include "analyst/hold.h"
#include "analyst/processes.h"
#include "analyst/runtimes.h"
#include "analyst/shares.h"
#include "analyst/spaces.h"
#include "analyst/stacks.h"
#include "analyst/unsampled.h"
#include "analyst/wallclock.h"
#include "symbolizer/symbolizer.h"

struct opener;
struct profile;

struct analyst_options {
	bool frame_pointers; /* unwind by frame pointers */
	/* keep facts about each process (processes.h), for a profile of each */
	bool per_process;
	/* this rank's number in an MPI or Slurm job, a label of all samples; NULL: no job */
	const char *rank;
	/*
	 * Ranks of the job. If there are several, the suffix " rank ", with the value of @rank
	 * behind it, is appended to each process's name.
	 */
	unsigned ranks;
	const char *host; /* the host, a label of all samples; NULL: unknown */
	bool no_timeline; /* do not keep the times of samples */
	bool user_only;   /* leave out samples in system calls; only the audit counts their time */
	/* --jit-map: read a perf map again at its process's end, as the process has rewritten it */
	bool jit_map;
	const char *threads; /* description of the chosen threads, for a note; NULL: all */
	struct runtimes_options runtimes; /* how a language's frames (Python) are shown */
	bool live; /* the processes may be alive: read their files through /proc */
	/* Called once a second, when the audit's figures have been updated. May be NULL. */
	void (*second)(void *context);
	/* Called by analyst_record() when a snapshot is requested. May be NULL. */
	void (*snapshot)(void *context);
	/* Called by analyst_record() when the server requests the profile so far. May be NULL. */
	void (*serve)(void *context);
	/*
	 * Asks the supervisor to copy @bytes of the stack of thread @tid in each later sample, from
	 * the stack pointer on. May be NULL.
	 */
	void (*stack_needs)(void *context, uint32_t tid, uint64_t bytes);
	/* The hooks of struct symbolizer_options. May be NULL. */
	void (*working_on)(void *context, const char *path);
	enum symbolizer_skip (*skip)(void *context, const char *path);
	void *context;
	/* opens files; outlives the analyst; NULL: the analyst's process opens them */
	struct opener *opener;
};

/*
 * analyst.c creates and frees this struct; take.c and hold.c fill it in. Other code sets only
 * @snapshot.
 */
struct analyst {
	struct analyst_options options;
	struct symbolizer *symbolizer;
	struct spaces spaces;
	/* until analyst_finish(), its CPU values are sums of weights (record_sample.weight_ns) */
	struct profile *profile;
	struct shares shares;
	float *factor; /* result of analyst_factors(), by stack; owned */
	size_t factor_room;
	struct locations locations;
	struct runtimes runtimes;
	struct stacks stacks;
	struct hold hold;
	uint32_t labels; /* the label set of all samples; 0: none */
	/* facts about each process; empty without options.per_process */
	struct processes processes;
	struct unsampled unsampled;
	uint64_t began_ns, last_ns; /* CLOCK_MONOTONIC of the first and the last record */
	uint32_t first_pid;         /* pid of the first process; 0: none */
	char *main_path;            /* path of the first process's image; NULL: unknown */
	/* the first process has called exec since its first RECORD_EXEC */
	bool main_changed;
	struct wallclock wallclock;
	struct counts counts;
	bool has_image, ended, first_ended;
	/*
	 * Set by a caller of analyst_finish() that finishes a copy while the run goes on. No note
	 * then says that RECORD_END is missing.
	 */
	bool snapshot;
	uint16_t end_flags;    /* RECORD_END_* flags of the last record; 0 before that record */
	uint32_t first_status; /* if @first_ended: wait status, or RECORD_EXIT_DETACHED */
};

/* The strings of @options must outlive the analyst. -ENOMEM. */
int analyst_new(const struct analyst_options *options, struct analyst **ret_analyst);
void analyst_free(struct analyst *analyst);

/* Adds a record. 0; 1: RECORD_END, the last one; -EPROTO: malformed, and skipped; -ENOMEM. */
int analyst_record(struct analyst *analyst, const uint8_t *data, size_t bytes);

/*
 * Completes the profile after the last record: names for all locations, audit, notes. Without a
 * RECORD_END, a note says that the supervisor ended early. May be called once. Runs third-party
 * code on untrusted files: see finish.h.
 */
int analyst_finish(struct analyst *analyst);

/* Names the new locations. Runs third-party code on untrusted files, in this process. -ENOMEM. */
int analyst_name_new(struct analyst *analyst);

/*
 * For each stack of the profile so far, the factor that converts the stack's CPU value (a sum of
 * weights, in ns) to CPU time in ns. Owned by the analyst, valid until the next call. -ENOMEM.
 */
int analyst_factors(struct analyst *analyst, const float **ret_factor, size_t *ret_stacks);

/* Has any process run a program? False: the command never ran, or attaching failed. */
bool analyst_has_image(const struct analyst *analyst);

/*
 * Sets the addresses, as in the ELF file, where the function of @location begins and ends. False:
 * unknown.
 */
bool analyst_function_bounds(
	const struct analyst *analyst, uint32_t location, uint64_t *ret_start, uint64_t *ret_end);

/*
 * Opens a source file of the target for reading: at its path, or below a target process's root
 * folder. Regular files only (opener/regular.h). Returns a descriptor, owned by the caller, or
 * -errno.
 */
int analyst_open_file(const struct analyst *analyst, const char *file);

/* Module and address of @location. .module NULL: the location is in no module. */
struct code_location analyst_code(const struct analyst *analyst, uint32_t location);

#endif
