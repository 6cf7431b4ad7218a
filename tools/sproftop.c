/* SPDX-License-Identifier: MIT */
/*
 * sproftop: the live view. This process is the supervisor, as in sprofrun; the analyst draws, so
 * that the sampling process neither links nor waits for terminal code.
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

enum { END_MS = 2000 }; /* time given to a command that was asked to end */
/* A view should take no more than 3 % of a CPU. */
enum { MAX_CPU_PPM = 26000, MAX_CPU_PERIOD_NS = 4000000 };

struct settings {
	struct engine_options engine;
	struct target_options target;
	struct live_front front;
	const char *color;
	bool keep;
};

enum {
	OPT_HALF_LIFE = 256,
	OPT_TOTALS,
	OPT_VIEW,
	OPT_SIZE,
	OPT_KEYS,
	OPT_LOG,
	OPT_KEEP,
	OPT_COLOR,
	OPT_ASCII,
	OPT_VERSION
};

static const struct option long_options[] = {
	TARGET_OPTIONS_LONG,
	{"delay", required_argument, NULL, 's'},
	{"half-life", required_argument, NULL, OPT_HALF_LIFE},
	{"totals", no_argument, NULL, OPT_TOTALS},
	{"view", required_argument, NULL, OPT_VIEW},
	{"batch", no_argument, NULL, 'b'},
	{"screens", required_argument, NULL, 'n'},
	{"size", required_argument, NULL, OPT_SIZE},
	{"keys", required_argument, NULL, OPT_KEYS},
	{"log", required_argument, NULL, OPT_LOG},
	{"keep", no_argument, NULL, OPT_KEEP},
	{"color", required_argument, NULL, OPT_COLOR},
	{"ascii", no_argument, NULL, OPT_ASCII},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPT_VERSION},
	{0},
};

static void say(void *context, enum say_kind kind, const char *line)
{
	struct settings *settings = context;

	if (kind != SAY_DETAIL)
		live_front_note(&settings->front, line);
}

static void take_size(struct live_front *front, const char *value)
{
	unsigned columns, rows;
	char rest;

	if (sscanf(value, "%ux%u%c", &columns, &rows, &rest) != 2 || columns < 20 || rows < 4 ||
		columns > 1000 || rows > 500)
		target_options_reject(program, "bad size", value,
			"give columns and rows, like 100x30, from 20x4 to 1000x500");
	front->columns = columns;
	front->rows = rows;
}

static void take_view(struct live_front *front, const char *value)
{
	static const char *const views[] = {"functions", "lines", "tree", "threads", "objects"};

	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		if (strcmp(value, views[i]) == 0)
			front->view = views[i];
	}
	if (!front->view)
		target_options_reject(program, "no view", value,
			"choose functions, lines, tree, threads or objects");
}

static void take_count(struct live_front *front, const char *value)
{
	char *end;

	errno = 0;
	front->screens = strtoull(value, &end, 10);
	if (errno || *end || end == value || !front->screens || value[0] == '-')
		target_options_reject(
			program, "bad number", value, "give how many screens, 1 or more");
}

static void take_time(const char *value, uint64_t least_ns, uint64_t *ret_ns)
{
	char *end;
	double seconds = strtod(value, &end);

	/* A bare number is in seconds, as in top. */
	if (end != value && !*end && seconds >= 0 && seconds < 1e6)
		*ret_ns = (uint64_t)(seconds * 1e9);
	else if (units_time_ns(value, ret_ns) < 0)
		*ret_ns = 0;
	if (*ret_ns < least_ns)
		target_options_reject(
			program, "bad time", value, "give a time, like 500ms or 2s, from 100ms on");
}

static void parse_option(struct settings *s, int option, const char *value)
{
	struct live_front *front = &s->front;

	if (target_options_take(&s->target, option, value))
		return;
	switch (option) {
	case 's': take_time(value, 100000000, &front->delay_ns); break;
	case OPT_HALF_LIFE: take_time(value, 100000000, &front->half_life_ns); break;
	case OPT_TOTALS: front->totals = true; break;
	case OPT_VIEW: take_view(front, value); break;
	case 'b': front->batch = true; break;
	case 'n': take_count(front, value); break;
	case OPT_SIZE: take_size(front, value); break;
	case OPT_KEYS: front->keys = value; break;
	case OPT_LOG: front->log = value; break;
	case OPT_KEEP: s->keep = true; break;
	case OPT_COLOR:
		if (strcmp(value, "auto") != 0 && strcmp(value, "always") != 0 &&
			strcmp(value, "never") != 0)
			target_options_reject(
				program, "bad color", value, "choose auto, always or never");
		s->color = value;
		break;
	case OPT_ASCII: front->ascii = true; break;
	case 'h': (void)fputs(help_sproftop, stdout); exit(standard_printed(program, FRONT_OURS));
	case OPT_VERSION:
		(void)puts("sproftop " SPROFIL_VERSION);
		exit(standard_printed(program, FRONT_OURS));
	default: front_complain(program, "try 'sproftop --help'"); exit(FRONT_USAGE);
	}
}

static void parse(struct settings *s, int argc, char **argv)
{
	const char *no = getenv("NO_COLOR");
	int option;

	argv[0] = (char *)program; /* getopt's messages begin with it */
	while ((option = getopt_long(
			argc, argv, "+" TARGET_OPTIONS_SHORT "s:bhn:", long_options, NULL)) >= 0)
		parse_option(s, option, optarg);
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
 * The user has left: a command that still runs was started for the view, and is asked to end,
 * unless it is to be kept.
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
