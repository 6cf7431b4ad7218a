/* SPDX-License-Identifier: MIT */
#include "analyst/python/python_note.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

/* The note is for a process with at least 1 / PART_LEAST of the CPU time. */
enum { PART_LEAST = 20 };

enum kind { KIND_OTHER, KIND_INTERPRETER, KIND_PYTHON };

struct noting {
	struct profile *profile;
	uint8_t *kind; /* by location: enum kind */
	struct process {
		uint32_t pid;
		const char *name;
		/*
		 * CPU time of stacks with the interpreter's loop, but no function of Python (ns);
		 * of stacks with a function of Python (named_ns)
		 */
		int64_t ns, named_ns;
		uint32_t location; /* a location in its interpreter */
	} * process;
	size_t n;
};

/*
 * The interpreter's loop is _PyEval_EvalFrameDefault since 3.6; a compiler may split off a part
 * with a suffix (.cold). CPython's perf map or jitdump names a function of Python "py::f:/x.py".
 */
static enum kind kind_of(const struct profile *profile, struct location location)
{
	const char *object = profile_mapping(profile, location.mapping).file;
	static const char loop[] = "_PyEval_EvalFrameDefault", python[] = "py::";

	if (strcmp(object, "[python]") == 0)
		return KIND_PYTHON;
	for (size_t i = 0; i < location.lines; i++) {
		const char *name = profile_function(profile, location.line[i].function).name;

		if (strncmp(name, python, sizeof(python) - 1) == 0)
			return KIND_PYTHON;
		if (strncmp(name, loop, sizeof(loop) - 1) == 0)
			return KIND_INTERPRETER;
	}
	return KIND_OTHER;
}

static struct process *process_of(struct noting *n, const struct task *task)
{
	for (size_t i = 0; i < n->n; i++) {
		if (n->process[i].pid == task->pid)
			return &n->process[i];
	}
	n->process[n->n] = (struct process){.pid = task->pid, .name = task->process};
	return &n->process[n->n++];
}

/* Adds up each process's times. Returns the CPU time of all samples. */
static int64_t count(struct noting *n)
{
	int64_t all = 0;

	for (size_t i = 0; i < profile_samples(n->profile); i++) {
		struct sample sample = profile_sample(n->profile, i);
		struct task task = profile_task(n->profile, sample.task);
		bool named = false, interprets = false;
		struct process *process;
		uint32_t at = 0;

		all += sample.value[VALUE_CPU_NS];
		for (size_t j = 0; j < sample.n; j++) {
			enum kind kind = n->kind[sample.location[j]];

			named |= kind == KIND_PYTHON;
			interprets |= kind == KIND_INTERPRETER;
			at = kind == KIND_INTERPRETER ? sample.location[j] : at;
		}
		if (!named && !interprets)
			continue;
		process = process_of(n, &task);
		if (named) {
			process->named_ns += sample.value[VALUE_CPU_NS];
			continue;
		}
		process->ns += sample.value[VALUE_CPU_NS];
		process->location = at;
	}
	return all;
}

/* "python3.11", "libpython3.11.so.1.0": 11; 0: unknown. */
static unsigned minor_version(const char *path)
{
	static const char word[] = "python3.";
	const char *slash = strrchr(path, '/'), *at = strstr(slash ? slash : path, word);

	return at ? (unsigned)strtoul(at + sizeof(word) - 1, NULL, 10) : 0;
}

static int say(const struct noting *n, const struct process *process, int64_t all, bool shown)
{
	struct location location = profile_location(n->profile, process->location);
	unsigned minor = minor_version(profile_mapping(n->profile, location.mapping).file);
	char note[400], version[32] = "";

	if (minor)
		(void)snprintf(version, sizeof(version), "; this is 3.%u", minor);
	(void)snprintf(note, sizeof(note),
		"%.0f %% of the CPU time is in the interpreter of %.32s (%" PRIu32
		"), whose stacks show no functions of Python: %s%s",
		(double)process->ns * 100 / (double)all, process->name, process->pid,
		shown ? "sprofrun knows those of CPython 3.8 to 3.14 whose file exports _PyRuntime"
		      : "--python yes, the default, shows them",
		shown ? version : "");
	return profile_add_note(n->profile, note);
}

int python_note(struct profile *profile, bool shown)
{
	struct noting n = {.profile = profile,
		.kind = calloc(profile_locations(profile) + 1, 1),
		.process = calloc(profile_tasks(profile) + 1, sizeof(*n.process))};
	const struct process *most = NULL;
	int64_t all;
	int r = n.kind && n.process ? 0 : -ENOMEM;

	if (r < 0)
		goto out;
	for (size_t i = 0; i < profile_locations(profile); i++)
		n.kind[i] = (uint8_t)kind_of(profile, profile_location(profile, i));
	all = count(&n);
	for (size_t i = 0; i < n.n; i++) {
		/* At a program's beginning and end no function of Python is on the stack. */
		if (n.process[i].ns > n.process[i].named_ns &&
			(!most || n.process[i].ns > most->ns))
			most = &n.process[i];
	}
	if (most && most->ns > 0 && most->ns >= all / PART_LEAST)
		r = say(&n, most, all, shown);
out:
	free(n.kind);
	free(n.process);
	return r < 0 ? r : 0;
}
