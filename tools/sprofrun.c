/* SPDX-License-Identifier: MIT */
/* sprofrun: runs a command, or attaches to processes, and profiles. This process is the supervisor.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyst/output.h"
#include "profile/outfile.h"
#include "supervisor/engine/engine.h"
#include "supervisor/engine/pieces.h"
#include "supervisor/calls/histogram.h"
#include "tools/front.h"
#include "tools/libexec.h"
#include "tools/live_front.h"
#include "tools/output_option.h"
#include "tools/serve_front.h"
#include "tools/session.h"
#include "tools/standard.h"
#include "tools/target_options.h"
#include "tools/units.h"
#include "view/text.h"

static const char program[] = "sprofrun";

struct settings {
	struct engine_options engine;
	struct target_options target;
	const char *output, *report, *color, *capture, *diagnose, *check_stacks;
	bool quiet, verbose, per_thread, live, no_timeline;
	struct live_front front; /* of --live */
	struct serve_front serve;
	struct histogram regions;
	const char *histogram;
	const char *keep; /* of the files of --rotate, the newest so many */
	const char *rotate, *ring; /* as given */
	bool report_given;
};

static void say(void *context, enum say_kind kind, const char *line)
{
	struct settings *settings = context;

	if (kind != SAY_WARNING && (kind != SAY_NOTE || settings->quiet) &&
		(kind != SAY_DETAIL || !settings->verbose))
		return;
	if (settings->live)
		live_front_note(&settings->front, line);
	else
		front_complain(program, "%s", line);
}

#define ROTATE_LEAST_NS    UINT64_C(1000000000)
#define ROTATE_LEAST_BYTES UINT64_C(65536)
#define RING_LEAST_NS      UINT64_C(4000000000)

static const char await_option[] = "--await-only"; /* ours alone: see await_only() */

static const char usage_text[] =
	"Usage: sprofrun [options] [--] COMMAND [ARG...]\n"
	"       sprofrun [options] -p PID[,PID...]\n"
	"\n"
	"Profiles a command and its children from birth to death, or live processes, by\n"
	"sampling their threads from outside. Samples are CPU time.\n"
	"\n"
	"  -p, --pid PID[,PID...]   attach to live processes; ^C lets them go\n"
	"      --name NAME          attach to all processes of that name\n"
	"      --tree               and to the descendants that they have\n"
	"      --cgroup PATH        attach to all processes of a cgroup: a path, or one name\n"
	"                           of it (nginx.service)\n"
	"      --container ID|NAME  attach to all processes of a container (docker, podman,\n"
	"                           Kubernetes, LXC, nspawn)\n"
	"      --diagnose PID       may I attach? If not: the cause, and what mends it\n"
	"      --dump PID           one stack of every thread, now\n"
	"      --check-stacks PID   are its stacks right? asks libunwind, too\n"
	"  -o, --output FILE        profile file (default sprof.pb.gz); %p pid, %n name,\n"
	"                           %t time, %r rank; - is stdout\n"
	"  -F, -r, --rate HZ        ticks per second of CPU time and thread (default 250)\n"
	"  -i, --interval TIME      the same as a period: 1ms, 500us\n"
	"  -d, --duration TIME      stop after this time: 10s, 500ms, 2m\n"
	"  -D, --delay TIME         start after this time\n"
	"      --rotate TIME|SIZE   a profile of each TIME (1m, 1h), or a new one at about SIZE\n"
	"                           (10M, 500K), complete, named by its beginning:\n"
	"                           sprof.20260131-235959.pb.gz. SIGUSR2 writes the profile\n"
	"                           so far under such a name, too\n"
	"      --ring TIME          only the last TIME is kept, in memory; a profile of it is\n"
	"                           written, named by its time, at SIGUSR2 and when a signal\n"
	"                           ends the command or, with -p, a process or sprofrun\n"
	"      --keep N             of these files only the N newest stay\n"
	"      --listen ADDR:PORT   give profiles of so many seconds to who asks by HTTP for\n"
	"                           /debug/pprof/profile?seconds=N, as programs in Go do; a\n"
	"                           port alone is one of 127.0.0.1, 0 one that is free\n"
	"      --push URL           send profiles to a store (Pyroscope's /ingest)\n"
	"      --push-every TIME    how often (default 15s)\n"
	"  -g, --call-graph dwarf|fp|no\n"
	"                           stacks: dwarf (default), fp (by frame pointers), none\n"
	"  -G                       the same as -g no\n"
	"  -w, --clock cpu|wall|both\n"
	"                           cpu (default); wall: where threads block and wait, too,\n"
	"                           without stopping them; both: as wall, but ticks and\n"
	"                           reports are of CPU time\n"
	"      --max-stack SIZE     most that is copied of a stack (default 1M)\n"
	"  -f, --follow             children too (default)\n"
	"      --no-follow          only the process itself\n"
	"      --per-process        a profile of each process: -o sprof.pb.gz gives\n"
	"                           sprof.PID.pb.gz\n"
	"  -t, --per-thread         the report tells threads apart\n"
	"      --max-overhead PCT   bound on the share of its time that the target is\n"
	"                           stopped (default 2 for -p, else 5)\n"
	"      --no-realtime        sample without real-time priority, even if it is permitted\n"
	"      --max-cpu PCT        bound on the share of a CPU that sprofrun takes\n"
	"                           (default none)\n"
	"      --live               show it while it runs, as sproftop does\n"
	"      --no-timeline        do not keep when samples were taken: a smaller file\n"
	"      --capture FILE       keep the raw records too (see the man page)\n"
	"      --region OBJ:START-END:SCALE[:ushort|uint|uint64]\n"
	"                           count as sprofil(3) does in this region of a module (or\n"
	"                           abs); may be given more than once\n"
	"      --histogram FILE     where to write these counters\n"
	"      --restrict-fastprof  PROF_FAST of sprofil(3) fails with EACCES\n"
	"      --report flat|lines|tree|summary|none\n"
	"                           at the end, on stderr (default flat)\n"
	"  -q, --quiet              no report and no notes; errors still\n"
	"  -v, --verbose            say more\n"
	"      --color auto|always|never\n"
	"      --help               this text\n"
	"      --version            the version\n"
	"\n"
	"Exit status: that of COMMAND; 127 not found, 126 not executable, 125 a failure of\n"
	"sprofrun, 2 usage. When a signal ends COMMAND, sprofrun ends by the same signal.\n";

enum {
	OPT_CAPTURE = 256,
	OPT_LIVE,
	OPT_REPORT,
	OPT_COLOR,
	OPT_HELP,
	OPT_VERSION,
	OPT_REGION,
	OPT_HISTOGRAM,
	OPT_RESTRICT,
	OPT_DIAGNOSE,
	OPT_PER_PROCESS,
	OPT_NO_TIMELINE,
	OPT_ROTATE,
	OPT_RING,
	OPT_KEEP,
	OPT_DUMP,
	OPT_CHECK_STACKS
};

static const struct option long_options[] = {
	TARGET_OPTIONS_LONG,
	SERVE_OPTIONS_LONG,
	{"live", no_argument, NULL, OPT_LIVE},
	{"diagnose", required_argument, NULL, OPT_DIAGNOSE},
	{"dump", required_argument, NULL, OPT_DUMP},
	{"check-stacks", required_argument, NULL, OPT_CHECK_STACKS},
	{"output", required_argument, NULL, 'o'},
	{"per-process", no_argument, NULL, OPT_PER_PROCESS},
	{"per-thread", no_argument, NULL, 't'},
	{"no-timeline", no_argument, NULL, OPT_NO_TIMELINE},
	{"delay", required_argument, NULL, 'D'},
	{"rotate", required_argument, NULL, OPT_ROTATE},
	{"ring", required_argument, NULL, OPT_RING},
	{"keep", required_argument, NULL, OPT_KEEP},
	{"capture", required_argument, NULL, OPT_CAPTURE},
	{"region", required_argument, NULL, OPT_REGION},
	{"histogram", required_argument, NULL, OPT_HISTOGRAM},
	{"restrict-fastprof", no_argument, NULL, OPT_RESTRICT},
	{"report", required_argument, NULL, OPT_REPORT},
	{"quiet", no_argument, NULL, 'q'},
	{"verbose", no_argument, NULL, 'v'},
	{"color", required_argument, NULL, OPT_COLOR},
	{"help", no_argument, NULL, OPT_HELP},
	{"version", no_argument, NULL, OPT_VERSION},
	{0},
};

static _Noreturn void usage_error(const char *what, const char *value, const char *way_out)
{
	target_options_reject(program, what, value, way_out);
}

static bool one_of(const char *value, const char *const *list)
{
	for (; *list; list++) {
		if (strcmp(value, *list) == 0)
			return true;
	}
	return false;
}

/* --diagnose: may we attach? */
static int diagnose(const char *value)
{
	char text[512] = "";
	int *pids = NULL;
	size_t n = 0;
	bool refused;

	if (units_pids(value, &pids, &n) < 0 || n != 1)
		usage_error("bad pid", value, "give a process id, like 123");
	refused =
		front_explain(target_options_process(program, pids[0], false), text, sizeof(text));
	free(pids);
	if (!text[0]) {
		front_complain(program, "cannot read /proc: %s", strerror(errno));
		return FRONT_OURS;
	}
	text_put(text, stdout);
	(void)putchar('\n');
	return refused ? FRONT_OURS : standard_printed(program, FRONT_OURS);
}

/* --check-stacks: a program of its own, since this one links libc only. */
static int check_stacks(const char *value)
{
	char path[PATH_MAX], pid[16];
	int *pids = NULL;
	size_t n = 0;

	if (units_pids(value, &pids, &n) < 0 || n != 1)
		usage_error("bad pid", value, "give a process id, like 123");
	(void)snprintf(pid, sizeof(pid), "%d", target_options_process(program, pids[0], false));
	free(pids);
	if (libexec_find("sprofil-stackcheck", path))
		(void)execl(path, "sprofil-stackcheck", pid, (char *)NULL);
	front_complain(program,
		"sprofil-stackcheck is missing: it belongs into libexec/sprofil beside bin, and is "
		"built where libunwind is (Debian: libunwind-dev)");
	return FRONT_OURS;
}

/* What cannot be written is said before the command runs for nothing. */
static const char *file_to_write(const char *what, const char *path)
{
	const char *problem;
	int error;

	if (!path[0])
		usage_error("bad file", path, "give the name of a file");
	error = outfile_check(path, &problem);
	if (error < 0) {
		front_complain(program, "cannot write the %s %s: %s", what, path,
			problem ? problem : strerror(-error));
		exit(FRONT_OURS);
	}
	return path;
}

/* "10M" is a size and "10m" a time: otherwise the two have no unit in common. */
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

static void parse_option(struct settings *s, int option, const char *value)
{
	static const char *const reports[] = {"flat", "lines", "tree", "summary", "none", NULL};
	static const char *const colors[] = {"auto", "always", "never", NULL};

	if (target_options_take(&s->target, option, value) ||
		serve_front_take(&s->serve, option, value))
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
	case OPT_REGION:
		if (histogram_add(&s->regions, value) < 0)
			usage_error("bad region", value,
				"give OBJ:START-END:SCALE, like "
				"libm.so.6:0x1f000-0x24000:0x10000:uint");
		break;
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
	case 't': s->per_thread = true; break;
	case 'q': s->quiet = true; break;
	case 'v': s->verbose = true; break;
	case OPT_COLOR:
		if (!one_of(value, colors))
			usage_error("bad color", value, "choose auto, always or never");
		s->color = value;
		break;
	case OPT_HELP: (void)fputs(usage_text, stdout); exit(standard_printed(program, FRONT_OURS));
	case OPT_VERSION:
		(void)puts("sprofrun " SPROFIL_VERSION);
		exit(standard_printed(program, FRONT_OURS));
	default: front_complain(program, "try 'sprofrun --help'"); exit(FRONT_USAGE);
	}
}

static bool rotates(const struct settings *s)
{
	return s->engine.rotate_ns || s->engine.rotate_bytes;
}

/* What does not go together with a file each so often. */
static void check_rotation(struct settings *s)
{
	const char *other = s->engine.per_process ? "--per-process"
		: s->live			  ? "--live"
		: s->capture			  ? "--capture"
		: s->engine.dump		  ? "--dump"
						  : NULL;
	const char *option = s->ring ? "--ring" : "--rotate";

	if (s->ring && (s->rotate || serve_front_is_given(&s->serve)))
		other = s->rotate ? "--rotate" : s->serve.listen ? "--listen" : "--push";
	if (s->keep && !rotates(s))
		usage_error("--keep", s->keep, "it belongs to --rotate or --ring");
	if (!rotates(s))
		return;
	if (other) {
		front_complain(program, "%s and %s do not go together", option, other);
		exit(FRONT_USAGE);
	}
	if (!output_option_is_file(s->output)) {
		front_complain(program, "bad output '%s': give a file name: %s makes several files",
			s->output, option);
		exit(FRONT_USAGE);
	}
	if (!s->report_given)
		s->report = "none";
}

/* Others are given spans of the profile's time line. */
static void check_serving(struct settings *s)
{
	const char *other = s->engine.per_process ? "--per-process"
		: s->live                         ? "--live"
		: s->no_timeline                  ? "--no-timeline"
		: s->engine.dump                  ? "--dump"
						  : NULL;

	if (serve_front_is_given(&s->serve) && other) {
		front_complain(program, "%s and %s do not go together",
			s->serve.listen ? "--listen" : "--push", other);
		exit(FRONT_USAGE);
	}
	s->serve.quiet = s->quiet;
	s->serve.verbose = s->verbose;
}

static void parse(struct settings *s, int argc, char **argv)
{
	int option;

	argv[0] = (char *)program; /* getopt's messages begin with it */
	while ((option = getopt_long(
			argc, argv, "+" TARGET_OPTIONS_SHORT "o:D:qtv", long_options, NULL)) >= 0)
		parse_option(s, option, optarg);
	if (s->diagnose && argv[optind])
		usage_error("too many words", argv[optind], "--diagnose takes one process id");
	if (s->diagnose)
		exit(diagnose(s->diagnose));
	if (s->check_stacks && argv[optind])
		usage_error("too many words", argv[optind], "--check-stacks takes one process id");
	if (s->check_stacks)
		exit(check_stacks(s->check_stacks));
	s->target.quiet = s->quiet;
	target_options_finish(&s->target, argv + optind, &s->engine);
	if ((s->regions.regions != 0) != (s->histogram != NULL)) {
		front_complain(program, "--region and --histogram belong together");
		exit(FRONT_USAGE);
	}
	check_rotation(s);
	check_serving(s);
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

/* Waits for the analyst to have written and reported; its wait status. */
static int join_analyst(struct engine_result *result)
{
	int signal_number = 0, status = front_join_analyst(result, NULL, NULL, &signal_number);

	if (status & 0x7f && signal_number)
		front_complain(program, "interrupted: no profile was written");
	else if (status & 0x7f)
		front_complain(program,
			"the analyst was killed by signal %d: no profile was written",
			status & 0x7f);
	return status;
}

static void warn(struct settings *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct settings *s, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	say(s, SAY_WARNING, line);
}

/* To a file that gets its name when all is written. */
static int print_histogram(struct settings *s, const char **ret_problem)
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
	out.fd = -1; /* the stream's now */
	if (histogram_print(&s->regions, file) < 0)
		error = -errno;
	if (fclose(file) != 0 && !error)
		error = -errno;
	if (error == 0)
		error = outfile_name(&out);
	outfile_abandon(&out);
	return error;
}

static void write_histogram(struct settings *s, const struct engine_result *result)
{
	bool ran = !result->error && !result->exec_error;
	const char *problem;
	int error;

	if (!s->histogram)
		return;
	error = print_histogram(s, &problem);
	if (error < 0)
		warn(s, "cannot write the histogram %s: %s", s->histogram,
			problem ? problem : strerror(-error));
	for (size_t i = 0; i < s->regions.regions && ran; i++) {
		if (!histogram_was_seen(&s->regions, i))
			warn(s,
				"no module '%s' was seen in any process: its region has counted "
				"nothing",
				s->regions.region[i].object);
	}
	histogram_release(&s->regions);
}

/*
 * All that is left to do for a command whose profiling had to be given up: to be its wrapper. An
 * exec ends the thread that hangs, and keeps our children.
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
	int status;

	(void)join_analyst(&result);
	if (!result.command_pid)
		return FRONT_OURS;
	return engine_join(&result, &status) < 0 ? FRONT_OURS : front_end_like(status);
}

static int run(struct settings *s)
{
	struct engine_result result;
	int status = 0, analyst = 0, by;

	engine_run(&s->engine, &result);
	write_histogram(s, &result);
	if (s->live)
		(void)live_front_join(&s->front, &result, &by);
	else
		analyst = join_analyst(&result);
	serve_front_join(&s->serve);
	status = front_failure(program, &s->engine, &result);
	if (status)
		return status;
	if (!s->engine.command)
		return s->engine.dump && analyst ? FRONT_OURS : 0;
	if (result.command_ended)
		return front_end_like(result.command_status);
	if (engine_join(&result, &status) < 0)
		return FRONT_OURS;
	return front_end_like(status);
}

int main(int argc, char **argv)
{
	char analyst[PATH_MAX], name[64], bytes[24];
	struct settings s = {
		.output = "sprof.pb.gz",
		.report = "flat",
		.color = "auto",
		.target = TARGET_OPTIONS_DEFAULT(program),
		.front = LIVE_FRONT_DEFAULT(program),
		.serve = SERVE_FRONT_DEFAULT(program),
		.engine = {.say = say, .hangs = await_only},
	};
	const char *no_color = getenv("NO_COLOR");

	standard_hold();
	s.front.records = true;
	s.front.color = !(no_color && no_color[0]);

	if (argc == 4 && strcmp(argv[1], await_option) == 0)
		return await(argv[2], argv[3]);
	parse(&s, argc, argv);
	if (!front_find_analyst(program, analyst))
		return FRONT_OURS;
	if (!s.engine.per_process && !s.engine.dump)
		s.output = output_option_for_rank(program, s.output, s.quiet);
	if (rotates(&s))
		s.output = output_timed(s.output);
	/* Else signals are the command's, or the end. */
	s.engine.snapshots = rotates(&s);
	if (!s.output) {
		front_complain(program, "cannot begin: %s", strerror(ENOMEM));
		return FRONT_OURS;
	}
	if (!s.engine.dump)
		output_option_check(program, analyst, s.output);
	(void)snprintf(name, sizeof(name), "%s",
		s.engine.command ? front_base_name(s.engine.command[0]) : "attached");
	const char *analyst_argv[27 + LIVE_FRONT_ARGUMENTS] = {analyst, "--output", s.output,
		"--report", s.quiet ? "none" : s.report, "--color", s.color, "--name", name,
		"--call-graph", s.target.call_graph};
	size_t n = 11;

	if (s.quiet)
		analyst_argv[n++] = "--quiet";
	if (s.verbose)
		analyst_argv[n++] = "--verbose";
	if (s.engine.dump)
		analyst_argv[n++] = "--dump";
	if (s.per_thread)
		analyst_argv[n++] = "--per-thread";
	if (s.engine.per_process)
		analyst_argv[n++] = "--per-process";
	if (s.no_timeline)
		analyst_argv[n++] = "--no-timeline";
	if (s.keep) {
		analyst_argv[n++] = "--keep";
		analyst_argv[n++] = s.keep;
	}
	if (s.engine.rotate_bytes) {
		(void)snprintf(bytes, sizeof(bytes), "%llu",
			(unsigned long long)s.engine.rotate_bytes);
		analyst_argv[n++] = "--rotate-bytes";
		analyst_argv[n++] = bytes;
	}
	if (s.capture) {
		analyst_argv[n++] = "--capture";
		analyst_argv[n++] = s.capture;
	}
	front_prepare(&s.engine.inherited);
	s.engine.own_session = !s.engine.dump && session_divide(s.engine.no_realtime);
	if (s.live) {
		int status = live_front_begin(&s.front, &s.engine, analyst_argv, &n);

		if (status)
			return status;
	}
	if (!serve_front_begin(&s.serve, name, &s.engine))
		return FRONT_OURS;
	s.engine.analyst = analyst_argv;
	s.engine.context = &s;
	int exit_status = run(&s);

	free(s.target.pids);
	return exit_status;
}
