/* SPDX-License-Identifier: MIT */
#include "tools/front/sprofrun_settings.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/units.h"
#include "supervisor/output/held_pieces.h"
#include "tools/front/command_as.h"
#include "tools/front/front.h"
#include "tools/front/jcmd.h"
#include "tools/front/output_option.h"
#include "tools/help/help.h"

static const char program[] = "sprofrun";

#define ROTATE_LEAST_NS    UINT64_C(1000000000)
#define ROTATE_LEAST_BYTES UINT64_C(65536)
#define RING_LEAST_NS      UINT64_C(4000000000)

static _Noreturn void usage_error(const char *what, const char *value, const char *remedy)
{
	front_reject(program, what, value, remedy);
}

static _Noreturn void out_of_memory(void)
{
	front_complain(program, "cannot begin: %s", strerror(ENOMEM));
	exit(FRONT_OURS);
}

/* The file must be writable, or the command would run in vain. */
static void check_file(const char *what, const char *path)
{
	const char *problem;
	int error;

	if (!path)
		return;
	if (!path[0] || !strcmp(path, "-"))
		usage_error("bad file", path, "give the name of a file");
	error = outfile_check(path, &problem);
	if (error < 0) {
		front_complain(program, "cannot write the %s %s: %s", what, path,
			problem ? problem : strerror(-error));
		exit(FRONT_OURS);
	}
}

/* The units of sizes and times differ: "10M" is a size, "10m" is a time. */
static bool is_size(const char *value)
{
	const char *unit = value + strspn(value, "0123456789.");

	return strcmp(unit, "M") == 0 || (unit[0] && strchr("kKgG", unit[0])) ||
		(unit[0] && strchr("bB", unit[strlen(unit) - 1]));
}

static int take_rotation(void *settings, char *value)
{
	struct sprofrun_settings *s = settings;
	struct engine_options *engine = &s->engine;

	s->rotate = value;
	engine->rotate_ns = engine->rotate_bytes = 0;
	if (is_size(value)) {
		if (units_size_bytes(value, &engine->rotate_bytes) < 0 ||
			engine->rotate_bytes < ROTATE_LEAST_BYTES)
			usage_error("bad size", value, "give 64K or more, like 1M or 100M");
	} else if (units_time_ns(value, &engine->rotate_ns) < 0 ||
		engine->rotate_ns < ROTATE_LEAST_NS) {
		usage_error("bad time", value,
			"give a second or more, like 1m or 1h, for names tell seconds; or a size, "
			"like 10M");
	}
	return 0;
}

static int take_ring(void *settings, char *value)
{
	struct sprofrun_settings *s = settings;

	if (units_time_ns(value, &s->engine.rotate_ns) < 0 || s->engine.rotate_ns < RING_LEAST_NS)
		return -EINVAL;
	s->engine.rotate_ns /= PIECES_BEFORE;
	s->engine.ring = true;
	s->ring = value;
	return 0;
}

static int take_region(void *settings, char *value)
{
	struct sprofrun_settings *s = settings;

	s->region[s->region_n++] = value;
	return 0;
}

static int take_dump(void *settings, char *value)
{
	struct sprofrun_settings *s = settings;

	s->engine.dump = true;
	return target_options_take_pids(&s->target, value);
}

static _Noreturn void refuse_pair(const char *option, const char *other)
{
	front_complain(program, "%s and %s do not go together", option, other);
	exit(FRONT_USAGE);
}

/*
 * Takes the name of an experiment of SpeedShop: "usertime", "pcsamp" or "fpcsamp". It sets the
 * period and the call graph; a later -i, -F, -g or -G overrides it. An "x" after the name chooses
 * counters of 32 bits.
 */
static int take_experiment(void *settings, char *value)
{
	struct sprofrun_settings *s = settings;
	static const struct {
		const char *name;
		uint64_t period_ns;
		const char *call_graph;
	} experiments[] = {{"usertime", 30000000, "dwarf"}, {"pcsamp", 10000000, "no"},
		{"fpcsamp", 1000000, "no"}};

	for (size_t i = 0; i < sizeof(experiments) / sizeof(*experiments); i++) {
		size_t n = strlen(experiments[i].name);

		if (strncmp(value, experiments[i].name, n) != 0 ||
			(value[n] && strcmp(value + n, "x") != 0))
			continue;
		s->target.period_ns = experiments[i].period_ns;
		s->target.call_graph = experiments[i].call_graph;
		s->wide_bins = value[n] != '\0';
		return 0;
	}
	return -EINVAL;
}

/* Call after the last option: --exp, which may follow --region, sets the width of the counters. */
static void take_regions(struct sprofrun_settings *s)
{
	s->regions.element = s->wide_bins ? sizeof(uint32_t) : 0;
	for (size_t i = 0; i < s->region_n; i++) {
		int r = histogram_add(&s->regions, s->region[i]);

		if (r == -ENOMEM)
			out_of_memory();
		if (r == -E2BIG)
			usage_error("too many regions or counters with", s->region[i],
				"give fewer or shorter regions, or a smaller SCALE");
		if (r < 0)
			usage_error("bad region", s->region[i],
				"give OBJ:START-END:SCALE, like "
				"libm.so.6:0x1f000-0x24000:0x10000:uint");
	}
	if ((s->regions.regions != 0) != (s->histogram != NULL)) {
		front_complain(program, "--region and --histogram belong together");
		exit(FRONT_USAGE);
	}
	/* The counters of a region count samples of all threads: no threads can be chosen. */
	if (s->histogram && s->engine.choice)
		refuse_pair("--region", s->target.threads.name ? "--thread-name" : "--tid");
}

#define AT(member) .at = offsetof(struct sprofrun_settings, member)

static const struct option_row rows[] = {
	{"live", 0, OPTION_FLAG, AT(live)},
	{"diagnose", 0, OPTION_TEXT, AT(diagnose)},
	{"dump", 0, OPTION_TAKE, .take = take_dump, NULL, TARGET_OPTIONS_BAD_PIDS},
	{"check-stacks", 0, OPTION_TEXT, AT(check_stacks)},
	{"output", 'o', OPTION_TEXT, AT(output)},
	{"per-process", 0, OPTION_FLAG, AT(engine.per_process)},
	{"per-thread", 't', OPTION_FLAG, AT(per_thread)},
	{"jit-map", 0, OPTION_FLAG, AT(jit_map)},
	{"user-only", 0, OPTION_FLAG, AT(user_only)},
	{"no-timeline", 0, OPTION_FLAG, AT(no_timeline)},
	{"delay", 'D', OPTION_TIME, AT(engine.delay_ns), NULL, NULL, "bad delay",
		"give a time, like 10s, 500ms or 2m"},
	{"rotate", 0, OPTION_TAKE, .take = take_rotation},
	{"ring", 0, OPTION_TAKE, .take = take_ring, NULL, "bad time",
		"give 4 seconds or more, like 5m or 1h"},
	{"keep", 0, OPTION_TEXT, AT(keep)},
	{"capture", 0, OPTION_TEXT, AT(capture)},
	{"exp", 0, OPTION_TAKE, .take = take_experiment, NULL, "no experiment",
		"choose usertime, pcsamp or fpcsamp, with an x behind it for bins of 32 bits"},
	{"region", 0, OPTION_TAKE, .take = take_region},
	{"histogram", 0, OPTION_TEXT, AT(histogram)},
	{"restrict-fastprof", 0, OPTION_FLAG, AT(engine.restrict_fast)},
	{"report", 0, OPTION_WORD, AT(report), NULL, "flat|lines|tree|summary|none", "no report",
		"choose flat, lines, tree, summary or none"},
	{"quiet", 'q', OPTION_FLAG, AT(quiet)},
	{"verbose", 'v', OPTION_FLAG, AT(verbose)},
	{"color", 0, OPTION_WORD, AT(color), NULL, "auto|always|never", "bad color",
		"choose auto, always or never"},
};

bool sprofrun_settings_rotates(const struct sprofrun_settings *s)
{
	return s->engine.rotate_ns || s->engine.rotate_bytes;
}

/* Returns a given option that makes something other than one profile on disk; or NULL. */
static const char *other_result(const struct sprofrun_settings *s)
{
	return s->engine.per_process ? "--per-process"
		: s->live            ? "--live"
		: s->engine.dump     ? "--dump"
				     : NULL;
}

/* Refuses options that exclude --rotate or --ring. */
static void check_rotation(struct sprofrun_settings *s)
{
	const char *other = s->capture ? "--capture" : other_result(s);
	const char *option = s->ring ? "--ring" : "--rotate";

	if (s->ring && (s->rotate || serve_front_is_given(&s->serve)))
		other = s->rotate ? "--rotate" : s->serve.listen ? "--listen" : "--push";
	if (s->keep && !sprofrun_settings_rotates(s))
		usage_error("--keep", s->keep, "it belongs to --rotate or --ring");
	if (!sprofrun_settings_rotates(s))
		return;
	if (other)
		refuse_pair(option, other);
	if (!output_option_is_file(s->output)) {
		front_complain(program, "bad output '%s': give a file name: %s makes several files",
			s->output, option);
		exit(FRONT_USAGE);
	}
	if (!s->report_given)
		s->report = "none";
}

/*
 * Refuses options that exclude --listen and --push. Both need a time line, because they provide
 * profiles of spans of time.
 */
static void check_serving(struct sprofrun_settings *s)
{
	const char *other = s->no_timeline ? "--no-timeline" : other_result(s);

	if (serve_front_is_given(&s->serve) && other)
		refuse_pair(s->serve.listen ? "--listen" : "--push", other);
	s->serve.quiet = s->quiet;
	s->serve.verbose = s->verbose;
	serve_front_check(&s->serve);
}

/*
 * Refuses --user-only with samples of wall-clock time, and with --dump. Waiting threads are in
 * system calls, so --user-only would leave them out.
 */
static void check_user_only(const struct sprofrun_settings *s)
{
	if (s->user_only && (s->target.clock || s->engine.dump))
		refuse_pair("--user-only",
			s->engine.dump                           ? "--dump"
				: s->target.clock == TARGET_WALL ? "--clock wall"
								 : "--clock both");
}

/*
 * For --jit-map: refuses options that need names during the run, because Java processes write names
 * only at the end. Makes JAVA_TOOL_OPTIONS for a command.
 */
static void check_jit_map(struct sprofrun_settings *s)
{
	const char *other = sprofrun_settings_rotates(s) ? s->ring ? "--ring" : "--rotate"
		: serve_front_is_given(&s->serve)        ? s->serve.listen ? "--listen" : "--push"
		: s->live                                ? "--live"
		: s->engine.dump                         ? "--dump"
							 : NULL;

	if (s->jit_map && other) {
		front_complain(program,
			"--jit-map and %s do not go together: names come at the end; run 'jcmd PID "
			"Compiler.perfmap' now and then instead",
			other);
		exit(FRONT_USAGE);
	}
	if (!s->jit_map || !s->engine.command)
		return;
	s->java = jcmd_variable(command_as_get(&s->as, "JAVA_TOOL_OPTIONS"));
	if (!s->java || command_as_variable(&s->as, s->java) < 0)
		out_of_memory();
}

void sprofrun_settings_parse(struct sprofrun_settings *s, int argc, char **argv)
{
	struct option_set more[] = {{OPTION_ROWS(rows), s, 0}, serve_front_options(&s->serve),
		command_as_options(&s->as)};

	s->as.program = program;
	s->region = calloc((size_t)argc, sizeof(*s->region));
	if (!s->region)
		out_of_memory();
	target_options_parse(&s->target, help_sprofrun, more, 3, argc, argv);
	s->output_given = command_line_given(&more[0], "output");
	s->report_given = command_line_given(&more[0], "report");
	if (s->diagnose && argv[optind])
		usage_error("too many words", argv[optind], "--diagnose takes one process id");
	if (s->check_stacks && argv[optind])
		usage_error("too many words", argv[optind], "--check-stacks takes one process id");
	if (s->diagnose || s->check_stacks)
		return;
	if (!s->output[0])
		usage_error("bad output", "", "give a file name, or - for stdout");
	if (s->keep &&
		(strspn(s->keep, "0123456789") != strlen(s->keep) || strlen(s->keep) > 6 ||
			strtoul(s->keep, NULL, 10) == 0))
		usage_error("bad number", s->keep, "give how many files stay, 1 or more");
	check_file("capture", s->capture);
	check_file("histogram", s->histogram);
	s->target.quiet = s->quiet;
	target_options_finish(&s->target, argv + optind, &s->engine);
	take_regions(s);
	check_rotation(s);
	check_serving(s);
	check_jit_map(s);
	check_user_only(s);
	if (s->engine.per_process && strcmp(s->output, "-") == 0)
		usage_error(
			"bad output", "-", "give a file name: --per-process makes several files");
	if (s->histogram) {
		if (histogram_begin(&s->regions) < 0)
			usage_error("bad region", "abs:0-0:2",
				"an overflow bin must be the last region");
		s->engine.histogram = &s->regions;
	}
}
