/* SPDX-License-Identifier: MIT */
/*
 * The analyst: records in (from the ring, or a capture), a profile out. It knows the symbolizer and
 * the model, and nothing of how records are made.
 */
#ifndef ANALYST_ANALYST_H
#define ANALYST_ANALYST_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/symbolizer.h"

struct analyst;
struct opener;
struct processes;
struct profile;

struct analyst_options {
	size_t size;         /* sizeof(struct analyst_options) */
	bool frame_pointers; /* unwind by frame pointers */
	bool per_process;    /* keep what is needed for a profile of each */
	const char *rank;    /* in an MPI or Slurm job: a label of all samples; NULL none */
	unsigned ranks;      /* of that job; if several, each process's name tells the rank, too */
	const char *host;    /* a label, too, NULL not known. All are copied */
	bool no_timeline;    /* do not keep when samples were taken */
	bool user_only;      /* leave out ticks in system calls; their time is told of */
	bool jit_map;        /* perf maps are written anew before the end: --jit-map */
	const char *threads; /* which were chosen, in words, for a note; NULL: all */
	bool live;           /* the processes may be alive: look at files through /proc */
	/* The figures of another second have come. May be NULL. */
	void (*second)(void *context);
	/* A snapshot is asked for: called in the midst of analyst_record(). May be NULL. */
	void (*snapshot)(void *context);
	/* A piece for the server is: the same. May be NULL. */
	void (*serve)(void *context);
	/* As in struct symbolizer_options; may be NULL. */
	void (*working_on)(void *context, const char *path);
	enum symbolizer_skip (*skip)(void *context, const char *path);
	void *context;
	struct opener *opener; /* opens files; NULL: this process does. Must outlive it */
};

int analyst_new(const struct analyst_options *options, struct analyst **ret_analyst);
void analyst_free(struct analyst *analyst);

/*
 * Takes one record in. -EPROTO: it is not well-formed (it is counted and left out); -ENOMEM.
 * After RECORD_END it returns 1: nothing more is to come.
 */
int analyst_record(struct analyst *analyst, const uint8_t *data, size_t bytes);

/*
 * All records have come. Closes the books: names for all locations, audit, notes. Without a
 * RECORD_END (the supervisor was killed) the figures are those of the last audit record, and a note
 * says so. May be called once. Runs foreign code on foreign files: see finish.h.
 */
int analyst_finish(struct analyst *analyst);

/*
 * Names the places that have come since the last call, for a view of the profile so far. Runs
 * foreign code on foreign files, in this process. -ENOMEM.
 */
int analyst_name_new(struct analyst *analyst);

/* What is going to be finished is a copy of a profile that goes on: it did not end early. */
void analyst_set_snapshot(struct analyst *analyst, bool snapshot);

/* CLOCK_MONOTONIC of the first and the last record. */
void analyst_times(const struct analyst *analyst, uint64_t *ret_began_ns, uint64_t *ret_last_ns);

/* Another process is going to finish: the CPU time that this one has used counts too. */
void analyst_note_cpu(struct analyst *analyst);

/*
 * The profile so far; owned by the analyst. Its CPU values are planned weights; analyst_finish()
 * shares out each thread's CPU time by them.
 */
struct profile *analyst_profile(struct analyst *analyst);

/*
 * By what the CPU values of each stack of the profile so far are to be multiplied, to be about
 * time: for a view. Valid until the next call. -ENOMEM.
 */
int analyst_factors(struct analyst *analyst, const float **ret_factor, size_t *ret_stacks);

/* The processes, of options.per_process; n is 0 otherwise. */
const struct processes *analyst_processes(const struct analyst *analyst);

/* Was anything traced that had an image? False: the command never ran, or nothing was begun. */
bool analyst_has_image(const struct analyst *analyst);

/* Of RECORD_END, 0 as long as that has not come. */
uint16_t analyst_end_flags(const struct analyst *analyst);
/* Pid of the first process, 0 none. */
uint32_t analyst_first_pid(const struct analyst *analyst);
/* The path of what it has executed since it was met; NULL: nothing. Until the next record. */
const char *analyst_new_image(const struct analyst *analyst);

/* The @index-th process that lives; false past the last one. */
bool analyst_process(const struct analyst *analyst, size_t index, uint32_t *ret_pid);

/* The first process's wait status, or RECORD_EXIT_DETACHED; false while it lives. */
bool analyst_first_exit(const struct analyst *analyst, uint32_t *ret_status);

/* The bounds, in its file, of the function that a location of the profile is in. False: not known.
 */
bool analyst_function_bounds(
	const struct analyst *analyst, uint32_t location, uint64_t *ret_start, uint64_t *ret_end);

/*
 * Opens a file of the target for reading: as it is called, or beneath a process's own root. Regular
 * files only (opener/regular.h). A descriptor or -errno.
 */
int analyst_open_file(const struct analyst *analyst, const char *file);

/* Who opens files for it; NULL: this process does. */
struct opener *analyst_opener(const struct analyst *analyst);

/*
 * The bytes at an address of the file that a location is in, and for which machine (EM_…) they are.
 * They live as long as the analyst. NULL: they are not to be had.
 */
const uint8_t *analyst_code(const struct analyst *analyst, uint32_t location, uint64_t svma,
	size_t *ret_bytes, unsigned *ret_machine);
/* The function at such an address, and how far into it that is. NULL: it has no name. */
const char *analyst_function_at(
	const struct analyst *analyst, uint32_t location, uint64_t svma, uint64_t *ret_offset);

#endif
