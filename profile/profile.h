/* SPDX-License-Identifier: MIT */
/*
 * The model of a profile: mappings, functions, locations, stacks with weights, and the audit.
 * It knows neither ELF nor ptrace; analyst/ fills it, pprof.h writes and reads it, view/ shows it.
 *
 * Everything is referred to by a small index (0, 1, 2 … in order of first appearance), valid as
 * long as the profile. Strings passed in are copied (NULL counts as ""); strings given out belong
 * to the profile, and equal ones are one pointer. Arrays given out (location_line, sample) stay
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

/* Sample values: what a stack is weighed by. The first two are always there, in this order. */
struct value_type {
	const char *type; /* "samples", "cpu" */
	const char *unit; /* "count", "nanoseconds" */
};
enum { VALUE_SAMPLES = 0, VALUE_CPU_NS = 1, VALUE_TYPES_MAX = 8 };

/*
 * Adds a value type (or finds it); returns its index. Stacks already there weigh 0 by it. -ENOSPC:
 * there are VALUE_TYPES_MAX of them.
 */
int profile_add_value_type(struct profile *profile, const char *type, const char *unit);
size_t profile_value_types(const struct profile *profile);
struct value_type profile_value_type(const struct profile *profile, size_t index);
/* The index of the first one of that name, profile_value_types(): there is none. */
size_t profile_find_value_type(const struct profile *profile, const char *type);
/* The one that reports are about if not told otherwise; SIZE_MAX: none was named. */
void profile_set_default_value(struct profile *profile, size_t index);
size_t profile_default_value(const struct profile *profile);

/*
 * A part of a file that was executable in memory. Addresses of locations are those of the file
 * (svma): start is the segment's p_vaddr, limit its end, offset its p_offset. So two processes with
 * one library share its mapping, at whatever address it was loaded.
 */
struct mapping {
	const char *file;     /* path, or "[vdso]", "[jit]", "[unknown]" … */
	const char *build_id; /* hex or "" */
	uint64_t start, limit, offset;
	bool has_functions, has_lines, has_inlines;
};

struct function {
	const char *name;   /* for people: demangled */
	const char *symbol; /* as linked */
	const char *file;   /* source file or "" */
	uint32_t line;      /* of its beginning, 0 unknown */
};

struct location_line {
	uint32_t function; /* index */
	uint32_t line;     /* 0 unknown */
};

struct location {
	uint32_t mapping;                 /* index */
	uint64_t address;                 /* svma */
	const struct location_line *line; /* innermost first; the last is the real function */
	size_t lines;                     /* 0: not symbolized */
};

/* Whose sample it is. Threads of one name stay apart by their tid. */
struct task {
	uint32_t pid, tid;
	const char *process; /* comm of the process */
	const char *thread;  /* comm of the thread */
};

/* Each returns an index; an equal one is found again (mapping: file, build_id, start). */
int profile_add_mapping(struct profile *profile, const struct mapping *mapping);
/* The first mapping of this file, or one that bears just its name. */
int profile_mapping_of(struct profile *profile, const char *file);
/* The mapping of the main program, which is written first; else that is mapping 0. */
void profile_set_main(struct profile *profile, uint32_t mapping);
uint32_t profile_main(const struct profile *profile);
int profile_add_function(struct profile *profile, const struct function *function);
int profile_add_location(struct profile *profile, uint32_t mapping, uint64_t address);
int profile_add_task(struct profile *profile, const struct task *task);
/* Puts @mark behind the name of each process. No task is found again afterwards. */
int profile_mark_processes(struct profile *profile, const char *mark);

/*
 * A location that is told by its names as well: an equal one has the same lines too. For frames
 * without an address of their own (a system call, a profile of another program with address 0).
 * profile_add_location() never finds one of address 0.
 */
int profile_add_named_location(struct profile *profile, uint32_t mapping, uint64_t address,
	const struct location_line *line, size_t lines);

/* Names of a location, innermost first; replaces earlier ones. Sets the mapping's has_ flags. */
int profile_set_lines(
	struct profile *profile, uint32_t location, const struct location_line *line, size_t lines);

/*
 * Adds @values (profile_value_types() of them) to the stack @locations (leaf first, @n of them) of
 * @task. The same stack of the same task is found again and summed.
 */
int profile_add_sample(struct profile *profile, uint32_t task, const uint32_t *locations, size_t n,
	const int64_t *values);

/* The same in two steps: the index of the stack, made with values of 0 if it is new; its values. */
int profile_add_stack(struct profile *profile, uint32_t task, const uint32_t *locations, size_t n);
/* The same with a set of labels (profile/labels.h), 0 none. */
int profile_add_labelled_stack(struct profile *profile, uint32_t task, uint32_t labels,
	const uint32_t *locations, size_t n);
void profile_add_values(struct profile *profile, size_t index, const int64_t *values);
/* One value of the stack at @index becomes @value. */
void profile_set_value(struct profile *profile, size_t index, size_t type, int64_t value);

struct sample {
	uint32_t task;
	uint32_t labels;          /* profile/labels.h */
	const uint32_t *location; /* leaf first */
	size_t n;
	const int64_t *value; /* profile_value_types() of them */
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
 * CPU time that nobody could be caught at: a stack of one location whose function has this name,
 * in the mapping of its executable, with a count of 0.
 */
#define PROFILE_UNSAMPLED "[unsampled]"
bool profile_is_unsampled(const struct profile *profile, const struct sample *sample);
int profile_add_unsampled(struct profile *profile, uint32_t task, uint32_t mapping, int64_t cpu_ns);
/* The same with all of a sample's values. */
int profile_add_unsampled_values(
	struct profile *profile, uint32_t task, uint32_t mapping, const int64_t *values);

/*
 * Stacks of --dump, one for each thread: a value type of this name holds for how many ns it was
 * stopped, or why it was not.
 */
#define PROFILE_STOPPED "stopped"
enum { PROFILE_NOT_STOPPED = -1, PROFILE_LEFT_STOPPED = -2 };

/*
 * The audit: named figures (INTERFACE: the keys of `summary`), kept in the file. Integers only.
 * Unknown names are kept too. -ENOSPC: there are PROFILE_AUDITS_MAX; -EINVAL: a name that is empty
 * or has a space. profile/audit.h knows what the names mean.
 */
#define PROFILE_AUDITS_MAX 512
int profile_set_audit(struct profile *profile, const char *key, uint64_t value);
bool profile_audit(const struct profile *profile, const char *key, uint64_t *ret_value);
size_t profile_audits(const struct profile *profile);
void profile_audit_at(
	const struct profile *profile, size_t index, const char **ret_key, uint64_t *ret_value);

/*
 * Remarks for people ("the supervisor was killed after 3.2 s"), shown by reports, kept in the file.
 * The same remark is kept once.
 */
int profile_add_note(struct profile *profile, const char *note);
/* A comment of another program: shown as a note, and written as it came. */
int profile_add_comment(struct profile *profile, const char *comment);
bool profile_note_is_foreign(const struct profile *profile, size_t index);
int profile_copy_note(struct profile *into, const struct profile *from, size_t index);
size_t profile_notes(const struct profile *profile);
const char *profile_note(const struct profile *profile, size_t index);

/* What was profiled, for people: the command line. "" when it is not known. */
int profile_set_command(struct profile *profile, const char *command);
/* The same from arguments, separated by NULs, @bytes in all: as a shell would take them. */
int profile_set_command_args(struct profile *profile, const char *args, size_t bytes);
const char *profile_command(const struct profile *profile);

/*
 * Forgets command, notes and audit, which may tell of more than the samples do. Their strings stay
 * in memory, and in what is written of this profile, but not in what it is merged into.
 */
void profile_forget_remarks(struct profile *profile);

/* When it was taken: CLOCK_REALTIME of the start, and its length. Period: CPU ns of a tick. */
void profile_set_time(struct profile *profile, uint64_t realtime_ns, uint64_t duration_ns);
void profile_set_period(struct profile *profile, uint64_t period_ns);
uint64_t profile_realtime_ns(const struct profile *profile);
uint64_t profile_duration_ns(const struct profile *profile);
uint64_t profile_period_ns(const struct profile *profile);

/*
 * Adds all of @from to @into; audit figures by their kind (profile/audit.h). The command is that of
 * the first; another one, and a different period, are told by a note. On failure @into holds a part
 * of @from: free it.
 */
int profile_merge(struct profile *into, const struct profile *from);

/*
 * A new profile of the samples of one process alone: with its command, notes, time and period, and
 * without the audit, whose figures are those of all. -ENOMEM.
 */
int profile_split(const struct profile *from, uint32_t pid, struct profile **ret_profile);

#endif
