/* SPDX-License-Identifier: MIT */
/*
 * sproftop: the live view. As in sprofrun, this process is the supervisor; the analyst draws. So
 * the process that samples links no terminal code and never waits for the terminal.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/standard.h"
#include "base/text.h"
#include "base/units.h"
#include "supervisor/engine/engine.h"
#include "supervisor/os/waiter.h"
#include "tools/front/front.h"
#include "tools/front/live_front.h"
#include "tools/front/live_settings.h"
#include "tools/front/own_session.h"
#include "tools/front/target_options.h"
#include "tools/help/help.h"

static const char program[] = "sproftop";

enum { END_MS = 2000 }; /* time for a command to end after SIGTERM */
/*
 * Default of --max-cpu: 2.6 % of a CPU at a period of 4 ms, so that a view takes less than 3 % in
 * all. At shorter periods the limit is proportionally higher.
 */
enum { MAX_CPU_PPM = 26000, MAX_CPU_PERIOD_NS = 4000000 };

struct settings {
	struct engine_options engine;
	struct target_options target;
	struct live_front front;
	const char *color;
	bool keep;
};

static void say(void *context, enum say_kind kind, const char *line)
{
	struct settings *settings = context;

	if (kind != SAY_DETAIL)
		live_front_note(&settings->front, line);
}

static int take_size(void *settings, char *value)
{
	struct live_front *front = &((struct settings *)settings)->front;
	unsigned columns, rows;
	char rest;

	if (sscanf(value, "%ux%u%c", &columns, &rows, &rest) != 2 || columns < 20 || rows < 4 ||
		columns > 1000 || rows > 500)
		return -EINVAL;
	front->columns = columns;
	front->rows = rows;
	return 0;
}

static int take_count(void *settings, char *value)
{
	uint64_t *screens = &((struct settings *)settings)->front.screens;
	char *end;

	errno = 0;
	*screens = strtoull(value, &end, 10);
	return errno || *end || end == value || !*screens || value[0] == '-' ? -EINVAL : 0;
}

/* Parses a time of at least 100 ms. */
static int take_time(const char *value, uint64_t *ret_ns)
{
	char *end;
	double seconds = strtod(value, &end);

	/* A bare number is in seconds, as in top. */
	if (end != value && !*end && seconds >= 0 && seconds < 1e6)
		*ret_ns = (uint64_t)(seconds * 1e9);
	else if (units_time_ns(value, ret_ns) < 0)
		*ret_ns = 0;
	return *ret_ns < 100000000 ? -EINVAL : 0;
}

static int take_delay(void *settings, char *value)
{
	return take_time(value, &((struct settings *)settings)->front.delay_ns);
}

static int take_half_life(void *settings, char *value)
{
	return take_time(value, &((struct settings *)settings)->front.half_life_ns);
}

#define AT(member) .at = offsetof(struct settings, member)
#define BAD_TIME   "bad time", "give a time, like 500ms or 2s, from 100ms on"

static const struct option_row rows[] = {
	{"delay", 's', OPTION_TAKE, .take = take_delay, NULL, BAD_TIME},
	{"half-life", 0, OPTION_TAKE, .take = take_half_life, NULL, BAD_TIME},
	{"totals", 0, OPTION_FLAG, AT(front.totals)},
	{"view", 0, OPTION_WORD, AT(front.view), NULL, "functions|lines|tree|threads|objects",
		"no view", "choose functions, lines, tree, threads or objects"},
	{"batch", 'b', OPTION_FLAG, AT(front.batch)},
	{"screens", 'n', OPTION_TAKE, .take = take_count, NULL, "bad number",
		"give how many screens, 1 or more"},
	{"size", 0, OPTION_TAKE, .take = take_size, NULL, "bad size",
		"give columns and rows, like 100x30, from 20x4 to 1000x500"},
	{"keys", 0, OPTION_TEXT, AT(front.keys)},
	{"log", 0, OPTION_TEXT, AT(front.log)},
	{"keep", 0, OPTION_FLAG, AT(keep)},
	{"color", 0, OPTION_WORD, AT(color), NULL, "auto|always|never", "bad color",
		"choose auto, always or never"},
	{"ascii", 0, OPTION_FLAG, AT(front.ascii)},
};

static void parse(struct settings *s, int argc, char **argv)
{
	const char *no = getenv("NO_COLOR");

	target_options_parse(&s->target, help_sproftop,
		&(struct option_set){OPTION_ROWS(rows), s, 0}, 1, argc, argv);
	if (s->front.screens && !s->front.batch) {
		front_complain(program, "-n belongs to -b");
		exit(FRONT_USAGE);
	}
	s->front.color =
		strcmp(s->color, "auto") == 0 ? !(no && no[0]) : strcmp(s->color, "always") == 0;
	target_options_finish(&s->target, argv + optind, &s->engine);
	if (!s->engine.max_cpu_ppm) {
		s->engine.max_cpu_ppm = MAX_CPU_PPM;
		s->engine.max_cpu_period_ns = MAX_CPU_PERIOD_NS;
	}
}

static void pause_ms(long ms)
{
	(void)nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/*
 * Called when the user has left. With --keep, a living command goes on. Otherwise it gets SIGTERM,
 * and has END_MS to end.
 */
static int end_command(const struct settings *s, const struct engine_result *result)
{
	struct waiter_result seen = {0};
	int status = 0;

	if (result->command_ended)
		return front_end_like(result->command_status);
	if (s->keep) {
		front_complain(program, "the command goes on as process %d", result->command_pid);
		return 0;
	}
	(void)kill(result->command_pid, SIGTERM);
	(void)kill(result->command_pid, SIGCONT);
	for (int ms = 0; ms < END_MS; ms += 10) {
		if (waiter_peek(result->command_pid, &seen) < 0 || seen.kind == WAITER_GONE) {
			(void)waiter_join(result->command_pid, &status);
			return 0;
		}
		pause_ms(10);
	}
	front_complain(program, "process %d takes its time to end", result->command_pid);
	return 0;
}

static int run(struct settings *s)
{
	struct engine_result result;
	int by, analyst, status;

	engine_run(&s->engine, &result);
	analyst = live_front_join(&s->front, &result, &by);
	status = front_failure(program, &s->engine, &result);
	if (!status && s->engine.command)
		status = end_command(s, &result);
	if (by && !s->front.batch)
		return front_end_like(by);
	if (status || !WIFEXITED(analyst) || !WEXITSTATUS(analyst))
		return status;
	return WEXITSTATUS(analyst) == LIVE_EXIT_NO_SCREEN ? FRONT_USAGE : FRONT_OURS;
}

int main(int argc, char **argv)
{
	struct settings s = {
		.target = TARGET_OPTIONS_DEFAULT(program),
		.front = LIVE_FRONT_DEFAULT(program),
		.color = "auto",
		.engine = {.say = say},
	};
	char analyst[PATH_MAX], name[64];
	int status;

	standard_hold();
	s.front.columns = 100;
	s.front.rows = 30;
	parse(&s, argc, argv);
	if (!front_find_analyst(program, analyst))
		return FRONT_OURS;
	(void)snprintf(name, sizeof(name), "%s",
		s.engine.command ? text_basename(s.engine.command[0]) : "attached");
	const char *analyst_argv[15 + THREAD_ARGUMENTS + LIVE_FRONT_ARGUMENTS] = {analyst,
		"--program", program, "--report", "none", "--name", name, "--call-graph",
		s.target.call_graph};
	size_t n = target_options_language(&s.target, analyst_argv, 9);

	n += thread_options_arguments(&s.target.threads, analyst_argv + n);
	front_prepare(&s.engine.inherited);
	s.engine.own_session = own_session_divide(&s.engine, NULL);
	status = live_front_begin(&s.front, &s.engine, analyst_argv, &n);
	s.engine.analyst = analyst_argv;
	s.engine.context = &s;
	if (!status)
		status = run(&s);
	target_options_release(&s.target);
	return status;
}
