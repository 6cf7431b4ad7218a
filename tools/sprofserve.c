/* SPDX-License-Identifier: MIT */
/*
 * sprofserve: provides profiles of live processes, or of a command, over HTTP, as net/http/pprof
 * does for Go programs. It can also send profiles to a store. It samples only while a profile is
 * wanted.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/standard.h"
#include "base/text.h"
#include "supervisor/engine/engine.h"
#include "supervisor/engine/signals.h"
#include "supervisor/os/procfs.h"
#include "tools/front/front.h"
#include "tools/front/own_session.h"
#include "tools/front/serve_front.h"
#include "tools/front/target_options.h"
#include "tools/help/help.h"

static const char program[] = "sprofserve";

/* After this time a fresh analyst replaces the running one, whose memory grows with time. */
#define SEGMENT_NS UINT64_C(60000000000)

struct settings {
	struct engine_options engine;
	struct target_options target;
	struct serve_front serve;
	bool quiet, verbose;
};

static void say(void *context, enum say_kind kind, const char *line)
{
	const struct settings *s = context;

	if (kind == SAY_WARNING || (kind == SAY_NOTE && !s->quiet) ||
		(kind == SAY_DETAIL && s->verbose))
		front_complain(program, "%s", line);
}

static void begun(void *context, size_t processes)
{
	const struct settings *s = context;

	(void)processes;
	serve_front_print(&s->serve);
}

static void parse(struct settings *s, int argc, char **argv)
{
	static const struct option_row rows[] = {
		{"quiet", 'q', OPTION_FLAG, .at = offsetof(struct settings, quiet)},
		{"verbose", 'v', OPTION_FLAG, .at = offsetof(struct settings, verbose)},
	};
	struct option_set more[] = {{OPTION_ROWS(rows), s, 0}, serve_front_options(&s->serve)};

	target_options_parse(&s->target, help_sprofserve, more, 2, argc, argv);
	s->target.quiet = s->serve.quiet = s->quiet;
	s->serve.verbose = s->verbose;
	serve_front_check(&s->serve);
	if (!serve_front_is_given(&s->serve))
		s->serve.listen = "127.0.0.1:6060";
	target_options_finish(&s->target, argv + optind, &s->engine);
}

/* Says why the server ends, unless a signal or --duration ends it. */
static void tell_end(const struct settings *s, const struct engine_result *result)
{
	int killed = result->target_status & 0x7f;

	if (!result->target_ended || result->exec_error || s->quiet)
		return;
	front_complain(program, "the target has ended (%s %d): the server %s, then ends",
		killed ? "signal" : "status", killed ? killed : result->target_status >> 8 & 0xff,
		s->serve.listen ? "answers requests that wait" : "sends the last profile");
}

static int run(struct settings *s)
{
	struct engine_result result;
	int status, by = 0, analyst;
	bool pushed;

	engine_run(&s->engine, &result);
	tell_end(s, &result);
	analyst = front_join_analyst(&result, NULL, NULL, &by);
	pushed = serve_front_join(&s->serve, &result, by != 0);
	status = front_failure(program, &s->engine, &result);
	return status ? status : front_end(&s->engine, &result, !analyst && pushed);
}

int main(int argc, char **argv)
{
	struct settings s = {
		.target = TARGET_OPTIONS_DEFAULT(program),
		.serve = SERVE_FRONT_DEFAULT(program),
		.engine = {.say = say, .begun = begun, .rotate_ns = SEGMENT_NS},
	};
	char analyst[PATH_MAX], name[PROCFS_NAME_BYTES];
	int status = FRONT_OURS;

	standard_hold();
	parse(&s, argc, argv);
	if (!front_find_analyst(program, analyst))
		return FRONT_OURS;
	if (s.engine.command)
		(void)snprintf(name, sizeof(name), "%s", text_basename(s.engine.command[0]));
	else
		procfs_read_name(s.engine.pids[0], s.engine.pids[0], name);
	const char *analyst_argv[16 + THREAD_ARGUMENTS] = {analyst, "--program", program,
		"--report", "none", "--quiet", "--name", name, "--call-graph", s.target.call_graph,
		"--no-output"};
	size_t n = 11;

	if (s.verbose)
		analyst_argv[n++] = "--verbose";
	n = target_options_language(&s.target, analyst_argv, n);
	(void)thread_options_arguments(&s.target.threads, analyst_argv + n);
	s.serve.on_demand = true;
	s.engine.analyst = analyst_argv;
	s.engine.context = &s;
	front_prepare(&s.engine.inherited);
	s.engine.own_session = own_session_divide(&s.engine, NULL);
	if (serve_front_begin(&s.serve, name, &s.engine))
		status = run(&s);
	target_options_release(&s.target);
	return status;
}
