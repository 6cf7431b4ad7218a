/* SPDX-License-Identifier: MIT */
/*
 * The model of a profile: mappings, functions, locations, stacks with weights, and the audit.
 * analyst/ fills it, pprof.h writes and reads it, view/ shows it.
 *
 * Items are referred to by indexes: 0, 1, 2 … in order of first appearance. An index is valid as
 * long as the profile. Strings passed in are copied (NULL counts as ""). Strings returned belong to
 * the profile, and equal strings have the same address. Arrays returned (location_line, sample) are
 * valid until the profile changes. A function that returns int returns 0 or an index, or -errno:
 * -ENOMEM, or -EINVAL: an index is out of range.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

int profile_new(struct profile **ret_profile);
void profile_free(struct profile *profile);

/* A kind of value of each stack. samples/count and cpu/nanoseconds always exist, in this order. */
struct value_type {
	const char *type; /* "samples", "cpu" */
	const char *unit; /* "count", "nanoseconds" */
};

/* Maximum frames of a stack: sprofrun cuts longer ones (docs/STACKS.md). */
enum { PROFILE_FRAMES_MOST = 65536 };

enum { VALUE_SAMPLES = 0, VALUE_CPU_NS = 1, VALUE_TYPES_MAX = 8 };

/* Finds or adds; existing stacks get the value 0. -ENOSPC: there are VALUE_TYPES_MAX types. */
int profile_add_value_type(struct profile *profile, const char *type, const char *unit);
size_t profile_value_types(const struct profile *profile);
struct value_type profile_value_type(const struct profile *profile, size_t index);
/* Returns the index of the first value type @type; profile_value_types(): none. */
size_t profile_find_value_type(const struct profile *profile, const char *type);
/* The value type that reports use by default; SIZE_MAX: none was set. */
void profile_set_default_value(struct profile *profile, size_t index);
size_t profile_default_value(const struct profile *profile);

/*
 * A part of a file that was mapped executable. Addresses are those in the ELF file, not in memory,
 * so that all processes that use a library share one mapping. start is the segment's p_vaddr, limit
 * is the segment's end, offset is its p_offset.
 */
struct mapping {
	const char *file;     /* path, or "[vdso]", "[jit]", "[unknown]" … */
	const char *build_id; /* hex or "" */
	uint64_t start, limit, offset;
	bool has_functions, has_lines, has_inlines;
};

struct function {
	const char *name;   /* for display: demangled */
	const char *symbol; /* as linked */
	const char *file;   /* source file or "" */
	uint32_t line;      /* line where the function begins; 0: unknown */
};

struct location_line {
	uint32_t function; /* index */
	uint32_t line;     /* 0: unknown */
};

struct location {
	uint32_t mapping; /* index */
	uint64_t address; /* in the file (svma) */
	/* innermost first; the last is the function that is not inlined */
	const struct location_line *line;
	size_t lines; /* 0: not symbolized */
};

/* The process and thread of a sample. */
struct task {
	uint32_t pid, tid;
	const char *process; /* comm of the process */
	const char *thread;  /* comm of the thread */
};

/* profile_add_…() finds an equal item (mapping: by file, build_id, start) or adds one. */
int profile_add_mapping(struct profile *profile, const struct mapping *mapping);
/* Returns the first mapping of @file. If there is none, adds one with only this name. */
int profile_mapping_of(struct profile *profile, const char *file);
/* The mapping of the main program, which is written first; 0 if never set. */
void profile_set_main(struct profile *profile, uint32_t mapping);
uint32_t profile_main(const struct profile *profile);
int profile_add_function(struct profile *profile, const struct function *function);
int profile_add_location(struct profile *profile, uint32_t mapping, uint64_t address);
int profile_add_task(struct profile *profile, const struct task *task);
/* Renames tasks of @pid whose process is @name. -ENOMEM: some may have been renamed. */
int profile_rename_process(
	struct profile *profile, uint32_t pid, const char *name, const char *new_name);
/*
 * Adds CPU time that the kernel charged to a thread while it was profiled. This time is exact.
 * The samples of all threads together share out the CPU time of all threads, so those of one thread
 * may sum to more or less.
 */
int profile_add_task_cpu(struct profile *profile, uint32_t task, uint64_t cpu_ns);
/* Gets the CPU time that the kernel charged to a thread. False: unknown. */
bool profile_task_cpu(const struct profile *profile, size_t task, uint64_t *ret_cpu_ns);
/*
 * Appends @mark to the process names of all tasks. profile_add_task() never finds these tasks
 * again, because the hash table still has them under their old names.
 */
int profile_mark_processes(struct profile *profile, const char *mark);

/*
 * Finds or adds a location that is identified by its lines besides mapping and address. It is for
 * frames without an address (a system call, a profile of another program with address 0), and for
 * code that differs between processes at the same address. profile_add_location() never finds a
 * named location with address 0.
 */
int profile_add_named_location(struct profile *profile, uint32_t mapping, uint64_t address,
	const struct location_line *line, size_t lines);

/*
 * Adds a location that no later call finds. It is for code that gets its lines later, if other
 * processes have other code at its address. Of separate locations with equal lines, a merge or a
 * file keeps only one.
 */
int profile_add_separate_location(struct profile *profile, uint32_t mapping, uint64_t address);

/*
 * Replaces the lines of a location, innermost first. Sets those has_ flags of its mapping that the
 * lines prove, and clears none.
 */
int profile_set_lines(
	struct profile *profile, uint32_t location, const struct location_line *line, size_t lines);

/* Finds or adds the stack of @task (leaf first), and adds to it a value for each value type. */
int profile_add_sample(struct profile *profile, uint32_t task, const uint32_t *locations, size_t n,
	const int64_t *values);

/* profile_add_sample() in two steps: finds the stack, or adds it with values of 0; adds values. */
int profile_add_stack(struct profile *profile, uint32_t task, const uint32_t *locations, size_t n);
/* @labels: a set (profile/labels.h), 0: none. */
int profile_add_labelled_stack(struct profile *profile, uint32_t task, uint32_t labels,
	const uint32_t *locations, size_t n);
void profile_add_values(struct profile *profile, size_t index, const int64_t *values);
void profile_set_value(struct profile *profile, size_t index, size_t type, int64_t value);

struct sample {
	uint32_t task;
	uint32_t labels;          /* set of labels (profile/labels.h) */
	const uint32_t *location; /* leaf first */
	size_t n;
	const int64_t *value; /* profile_value_types() values */
};

size_t profile_mappings(const struct profile *profile);
size_t profile_functions(const struct profile *profile);
size_t profile_locations(const struct profile *profile);
size_t profile_tasks(const struct profile *profile);
size_t profile_samples(const struct profile *profile);
struct mapping profile_mapping(const struct profile *profile, size_t index);
struct function profile_function(const struct profile *profile, size_t index);
struct location profile_location(const struct profile *profile, size_t index);
struct task profile_task(const struct profile *profile, size_t index);
struct sample profile_sample(const struct profile *profile, size_t index);

/*
 * CPU time without a sample is stored in stacks of one location, whose function has the name
 * PROFILE_UNSAMPLED. The location is in the mapping of the executable. The stack's number of
 * samples is 0.
 */
#define PROFILE_UNSAMPLED "[unsampled]"
bool profile_is_unsampled(const struct profile *profile, const struct sample *sample);
int profile_add_unsampled(struct profile *profile, uint32_t task, uint32_t mapping, int64_t cpu_ns);
/* @values: one for each value type. */
int profile_add_unsampled_values(
	struct profile *profile, uint32_t task, uint32_t mapping, const int64_t *values);

/*
 * The value type of --dump, which records one stack per thread: for how long the thread was
 * stopped, in ns. PROFILE_NOT_STOPPED: the thread slept, and was read without a stop.
 * PROFILE_LEFT_STOPPED: something else had stopped the thread, which remains stopped.
 */
#define PROFILE_STOPPED "stopped"
enum { PROFILE_NOT_STOPPED = -1, PROFILE_LEFT_STOPPED = -2 };

/*
 * The audit: named integers, stored in the file (profile/audit.h). Any name is allowed. -EINVAL:
 * the name is empty or has a space; -ENOSPC: the profile has PROFILE_AUDITS_MAX figures already.
 */
#define PROFILE_AUDITS_MAX 512
int profile_set_audit(struct profile *profile, const char *key, uint64_t value);
bool profile_audit(const struct profile *profile, const char *key, uint64_t *ret_value);
size_t profile_audits(const struct profile *profile);
void profile_audit_at(
	const struct profile *profile, size_t index, const char **ret_key, uint64_t *ret_value);

/* Notes for people: "the supervisor was killed after 3.2 s". Equal notes are kept once. */
int profile_add_note(struct profile *profile, const char *note);
/* A comment of another program is shown as a note, and written unchanged. */
int profile_add_comment(struct profile *profile, const char *comment);
bool profile_note_is_foreign(const struct profile *profile, size_t index);
int profile_copy_note(struct profile *into, const struct profile *from, size_t index);
size_t profile_notes(const struct profile *profile);
const char *profile_note(const struct profile *profile, size_t index);

/* The command line that was profiled, for display. "": unknown. */
int profile_set_command(struct profile *profile, const char *command);
/* @args: arguments separated by NULs, @bytes in total; they are quoted as for a shell. */
int profile_set_command_args(struct profile *profile, const char *args, size_t bytes);
const char *profile_command(const struct profile *profile);

/*
 * Removes the command, the notes and the audit figures, which may reveal more than the samples.
 * Their strings stay in the profile, and would be written to its file. To get rid of the strings,
 * merge this profile into an empty one, and write that: a merge copies only strings in use.
 */
void profile_forget_remarks(struct profile *profile);

/*
 * All times are in ns. @realtime_ns: when the profile began (CLOCK_REALTIME). @period_ns: CPU time
 * between two samples.
 */
void profile_set_time(struct profile *profile, uint64_t realtime_ns, uint64_t duration_ns);
void profile_set_period(struct profile *profile, uint64_t period_ns);
uint64_t profile_realtime_ns(const struct profile *profile);
uint64_t profile_duration_ns(const struct profile *profile);
uint64_t profile_period_ns(const struct profile *profile);

/* How a note of a merged profile begins; the command of another profile follows. */
#define PROFILE_MERGED_WITH "merged with a profile of: "

/*
 * Adds all of @from to @into. Audit figures are merged as profile/audit.h says, fields of other
 * programs' files as profile/foreign.h says. @into keeps its command, if it has one. If the
 * commands or the periods differ, @into gets a note about it. On failure @into contains a part of
 * @from: free it.
 */
int profile_merge(struct profile *into, const struct profile *from);

/*
 * Creates a profile of the samples of process @pid, with the command, notes, time and period of
 * @from. The audit figures are left out, because they are about all processes. 0 or -ENOMEM.
 */
int profile_split(const struct profile *from, uint32_t pid, struct profile **ret_profile);

#endif
