/* SPDX-License-Identifier: MIT */
#include "tools/front/target_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/standard.h"
#include "base/units.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/procfs.h"
#include "tools/front/containers.h"
#include "tools/front/find_processes.h"
#include "tools/front/front.h"

#define RING_BYTES  (UINT64_C(8) << 20)
#define RING_STACKS (UINT64_C(64) << 20)
/* The ring between supervisor and analyst has room for at least this many stacks of --max-stack. */
#define RING_STACKS_LEAST 16
#define MAX_STACK_MOST    (UINT64_C(256) << 20)
/* Cost limit in ppm of the target's CPU time, if neither --max-cost nor a rate is given. */
#define COST_USUAL_PPM  10000
#define PERIOD_USUAL_NS 4000000

static int take_name(void *options, char *value)
{
	struct target_options *o = options;
	size_t ended, before = o->found.n;
	int r = find_processes_by_name(value, &o->found, &ended);

	if (r == 0 && o->found.n > before)
		return 0;
	if (r < 0)
		front_complain(o->program, "cannot look for processes: %s", strerror(-r));
	else if (ended)
		front_complain(o->program,
			"no process called '%s' runs: %zu %s ended, and no parent has waited for "
			"%s",
			value, ended, ended == 1 ? "has" : "have", ended == 1 ? "it" : "them");
	else
		front_complain(o->program, "no process is called '%s'", value);
	exit(FRONT_OURS);
}

static int take_cgroup(void *options, char *value)
{
	struct target_options *o = options;
	size_t before = o->found.n;
	int r = find_processes_by_cgroup(value, &o->found);

	if (r == 0 && o->found.n > before)
		return 0;
	if (r < 0)
		front_complain(o->program, "cannot look for processes: %s", strerror(-r));
	else
		front_complain(o->program,
			"no process is in a cgroup '%s': give a path as in /proc/PID/cgroup, or "
			"one name of it, like nginx.service",
			value);
	exit(FRONT_OURS);
}

static int take_container(void *options, char *value)
{
	struct target_options *o = options;
	size_t before = o->found.n;
	char ids[2][CGROUP_ID_BYTES];
	int r = find_processes_by_container(value, &o->found, ids);

	if (r == 0 && o->found.n > before)
		return 0;
	if (r == -ENOTUNIQ)
		/* docker and podman show 12 digits of an id, too. */
		front_complain(o->program,
			"the ids of several containers begin with '%s', such as %.12s and %.12s: "
			"give more of it",
			value, ids[0], ids[1]);
	else if (r < 0)
		front_complain(o->program, "cannot look for processes: %s", strerror(-r));
	else
		front_complain(o->program,
			"no process of a container '%s' is seen here: give its name, or at least "
			"%d digits of its id%s",
			value, CONTAINERS_ID_LEAST,
			geteuid() ? ", or be root: docker's names are root's to read" : "");
	exit(FRONT_OURS);
}

size_t target_options_language(const struct target_options *o, const char **argv, size_t n)
{
	argv[n++] = "--python";
	/*
	 * Python's frames are put among the frames of a thread's stack. So without stacks (-g no)
	 * none of Python's frames can be shown.
	 */
	argv[n++] = strcmp(o->call_graph, "no") == 0 ? "no" : o->python;
	if (o->interpreter_frames)
		argv[n++] = "--interpreter-frames";
	return n;
}

static bool is_taken(const struct target_options *o, int pid)
{
	for (size_t i = 0; i < o->pids_n; i++) {
		if (o->pids[i] == pid)
			return true;
	}
	return false;
}

/* Adds each of the @n pids at @pid once, and frees @pid. */
static void add_pids(struct target_options *o, int *pid, size_t n)
{
	int *all = reallocarray(o->pids, o->pids_n + n, sizeof(*all));

	if (!all) {
		front_complain(o->program, "cannot look for processes: %s", strerror(ENOMEM));
		exit(FRONT_OURS);
	}
	o->pids = all;
	for (size_t i = 0; i < n; i++) {
		if (!is_taken(o, pid[i]))
			o->pids[o->pids_n++] = pid[i];
	}
	free(pid);
}

int target_options_take_pids(void *options, char *value)
{
	size_t n;
	int *pid;

	if (units_pids(value, &pid, &n) < 0)
		return -EINVAL;
	add_pids(options, pid, n);
	return 0;
}

static int take_thread_name(void *options, char *value)
{
	struct target_options *o = options;

	thread_options_take_name(&o->threads, o->program, value);
	return 0;
}

static int take_tids(void *options, char *value)
{
	struct target_options *o = options;

	thread_options_take_tids(&o->threads, o->program, value);
	return 0;
}

#define AT(member) .at = offsetof(struct target_options, member)
#define PERCENT    "give percent, 0.001 to 100"
#define RATE       "bad rate", "give samples a second, 0.01 to 100000"

static const struct option_row rows[] = {
	{"pid", 'p', OPTION_TAKE, .take = target_options_take_pids, NULL, TARGET_OPTIONS_BAD_PIDS},
	{"name", 0, OPTION_TAKE, .take = take_name},
	{"tree", 0, OPTION_FLAG, AT(tree)},
	{"cgroup", 0, OPTION_TAKE, .take = take_cgroup},
	{"container", 0, OPTION_TAKE, .take = take_container},
	{"thread-name", 0, OPTION_TAKE, .take = take_thread_name},
	{"tid", 0, OPTION_TAKE, .take = take_tids},
	{"rate", 'F', OPTION_RATE, AT(period_ns), NULL, NULL, RATE},
	{NULL, 'r', OPTION_RATE, AT(period_ns), NULL, NULL, RATE},
	{"interval", 'i', OPTION_TIME, AT(period_ns), NULL, NULL, "bad interval",
		"give a time from 10us to 100s", 10000, UINT64_C(100000000000)},
	{"duration", 'd', OPTION_TIME, AT(duration_ns), NULL, NULL, "bad duration",
		"give a time, like 10s, 500ms or 2m"},
	{"call-graph", 'g', OPTION_WORD, AT(call_graph), NULL, "dwarf|fp|no", "no call graph",
		"choose dwarf, fp or no"},
	{NULL, 'G', OPTION_SET, AT(call_graph), .words = "no"},
	{"clock", 'w', OPTION_CHOICE, AT(clock), NULL, "cpu|wall|both", "no clock",
		"choose cpu, wall or both"},
	{"python", 0, OPTION_WORD, AT(python), NULL, "yes|only|no", "no way to show Python",
		"choose yes, only or no"},
	{"interpreter-frames", 0, OPTION_FLAG, AT(interpreter_frames)},
	{"max-stack", 0, OPTION_SIZE, AT(max_stack), NULL, NULL, "bad stack size",
		"give a size from 4K to 256M", 4096, MAX_STACK_MOST},
	{"follow", 'f', OPTION_CLEAR, AT(no_follow)},
	{"no-follow", 0, OPTION_FLAG, AT(no_follow)},
	{"max-cost", 0, OPTION_PERCENT, AT(cost_ppm), NULL, NULL, "bad cost", PERCENT},
	{"max-overhead", 0, OPTION_PERCENT, AT(cost_ppm), NULL, NULL, "bad cost", PERCENT},
	{"max-cpu", 0, OPTION_PERCENT, AT(cpu_ppm), NULL, NULL, "bad share of a CPU", PERCENT},
	{"no-realtime", 0, OPTION_FLAG, AT(no_realtime)},
};

struct about {
	const char *program, *help;
};

static int print_help(void *context, char *value)
{
	const struct about *about = context;

	(void)value;
	(void)fputs(about->help, stdout);
	exit(standard_printed(about->program, FRONT_OURS));
}

static int print_version(void *context, char *value)
{
	const struct about *about = context;

	(void)value;
	(void)printf("%s " SPROFIL_VERSION "\n", about->program);
	exit(standard_printed(about->program, FRONT_OURS));
}

static const struct option_row about_rows[] = {
	{"help", 'h', OPTION_DO, .take = print_help},
	{"version", 0, OPTION_DO, .take = print_version},
};

void target_options_parse(struct target_options *o, const char *help, struct option_set *more,
	size_t n, int argc, char **argv)
{
	struct about about = {o->program, help};
	struct option_set set[2 + TARGET_OPTIONS_MORE] = {
		{OPTION_ROWS(rows), o, 0}, {OPTION_ROWS(about_rows), &about, 0}};
	const struct option_row *row;
	const char *likely;

	memcpy(set + 2, more, n * sizeof(*more));
	argv[0] = (char *)o->program; /* getopt's messages begin with argv[0] */
	switch (command_line_parse(set, n + 2, "+", argc, argv, &row)) {
	case COMMAND_LINE_DONE: memcpy(more, set + 2, n * sizeof(*more)); return;
	case COMMAND_LINE_WRONG: front_reject(o->program, row->wrong, optarg, row->remedy);
	default: break;
	}
	likely = command_line_likely(set, n + 2, argv[optind - 1]);
	front_complain(o->program, "%s%s%stry '%s --help'", likely ? "there is --" : "",
		likely ? likely : "", likely ? "; " : "", o->program);
	exit(FRONT_USAGE);
}

/* A large ring costs little memory: the kernel allocates a page only when it is written. */
static void choose_stacks(const struct target_options *o, struct engine_options *engine)
{
	engine->ring_bytes = RING_BYTES;
	if (strcmp(o->call_graph, "no") == 0)
		return;
	engine->max_stack = (size_t)o->max_stack;
	engine->ring_bytes = RING_STACKS;
	while (engine->ring_bytes < RING_STACKS_LEAST * o->max_stack)
		engine->ring_bytes *= 2;
}

int target_options_process(const char *program, int pid, bool quiet)
{
	char name[PROCFS_NAME_BYTES];
	int process, parent;

	if (proc_status_read_ids(pid, &process, &parent) < 0 || process == pid)
		return pid;
	procfs_read_name(process, process, name);
	if (!quiet)
		front_complain(program,
			"%d is a thread of process %d (%s): the whole process is taken", pid,
			process, name);
	return process;
}

static void add_found(struct target_options *o)
{
	add_pids(o, o->found.pid, o->found.n);
	o->found = (struct process_list){0};
}

static void find_descendants(struct target_options *o)
{
	for (size_t i = 0; i < o->pids_n; i++) {
		int r = find_processes_below(o->pids[i], &o->found);

		if (r < 0) {
			front_complain(o->program, "cannot look for processes: %s", strerror(-r));
			exit(FRONT_OURS);
		}
	}
	if (o->found.n)
		add_found(o);
}

/* Says how many descendants are not profiled: they may do a server's work. Returns their number. */
static size_t tell_of_children(const struct target_options *o)
{
	size_t all = 0;

	for (size_t i = 0; i < o->pids_n; i++) {
		struct process_list list = {0};
		char name[PROCFS_NAME_BYTES], refusal[512];
		size_t others = 0;

		/* If attaching will fail, the engine will say so. */
		if (front_explain(o->program, "-p", o->pids[i], refusal, sizeof(refusal)))
			continue;
		if (find_processes_below(o->pids[i], &list) == 0) {
			for (size_t j = 0; j < list.n; j++)
				others += !is_taken(o, list.pid[j]);
		}
		free(list.pid);
		if (!others)
			continue;
		all += others;
		procfs_read_name(o->pids[i], o->pids[i], name);
		front_complain(o->program,
			"%d (%s) has %zu live %s that %s not taken: --tree takes %s, too",
			o->pids[i], name, others, others == 1 ? "descendant" : "descendants",
			others == 1 ? "is" : "are", others == 1 ? "it" : "them");
	}
	return all;
}

static void finish_pids(struct target_options *o, struct engine_options *engine)
{
	int *given = o->pids;
	size_t n = o->pids_n;

	for (size_t i = 0; i < n; i++)
		given[i] = target_options_process(o->program, given[i], o->quiet);
	o->pids = NULL;
	o->pids_n = 0;
	if (n)
		add_pids(o, given, n);
	engine->pids_given = o->pids_n;
	if (o->found.n)
		add_found(o);
	if (o->tree)
		find_descendants(o);
	else if (o->pids && !o->quiet && !engine->dump)
		engine->descendants_left = tell_of_children(o);
}

/*
 * Handles the processes to which the threads of --tid belong. @alone: these processes become the
 * target. Otherwise ends the program with status 2 if one of them is not in the target.
 */
static void finish_threads(struct target_options *o, bool alone)
{
	size_t n;
	int *list;

	thread_options_processes(&o->threads, o->program, &list, &n);
	if (alone) {
		o->pids = list;
		o->pids_n = n;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (is_taken(o, list[i]))
			continue;
		front_complain(o->program,
			"--tid has a thread of process %d, which is not profiled: give -p %d, too",
			list[i], list[i]);
		exit(FRONT_USAGE);
	}
	free(list);
}

void target_options_release(struct target_options *o)
{
	free(o->pids);
	thread_options_release(&o->threads);
}

void target_options_finish(struct target_options *o, char **command, struct engine_options *engine)
{
	if (o->threads.tid && *command)
		front_reject(o->program, "both --tid and a command", *command,
			"its threads have no ids yet: choose them by --thread-name");
	if (o->threads.tid && !o->pids && !o->found.n)
		finish_threads(o, true);
	if ((o->pids || o->found.n) && *command)
		front_reject(o->program, "both -p and a command", *command, "give one of them");
	if (o->tree && *command)
		front_reject(o->program, "both --tree and a command", *command,
			"the children of a command are profiled anyway; --tree belongs to -p");
	if (!o->pids && !o->found.n && !*command) {
		front_complain(o->program, "no command and no -p PID; try '%s --help'", o->program);
		exit(FRONT_USAGE);
	}
	finish_pids(o, engine);
	if (o->threads.tid)
		finish_threads(o, false);
	engine->choice = thread_options_rule(&o->threads);
	engine->command = o->pids ? NULL : command;
	engine->pids = o->pids;
	engine->pids_n = o->pids_n;
	engine->follow = !o->no_follow;
	engine->period_ns = o->period_ns ? o->period_ns : PERIOD_USUAL_NS;
	engine->wall = o->clock != TARGET_CPU;
	engine->wall_first = o->clock == TARGET_WALL;
	engine->duration_ns = o->duration_ns;
	engine->max_cost_ppm = o->cost_ppm || o->period_ns ? o->cost_ppm : COST_USUAL_PPM;
	engine->max_cpu_ppm = o->cpu_ppm;
	engine->no_realtime = o->no_realtime;
	choose_stacks(o, engine);
}
