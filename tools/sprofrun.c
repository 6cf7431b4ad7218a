/* SPDX-License-Identifier: MIT */
/* sprofrun: runs a command, or attaches to processes, and profiles. This process is the supervisor. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/diagnose.h"
#include "supervisor/engine.h"
#include "supervisor/histogram.h"
#include "supervisor/waiter.h"
#include "tools/processes.h"
#include "tools/units.h"

enum { EXIT_OURS = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, EXIT_USAGE = 2 };

#define RING_BYTES	 (UINT64_C(8) << 20)
#define RING_STACKS	 (UINT64_C(64) << 20)
#define RING_STACKS_LEAST 16 /* of the largest stacks fit */
#define MAX_STACK	 (UINT64_C(1) << 20)
#define MAX_STACK_MOST	 (UINT64_C(256) << 20)

struct settings {
	struct engine_options engine;
	int *pids;
	const char *output, *report, *color, *capture;
	bool quiet, verbose;
	uint64_t period_ns;
	uint32_t overhead_ppm;
	bool overhead_given;
	const char *call_graph;
	uint64_t max_stack;
	struct histogram regions;
	const char *histogram;
};

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)fputs("sprofrun: ", stderr);
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
	va_end(args);
}

static void say(void *context, enum engine_note kind, const char *line)
{
	const struct settings *settings = context;

	if (kind == ENGINE_WARNING || (kind == ENGINE_NOTE && !settings->quiet) ||
		(kind == ENGINE_DETAIL && settings->verbose))
		complain("%s", line);
}

static const char usage_text[] =
	"Usage: sprofrun [options] [--] COMMAND [ARG...]\n"
	"       sprofrun [options] -p PID[,PID...]\n"
	"\n"
	"Profiles a command and its children from birth to death, or live processes, by\n"
	"sampling their threads from outside. Samples are CPU time.\n"
	"\n"
	"  -p, --pid PID[,PID...]   attach to live processes; ^C lets them go\n"
	"      --name NAME          attach to all processes of that name\n"
	"      --diagnose PID       may I attach? If not: the cause, and what mends it\n"
	"  -o, --output FILE        profile file (default sprof.pb.gz); %p pid, %n name,\n"
	"                           %t time, %r rank; - is stdout\n"
	"  -F, -r, --rate HZ        ticks per second of CPU time and thread (default 250)\n"
	"  -i, --interval TIME      the same as a period: 1ms, 500us\n"
	"  -d, --duration TIME      stop after this time: 10s, 500ms, 2m\n"
	"  -D, --delay TIME         start after this time\n"
	"  -g, --call-graph WHAT    stacks: dwarf (default), fp (frame pointers), no\n"
	"  -G                       the same as -g no\n"
	"      --max-stack SIZE     most that is copied of a stack (default 1M)\n"
	"  -f, --follow             children too (default)\n"
	"      --no-follow          only the process itself\n"
	"      --max-overhead PCT   bound on the share of its time that the target is\n"
	"                           stopped (default 2 for -p, else none)\n"
	"      --capture FILE       keep the raw records too (see the man page)\n"
	"      --region OBJ:START-END:SCALE[:ushort|uint|uint64]\n"
	"                           count as sprofil(3) does in this region of a module (or\n"
	"                           abs); may be given more than once\n"
	"      --histogram FILE     where to write these counters\n"
	"      --restrict-fastprof  PROF_FAST of sprofil(3) fails with EACCES\n"
	"      --report WHAT        at the end, on stderr: flat, lines, tree, summary, none\n"
	"                           (default flat)\n"
	"  -q, --quiet              no report and no notes; errors still\n"
	"  -v, --verbose            say more\n"
	"      --color WHEN         auto, always, never\n"
	"      --help, --version\n"
	"\n"
	"Exit status: that of COMMAND; 127 not found, 126 not executable, 125 a failure of\n"
	"sprofrun, 2 usage. When a signal ends COMMAND, sprofrun ends by the same signal.\n";

enum { OPT_NO_FOLLOW = 256, OPT_MAX_OVERHEAD, OPT_CAPTURE, OPT_REPORT, OPT_COLOR, OPT_MAX_STACK, OPT_HELP,
	OPT_VERSION, OPT_REGION, OPT_HISTOGRAM, OPT_RESTRICT, OPT_NAME, OPT_DIAGNOSE };

static const struct option long_options[] = {
	{"pid", required_argument, NULL, 'p'},
	{"name", required_argument, NULL, OPT_NAME},
	{"diagnose", required_argument, NULL, OPT_DIAGNOSE},
	{"output", required_argument, NULL, 'o'},
	{"rate", required_argument, NULL, 'F'},
	{"interval", required_argument, NULL, 'i'},
	{"duration", required_argument, NULL, 'd'},
	{"delay", required_argument, NULL, 'D'},
	{"call-graph", required_argument, NULL, 'g'},
	{"max-stack", required_argument, NULL, OPT_MAX_STACK},
	{"follow", no_argument, NULL, 'f'},
	{"no-follow", no_argument, NULL, OPT_NO_FOLLOW},
	{"max-overhead", required_argument, NULL, OPT_MAX_OVERHEAD},
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
	complain("%s '%s': %s", what, value, way_out);
	exit(EXIT_USAGE);
}

static bool one_of(const char *value, const char *const *list)
{
	for (; *list; list++) {
		if (strcmp(value, *list) == 0)
			return true;
	}
	return false;
}

/* The cause of a refusal. False: it cannot be told, or there is none any more. */
static bool explain(int pid, char *text, size_t room)
{
	struct diagnose_facts facts;

	if (diagnose_read(pid, &facts) < 0)
		return false;
	diagnose_explain(&facts, text, room);
	return diagnose_classify(&facts) != DIAGNOSE_NONE;
}

/* --diagnose: may we attach? */
static int diagnose(const char *value)
{
	char text[512] = "";
	int *pids = NULL;
	size_t n = 0;
	bool refused;

	if (units_pids(value, &pids, &n) < 0)
		usage_error("bad pid", value, "give a process id, like 123");
	refused = explain(pids[0], text, sizeof(text));
	free(pids);
	if (!text[0]) {
		complain("cannot read /proc: %s", strerror(errno));
		return EXIT_OURS;
	}
	(void)puts(text);
	return refused ? EXIT_OURS : 0;
}

static void parse_option(struct settings *s, int option, const char *value)
{
	static const char *const reports[] = {"flat", "lines", "tree", "summary", "none", NULL};
	static const char *const graphs[] = {"dwarf", "fp", "no", NULL};
	static const char *const colors[] = {"auto", "always", "never", NULL};

	switch (option) {
	case 'p':
		if (units_pids(value, &s->pids, &s->engine.pids_n) < 0)
			usage_error("bad pid list", value, "give process ids, like 123 or 123,456");
		break;
	case OPT_NAME:
		if (processes_by_name(value, &s->pids, &s->engine.pids_n) < 0 || !s->engine.pids_n) {
			complain("no process is called '%s'", value);
			exit(EXIT_OURS);
		}
		break;
	case OPT_DIAGNOSE: exit(diagnose(value));
	case 'o':
		if (!value[0])
			usage_error("bad output", value, "give a file name, or - for stdout");
		s->output = value;
		break;
	case 'r':
	case 'F':
		if (units_rate_period_ns(value, &s->period_ns) < 0)
			usage_error("bad rate", value, "give ticks a second, 0.01 to 100000");
		break;
	case 'i':
		if (units_time_ns(value, &s->period_ns) < 0 || s->period_ns < 10000 ||
			s->period_ns > UINT64_C(100000000000))
			usage_error("bad interval", value, "give a time from 10us to 100s");
		break;
	case 'd':
		if (units_time_ns(value, &s->engine.duration_ns) < 0)
			usage_error("bad duration", value, "give a time, like 10s, 500ms or 2m");
		break;
	case 'D':
		if (units_time_ns(value, &s->engine.delay_ns) < 0)
			usage_error("bad delay", value, "give a time, like 10s, 500ms or 2m");
		break;
	case 'g':
		if (!one_of(value, graphs))
			usage_error("no call graph", value, "choose dwarf, fp or no");
		s->call_graph = value;
		break;
	case 'G': s->call_graph = "no"; break;
	case OPT_MAX_STACK:
		if (units_size_bytes(value, &s->max_stack) < 0 || s->max_stack < 4096 ||
			s->max_stack > MAX_STACK_MOST)
			usage_error("bad stack size", value, "give a size from 4K to 256M");
		break;
	case 'f': s->engine.follow = true; break;
	case OPT_NO_FOLLOW: s->engine.follow = false; break;
	case OPT_MAX_OVERHEAD:
		if (units_percent_ppm(value, &s->overhead_ppm) < 0)
			usage_error("bad overhead", value, "give percent, 0.001 to 100");
		s->overhead_given = true;
		break;
	case OPT_CAPTURE: s->capture = value; break;
	case OPT_REGION:
		if (histogram_add(&s->regions, value) < 0)
			usage_error("bad region", value,
				"give OBJ:START-END:SCALE, like libm.so.6:0x1f000-0x24000:0x10000:uint");
		break;
	case OPT_HISTOGRAM: s->histogram = value; break;
	case OPT_RESTRICT: s->engine.restrict_fast = true; break;
	case OPT_REPORT:
		if (!one_of(value, reports))
			usage_error("no report", value, "choose flat, lines, tree, summary or none");
		s->report = value;
		break;
	case 'q': s->quiet = true; break;
	case 'v': s->verbose = true; break;
	case OPT_COLOR:
		if (!one_of(value, colors))
			usage_error("bad color", value, "choose auto, always or never");
		s->color = value;
		break;
	case OPT_HELP: (void)fputs(usage_text, stdout); exit(0);
	case OPT_VERSION: (void)puts("sprofrun " SPROFIL_VERSION); exit(0);
	default: complain("try 'sprofrun --help'"); exit(EXIT_USAGE);
	}
}

/* The ring holds some of the largest stacks; its memory is only used as far as it is written. */
static void choose_stacks(struct settings *s)
{
	s->engine.ring_bytes = RING_BYTES;
	if (strcmp(s->call_graph, "no") == 0)
		return;
	s->engine.max_stack = (size_t)s->max_stack;
	s->engine.ring_bytes = RING_STACKS;
	while (s->engine.ring_bytes < RING_STACKS_LEAST * s->max_stack)
		s->engine.ring_bytes *= 2;
}

static void parse(struct settings *s, int argc, char **argv)
{
	int option;

	argv[0] = (char *)"sprofrun"; /* getopt's messages begin with it */
	while ((option = getopt_long(argc, argv, "+p:o:r:F:i:d:D:g:Gfqv", long_options, NULL)) >= 0)
		parse_option(s, option, optarg);
	if (s->pids && optind < argc)
		usage_error("both -p and a command", argv[optind], "give one of them");
	if (!s->pids && optind == argc) {
		complain("no command and no -p PID; try 'sprofrun --help'");
		exit(EXIT_USAGE);
	}
	if ((s->regions.regions != 0) != (s->histogram != NULL)) {
		complain("--region and --histogram belong together");
		exit(EXIT_USAGE);
	}
	if (s->histogram) {
		if (histogram_begin(&s->regions) < 0)
			usage_error("bad region", "abs:0-0:2", "an overflow bin must be the last region");
		s->engine.histogram = &s->regions;
	}
	s->engine.command = s->pids ? NULL : argv + optind;
	s->engine.pids = s->pids;
	s->engine.period_ns = s->period_ns;
	choose_stacks(s);
	s->engine.max_overhead_ppm = s->overhead_given ? s->overhead_ppm : s->pids ? 20000 : 0;
}

/*
 * The analyst lies beside this program in the build tree, and in libexec when installed; both are
 * found from where this program lies, so that an installed tree can be moved.
 */
static bool find_analyst(char path[PATH_MAX])
{
	static const char *const places[] = {"sprofil-analyst", SPROFIL_BIN_TO_LIBEXEC "/sprofil-analyst"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n < 0)
		return false;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (snprintf(path, PATH_MAX, "%s%s", self, places[i]) < PATH_MAX &&
			access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* Name of the command, or of what is attached to, for %n of the output's name. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Our own end, like the command's. A signal leaves no core of ours. */
static int end_like(int status)
{
	int signal_number = status & 0x7f;
	struct rlimit none = {0, 0};
	sigset_t set;

	if (!signal_number)
		return status >> 8 & 0xff;
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)signal(signal_number, SIG_DFL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal_number);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	(void)raise(signal_number);
	return 128 + signal_number;
}

static int exec_failed(const char *command, int error)
{
	struct stat st;

	if (error == ENOENT && strchr(command, '/') && access(command, F_OK) == 0)
		complain("cannot run '%s': its interpreter (the first line, or the ELF loader) is missing",
			command);
	else if (error == ENOENT)
		complain("cannot run '%s': no such command", command);
	else if (error == ENOEXEC)
		complain("cannot run '%s': it is no program for this machine, or a damaged one", command);
	else if (error == EACCES && stat(command, &st) == 0 && S_ISDIR(st.st_mode))
		complain("cannot run '%s': it is a directory", command);
	else
		complain("cannot run '%s': %s", command, strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int refused(const struct engine_result *result)
{
	char text[512];

	if (result->refused_pid && explain(result->refused_pid, text, sizeof(text)))
		complain("%s", text);
	else if (result->refused_pid)
		complain("cannot attach to %d: %s", result->refused_pid, strerror(-result->error));
	else if (result->error == -EPERM)
		complain("cannot trace: ptrace is not permitted here (seccomp, or another tracer)");
	else
		complain("cannot begin: %s", strerror(-result->error));
	return EXIT_OURS;
}

/* Waits for the analyst to have written and reported. */
static void join_analyst(int pid)
{
	int status;

	if (!pid || waiter_join(pid, &status) < 0)
		return;
	if (status & 0x7f)
		complain("the analyst was killed by signal %d: no profile was written", status & 0x7f);
}

static void write_histogram(struct settings *s)
{
	FILE *file;

	if (!s->histogram)
		return;
	file = fopen(s->histogram, "we");
	if (!file || histogram_print(&s->regions, file) < 0)
		complain("cannot write the histogram %s: %s", s->histogram, strerror(errno));
	if (file && fclose(file) != 0)
		complain("cannot write the histogram %s: %s", s->histogram, strerror(errno));
	histogram_release(&s->regions);
}

static int run(struct settings *s)
{
	struct engine_result result;
	int status = 0;

	engine_run(&s->engine, &result);
	write_histogram(s);
	join_analyst(result.analyst_pid);
	if (result.exec_error)
		return exec_failed(s->engine.command[0], result.exec_error);
	if (result.error)
		return refused(&result);
	if (!s->engine.command)
		return 0;
	if (result.command_ended)
		return end_like(result.command_status);
	if (engine_join(&result, &status) < 0)
		return EXIT_OURS;
	return end_like(status);
}

int main(int argc, char **argv)
{
	char analyst[PATH_MAX], name[64];
	struct settings s = {
		.output = "sprof.pb.gz",
		.report = "flat",
		.color = "auto",
		.period_ns = 4000000,
		.call_graph = "dwarf",
		.max_stack = MAX_STACK,
		.engine = {.follow = true, .say = say},
	};
	struct rlimit files;
	sigset_t signals;

	parse(&s, argc, argv);
	if (!find_analyst(analyst)) {
		complain("sprofil-analyst is missing: it belongs into libexec/sprofil beside bin");
		return EXIT_OURS;
	}
	(void)snprintf(name, sizeof(name), "%s",
		s.engine.command ? base_name(s.engine.command[0]) : "attached");
	const char *analyst_argv[18] = {analyst, "--output", s.output, "--report",
		s.quiet ? "none" : s.report, "--color", s.color, "--name", name, "--call-graph",
		s.call_graph};
	size_t n = 11;

	if (s.quiet)
		analyst_argv[n++] = "--quiet";
	if (s.capture) {
		analyst_argv[n++] = "--capture";
		analyst_argv[n++] = s.capture;
	}
	s.engine.analyst = analyst_argv;
	s.engine.context = &s;
	(void)sigprocmask(SIG_SETMASK, NULL, &s.engine.inherited.mask);
	engine_signals(&signals);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	(void)getrlimit(RLIMIT_NOFILE, &s.engine.inherited.files);
	files = s.engine.inherited.files;
	files.rlim_cur = files.rlim_max; /* two descriptors a thread */
	(void)setrlimit(RLIMIT_NOFILE, &files);
	int exit_status = run(&s);

	free(s.pids);
	return exit_status;
}
