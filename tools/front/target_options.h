/* SPDX-License-Identifier: MIT */
/* The options with which sprofrun and sproftop select what is sampled, and how. */
#ifndef TOOLS_FRONT_TARGET_OPTIONS_H
#define TOOLS_FRONT_TARGET_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/engine/engine.h"
#include "tools/front/find_processes.h"
#include "tools/front/thread_options.h"

struct target_options {
	const char *program; /* name of the program, for messages */
	bool quiet;          /* print no notes */
	int *pids;           /* given by -p, followed by those found; owned; NULL: a command */
	size_t pids_n;
	struct process_list found; /* processes found by name, cgroup or container */
	bool tree;                 /* descendants, too */
	struct thread_options threads;
	bool no_follow;
	uint64_t period_ns;
	bool fixed_rate; /* the period is given, and does not yield to a bound that is not given */
	uint64_t duration_ns;
	const char *call_graph;
	const char *python;      /* --python: yes, only or no */
	bool interpreter_frames; /* do not fold frames of the interpreter */
	bool wall, wall_first; /* as in struct engine_options */
	uint64_t max_stack;
	uint32_t cost_ppm; /* bound on the cost of sampling; 0: not given */
	bool no_realtime;
	uint32_t cpu_ppm; /* bound on the CPU time of supervisor and analyst; 0: not given */
};

#define TARGET_OPTIONS_DEFAULT(name)                \
	((struct target_options){.program = (name), \
		.period_ns = 4000000,               \
		.call_graph = "dwarf",              \
		.python = "yes",                    \
		.max_stack = UINT64_C(1) << 20})

/* Options for a table of struct option and a string of short options. */
enum {
	TARGET_OPTION_NO_FOLLOW = 1024,
	TARGET_OPTION_MAX_COST,
	TARGET_OPTION_MAX_CPU,
	TARGET_OPTION_MAX_STACK,
	TARGET_OPTION_NO_REALTIME,
	TARGET_OPTION_NAME,
	TARGET_OPTION_TREE,
	TARGET_OPTION_CGROUP,
	TARGET_OPTION_CONTAINER,
	TARGET_OPTION_THREAD_NAME,
	TARGET_OPTION_TID,
	TARGET_OPTION_PYTHON,
	TARGET_OPTION_INTERPRETER_FRAMES
};
/* clang-format off */
#define TARGET_OPTIONS_LONG \
	{"pid", required_argument, NULL, 'p'}, \
	{"name", required_argument, NULL, TARGET_OPTION_NAME}, \
	{"tree", no_argument, NULL, TARGET_OPTION_TREE}, \
	{"cgroup", required_argument, NULL, TARGET_OPTION_CGROUP}, \
	{"container", required_argument, NULL, TARGET_OPTION_CONTAINER}, \
	{"thread-name", required_argument, NULL, TARGET_OPTION_THREAD_NAME}, \
	{"tid", required_argument, NULL, TARGET_OPTION_TID}, \
	{"rate", required_argument, NULL, 'F'}, \
	{"interval", required_argument, NULL, 'i'}, \
	{"duration", required_argument, NULL, 'd'}, \
	{"call-graph", required_argument, NULL, 'g'}, \
	{"clock", required_argument, NULL, 'w'}, \
	{"python", required_argument, NULL, TARGET_OPTION_PYTHON}, \
	{"interpreter-frames", no_argument, NULL, TARGET_OPTION_INTERPRETER_FRAMES}, \
	{"max-stack", required_argument, NULL, TARGET_OPTION_MAX_STACK}, \
	{"follow", no_argument, NULL, 'f'}, \
	{"no-follow", no_argument, NULL, TARGET_OPTION_NO_FOLLOW}, \
	{"max-cost", required_argument, NULL, TARGET_OPTION_MAX_COST}, \
	{"max-overhead", required_argument, NULL, TARGET_OPTION_MAX_COST}, \
	{"max-cpu", required_argument, NULL, TARGET_OPTION_MAX_CPU}, \
	{"no-realtime", no_argument, NULL, TARGET_OPTION_NO_REALTIME}
#define TARGET_OPTIONS_SHORT "p:r:F:i:d:g:Gw:f"
/* clang-format on */

/* Reports a wrong value, and ends the program with status 2. */
_Noreturn void target_options_reject(
	const char *program, const char *what, const char *value, const char *remedy);

/*
 * The process to attach to for @pid, which may be the id of any of its threads. A message says so
 * unless @quiet.
 */
int target_options_process(const char *program, int pid, bool quiet);

/* Appends the analyst's options about languages, at most 3. Returns the new length of @argv. */
size_t target_options_language(const struct target_options *options, const char **argv, size_t n);

/* Handles one of the options above. False: another option. */
bool target_options_take(struct target_options *options, int option, const char *value);

/* Frees what the options own. */
void target_options_release(struct target_options *options);

/*
 * The rest of the command line is the command, unless there are pids; one of them must be given.
 * Fills in the engine's options. Ends the program with status 2 if they do not fit together.
 */
void target_options_finish(
	struct target_options *options, char **command, struct engine_options *engine);

#endif
