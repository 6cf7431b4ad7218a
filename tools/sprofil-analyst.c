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
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "analyst/blame.h"
#include "analyst/finish.h"
#include "analyst/input.h"
#include "analyst/output.h"
#include "analyst/vanish.h"
#include "analyst/processes.h"
#include "profile/profile.h"
#include "proto/record.h"
#include "proto/request.h"
#include "proto/ring.h"
#include "tools/delivery.h"
#include "tools/file_size.h"
#include "tools/live_screen.h"
#include "tools/live_session.h"
#include "tools/opener_start.h"
#include "tools/piece_send.h"
#include "tools/pieces.h"
#include "tools/sandbox.h"
#include "tools/standard.h"
#include "tools/terminfo.h"
#include "view/dump.h"
#include "view/export.h"
#include "view/export_name.h"
#include "view/report.h"

/* Of a server, the pipe to it; of --ring, the piece of its own, and those before. */
enum { RING_FD = 3, BELL_FD = 4, REQUEST_FD = 5, PIECES_FD = 6, PIECE_FD = PIECES_FD };
enum { OPENER_SUFFIXES = 32 };
enum { EXIT_STUCK = 3, EXIT_NO_SCREEN = 4 }; /* tools/live_front.h knows them */

struct settings {
	const char *output, *report, *name, *capture, *replay;
	const char *program; /* that started us, for messages */
	bool color, quiet, verbose, frame_pointers, per_process, dump, no_timeline;
	bool apart;       /* a profile of each process, and the output is a pattern for it */
	bool records;     /* a profile is to be written */
	uint32_t segment; /* pieces go to a server, and bear this number; 0: none do */
	bool unwritten;   /* and nowhere else */
	bool stuck;       /* the terminal was not given back: whoever started us must do it */
	struct pieces pieces;       /* --ring */
	struct file_size file_size; /* --rotate SIZE */
	const char *keep; /* so many profiles that differ by their time; NULL: all */
	bool no_screen;   /* the terminal cannot be drawn on */
	enum report_split split;
	struct live_settings live;
	struct blame *blame;
	struct analyst *analyst;
	struct opener *opener;
	int replay_fd;
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

static struct delivery delivery_of(const struct settings *s)
{
	return (struct delivery){.opener = s->opener, .peer_fd = s->replay ? -1 : REQUEST_FD};
}

/* @of: the process's name, for %n. */
static int write_profile(const struct settings *s, const struct profile *profile, uint32_t pid,
	const char *of, struct delivered *ret_delivered)
{
	struct delivery delivery = delivery_of(s);

	if (strcmp(s->output, "-") != 0)
		return delivery_write(&delivery, OPENING_OUTPUT, pid, of, profile, ret_delivered);
	*ret_delivered = (struct delivered){.name = "-"};
	return delivery_print(&delivery, profile);
}

/* What was measured is not thrown away because of a bad name. */
static void complain_unwritten(const struct settings *s, const struct delivered *delivered,
	int error, const struct profile *profile)
{
	struct delivery delivery = delivery_of(s);
	struct delivered kept;
	const char *why = delivered->why;
	bool is_kept = delivery_write(&delivery, OPENING_KEEP, 0, "", profile, &kept) == 0;

	if (!why[0])
		why = error == -EINTR ? "nobody reads it" : strerror(-error);
	complain(s, "cannot write the profile to %s: %s%s%s",
		delivered->name[0] ? delivered->name : s->output, why,
		is_kept ? "; it is kept in " : "", is_kept ? kept.name : "");
}

/* A profile of each process; s->output is a pattern that tells them apart. */
static int write_apart(
	const struct settings *s, struct analyst *analyst, struct delivered *ret_delivered)
{
	const struct processes *processes = analyst_processes(analyst);
	int r = 0;

	for (size_t i = 0; i < processes->n && r == 0; i++) {
		const struct process_facts *facts = &processes->list[i];
		struct profile *profile;

		r = processes_profile(facts, analyst_profile(analyst), &profile);
		if (r < 0)
			break;
		r = write_profile(s, profile, facts->pid, facts->name, ret_delivered);
		profile_free(profile);
	}
	if (r == 0 && !s->quiet)
		complain(s, "%zu profiles, of a process each, are in %s%s (%%p is the process id)",
			processes->n, s->output, export_remark(s->output));
	return r;
}

static void print_report(const struct settings *s, const struct profile *profile)
{
	const struct report *report = report_find(s->report);
	struct winsize size = {0};
	struct report_options options = {
		.size = sizeof(options), .limit = 20, .split = s->split, .color = s->color};
	char *problem = NULL;

	if (!report || report->wants_function || report->print_sides)
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

/* In a child of finish_run(). A server that has ended is no concern of the profile. */
static void serve(const struct settings *s, const struct analyst *analyst, enum piece_kind kind)
{
	struct piece piece = {.kind = kind, .segment = s->segment};
	int r;

	analyst_times(analyst, &piece.began_ns, &piece.until_ns);
	r = piece_send(PIECES_FD, &piece, analyst_profile((struct analyst *)analyst));
	if (r < 0 && r != -EPIPE && r != -ECONNRESET)
		complain(s, "a piece of the profile did not reach the server: %s", strerror(-r));
}

/* Of --ring, in the child of finish_run(): a piece to be kept, or what all of them tell. */
static int deliver_pieces(
	const struct settings *s, struct analyst *analyst, struct delivered *ret_delivered)
{
	struct delivery delivery = delivery_of(s);
	unsigned flags = analyst_end_flags(analyst);
	struct profile *all;
	int r;

	if (flags & RECORD_END_PIECE) {
		r = pieces_keep(s->pieces.own_fd, analyst_profile(analyst));
		if (r < 0)
			complain(s, "cannot keep a piece of --ring: %s; it will be missing",
				strerror(-r));
		return 0;
	}
	if (flags & RECORD_END_UNASKED) {
		if (!s->quiet)
			complain(s, "no profile was written: with --ring it is when SIGUSR2 asks, "
				    "or a signal ends what is profiled");
		return 0;
	}
	delivery.snapshot = true;
	r = pieces_join(&s->pieces, analyst_profile(analyst), &all);
	if (r < 0)
		return r;
	r = delivery_write(&delivery, OPENING_OUTPUT, analyst_first_pid(analyst), s->name, all,
		ret_delivered);
	print_report(s, all);
	if (r < 0)
		complain_unwritten(s, ret_delivered, r, all);
	else if (!s->quiet)
		print_place(s, ret_delivered->name);
	profile_free(all);
	return r;
}

/* In the child of finish_run(). */
static int deliver(void *context, struct analyst *analyst, int error)
{
	static struct delivered delivered;
	const struct settings *s = context;
	int r = error;

	if (s->dump && error >= 0) {
		error = dump_print(analyst_profile(analyst), stdout);
		return standard_printed(s->program, 1) || error < 0;
	}
	if (error < 0)
		complain(s, "cannot make the profile: %s", strerror(-error));
	else if (!analyst_has_image(analyst))
		return 0; /* the command never ran; sprofrun says why */
	if (error >= 0 && s->segment)
		serve(s, analyst, PIECE_WHOLE);
	if (s->unwritten)
		return error < 0;
	if (error < 0)
		r = error;
	else if (s->pieces.on)
		return deliver_pieces(s, analyst, &delivered) < 0;
	else if (s->apart)
		r = write_apart(s, analyst, &delivered);
	else
		r = write_profile(s, analyst_profile(analyst), analyst_first_pid(analyst), s->name,
			&delivered);
	if (error >= 0) {
		print_report(s, analyst_profile(analyst));
		if (r < 0)
			complain_unwritten(s, &delivered, r, analyst_profile(analyst));
		else if (!s->quiet && !s->apart && strcmp(delivered.name, "-") != 0)
			print_place(s, delivered.name);
		if (s->per_process && !s->apart && !s->quiet)
			complain(s, "%s is no regular file: all processes are in one profile there",
				delivered.name[0] ? delivered.name : s->output);
	}
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

/* Descriptors that we are started with: our own, and @before others. */
static void take_pieces(struct pieces *pieces, size_t before)
{
	pieces->on = true;
	pieces->own_fd = PIECE_FD;
	pieces->before = before < PIECES_BEFORE_MOST ? before : PIECES_BEFORE_MOST;
	for (size_t i = 0; i < pieces->before; i++)
		pieces->before_fd[i] = PIECE_FD + 1 + (int)i;
	for (int fd = PIECE_FD; fd <= PIECE_FD + (int)pieces->before; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
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
		{"verbose", no_argument, NULL, 'v'},
		{"per-process", no_argument, NULL, 'P'},
		{"dump", no_argument, NULL, 'd'},
		{"no-timeline", no_argument, NULL, 'T'},
		{"per-thread", no_argument, NULL, 't'},
		{"keep", required_argument, NULL, 'k'},
		{"rotate-bytes", required_argument, NULL, 'b'},
		{"pieces", required_argument, NULL, 'i'},
		{"live", required_argument, NULL, 'l'},
		{"segment", required_argument, NULL, 'S'},
		{"no-output", no_argument, NULL, 'N'},
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
		case 'v': s->verbose = true; break;
		case 'P':
			s->per_process = true;
			s->split = REPORT_SPLIT_PROCESS;
			break;
		case 'd': s->dump = true; break;
		case 'T': s->no_timeline = true; break;
		case 't': s->split = REPORT_SPLIT_THREAD; break;
		case 'k': s->keep = optarg; break;
		case 'S': s->segment = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'N': s->unwritten = true; break;
		case 'b':
			if (file_size_begin(&s->file_size, strtoull(optarg, NULL, 10)) < 0)
				exit(2);
			break;
		case 'i': take_pieces(&s->pieces, strtoul(optarg, NULL, 10)); break;
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
	(void)fcntl(BELL_FD, F_SETFD, FD_CLOEXEC);
	(void)fcntl(REQUEST_FD, F_SETFD, FD_CLOEXEC);
	if (s->segment)
		(void)fcntl(PIECES_FD, F_SETFD, FD_CLOEXEC);
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
	static struct delivered delivered;
	const struct settings *s = context;
	struct delivery delivery = delivery_of(s);
	int r = error < 0 ? error
			  : delivery_write(&delivery, OPENING_VIEW, 0, s->output,
				    analyst_profile(analyst), &delivered);

	return -r;
}

/* In the child of finish_run(): the profile so far, named by the time. */
static int deliver_so_far(void *context, struct analyst *analyst, int error)
{
	static struct delivered delivered;
	const struct settings *s = context;
	struct delivery delivery = delivery_of(s);
	int r = error;

	if (r >= 0 && s->pieces.on)
		return deliver_pieces(s, analyst, &delivered) < 0;
	delivery.snapshot = true;
	if (r >= 0)
		r = delivery_write(&delivery, OPENING_OUTPUT, analyst_first_pid(analyst), s->name,
			analyst_profile(analyst), &delivered);
	if (r < 0)
		complain(s, "cannot write the snapshot %s: %s", delivered.name,
			delivered.why[0] ? delivered.why : strerror(-r));
	else if (!s->quiet)
		print_place(s, delivered.name);
	return r < 0;
}

/* In the child of finish_run(). */
static int deliver_piece(void *context, struct analyst *analyst, int error)
{
	if (error >= 0)
		serve(context, analyst, PIECE_SO_FAR);
	return error < 0;
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
	s->session = NULL; /* the child that writes has no screen */
	analyst_set_snapshot(s->analyst, true);
	r = finish_run(
		&(struct finish){deliver_snapshot, say_nothing, &snapshot}, s->analyst, s->blame);
	analyst_set_snapshot(s->analyst, false);
	s->session = session;
	return r > 0 ? -r : r;
}

/* SIGUSR2 to sprofrun, in the midst of the records. */
static void write_so_far(void *context)
{
	struct settings *s = context;
	struct live_session *session = s->session;

	s->session = NULL; /* the child that writes has no screen */
	analyst_set_snapshot(s->analyst, true);
	(void)finish_run(&(struct finish){deliver_so_far, say, s}, s->analyst, s->blame);
	analyst_set_snapshot(s->analyst, false);
	s->session = session;
}

/* The server asks, in the midst of the records. */
static void serve_so_far(void *context)
{
	struct settings *s = context;

	analyst_set_snapshot(s->analyst, true);
	(void)finish_run(&(struct finish){deliver_piece, say, s}, s->analyst, s->blame);
	analyst_set_snapshot(s->analyst, false);
}

/* --rotate SIZE: the supervisor is told when the file is long enough. */
static void look_at_size(void *context)
{
	struct settings *s = context;
	uint8_t message[REQUEST_BYTES];

	if (!file_size_is_reached(&s->file_size, analyst_profile(s->analyst)))
		return;
	request_put(message, &(struct request){.type = REQUEST_ROTATE});
	(void)!write(REQUEST_FD, message, sizeof(message));
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

static int take_ring(struct settings *s, struct analyst *analyst, struct ring *ring)
{
	static struct delivered delivered;
	const struct delivery delivery = {.opener = s->opener, .peer_fd = -1};
	int capture_error = 0, r;
	FILE *capture = s->capture ? delivery_capture(&delivery, &capture_error, &delivered) : NULL;

	if (capture_error)
		complain(s, "cannot write the capture %s: %s", s->capture,
			delivered.why[0] ? delivered.why : strerror(-capture_error));
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

static void complain_unread(const struct settings *s, int error)
{
	complain(s, "cannot read %s: %s", s->replay, strerror(-error));
}

static int take_replay(const struct settings *s, struct analyst *analyst)
{
	int r = input_capture(analyst, s->replay_fd);

	if (r == -EBADMSG)
		complain(s, "%s is not a capture of sprofrun --capture", s->replay);
	else if (r == -EPROTO)
		complain(s, "%s is cut short; the profile goes up to there", s->replay);
	else if (r < 0)
		complain_unread(s, r);
	return r == -EPROTO ? 0 : r;
}

/* The command line of the opener: what it may do is settled before any record is read. */
static int start_opener(const struct settings *s, struct opener *ret_opener, pid_t *ret_pid)
{
	const char *argv[15 + 2 * OPENER_SUFFIXES] = {"", ""};
	char supervisor[12];
	size_t n = 2;

	(void)snprintf(supervisor, sizeof(supervisor), "%d", s->replay ? 0 : getppid());
	argv[n++] = "--supervisor";
	argv[n++] = supervisor;
	if ((s->records || !s->live.on) && !s->unwritten) {
		argv[n++] = "--output";
		argv[n++] = s->output;
	}
	if (s->keep) {
		argv[n++] = "--keep";
		argv[n++] = s->keep;
	}
	if (s->capture) {
		argv[n++] = "--capture";
		argv[n++] = s->capture;
	}
	if (s->live.on)
		argv[n++] = "--view";
	if (s->live.log) {
		argv[n++] = "--log";
		argv[n++] = s->live.log;
	}
	for (size_t i = 0; s->live.on && export_at(i) && i < OPENER_SUFFIXES; i++) {
		argv[n++] = "--suffix";
		argv[n++] = export_at(i)->suffix;
	}
	return opener_start(argv, ret_opener, ret_pid);
}

/* What needs files is read now: time zone, character set, the terminal's description. */
static int give_up_rights(struct settings *s)
{
	int keep[6 + PIECES_BEFORE_MOST] = {-1, -1, -1, -1, -1, -1}, r = 0;
	struct sandbox sandbox;

	(void)setlocale(LC_CTYPE, "");
	tzset();
	if (s->live.on && !s->live.batch) {
		r = terminfo_keep(getenv("TERM"));
		if (!isatty(STDIN_FILENO))
			s->live.in_fd = open("/dev/tty", O_RDONLY | O_CLOEXEC);
	}
	if (r < 0 && s->verbose)
		complain(s, "the description of the terminal is not found");
	if (s->replay) {
		s->replay_fd = open(s->replay, O_RDONLY | O_CLOEXEC);
		if (s->replay_fd < 0)
			return -errno;
	}
	keep[0] = s->opener->fd;
	keep[1] = s->replay ? s->replay_fd : BELL_FD;
	keep[2] = s->replay ? -1 : REQUEST_FD;
	keep[3] = s->live.in_fd;
	keep[4] = s->segment ? PIECES_FD : -1;
	keep[5] = s->pieces.on ? s->pieces.own_fd : -1;
	for (size_t i = 0; i < PIECES_BEFORE_MOST; i++)
		keep[6 + i] = i < s->pieces.before ? s->pieces.before_fd[i] : -1;
	sandbox_close_others(keep, sizeof(keep) / sizeof(*keep));
	sandbox_enter(&sandbox);
	if (s->verbose)
		complain(s, "the analyst's sandbox: %s", sandbox.holds);
	if (s->verbose && sandbox.lacks[0])
		complain(s, "the analyst's sandbox lacks: %s", sandbox.lacks);
	return 0;
}

static int analyse(struct settings *s, struct blame *blame, struct ring *ring)
{
	const char *rank = s->replay ? NULL : output_known_rank();
	struct utsname host;
	struct analyst *analyst;
	int r = analyst_new(&(struct analyst_options){.size = sizeof(struct analyst_options),
				    .live = !s->replay,
				    .frame_pointers = s->frame_pointers,
				    .per_process = s->per_process,
				    .no_timeline = s->no_timeline,
				    .rank = rank,
				    .ranks = output_ranks(),
				    .host = rank && uname(&host) == 0 ? host.nodename : NULL,
				    .working_on = working_on,
				    .skip = skip,
				    .second = s->file_size.most_bytes ? look_at_size : NULL,
				    .snapshot = s->replay || s->dump ? NULL : write_so_far,
				    .serve = s->segment ? serve_so_far : NULL,
				    .context = s,
				    .opener = s->opener},
		&analyst);

	if (r < 0) {
		complain(s, "cannot start the analysis: %s", strerror(-r));
		return r;
	}
	s->analyst = analyst;
	r = s->replay ? take_replay(s, analyst) : take_ring(s, analyst, ring);
	if (r == 0 && (s->records || !s->live.on))
		r = finish_run(&(struct finish){deliver, say, s}, analyst, blame);
	if (s->stuck)
		_exit(EXIT_STUCK);
	analyst_free(analyst);
	return r;
}

int main(int argc, char **argv)
{
	struct settings s = {.output = "sprof.pb.gz",
		.report = "flat",
		.name = "sprofil",
		.program = "sprofrun"};
	struct blame blame = {0};
	struct opener opener;
	struct ring ring;
	uint8_t *memory = NULL;
	char *apart = NULL;
	pid_t opener_pid;
	int r;

	standard_hold();
	/* A file that becomes too long is an error like any other. */
	(void)signal(SIGXFSZ, SIG_IGN);
	s.blame = &blame;
	parse(&s, &blame, argc, argv);
	/* So is one that nobody reads; but for a view that ends then. */
	if (!s.live.on)
		(void)signal(SIGPIPE, SIG_IGN);
	vanish_survive();
	if (!s.replay) {
		memory = map_ring(&s, &ring);
		if (!memory)
			return 2;
	}
	if (s.per_process && !is_in_place(s.output)) {
		apart = strstr(s.output, "%p") ? strdup(s.output) : output_apart(s.output, "%p");
		s.apart = apart;
		s.output = apart ? apart : s.output;
	}
	r = start_opener(&s, &opener, &opener_pid);
	if (r < 0) {
		complain(&s,
			"cannot start sprofil-opener, which belongs beside sprofil-analyst: %s",
			strerror(-r));
		return 2;
	}
	s.opener = &opener;
	r = give_up_rights(&s);
	if (r < 0)
		complain_unread(&s, r);
	if (r == 0)
		r = blame_init(&blame, memory ? (char *)memory + RING_WORKING_ON_OFFSET : NULL);
	if (r == 0)
		r = analyse(&s, &blame, &ring);
	blame_release(&blame);
	opener_end(&opener, opener_pid);
	free(apart);
	return s.no_screen ? EXIT_NO_SCREEN : r != 0;
}
