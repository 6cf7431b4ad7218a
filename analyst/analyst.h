/* SPDX-License-Identifier: MIT */
/*
 * The analyst makes a profile from records, which come from the ring or from a capture. It uses the
 * symbolizer and profile/, and does not know how records are made.
 */
#ifndef ANALYST_ANALYST_H
#define ANALYST_ANALYST_H

#include <stddef.h>
#include <stdint.h>

#include "analyst/runtimes.h"
#include "symbolizer/symbolizer.h"

struct analyst;
struct opener;
struct processes;
struct profile;

struct analyst_options {
	size_t size;         /* sizeof(struct analyst_options) */
	bool frame_pointers; /* unwind by frame pointers */
	bool per_process;    /* keep what is needed for a profile per process */
	/* in an MPI or Slurm job: this rank's number, a label of all samples; NULL: no job */
	const char *rank;
	/*
	 * Number of ranks of the job. If there are several, @rank is appended to each process's
	 * name.
	 */
	unsigned ranks;
	const char *host; /* the host, also a label; NULL unknown (all strings are copied) */
	bool no_timeline; /* do not keep when samples were taken */
	bool user_only;   /* exclude ticks in system calls; the audit has their time */
	/* --jit-map: processes rewrite perf maps before they end: read them again then */
	bool jit_map;
	const char *threads; /* description of the chosen threads, for a note; NULL: all */
	struct runtimes_options runtimes; /* how the frames of languages (Python) are shown */
	bool live; /* the processes may be alive: access files through /proc */
	/* Called when the audit's figures have been updated, once a second. May be NULL. */
	void (*second)(void *context);
	/* Called by analyst_record() when a snapshot is requested. May be NULL. */
	void (*snapshot)(void *context);
	/* Called by analyst_record() when a piece for the server is requested. May be NULL. */
	void (*serve)(void *context);
	/*
	 * Asks the supervisor to copy @bytes bytes of each further stack of thread @tid, if it does
	 * not know where the stack ends. May be NULL.
	 */
	void (*stack_needs)(void *context, uint32_t tid, uint64_t bytes);
	/* The hooks of struct symbolizer_options around third-party code. May be NULL. */
	void (*working_on)(void *context, const char *path);
	enum symbolizer_skip (*skip)(void *context, const char *path);
	void *context;
	struct opener *opener; /* opens files; NULL: this process does. Must outlive the analyst */
};

int analyst_new(const struct analyst_options *options, struct analyst **ret_analyst);
void analyst_free(struct analyst *analyst);

/*
 * Adds one record. 0; 1: it was RECORD_END, and no more records will come; -EPROTO: it is malformed
 * (it is counted and skipped); -ENOMEM.
 */
int analyst_record(struct analyst *analyst, const uint8_t *data, size_t bytes);

/*
 * Completes the profile after the last record: names for all locations, audit, notes. Without a
 * RECORD_END (the supervisor was killed) the figures are those of the last audit record, and a note
 * says so. May be called once. Runs third-party code on untrusted files: see finish.h.
 */
int analyst_finish(struct analyst *analyst);

/*
 * Names the locations added since the last call, for a view of the profile so far. Runs third-party
 * code on untrusted files, in this process. -ENOMEM.
 */
int analyst_name_new(struct analyst *analyst);

/*
 * Says what this process finishes: the run, or (@snapshot) a copy of it while the run goes on. For
 * a copy, a missing RECORD_END does not mean that the supervisor was killed.
 */
void analyst_set_snapshot(struct analyst *analyst, bool snapshot);

/* CLOCK_MONOTONIC of the first and the last record. */
void analyst_times(const struct analyst *analyst, uint64_t *ret_began_ns, uint64_t *ret_last_ns);

/* Keeps this process's CPU time for the audit, before another process calls analyst_finish(). */
void analyst_note_cpu(struct analyst *analyst);

/*
 * The profile so far; owned by the analyst. Its CPU values are planned weights; analyst_finish()
 * distributes each thread's CPU time in proportion to them.
 */
struct profile *analyst_profile(struct analyst *analyst);

/*
 * For each stack of the profile so far, the factor that converts its CPU values to time, for a
 * view. Owned by the analyst, valid until the next call. -ENOMEM.
 */
int analyst_factors(struct analyst *analyst, const float **ret_factor, size_t *ret_stacks);

/* The processes with their facts; none without options.per_process. */
const struct processes *analyst_processes(const struct analyst *analyst);

/* Did any traced process have an image? False: the command never ran, or nothing was started. */
bool analyst_has_image(const struct analyst *analyst);

/* Flags of RECORD_END, 0 before it. */
uint16_t analyst_end_flags(const struct analyst *analyst);
/* Pid of the first process, 0 none. */
uint32_t analyst_first_pid(const struct analyst *analyst);
/*
 * The path of the image that the first process has executed since its first record; NULL: none.
 * Valid until the next record.
 */
const char *analyst_new_image(const struct analyst *analyst);

/* The @index-th live process; false past the last one. */
bool analyst_process(const struct analyst *analyst, size_t index, uint32_t *ret_pid);

/* The first process's wait status, or RECORD_EXIT_DETACHED; false while it lives. */
bool analyst_first_exit(const struct analyst *analyst, uint32_t *ret_status);

/* The SVMAs where the function that contains a location begins and ends. False: unknown. */
bool analyst_function_bounds(
	const struct analyst *analyst, uint32_t location, uint64_t *ret_start, uint64_t *ret_end);

/*
 * Opens a source file of the target for reading: at its path, or below the root of one of the
 * target's processes. Regular files only (opener/regular.h). Returns a descriptor, which the caller
 * closes, or -errno.
 */
int analyst_open_file(const struct analyst *analyst, const char *file);

/* The opener in use; NULL: this process opens files. */
struct opener *analyst_opener(const struct analyst *analyst);

/*
 * The bytes of code at @svma of the file that contains @location, and the machine (EM_…) of the
 * code. They are valid as long as the analyst. NULL: not available.
 */
const uint8_t *analyst_code(const struct analyst *analyst, uint32_t location, uint64_t svma,
	size_t *ret_bytes, unsigned *ret_machine);
/*
 * The name of the function at @svma of the file that contains @location, and the offset of @svma in
 * it. NULL: no name.
 */
const char *analyst_function_at(
	const struct analyst *analyst, uint32_t location, uint64_t svma, uint64_t *ret_offset);

#endif
