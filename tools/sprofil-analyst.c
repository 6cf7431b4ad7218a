/* SPDX-License-Identifier: MIT */
/*
 * sprofil-analyst: the second process of sprofrun. It takes records from the ring (descriptors 3, 4
 * and 5, see supervisor/link.h) or from a capture file, writes the profile, and reports on stderr.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "analyst/blame.h"
#include "analyst/finish.h"
#include "analyst/input.h"
#include "analyst/output.h"
#include "analyst/vanish.h"
#include "analyst/processes.h"
#include "profile/file.h"
#include "profile/outfile.h"
#include "profile/profile.h"
#include "proto/ring.h"
#include "tools/live_screen.h"
#include "tools/live_session.h"
#include "tools/standard.h"
#include "view/dump.h"
#include "view/export.h"
#include "view/export_name.h"
#include "view/report.h"

enum { RING_FD = 3, BELL_FD = 4, REQUEST_FD = 5 };
enum { EXIT_STUCK = 3, EXIT_NO_SCREEN = 4 }; /* tools/live_front.h knows them */

struct settings {
	const char *output, *report, *name, *capture, *replay;
	const char *program; /* that started us, for messages */
	bool color, quiet, frame_pointers, per_process, dump;
	bool records;   /* a profile is to be written */
	bool snapshot;  /* of a recording that goes on */
	bool stuck;     /* the terminal was not given back: whoever started us must do it */
	bool no_screen; /* the terminal cannot be drawn on */
	enum report_split split;
	struct live_settings live;
	struct blame *blame;
	struct analyst *analyst;
	struct live_session *session; /* while there is one, in the process that shows it */
};

static void complain(const struct settings *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void complain(const struct settings *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	standard_complain(s->program, format, args);
	va_end(args);
}

static void say(void *context, const char *line)
{
	complain(context, "%s", line);
}

/* In the format that the name asks for. @peer_fd and @ret_why as in file_write_while(). */
static int write_to(const char *path, const struct profile *profile, int peer_fd, bool keep_old,
	const char **ret_why)
{
	const struct report_options options = {.size = sizeof(options)};
	char *data, *problem = NULL;
	size_t bytes;
	int r = export_for_file(path, profile, &options, &data, &bytes, &problem);

	free(problem);
	*ret_why = NULL;
	if (r < 0)
		return r;
	r = (keep_old ? file_write_recording : file_write_while)(
		path, data, bytes, peer_fd, ret_why);
	free(data);
	return r;
}

static int write_profile(const struct settings *s, const char *pattern,
	const struct profile *profile, uint32_t pid, const char *of, char **ret_name,
	const char **ret_why)
{
	const struct output_facts facts = {
		.pid = pid,
		.name = of,
		.time = (time_t)(profile_realtime_ns(profile) / 1000000000),
		.rank = output_rank(),
	};
	int r = output_name(pattern, &facts, ret_name);

	*ret_why = NULL;
	return r < 0
		? r
		: write_to(*ret_name, profile, s->replay ? -1 : REQUEST_FD, !s->snapshot, ret_why);
}

/* What was measured is not thrown away because of a bad name. NULL: it cannot be kept either. */
static char *keep(const struct profile *profile)
{
	const char *folder = getenv("TMPDIR"), *why;
	char *path;
	int fd;

	if (asprintf(&path, "%s/sprof-XXXXXX.pb.gz", folder && folder[0] ? folder : "/tmp") < 0)
		return NULL;
	fd = mkostemps(path, (int)strlen(".pb.gz"), O_CLOEXEC);
	if (fd >= 0 && close(fd) == 0 && write_to(path, profile, -1, false, &why) == 0)
		return path;
	if (fd >= 0)
		(void)unlink(path);
	free(path);
	return NULL;
}

static void complain_unwritten(const struct settings *s, const char *name, int error,
	const char *why, const struct profile *profile)
{
	char *kept = keep(profile);

	if (!why)
		why = error == -EINTR ? "nobody reads it" : strerror(-error);
	complain(s, "cannot write the profile to %s: %s%s%s", name, why,
		kept ? "; it is kept in " : "", kept ? kept : "");
	free(kept);
}

/* A profile of each process. */
static int write_apart(
	const struct settings *s, struct analyst *analyst, char **ret_name, const char **ret_why)
{
	const struct processes *processes = analyst_processes(analyst);
	char *pattern = strstr(s->output, "%p") ? strdup(s->output) : output_apart(s->output, "%p");
	int r = pattern ? 0 : -ENOMEM;

	for (size_t i = 0; i < processes->n && r == 0; i++) {
		const struct process_facts *facts = &processes->list[i];
		struct profile *profile;

		r = processes_profile(facts, analyst_profile(analyst), &profile);
		if (r < 0)
			break;
		free(*ret_name);
		*ret_name = NULL;
		r = write_profile(s, pattern, profile, facts->pid, facts->name, ret_name, ret_why);
		profile_free(profile);
	}
	if (r == 0 && !s->quiet)
		complain(s, "%zu profiles, of a process each, are in %s%s (%%p is the process id)",
			processes->n, pattern, export_remark(pattern));
	free(pattern);
	return r;
}

static void print_report(const struct settings *s, const struct profile *profile)
{
	const struct report *report = report_find(s->report);
	struct winsize size = {0};
	struct report_options options = {
		.size = sizeof(options), .limit = 20, .split = s->split, .color = s->color};
	char *problem = NULL;

	if (!report || report->wants_function)
		return;
	options.min_percent = report->text_min_percent;
	/* A path from the start of a program to where it is hot takes more rows than a list. */
	if (report->text_min_percent > 0)
		options.limit *= 2;
	if (isatty(STDERR_FILENO) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
		options.width = size.ws_col;
	(void)report->print(profile, &options, stderr, &problem);
	free(problem);
}

static void print_place(const struct settings *s, const char *name)
{
	const struct export_format *format = export_for_recording(name);

	complain(s, "%s in %s%s%s", format->content, name, export_remark(name),
		format == export_at(0) ? "; sprofreport reads it" : "");
}

/* A device or pipe is written in place, and holds one profile. */
static bool is_in_place(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* In the child of finish_run(). */
static int deliver(void *context, struct analyst *analyst, int error)
{
	const struct settings *s = context;
	bool apart = s->per_process && !is_in_place(s->output);
	const char *why = NULL;
	char *name = NULL;
	int r = error;

	if (s->dump && error >= 0) {
		error = dump_print(analyst_profile(analyst), stdout);
		return standard_printed(s->program, 1) || error < 0;
	}
	if (error < 0)
		complain(s, "cannot make the profile: %s", strerror(-error));
	else if (!analyst_has_image(analyst))
		return 0; /* the command never ran; sprofrun says why */
	else if (apart)
		r = write_apart(s, analyst, &name, &why);
	else
		r = write_profile(s, s->output, analyst_profile(analyst),
			analyst_first_pid(analyst), s->name, &name, &why);
	if (error >= 0) {
		print_report(s, analyst_profile(analyst));
		if (r < 0)
			complain_unwritten(
				s, name ? name : s->output, r, why, analyst_profile(analyst));
		else if (!s->quiet && !apart && strcmp(name, "-") != 0)
			print_place(s, name);
		if (s->per_process && !apart && !s->quiet)
			complain(s, "%s is no regular file: all processes are in one profile there",
				name);
	}
	free(name);
	return r < 0;
}

/* Foreign code begins to work on a file, or has ended: for whoever survives us, and the screen. */
static void working_on(void *context, const char *path)
{
	const struct settings *s = context;
	char text[160];

	blame_working_on(s->blame, path);
	if (!s->session || !s->session->screen)
		return;
	(void)snprintf(text, sizeof(text), "reading %s", path ? path : "");
	live_screen_busy(s->session->screen, path ? text : NULL);
}

static enum symbolizer_skip skip(void *context, const char *path)
{
	return blame_skip(((const struct settings *)context)->blame, path);
}

static bool want_color(const char *when)
{
	const char *no = getenv("NO_COLOR");

	if (strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(STDERR_FILENO) && !(no && no[0]);
}

/* May a recording have that name? sprofrun asks before it runs anything. */
static int check_output(const struct settings *s, const char *name)
{
	char *problem = NULL;

	if (export_check_recording(name, &problem) == 0)
		return 0;
	complain(s, "output '%s': %s", name, problem ? problem : strerror(ENOMEM));
	free(problem);
	return 2;
}

static void parse(struct settings *s, struct blame *blame, int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},
		{"check-output", required_argument, NULL, 'O'},
		{"report", required_argument, NULL, 'r'},
		{"color", required_argument, NULL, 'c'},
		{"name", required_argument, NULL, 'n'},
		{"program", required_argument, NULL, 'p'},
		{"capture", required_argument, NULL, 'C'},
		{"replay", required_argument, NULL, 'R'},
		{"skip", required_argument, NULL, 's'},
		{"call-graph", required_argument, NULL, 'g'},
		{"quiet", no_argument, NULL, 'q'},
		{"per-process", no_argument, NULL, 'P'},
		{"dump", no_argument, NULL, 'd'},
		{"per-thread", no_argument, NULL, 't'},
		{"live", required_argument, NULL, 'l'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'o':
			s->output = optarg;
			s->records = true;
			break;
		case 'O': exit(check_output(s, optarg));
		case 'r': s->report = optarg; break;
		case 'c': s->color = want_color(optarg); break;
		case 'n': s->name = optarg; break;
		case 'p': s->program = optarg; break;
		case 'C': s->capture = optarg; break;
		case 'R': s->replay = optarg; break;
		case 's': (void)blame_add(blame, optarg); break;
		case 'g': s->frame_pointers = strcmp(optarg, "fp") == 0; break;
		case 'q': s->quiet = true; break;
		case 'P':
			s->per_process = true;
			s->split = REPORT_SPLIT_PROCESS;
			break;
		case 'd': s->dump = true; break;
		case 't': s->split = REPORT_SPLIT_THREAD; break;
		case 'l':
			if (!live_settings_take(&s->live, optarg))
				exit(2);
			break;
		default: exit(2);
		}
	}
}

/* The ring of descriptor 3. NULL, and a message, when there is none. */
static uint8_t *map_ring(const struct settings *s, struct ring *ring)
{
	struct stat st;
	void *memory = MAP_FAILED;

	if (fstat(RING_FD, &st) == 0 && st.st_size > 0)
		memory = mmap(
			NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, RING_FD, 0);
	if (memory == MAP_FAILED || ring_open(ring, memory, (size_t)st.st_size) < 0) {
		complain(s,
			"sprofil-analyst is started by sprofrun; give it --replay FILE to read a "
			"capture");
		return NULL;
	}
	(void)close(RING_FD);
	return memory;
}

/* In the child of finish_run(): a profile of what there is so far, without a word. */
static int deliver_snapshot(void *context, struct analyst *analyst, int error)
{
	const struct settings *s = context;
	const char *why;
	char *name = NULL;
	int r = error < 0 ? error
			  : write_profile(s, s->output, analyst_profile(analyst),
				    analyst_first_pid(analyst), s->name, &name, &why);

	free(name);
	return -r;
}

static void say_nothing(void *context, const char *line)
{
	(void)context;
	(void)line;
}

/* For the live view: the profile so far to a file. */
static int save(void *context, const char *path)
{
	struct settings *s = context, snapshot = *s;
	struct live_session *session = s->session;
	int r;

	snapshot.output = path;
	snapshot.snapshot = true;
	s->session = NULL; /* the child that writes has no screen */
	analyst_set_snapshot(s->analyst, true);
	r = finish_run(
		&(struct finish){deliver_snapshot, say_nothing, &snapshot}, s->analyst, s->blame);
	analyst_set_snapshot(s->analyst, false);
	s->session = session;
	return r > 0 ? -r : r;
}

static int show_live(struct settings *s, struct analyst *analyst, struct ring *ring, FILE *capture)
{
	struct live_session session = {.settings = &s->live,
		.analyst = analyst,
		.ring = ring,
		.bell_fd = BELL_FD,
		.request_fd = REQUEST_FD,
		.capture = capture,
		.save = save,
		.context = s};
	int r;

	(void)setlocale(LC_CTYPE, "");
	s->analyst = analyst;
	s->session = &session;
	r = live_session_run(&session);
	s->session = NULL;
	s->stuck = session.stuck;
	s->no_screen = r == -ENOTSUP || r == -ENOTTY;
	if (s->no_screen)
		complain(s,
			"this terminal (TERM=%s) cannot be painted on; sproftop -b prints screens "
			"as plain text",
			getenv("TERM") ? getenv("TERM") : "");
	else if (r < 0 && session.unwritten)
		complain(s, "cannot write to standard output: %s", strerror(-r));
	/* Of a recording nothing is missing but the sight. */
	return s->no_screen && s->records ? 0 : r;
}

/* It has its name from the beginning: of an analyst that dies the capture so far is left. */
static FILE *open_capture(const char *path, int *ret_error, const char **ret_why)
{
	struct outfile out;
	FILE *capture = NULL;
	int r = outfile_begin(&out, path, -1, ret_why);

	if (r == 0) {
		r = outfile_name(&out);
		capture = r == 0 ? fdopen(out.fd, "w") : NULL;
		if (capture)
			out.fd = -1; /* the stream's now */
		else if (r == 0)
			r = -errno;
		outfile_abandon(&out);
	}
	*ret_error = r;
	return capture;
}

static int take_ring(struct settings *s, struct analyst *analyst, struct ring *ring)
{
	const char *why = NULL;
	int capture_error = 0, r;
	FILE *capture = s->capture ? open_capture(s->capture, &capture_error, &why) : NULL;

	if (capture_error)
		complain(s, "cannot write the capture %s: %s", s->capture,
			why ? why : strerror(-capture_error));
	if (s->live.on)
		r = show_live(s, analyst, ring, capture);
	else
		r = input_ring(analyst, ring, BELL_FD, capture, &capture_error);
	if (capture && fclose(capture) != 0 && !capture_error)
		capture_error = -errno;
	if (capture && capture_error)
		complain(
			s, "cannot write the capture %s: %s", s->capture, strerror(-capture_error));
	if (r == -EPROTO)
		complain(s, "the records are broken; the profile goes up to there");
	return r == -EPROTO ? 0 : r;
}

static int take_replay(const struct settings *s, struct analyst *analyst)
{
	int r = input_capture(analyst, s->replay);

	if (r == -EBADMSG)
		complain(s, "%s is not a capture of sprofrun --capture", s->replay);
	else if (r == -EPROTO)
		complain(s, "%s is cut short; the profile goes up to there", s->replay);
	else if (r < 0)
		complain(s, "cannot read %s: %s", s->replay, strerror(-r));
	return r == -EPROTO ? 0 : r;
}

int main(int argc, char **argv)
{
	struct settings s = {.output = "sprof.pb.gz",
		.report = "flat",
		.name = "sprofil",
		.program = "sprofrun"};
	struct blame blame = {0};
	struct ring ring;
	struct analyst *analyst;
	uint8_t *memory = NULL;
	int r;

	standard_hold();
	(void)signal(
		SIGXFSZ, SIG_IGN); /* a file that becomes too long is an error like any other */
	s.blame = &blame;
	parse(&s, &blame, argc, argv);
	vanish_survive();
	if (!s.replay) {
		memory = map_ring(&s, &ring);
		if (!memory)
			return 2;
	}
	r = blame_init(&blame, memory ? (char *)memory + RING_WORKING_ON_OFFSET : NULL);
	if (r == 0)
		r = analyst_new(&(struct analyst_options){.size = sizeof(struct analyst_options),
					.live = !s.replay,
					.frame_pointers = s.frame_pointers,
					.per_process = s.per_process,
					.working_on = working_on,
					.skip = skip,
					.context = &s},
			&analyst);
	if (r < 0) {
		complain(&s, "cannot start the analysis: %s", strerror(-r));
		return 1;
	}
	r = s.replay ? take_replay(&s, analyst) : take_ring(&s, analyst, &ring);
	if (r == 0 && (s.records || !s.live.on))
		r = finish_run(&(struct finish){deliver, say, &s}, analyst, &blame);
	if (s.stuck)
		_exit(EXIT_STUCK);
	analyst_free(analyst);
	blame_release(&blame);
	return s.no_screen ? EXIT_NO_SCREEN : r != 0;
}
