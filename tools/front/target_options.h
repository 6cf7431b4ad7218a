/* SPDX-License-Identifier: MIT */
/* The options of sprofrun, sproftop and sprofserve that select what is sampled, and how. */
#ifndef TOOLS_FRONT_TARGET_OPTIONS_H
#define TOOLS_FRONT_TARGET_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/command_line.h"
#include "supervisor/engine/engine.h"
#include "tools/front/find_processes.h"
#include "tools/front/thread_options.h"

enum target_clock { TARGET_CPU, TARGET_WALL, TARGET_BOTH };

struct target_options {
	const char *program; /* for messages */
	bool quiet;          /* print no notes */
	int *pids;           /* pids as given, then those of @found; owned; NULL: a command */
	size_t pids_n;
	struct process_list found; /* by name, cgroup or container */
	bool tree;                 /* the descendants of the processes are profiled, too */
	struct thread_options threads;
	bool no_follow;
	/* period of sampling; 0: not given. A given period lifts the usual limit of the cost */
	uint64_t period_ns;
	uint64_t duration_ns;
	const char *call_graph;
	const char *python;      /* --python: yes, only or no */
	bool interpreter_frames; /* do not fold frames of the interpreter */
	unsigned clock;          /* enum target_clock */
	uint64_t max_stack;
	uint32_t cost_ppm; /* limit of the cost of sampling; 0: not given */
	bool no_realtime;
	uint32_t cpu_ppm; /* limit of the CPU time of supervisor and analyst; 0: not given */
};

#define TARGET_OPTIONS_DEFAULT(name)                \
	((struct target_options){.program = (name), \
		.call_graph = "dwarf",              \
		.python = "yes",                    \
		.max_stack = UINT64_C(1) << 20})

/* For struct option_row: message and remedy for a bad list of process ids. */
#define TARGET_OPTIONS_BAD_PIDS \
	"bad pid list", "give process ids, like 123 or 123,456; --name NAME finds them"

/*
 * Returns the process of the thread @pid. If @pid is a thread other than the main thread, prints a
 * note unless @quiet. Returns @pid if there is no such thread.
 */
int target_options_process(const char *program, int pid, bool quiet);

/*
 * Appends at most 3 words to @argv, which has @n words: the analyst's options about Python. Returns
 * the new number of words.
 */
size_t target_options_language(const struct target_options *options, const char **argv, size_t n);

/* Handler of an option: adds a list of process ids. 0; -EINVAL: @value is no such list. */
int target_options_take_pids(void *options, char *value);

/* Maximum number of option sets that a program adds to those of this file. */
enum { TARGET_OPTIONS_MORE = 4 };
/*
 * Parses the options of this file, --help, --version, and the @n option sets of the program in
 * @more. Each set's @given then has the options that were given. Ends the program after --help,
 * which prints @help, and after --version; ends it with status 2 after a wrong option.
 */
void target_options_parse(struct target_options *options, const char *help, struct option_set *more,
	size_t n, int argc, char **argv);

void target_options_release(struct target_options *options);

/*
 * Takes @command, the rest of the command line, and fills in the engine's options. Ends the program
 * with status 2 if both a command and pids are given, or neither; if --tid or --tree is given with
 * a command; or if a thread of --tid is not in the target.
 */
void target_options_finish(
	struct target_options *options, char **command, struct engine_options *engine);

#endif
