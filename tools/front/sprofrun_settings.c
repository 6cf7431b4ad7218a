/* SPDX-License-Identifier: MIT */
#include "tools/front/sprofrun_settings.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/standard.h"
#include "base/units.h"
#include "supervisor/engine/held_pieces.h"
#include "tools/front/command_as.h"
#include "tools/front/front.h"
#include "tools/front/jcmd.h"
#include "tools/front/output_option.h"
#include "tools/help/help.h"

static const char program[] = "sprofrun";

#define ROTATE_LEAST_NS    UINT64_C(1000000000)
#define ROTATE_LEAST_BYTES UINT64_C(65536)
#define RING_LEAST_NS      UINT64_C(4000000000)

enum {
	OPT_CAPTURE = 256,
	OPT_LIVE,
	OPT_REPORT,
	OPT_COLOR,
	OPT_VERSION,
	OPT_REGION,
	OPT_EXP,
	OPT_HISTOGRAM,
	OPT_RESTRICT,
	OPT_DIAGNOSE,
	OPT_PER_PROCESS,
	OPT_NO_TIMELINE,
	OPT_JIT_MAP,
	OPT_USER_ONLY,
	OPT_ROTATE,
	OPT_RING,
	OPT_KEEP,
	OPT_DUMP,
	OPT_CHECK_STACKS
};

static const struct option long_options[] = {
	TARGET_OPTIONS_LONG,
	SERVE_OPTIONS_LONG,
	COMMAND_AS_LONG,
	{"live", no_argument, NULL, OPT_LIVE},
	{"diagnose", required_argument, NULL, OPT_DIAGNOSE},
	{"dump", required_argument, NULL, OPT_DUMP},
	{"check-stacks", required_argument, NULL, OPT_CHECK_STACKS},
	{"output", required_argument, NULL, 'o'},
	{"per-process", no_argument, NULL, OPT_PER_PROCESS},
	{"per-thread", no_argument, NULL, 't'},
	{"jit-map", no_argument, NULL, OPT_JIT_MAP},
	{"user-only", no_argument, NULL, OPT_USER_ONLY},
	{"no-timeline", no_argument, NULL, OPT_NO_TIMELINE},
	{"delay", required_argument, NULL, 'D'},
	{"rotate", required_argument, NULL, OPT_ROTATE},
	{"ring", required_argument, NULL, OPT_RING},
	{"keep", required_argument, NULL, OPT_KEEP},
	{"capture", required_argument, NULL, OPT_CAPTURE},
	{"exp", required_argument, NULL, OPT_EXP},
	{"region", required_argument, NULL, OPT_REGION},
	{"histogram", required_argument, NULL, OPT_HISTOGRAM},
	{"restrict-fastprof", no_argument, NULL, OPT_RESTRICT},
	{"report", required_argument, NULL, OPT_REPORT},
	{"quiet", no_argument, NULL, 'q'},
	{"verbose", no_argument, NULL, 'v'},
	{"color", required_argument, NULL, OPT_COLOR},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPT_VERSION},
	{0},
};

static _Noreturn void usage_error(const char *what, const char *value, const char *remedy)
{
	target_options_reject(program, what, value, remedy);
}

static bool one_of(const char *value, const char *const *list)
{
	for (; *list; list++) {
		if (strcmp(value, *list) == 0)
			return true;
	}
	return false;
}

/* Checks that a file can be written, so that the command does not run in vain. */
static const char *file_to_write(const char *what, const char *path)
{
	const char *problem;
	int error;

	if (!path[0] || !strcmp(path, "-"))
		usage_error("bad file", path, "give the name of a file");
	error = outfile_check(path, &problem);
	if (error < 0) {
		front_complain(program, "cannot write the %s %s: %s", what, path,
			problem ? problem : strerror(-error));
		exit(FRONT_OURS);
	}
	return path;
}

/* Is it a size? "10M" is, "10m" is a time: otherwise they have no unit in common. */
static bool is_size(const char *value)
{
	const char *unit = value + strspn(value, "0123456789.");

	return strcmp(unit, "M") == 0 || (unit[0] && strchr("kKgG", unit[0])) ||
		(unit[0] && strchr("bB", unit[strlen(unit) - 1]));
}

static void take_rotation(struct engine_options *engine, const char *value)
{
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
}

static _Noreturn void refuse_pair(const char *option, const char *other)
{
	front_complain(program, "%s and %s do not go together", option, other);
	exit(FRONT_USAGE);
}

/* "fpcsampx": sets options as SpeedShop's experiment of that name. -i, -F, -g and -G may follow. */
static void take_experiment(struct sprofrun_settings *s, const char *value)
{
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
		s->target.fixed_rate = true;
		s->target.call_graph = experiments[i].call_graph;
		s->wide_bins = value[n] != '\0';
		return;
	}
	usage_error("no experiment", value,
		"choose usertime, pcsamp or fpcsamp, with an x behind it for bins of 32 bits");
}

/* Parsed after the last option, because the experiment sets their width. */
static void take_regions(struct sprofrun_settings *s)
{
	s->regions.element = s->wide_bins ? sizeof(uint32_t) : 0;
	for (size_t i = 0; i < s->region_n; i++) {
		if (histogram_add(&s->regions, s->region[i]) < 0)
			usage_error("bad region", s->region[i],
				"give OBJ:START-END:SCALE, like "
				"libm.so.6:0x1f000-0x24000:0x10000:uint");
	}
	if ((s->regions.regions != 0) != (s->histogram != NULL)) {
		front_complain(program, "--region and --histogram belong together");
		exit(FRONT_USAGE);
	}
	/* A region counts for all threads, so threads cannot be chosen. */
	if (s->histogram && s->engine.choice)
		refuse_pair("--region", s->target.threads.name ? "--thread-name" : "--tid");
}

static void parse_option(struct sprofrun_settings *s, int option, char *value)
{
	static const char *const reports[] = {"flat", "lines", "tree", "summary", "none", NULL};
	static const char *const colors[] = {"auto", "always", "never", NULL};

	if (target_options_take(&s->target, option, value) ||
		serve_front_take(&s->serve, option, value) ||
		command_as_take(program, &s->as, option, value))
		return;
	switch (option) {
	case OPT_DIAGNOSE: s->diagnose = value; break;
	case OPT_CHECK_STACKS: s->check_stacks = value; break;
	case 'o':
		if (!value[0])
			usage_error("bad output", value, "give a file name, or - for stdout");
		s->output = value;
		break;
	case 'D':
		if (units_time_ns(value, &s->engine.delay_ns) < 0)
			usage_error("bad delay", value, "give a time, like 10s, 500ms or 2m");
		break;
	case OPT_ROTATE:
		take_rotation(&s->engine, value);
		s->rotate = value;
		break;
	case OPT_RING:
		if (units_time_ns(value, &s->engine.rotate_ns) < 0 ||
			s->engine.rotate_ns < RING_LEAST_NS)
			usage_error("bad time", value, "give 4 seconds or more, like 5m or 1h");
		s->engine.rotate_ns /= PIECES_BEFORE;
		s->engine.ring = true;
		s->ring = value;
		break;
	case OPT_KEEP:
		if (strspn(value, "0123456789") != strlen(value) || strlen(value) > 6 ||
			strtoul(value, NULL, 10) == 0)
			usage_error("bad number", value, "give how many files stay, 1 or more");
		s->keep = value;
		break;
	case OPT_CAPTURE: s->capture = file_to_write("capture", value); break;
	case OPT_LIVE: s->live = true; break;
	case OPT_EXP: take_experiment(s, value); break;
	case OPT_REGION: s->region[s->region_n++] = value; break;
	case OPT_HISTOGRAM: s->histogram = file_to_write("histogram", value); break;
	case OPT_RESTRICT: s->engine.restrict_fast = true; break;
	case OPT_REPORT:
		if (!one_of(value, reports))
			usage_error(
				"no report", value, "choose flat, lines, tree, summary or none");
		s->report = value;
		s->report_given = true;
		break;
	case OPT_DUMP:
		s->engine.dump = true;
		(void)target_options_take(&s->target, 'p', value);
		break;
	case OPT_PER_PROCESS: s->engine.per_process = true; break;
	case OPT_NO_TIMELINE: s->no_timeline = true; break;
	case OPT_USER_ONLY: s->user_only = true; break;
	case OPT_JIT_MAP: s->jit_map = true; break;
	case 't': s->per_thread = true; break;
	case 'q': s->quiet = true; break;
	case 'v': s->verbose = true; break;
	case OPT_COLOR:
		if (!one_of(value, colors))
			usage_error("bad color", value, "choose auto, always or never");
		s->color = value;
		break;
	case 'h': (void)fputs(help_sprofrun, stdout); exit(standard_printed(program, FRONT_OURS));
	case OPT_VERSION:
		(void)puts("sprofrun " SPROFIL_VERSION);
		exit(standard_printed(program, FRONT_OURS));
	default: front_complain(program, "try 'sprofrun --help'"); exit(FRONT_USAGE);
	}
}

bool sprofrun_settings_rotates(const struct sprofrun_settings *s)
{
	return s->engine.rotate_ns || s->engine.rotate_bytes;
}

/* A given option with another result than one profile on disk; NULL none. */
static const char *other_result(const struct sprofrun_settings *s)
{
	return s->engine.per_process ? "--per-process"
		: s->live            ? "--live"
		: s->engine.dump     ? "--dump"
				     : NULL;
}

/* Refuses options that cannot be combined with periodic files. */
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

/* Refuses --listen and --push without a time line, from which spans are cut. */
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
 * Refuses --user-only with the wall clock: waiting threads are in system calls, so nothing would be
 * left.
 */
static void check_user_only(const struct sprofrun_settings *s)
{
	if (s->user_only && (s->target.wall || s->engine.dump))
		refuse_pair("--user-only",
			s->engine.dump                 ? "--dump"
				: s->target.wall_first ? "--clock wall"
						       : "--clock both");
}

/* Refuses --jit-map with options that need names before the end, when the maps come. */
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
	if (!s->java || command_as_variable(&s->as, s->java) < 0) {
		front_complain(program, "cannot begin: %s", strerror(ENOMEM));
		exit(FRONT_OURS);
	}
}

void sprofrun_settings_parse(struct sprofrun_settings *s, int argc, char **argv)
{
	int option;

	argv[0] = (char *)program; /* getopt's messages begin with argv[0]. */
	s->region = calloc((size_t)argc, sizeof(*s->region));
	if (!s->region) {
		front_complain(program, "cannot begin: %s", strerror(ENOMEM));
		exit(FRONT_OURS);
	}
	while ((option = getopt_long(argc, argv,
			"+" TARGET_OPTIONS_SHORT COMMAND_AS_SHORT "o:D:hqtv", long_options,
			NULL)) >= 0)
		parse_option(s, option, optarg);
	if (s->diagnose && argv[optind])
		usage_error("too many words", argv[optind], "--diagnose takes one process id");
	if (s->check_stacks && argv[optind])
		usage_error("too many words", argv[optind], "--check-stacks takes one process id");
	if (s->diagnose || s->check_stacks)
		return;
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
