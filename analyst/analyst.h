/* SPDX-License-Identifier: MIT */
/* The analyst makes a profile from records, which come from the ring or from a capture. */
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
	/* this rank's number in an MPI or Slurm job, a label of all samples; NULL: no job */
	const char *rank;
	/* ranks of the job; if there are several, each process's name gets the suffix @rank */
	unsigned ranks;
	const char *host; /* the host, a label of all samples; NULL: unknown */
	bool no_timeline; /* do not keep the times of samples */
	bool user_only;   /* leave out samples in system calls; the audit has their time */
	/* --jit-map: processes rewrite their perf maps before they end; read them again then */
	bool jit_map;
	const char *threads; /* description of the chosen threads, for a note; NULL: all */
	struct runtimes_options runtimes; /* how a language's frames (Python) are shown */
	bool live; /* the processes may be alive: read their files through /proc */
	/* Called once a second, when the audit's figures have been updated. May be NULL. */
	void (*second)(void *context);
	/* Called by analyst_record() when a snapshot is requested. May be NULL. */
	void (*snapshot)(void *context);
	/* Called by analyst_record() when a piece for the server is requested. May be NULL. */
	void (*serve)(void *context);
	/* Asks the supervisor to copy @bytes of thread @tid's stack from now on. May be NULL. */
	void (*stack_needs)(void *context, uint32_t tid, uint64_t bytes);
	/* The hooks of struct symbolizer_options. May be NULL. */
	void (*working_on)(void *context, const char *path);
	enum symbolizer_skip (*skip)(void *context, const char *path);
	void *context;
	struct opener *opener; /* opens files; outlives the analyst; NULL: this process does */
};

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

/* @snapshot: analyst_finish() completes a copy of a run that goes on, without a RECORD_END. */
void analyst_set_snapshot(struct analyst *analyst, bool snapshot);

/* CLOCK_MONOTONIC of the first and the last record. */
void analyst_times(const struct analyst *analyst, uint64_t *ret_began_ns, uint64_t *ret_last_ns);

/* Keeps this process's CPU time for the audit, before a child calls analyst_finish(). */
void analyst_note_cpu(struct analyst *analyst);

/* Owned by the analyst. Its CPU values are planned weights until analyst_finish(). */
struct profile *analyst_profile(struct analyst *analyst);

/*
 * For each stack of the profile so far, the factor that converts its CPU value to time. Owned by
 * the analyst, valid until the next call. -ENOMEM.
 */
int analyst_factors(struct analyst *analyst, const float **ret_factor, size_t *ret_stacks);

/* The processes with their facts; none without options.per_process. */
const struct processes *analyst_processes(const struct analyst *analyst);

/* Has any process had an image? False: the command never ran, or nothing was started. */
bool analyst_has_image(const struct analyst *analyst);

/* Flags of RECORD_END, 0 before it. */
uint16_t analyst_end_flags(const struct analyst *analyst);
/* Pid of the first process; 0: none. */
uint32_t analyst_first_pid(const struct analyst *analyst);
/*
 * The path of the first process's image if it has called exec since its first record, else NULL.
 * Valid until the next record.
 */
const char *analyst_new_image(const struct analyst *analyst);

/* The @index-th live process; false past the last one. */
bool analyst_process(const struct analyst *analyst, size_t index, uint32_t *ret_pid);

/* The first process's wait status, or RECORD_EXIT_DETACHED; false while it lives. */
bool analyst_first_exit(const struct analyst *analyst, uint32_t *ret_status);

/* Sets the SVMAs where the function of a location begins and ends. False: unknown. */
bool analyst_function_bounds(
	const struct analyst *analyst, uint32_t location, uint64_t *ret_start, uint64_t *ret_end);

/*
 * Opens a source file of the target for reading: at its path, or below a target process's root
 * folder. Regular files only (opener/regular.h). Returns a descriptor, owned by the caller, or
 * -errno.
 */
int analyst_open_file(const struct analyst *analyst, const char *file);

/* The opener in use; NULL: this process opens files. */
struct opener *analyst_opener(const struct analyst *analyst);

/* The place of @location in a file. .module NULL: it has none. */
struct code_location analyst_code(const struct analyst *analyst, uint32_t location);

#endif
