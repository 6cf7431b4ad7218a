/* SPDX-License-Identifier: MIT */
/*
 * sprofrun: profiles a command that it starts, or processes to which it attaches. This program is
 * the supervisor, which traces and samples.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/libexec.h"
#include "base/outfile.h"
#include "base/output.h"
#include "base/proc_file.h"
#include "base/standard.h"
#include "base/text.h"
#include "base/units.h"
#include "supervisor/calls/histogram.h"
#include "supervisor/engine/engine.h"
#include "supervisor/engine/signals.h"
#include "supervisor/os/cgroup.h"
#include "supervisor/os/procfs.h"
#include "tools/front/front.h"
#include "tools/front/jcmd.h"
#include "tools/front/live_front.h"
#include "tools/front/output_option.h"
#include "tools/front/own_session.h"
#include "tools/front/serve_front.h"
#include "tools/front/sprofrun_settings.h"
#include "tools/front/target_options.h"
#include "tools/front/terminal_relay.h"

static const char program[] = "sprofrun";

static void say(void *context, enum say_kind kind, const char *line)
{
	struct sprofrun_settings *settings = context;

	if (kind != SAY_WARNING && (kind != SAY_NOTE || settings->quiet) &&
		(kind != SAY_DETAIL || !settings->verbose))
		return;
	if (settings->live)
		live_front_note(&settings->front, line);
	else
		front_complain(program, "%s", line);
}

/* Maximum number of arguments of the analyst, including its name and the final NULL. */
enum { ANALYST_ARGUMENTS = 37, BYTES_DIGITS = 24 };

static const char await_option[] = "--await-only"; /* for internal use: see await_only() */

static int one_process(const char *value)
{
	int *pids = NULL, pid;
	size_t n = 0;

	if (units_pids(value, &pids, &n) < 0 || n != 1)
		front_reject(program, "bad pid", value, "give a process id, like 123");
	pid = target_options_process(program, pids[0], false);
	free(pids);
	return pid;
}

/* --diagnose: prints whether the process @value can be attached to, or why not. */
static int diagnose(const char *value)
{
	char text[512] = "";
	int pid = one_process(value);
	bool refused = front_explain(program, "--diagnose", pid, text, sizeof(text));

	if (!text[0]) {
		front_complain(program, "cannot read /proc: %s", strerror(errno));
		return FRONT_OURS;
	}
	text_put(text, stdout);
	(void)putchar('\n');
	return refused ? FRONT_OURS : standard_printed(program, FRONT_OURS);
}

/* --check-stacks executes another program, which links libunwind: this one links libc only. */
static int check_stacks(const char *value)
{
	char path[PATH_MAX], pid[16];

	(void)snprintf(pid, sizeof(pid), "%d", one_process(value));
	if (libexec_find("sprofil-stackcheck", path))
		(void)execl(path, "sprofil-stackcheck", pid, (char *)NULL);
	front_complain(program,
		"sprofil-stackcheck is missing: it belongs into libexec/sprofil beside bin, and is "
		"built where libunwind is (Debian: libunwind-dev)");
	return FRONT_OURS;
}

/*
 * Waits until the analyst has written its results, and returns the analyst's wait status.
 * *@ret_signal becomes the last signal to end that came during the wait; it is unchanged if none
 * came.
 */
static int join_analyst(struct engine_result *result, int *ret_signal)
{
	int status = front_join_analyst(result, NULL, NULL, ret_signal);

	if (status & 0x7f && *ret_signal)
		front_complain(program, "interrupted: no profile was written");
	else if (status & 0x7f)
		front_complain(program,
			"the analyst was killed by signal %d: no profile was written",
			status & 0x7f);
	return status;
}

static void say_format(struct sprofrun_settings *s, enum say_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void say_format(struct sprofrun_settings *s, enum say_kind kind, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	say(s, kind, line);
}

/* Prints the histogram to a file that gets its name once it is complete. */
static int print_histogram(struct sprofrun_settings *s, const char **ret_problem)
{
	struct outfile out;
	int error = outfile_begin(&out, s->histogram, -1, ret_problem);
	FILE *file;

	if (error < 0)
		return error;
	file = fdopen(out.fd, "w");
	if (!file) {
		error = -errno;
		outfile_abandon(&out);
		return error;
	}
	out.fd = -1; /* owned by the stream */
	if (histogram_print(&s->regions, file) < 0)
		error = -errno;
	if (fclose(file) != 0 && !error)
		error = -errno;
	if (error == 0)
		error = outfile_name(&out);
	outfile_abandon(&out);
	return error;
}

static void write_histogram(struct sprofrun_settings *s, const struct engine_result *result)
{
	bool ran = !result->error && !result->exec_error;
	const char *problem;
	int error;

	if (!s->histogram)
		return;
	/* If the run could not begin, no file is replaced. */
	error = ran ? print_histogram(s, &problem) : 0;
	if (error < 0)
		say_format(s, SAY_WARNING, "cannot write the histogram %s: %s", s->histogram,
			problem ? problem : strerror(-error));
	for (size_t i = 0; i < s->regions.regions && ran; i++) {
		if (!histogram_was_seen(&s->regions, i))
			say_format(s, SAY_WARNING,
				"no module '%s' was seen in any process: its region has counted "
				"nothing",
				s->regions.region[i].object);
	}
	histogram_release(&s->regions);
}

/*
 * Called when a thread of this process hangs, so that profiling must end. Executes this program
 * anew with --await-only: the exec ends the hanging thread, and the command and the analyst remain
 * children of this process. The new program only waits for these two.
 */
static void await_only(void *context, int command_pid, int analyst_pid)
{
	char command[12], analyst[12];
	char *const argv[] = {(char *)program, (char *)await_option, command, analyst, NULL};

	(void)context;
	front_complain(program,
		"a page of the target's memory is not delivered (userfaultfd, or a file "
		"system that hangs), or the profiler is at fault: the profile ends here");
	(void)snprintf(command, sizeof(command), "%d", command_pid);
	(void)snprintf(analyst, sizeof(analyst), "%d", analyst_pid);
	(void)execv("/proc/self/exe", argv);
}

static int await(const char *command, const char *analyst)
{
	struct engine_result result = {
		.command_pid = atoi(command), .analyst_pid = atoi(analyst), .analyst_fd = -1};
	int status, by = 0;

	(void)join_analyst(&result, &by);
	if (!result.command_pid)
		return FRONT_OURS;
	return signals_join_command(&result, &status) < 0 ? FRONT_OURS : front_end_like(status);
}

static int run(struct sprofrun_settings *s)
{
	struct engine_result result;
	int status = 0, analyst = 0, by = 0;
	bool pushed;

	engine_run(&s->engine, &result);
	write_histogram(s, &result);
	if (s->live)
		(void)live_front_join(&s->front, &result, &by);
	else
		analyst = join_analyst(&result, &by);
	pushed = serve_front_join(&s->serve, &result, by != 0);
	status = front_failure(program, &s->engine, &result);
	return status ? status : front_end(&s->engine, &result, !analyst && pushed);
}

/*
 * Writes "process 1234 (redis-server)" or "3 processes"; if one could not be attached to, "2 of 3
 * processes".
 */
static void name_targets(
	const struct engine_options *engine, size_t processes, char *to, size_t room)
{
	char name[PROCFS_NAME_BYTES];

	if (engine->pids_n > 1 && processes < engine->pids_n) {
		(void)snprintf(to, room, "%zu of %zu processes", processes, engine->pids_n);
		return;
	}
	if (engine->pids_n != 1) {
		(void)snprintf(to, room, "%zu processes", engine->pids_n);
		return;
	}
	procfs_read_name(engine->pids[0], engine->pids[0], name);
	(void)snprintf(to, room, "process %d%s%s%s", engine->pids[0], name[0] ? " (" : "", name,
		name[0] ? ")" : "");
}

/*
 * Is @pid in a group-stop? /proc shows a ptrace-stop in the same way, so call this function only
 * while no thread of @pid is in a ptrace-stop.
 */
static bool is_stopped(int pid)
{
	char text[1024], state = 0;

	(void)proc_file_read(text, sizeof(text), "/proc/%d/stat", pid);
	(void)procfs_parse_state(text, &state);
	return state == 'T' || state == 't';
}

/* Names the processes that are stopped or frozen: they are not sampled until they go on. */
static void tell_held(struct sprofrun_settings *s)
{
	char text[CGROUP_TEXT_BYTES];

	for (size_t i = 0; i < s->engine.pids_n; i++) {
		int pid = s->engine.pids[i];

		if (cgroup_read(pid, text) == 0 && cgroup_is_frozen(text, "/sys/fs/cgroup"))
			say_format(s, SAY_NOTE,
				"process %d is frozen by its cgroup: it does nothing until that is "
				"thawed ('docker unpause', 'systemctl thaw')",
				pid);
		else if (is_stopped(pid))
			say_format(s, SAY_NOTE,
				"process %d is stopped by a signal: it does nothing until 'kill "
				"-CONT %d'",
				pid, pid);
	}
}

/* Says how many processes are profiled after an attach, and how to end the profiling. */
static void tell_attached(struct sprofrun_settings *s, size_t processes)
{
	const struct engine_options *engine = &s->engine;
	bool one = engine->pids_n == 1 || processes == 1;
	const char *goes_on = one ? "the process goes on" : "they go on";
	char what[96], ns[TEXT_UNIT_BYTES];

	if (engine->command || engine->dump || s->live)
		return;
	tell_held(s);
	name_targets(engine, processes, what, sizeof(what));
	text_format_ns(engine->duration_ns, ns);
	if (engine->duration_ns)
		say_format(s, SAY_NOTE, "profiling %s for %s; ^C ends that earlier, and %s", what,
			ns, goes_on);
	else
		say_format(s, SAY_NOTE, "profiling %s until ^C; then %s", what, goes_on);
}

static void begun(void *context, size_t processes)
{
	struct sprofrun_settings *s = context;

	tell_attached(s, processes);
	serve_front_print(&s->serve);
}

/*
 * Called when all threads are detached. Ends the relay of the terminal, and asks living Java
 * processes for their maps. Java processes that have ended with the command wrote their maps at
 * their end.
 */
static void released(void *context, const int *pids, size_t n)
{
	const struct sprofrun_settings *s = context;

	if (s->relay.used)
		terminal_relay_finish(&s->relay, n == 0);
	if (s->jit_map)
		jcmd_write_maps(program, pids, n, s->quiet || s->engine.command);
}

static void command_stops(void *context)
{
	const struct sprofrun_settings *s = context;

	terminal_relay_tell_stop(&s->relay);
}

/* The relay is for a command with -u. With --live the command has no terminal. */
static void prepare_relay(struct sprofrun_settings *s)
{
	int error = 0;

	if (!s->engine.inherited.user || s->live)
		return;
	if (!terminal_relay_open(&s->relay, &error) && error)
		say_format(s, SAY_WARNING,
			"there can be no pseudo-terminal for the command (%s): it has ours, "
			"without "
			"job control",
			strerror(-error));
}

/* Puts the analyst's arguments, which are borrowed strings, into @argv; returns their number. */
static size_t put_arguments(const struct sprofrun_settings *s, const char *name,
	char bytes[BYTES_DIGITS], const char **argv)
{
	const char *const always[] = {"--output", s->output, "--report",
		s->quiet ? "none" : s->report, "--color", s->color, "--name", name, "--call-graph",
		s->target.call_graph};
	const struct {
		const char *option;
		bool given;
	} flags[] = {
		{"--quiet", s->quiet},
		{"--verbose", s->verbose},
		{"--dump", s->engine.dump},
		{"--per-thread", s->per_thread},
		{"--per-process", s->engine.per_process},
		{"--no-timeline", s->no_timeline},
		{"--jit-map", s->jit_map},
		{"--user-only", s->user_only},
	};
	size_t n = sizeof(always) / sizeof(*always);

	memcpy(argv, always, sizeof(always));
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (flags[i].given)
			argv[n++] = flags[i].option;
	}
	n = target_options_language(&s->target, argv, n);
	if (s->keep) {
		argv[n++] = "--keep";
		argv[n++] = s->keep;
	}
	if (s->engine.rotate_bytes) {
		(void)snprintf(
			bytes, BYTES_DIGITS, "%llu", (unsigned long long)s->engine.rotate_bytes);
		argv[n++] = "--rotate-bytes";
		argv[n++] = bytes;
	}
	if (s->capture) {
		argv[n++] = "--capture";
		argv[n++] = s->capture;
	}
	return n + thread_options_arguments(&s->target.threads, argv + n);
}

int main(int argc, char **argv)
{
	char analyst[PATH_MAX], name[64], bytes[BYTES_DIGITS];
	struct sprofrun_settings s = {
		.output = "sprof.pb.gz",
		.report = "flat",
		.color = "auto",
		.target = TARGET_OPTIONS_DEFAULT(program),
		.front = LIVE_FRONT_DEFAULT(program),
		.serve = SERVE_FRONT_DEFAULT(program),
		.engine = {.say = say, .begun = begun, .hangs = await_only},
	};
	const char *no_color = getenv("NO_COLOR");
	static const int errors_only[] = {STDIN_FILENO, STDERR_FILENO, STDERR_FILENO};

	struct outfile file;

	standard_hold();
	s.front.records = true;
	s.front.color = !(no_color && no_color[0]);

	if (argc == 4 && strcmp(argv[1], await_option) == 0)
		return await(argv[2], argv[3]);
	sprofrun_settings_parse(&s, argc, argv);
	if (s.diagnose)
		return diagnose(s.diagnose);
	if (s.check_stacks)
		return check_stacks(s.check_stacks);
	if (!front_find_analyst(program, analyst))
		return FRONT_OURS;
	if (!s.engine.per_process && !s.engine.dump)
		s.output = output_option_for_rank(program, s.output, s.quiet);
	if (sprofrun_settings_rotates(&s))
		s.output = output_timed(s.output);
	/*
	 * Without snapshots, SIGUSR2 goes to the command, or ends the profiling of attached
	 * processes.
	 */
	s.engine.snapshots = sprofrun_settings_rotates(&s);
	if (!s.output) {
		front_complain(program, "cannot begin: %s", strerror(ENOMEM));
		return FRONT_OURS;
	}
	bool dumps_to_file = s.engine.dump && s.output_given && strcmp(s.output, "-") != 0;

	if (!s.engine.dump)
		output_option_check(program, analyst, s.output);
	else if (dumps_to_file)
		output_option_redirect(program, s.output, s.engine.pids[0], &file);
	(void)snprintf(name, sizeof(name), "%s",
		s.engine.command ? text_basename(s.engine.command[0]) : "attached");
	const char *analyst_argv[ANALYST_ARGUMENTS + LIVE_FRONT_ARGUMENTS] = {analyst};
	size_t n = 1 + put_arguments(&s, name, bytes, analyst_argv + 1);

	front_prepare(&s.engine.inherited);
	command_as_finish(program, &s.as, &s.engine);
	s.engine.released = s.jit_map || s.engine.inherited.user ? released : NULL;
	prepare_relay(&s);
	s.engine.own_session = !s.engine.dump && own_session_divide(&s.engine, &s.relay);
	if (s.live) {
		int status = live_front_begin(&s.front, &s.engine, analyst_argv, &n);

		if (status)
			return status;
	}
	/* With -o -, the command's output goes to stderr: on stdout it would damage the profile. */
	if (!s.live && !s.engine.dump && s.engine.command && strcmp(s.output, "-") == 0)
		s.engine.inherited.streams = errors_only;
	if (s.relay.used) {
		s.engine.inherited.streams =
			terminal_relay_streams(&s.relay, s.engine.inherited.streams);
		s.engine.inherited.terminal = &s.relay.slave;
		s.engine.stops = command_stops;
	}
	if (!serve_front_begin(&s.serve, name, &s.engine))
		return FRONT_OURS;
	s.engine.analyst = analyst_argv;
	s.engine.context = &s;
	int exit_status = run(&s);

	if (dumps_to_file && exit_status)
		outfile_abandon(&file);
	else if (dumps_to_file && outfile_commit(&file) < 0) {
		front_complain(program, "cannot write the stacks to %s", s.output);
		exit_status = FRONT_OURS;
	}

	target_options_release(&s.target);
	command_as_release(&s.as);
	free(s.java);
	free(s.region);
	return exit_status;
}
