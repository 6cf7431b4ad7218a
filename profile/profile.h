/* SPDX-License-Identifier: MIT */
/*
 * The model of a profile: mappings, functions, locations, stacks with weights, and the audit. It
 * knows neither ELF nor ptrace; analyst/ fills it, pprof.h writes and reads it, view/ shows it.
 *
 * Items are referred to by small indexes (0, 1, 2 … in order of first appearance), valid as long as
 * the profile. Strings passed in are copied (NULL counts as ""); strings returned belong to the
 * profile, and equal strings are equal pointers. Arrays returned (location_line, sample) are valid
 * until the next change of the profile. Results are 0 or positive, or -errno (-ENOMEM, and -EINVAL
 * for an index out of range).
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

int profile_new(struct profile **ret_profile);
void profile_free(struct profile *profile);

/* Values of samples: the weights of a stack. The first two always exist, in this order. */
struct value_type {
	const char *type; /* "samples", "cpu" */
	const char *unit; /* "count", "nanoseconds" */
};

/* Maximum frames of a stack: sprofrun cuts longer ones (docs/STACKS.md). */
enum { PROFILE_FRAMES_MOST = 65536 };

enum { VALUE_SAMPLES = 0, VALUE_CPU_NS = 1, VALUE_TYPES_MAX = 8 };

/*
 * Finds or adds a value type; returns its index. Existing stacks get a value of 0. -ENOSPC: there
 * are VALUE_TYPES_MAX of them.
 */
int profile_add_value_type(struct profile *profile, const char *type, const char *unit);
size_t profile_value_types(const struct profile *profile);
struct value_type profile_value_type(const struct profile *profile, size_t index);
/*
 * Returns the index of the first value type of that name, profile_value_types() if there is none.
 */
size_t profile_find_value_type(const struct profile *profile, const char *type);
/* Set and return the value type that reports use by default; SIZE_MAX: none was set. */
void profile_set_default_value(struct profile *profile, size_t index);
size_t profile_default_value(const struct profile *profile);

/*
 * A part of a file that was mapped executable. Addresses of locations are those in the file (svma):
 * start is the segment's p_vaddr, limit its end, offset its p_offset. So two processes with one
 * library share its mapping, whatever its load addresses.
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
	uint32_t line;      /* line of its first line, 0 unknown */
};

struct location_line {
	uint32_t function; /* index */
	uint32_t line;     /* 0 unknown */
};

struct location {
	uint32_t mapping; /* index */
	uint64_t address; /* address in the file (svma) */
	/* innermost first; the last is the function that is not inlined */
	const struct location_line *line;
	size_t lines; /* 0: not symbolized */
};

/* The process and thread of a sample. Threads with equal names are distinguished by their tids. */
struct task {
	uint32_t pid, tid;
	const char *process; /* comm of the process */
	const char *thread;  /* comm of the thread */
};

/*
 * Each finds or adds an item and returns its index; an equal item is found again (mapping: by file,
 * build_id, start).
 */
int profile_add_mapping(struct profile *profile, const struct mapping *mapping);
/* Returns the first mapping of @file. If there is none, adds one that has only this name. */
int profile_mapping_of(struct profile *profile, const char *file);
/* Set and return the mapping of the main program, which is written first; 0 if never set. */
void profile_set_main(struct profile *profile, uint32_t mapping);
uint32_t profile_main(const struct profile *profile);
int profile_add_function(struct profile *profile, const struct function *function);
int profile_add_location(struct profile *profile, uint32_t mapping, uint64_t address);
int profile_add_task(struct profile *profile, const struct task *task);
/*
 * Renames the process @name of @pid to @new_name in its tasks. -ENOMEM: some may have been renamed.
 */
int profile_rename_process(
	struct profile *profile, uint32_t pid, const char *name, const char *new_name);
/*
 * Adds CPU time that the kernel charged to a thread while it was profiled. This is exact; samples
 * may sum to more or less, as they share out the time of all threads. -EINVAL: no such task.
 */
int profile_add_task_cpu(struct profile *profile, uint32_t task, uint64_t cpu_ns);
/* Gets the CPU time that the kernel charged to a task. False: unknown. */
bool profile_task_cpu(const struct profile *profile, size_t task, uint64_t *ret_cpu_ns);
/*
 * Appends @mark to the name of each process. These tasks are never found again: profile_add_task()
 * adds a new one even for an equal name.
 */
int profile_mark_processes(struct profile *profile, const char *mark);

/*
 * Finds or adds a location that is identified by its lines as well: for frames without an address
 * of their own (a system call, a profile of another program with address 0), and for code that
 * differs between processes. profile_add_location() never finds a named location with address 0.
 */
int profile_add_named_location(struct profile *profile, uint32_t mapping, uint64_t address,
	const struct location_line *line, size_t lines);

/*
 * Adds a location that no later call finds, for code that gets its lines later, and whose address
 * has other code in another process. A profile that is merged or read from a file has one location
 * for those with equal lines.
 */
int profile_add_separate_location(struct profile *profile, uint32_t mapping, uint64_t address);

/*
 * Sets the lines of a location, innermost first; replaces earlier ones. Sets the mapping's has_
 * flags.
 */
int profile_set_lines(
	struct profile *profile, uint32_t location, const struct location_line *line, size_t lines);

/*
 * Adds @values (profile_value_types() of them) to the stack @locations (leaf first, @n of them) of
 * @task. The same stack of the same task is found again, and the values are summed.
 */
int profile_add_sample(struct profile *profile, uint32_t task, const uint32_t *locations, size_t n,
	const int64_t *values);

/*
 * profile_add_sample() in two steps: profile_add_stack() finds the stack, or adds it with values of
 * 0, and returns its index; profile_add_values() adds to the values of that stack.
 */
int profile_add_stack(struct profile *profile, uint32_t task, const uint32_t *locations, size_t n);
/* Finds or adds a stack with a set of labels (profile/labels.h), 0: none. */
int profile_add_labelled_stack(struct profile *profile, uint32_t task, uint32_t labels,
	const uint32_t *locations, size_t n);
void profile_add_values(struct profile *profile, size_t index, const int64_t *values);
/* Sets one value of the stack at @index to @value. */
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
 * CPU time for which there is no sample: a stack of one location whose function has this name, in
 * the mapping of its executable, with a count of 0.
 */
#define PROFILE_UNSAMPLED "[unsampled]"
bool profile_is_unsampled(const struct profile *profile, const struct sample *sample);
int profile_add_unsampled(struct profile *profile, uint32_t task, uint32_t mapping, int64_t cpu_ns);
/* Adds time without a sample; @values has one for each value type. */
int profile_add_unsampled_values(
	struct profile *profile, uint32_t task, uint32_t mapping, const int64_t *values);

/*
 * Stacks of --dump, one per thread. The value of this type is the duration of the thread's stop in
 * ns. PROFILE_NOT_STOPPED: the thread slept, and was read without a stop. PROFILE_LEFT_STOPPED: it
 * had been stopped before by something else, and still is.
 */
#define PROFILE_STOPPED "stopped"
enum { PROFILE_NOT_STOPPED = -1, PROFILE_LEFT_STOPPED = -2 };

/*
 * The audit: named figures (the keys of `sprofreport summary`), stored in the file. Integers only.
 * Unknown names are kept too. -ENOSPC: there are PROFILE_AUDITS_MAX; -EINVAL: a name that is empty
 * or has a space. profile/audit.h defines the meaning of the names.
 */
#define PROFILE_AUDITS_MAX 512
int profile_set_audit(struct profile *profile, const char *key, uint64_t value);
bool profile_audit(const struct profile *profile, const char *key, uint64_t *ret_value);
size_t profile_audits(const struct profile *profile);
void profile_audit_at(
	const struct profile *profile, size_t index, const char **ret_key, uint64_t *ret_value);

/*
 * Remarks for people ("the supervisor was killed after 3.2 s"), shown by reports, stored in the
 * file. The same remark is kept once.
 */
int profile_add_note(struct profile *profile, const char *note);
/* Adds a comment of another program, which is shown as a note, and written unchanged. */
int profile_add_comment(struct profile *profile, const char *comment);
bool profile_note_is_foreign(const struct profile *profile, size_t index);
int profile_copy_note(struct profile *into, const struct profile *from, size_t index);
size_t profile_notes(const struct profile *profile);
const char *profile_note(const struct profile *profile, size_t index);

/* Set and return what was profiled, for display: the command line. "": unknown. */
int profile_set_command(struct profile *profile, const char *command);
/* Sets the command from arguments separated by NULs, @bytes in total; quoted as for a shell. */
int profile_set_command_args(struct profile *profile, const char *args, size_t bytes);
const char *profile_command(const struct profile *profile);

/*
 * Removes command, notes and audit, which may reveal more than the samples. A file of this profile
 * would still contain their strings, which stay in its pool. Merge the profile into an empty one,
 * and write that: a merge copies only strings in use.
 */
void profile_forget_remarks(struct profile *profile);

/*
 * Set and return when the profile began (CLOCK_REALTIME), how long it took, and the CPU time
 * between two samples. All in ns.
 */
void profile_set_time(struct profile *profile, uint64_t realtime_ns, uint64_t duration_ns);
void profile_set_period(struct profile *profile, uint64_t period_ns);
uint64_t profile_realtime_ns(const struct profile *profile);
uint64_t profile_duration_ns(const struct profile *profile);
uint64_t profile_period_ns(const struct profile *profile);

/* A note of a merged profile begins with this, followed by the command of another profile. */
#define PROFILE_MERGED_WITH "merged with a profile of: "

/*
 * Adds all of @from to @into; audit figures according to their kind (profile/audit.h). The command
 * is that of the first; a different command or period is mentioned in a note. Fields of other
 * programs' files stay if both have the same (profile/foreign.h). On failure @into contains a part
 * of @from: free it.
 */
int profile_merge(struct profile *into, const struct profile *from);

/*
 * Creates a profile of the samples of one process: with its command, notes, time and period, and
 * without the audit, whose figures are those of all processes. -ENOMEM.
 */
int profile_split(const struct profile *from, uint32_t pid, struct profile **ret_profile);

#endif
