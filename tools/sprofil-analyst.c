/* SPDX-License-Identifier: MIT */
/*
 * sprofil-analyst: the second process of sprofrun, sproftop and sprofserve. It takes records from
 * the ring, a memory that it shares with the supervisor (descriptors 3 to 5,
 * supervisor/output/link.h), or from a file that --capture wrote. It makes the results that
 * analyst_results.h lists.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "analyst/blame.h"
#include "analyst/finish.h"
#include "analyst/input.h"
#include "analyst/vanish.h"
#include "base/output.h"
#include "base/stack_room.h"
#include "base/standard.h"
#include "profile/pprof.h"
#include "proto/request.h"
#include "proto/ring.h"
#include "tools/analyst/analyst_results.h"
#include "tools/analyst/analyst_settings.h"
#include "tools/analyst/delivery.h"
#include "tools/live/live_screen.h"
#include "tools/live/live_session.h"
#include "tools/live/terminfo.h"
#include "tools/sandbox/opener_start.h"
#include "tools/sandbox/sandbox.h"
#include "view/export/export.h"

enum { OPENER_SUFFIXES = 32 };

struct run {
	struct analyst_settings settings;
	struct analyst_results results;
	struct blame blame;
	/* --rotate SIZE, in bytes; 0: not given, or the rotation has been requested */
	uint64_t rotate_bytes;
	struct analyst *analyst;
	struct opener opener;
	int replay_fd;
	struct live_session *session; /* the live view; NULL: none, or in a writing child */
	bool stuck;                   /* the parent process must restore the terminal */
	bool no_screen;               /* the terminal cannot be drawn on */
};

/*
 * Third-party code begins to read the file @path; NULL: it has finished. Notes the path: if this
 * process crashes, the next process skips that file. Also shows the path on the screen.
 */
static void working_on(void *context, const char *path)
{
	struct run *run = context;
	char text[160];

	blame_working_on(&run->blame, path);
	if (!run->session || !run->session->screen)
		return;
	(void)snprintf(text, sizeof(text), "reading %s", path ? path : "");
	live_screen_busy(run->session->screen, path ? text : NULL);
}

static enum symbolizer_skip skip(void *context, const char *path)
{
	return blame_skip(&((struct run *)context)->blame, path);
}

/*
 * Maps the ring of descriptor 3. NULL: it failed, after a message. *@ret_has_mounts: the list of
 * mounts follows the ring in the memory file. Then descriptor 3 stays open for the opener, at the
 * position of the list.
 */
static uint8_t *map_ring(const struct analyst_settings *s, struct ring *ring, bool *ret_has_mounts)
{
	off_t behind;
	struct stat st;
	void *memory = MAP_FAILED;
	int r = -EBADF;

	if (fstat(LINK_RING_FD, &st) == 0 && st.st_size > 0)
		memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			LINK_RING_FD, 0);
	(void)fcntl(LINK_BELL_FD, F_SETFD, FD_CLOEXEC);
	(void)fcntl(LINK_REQUEST_FD, F_SETFD, FD_CLOEXEC);
	if (s->segment)
		(void)fcntl(PIECES_FD, F_SETFD, FD_CLOEXEC);
	if (memory != MAP_FAILED)
		r = ring_open(ring, memory, (size_t)st.st_size);
	if (r < 0) {
		if (r == -EPROTONOSUPPORT)
			standard_complain(s->program,
				"sprofil-analyst is of another version of sprofil than what "
				"started it");
		else
			standard_complain(s->program,
				"sprofil-analyst is started by sprofrun; give it --replay FILE to "
				"read a capture");
		return NULL;
	}
	behind = (off_t)ring_memory_bytes(ring->capacity);
	*ret_has_mounts = st.st_size > behind && lseek(LINK_RING_FD, behind, SEEK_SET) == behind;
	if (!*ret_has_mounts)
		(void)close(LINK_RING_FD);
	return memory;
}

static void say(void *context, const char *line)
{
	const struct analyst_results *results = context;

	standard_complain(results->settings->program, "%s", line);
}

static void say_nothing(void *context, const char *line)
{
	(void)context;
	(void)line;
}

/* Forks a child that makes a result of the profile so far, and waits for it. */
static int finish_copy(struct run *run, const struct finish *finish)
{
	struct live_session *session = run->session;
	int r;

	run->session = NULL; /* The writing child has no screen. */
	run->analyst->snapshot = true;
	r = finish_run(finish, run->analyst, &run->blame);
	run->analyst->snapshot = false;
	run->session = session;
	return r;
}

static int save(void *context, const char *path)
{
	struct run *run = context;
	struct analyst_settings settings = run->settings;
	struct analyst_results view = {&settings, &run->opener};
	int r;

	settings.output = path;
	r = finish_copy(run, &(struct finish){analyst_results_view, say_nothing, &view});
	return r > 0 ? -r : r;
}

/* Writes the profile so far: somebody sent SIGUSR2 to sprofrun. */
static void write_so_far(void *context)
{
	struct run *run = context;

	(void)finish_copy(run, &(struct finish){analyst_results_so_far, say, &run->results});
}

static void serve_so_far(void *context)
{
	struct run *run = context;

	(void)finish_copy(run, &(struct finish){analyst_results_piece, say, &run->results});
}

static void request(const struct request *request)
{
	uint8_t message[REQUEST_BYTES];

	request_put(message, request);
	(void)!write(LINK_REQUEST_FD, message, sizeof(message));
}

/* Requests a rotation when the profile so far would make a file of nearly --rotate SIZE. */
static void look_at_size(void *context)
{
	struct run *run = context;

	/*
	 * The request comes at 15/16 of the limit, because the profile grows until the next check,
	 * a second later.
	 */
	if (!run->rotate_bytes ||
		pprof_estimate(run->analyst->profile) < run->rotate_bytes - run->rotate_bytes / 16)
		return;
	run->rotate_bytes = 0;
	request(&(struct request){.type = REQUEST_ROTATE});
}

static void request_stack(void *context, uint32_t tid, uint64_t bytes)
{
	(void)context;
	request(&(struct request){.type = REQUEST_STACK, .index = tid, .value = bytes});
}

/* The request pipe is non-blocking: @data is written as a whole or not at all. */
static bool send_request(void *context, const uint8_t *data, size_t bytes)
{
	(void)context;
	return write(LINK_REQUEST_FD, data, bytes) == (ssize_t)bytes;
}

static int show_live(struct run *run, struct ring *ring, FILE *capture)
{
	const struct analyst_settings *s = &run->settings;
	struct live_session session = {.settings = &s->live,
		.analyst = run->analyst,
		.ring = ring,
		.bell_fd = LINK_BELL_FD,
		.request_fd = LINK_REQUEST_FD,
		.capture = capture,
		.save = save,
		.context = run};
	int r;

	run->session = &session;
	r = live_session_run(&session);
	run->session = NULL;
	run->stuck = session.stuck;
	run->no_screen = r == -ENOTSUP || r == -ENOTTY;
	if (run->no_screen)
		standard_complain(s->program,
			"this terminal (TERM=%s) cannot be painted on; sproftop -b prints screens "
			"as plain text",
			getenv("TERM") ? getenv("TERM") : "");
	else if (r < 0 && session.unwritten)
		standard_complain(s->program, "cannot write to standard output: %s", strerror(-r));
	/*
	 * If the terminal cannot show the view, all records were taken nevertheless. So a recording
	 * is complete and can be written: r = 0.
	 */
	return run->no_screen && s->records ? 0 : r;
}

static int take_ring(struct run *run, struct ring *ring)
{
	const struct analyst_settings *s = &run->settings;
	static struct delivered delivered;
	const struct delivery delivery = {.opener = &run->opener, .peer_fd = LINK_REQUEST_FD};
	int capture_error = 0, r;
	FILE *capture = s->capture ? delivery_capture(&delivery, &capture_error, &delivered) : NULL;

	if (capture_error)
		standard_complain(s->program, "cannot write the capture %s: %s", s->capture,
			delivered.why[0] ? delivered.why : strerror(-capture_error));
	if (s->live.on)
		r = show_live(run, ring, capture);
	else
		r = input_ring(run->analyst, ring, LINK_BELL_FD, capture, &capture_error);
	if (capture && fclose(capture) != 0 && !capture_error)
		capture_error = -errno;
	if (capture && capture_error)
		standard_complain(s->program, "cannot write the capture %s: %s", s->capture,
			strerror(-capture_error));
	if (r == -EPROTO)
		standard_complain(
			s->program, "the records are broken; the profile goes up to there");
	return r == -EPROTO ? 0 : r;
}

static void complain_unread(const struct analyst_settings *s, int error)
{
	standard_complain(s->program, "cannot read %s: %s", s->replay, strerror(-error));
}

static int take_replay(const struct run *run)
{
	const struct analyst_settings *s = &run->settings;
	int r = input_capture(run->analyst, run->replay_fd);

	if (r == -EBADMSG)
		standard_complain(
			s->program, "%s is not a capture of sprofrun --capture", s->replay);
	else if (r == -EPROTO)
		standard_complain(
			s->program, "%s is cut short; the profile goes up to there", s->replay);
	else if (r < 0)
		complain_unread(s, r);
	return r == -EPROTO ? 0 : r;
}

/*
 * @has_mounts is the result of map_ring(). The arguments limit what the opener may do; later
 * requests cannot extend that.
 */
static int start_opener(const struct analyst_settings *s, bool has_mounts,
	struct opener *ret_opener, pid_t *ret_pid)
{
	const char *argv[17 + 2 * OPENER_SUFFIXES] = {"", ""};
	char supervisor[12], mounts[12];
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
	if (has_mounts) {
		(void)snprintf(mounts, sizeof(mounts), "%d", LINK_RING_FD);
		argv[n++] = "--mounts";
		argv[n++] = mounts;
	}
	if (s->live.on)
		argv[n++] = "--view";
	if (s->live.log) {
		argv[n++] = "--log";
		argv[n++] = s->live.log;
	}
	for (size_t i = 0; s->live.on && export_suffix_at(i) && i < OPENER_SUFFIXES; i++) {
		argv[n++] = "--suffix";
		argv[n++] = export_suffix_at(i);
	}
	return opener_start(argv, ret_opener, ret_pid);
}

/* Loads time zone, character set and terminal description, and enters the sandbox. */
static int give_up_rights(struct run *run)
{
	struct analyst_settings *s = &run->settings;
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
		standard_complain(s->program, "the description of the terminal is not found");
	if (s->replay) {
		run->replay_fd = open(s->replay, O_RDONLY | O_CLOEXEC);
		if (run->replay_fd < 0)
			return -errno;
	}
	keep[0] = run->opener.fd;
	keep[1] = s->replay ? run->replay_fd : LINK_BELL_FD;
	keep[2] = s->replay ? -1 : LINK_REQUEST_FD;
	keep[3] = s->live.in_fd;
	keep[4] = s->segment ? PIECES_FD : -1;
	keep[5] = s->pieces.on ? s->pieces.own_fd : -1;
	for (size_t i = 0; i < PIECES_BEFORE_MOST; i++)
		keep[6 + i] = i < s->pieces.before ? s->pieces.before_fd[i] : -1;
	sandbox_close_others(keep, sizeof(keep) / sizeof(*keep));
	sandbox_enter(&sandbox);
	if (s->verbose)
		standard_complain(s->program, "the analyst's sandbox: %s", sandbox.holds);
	if (s->verbose && sandbox.lacks[0])
		standard_complain(s->program, "the analyst's sandbox lacks: %s", sandbox.lacks);
	return 0;
}

static int analyse(struct run *run, struct ring *ring)
{
	const struct analyst_settings *s = &run->settings;
	const char *rank = s->replay ? NULL : output_known_rank();
	struct utsname host;
	int r = analyst_new(&(struct analyst_options){.live = !s->replay,
				    .frame_pointers = s->frame_pointers,
				    .per_process = s->per_process,
				    .no_timeline = s->no_timeline,
				    .user_only = s->user_only,
				    .jit_map = s->jit_map,
				    .runtimes = {.show = s->python,
					    .own_frames = s->interpreter_frames,
					    .request = s->replay ? NULL : send_request},
				    .threads = s->threads,
				    .rank = rank,
				    .ranks = output_ranks(),
				    .host = rank && uname(&host) == 0 ? host.nodename : NULL,
				    .working_on = working_on,
				    .skip = skip,
				    .second = run->rotate_bytes ? look_at_size : NULL,
				    .snapshot = s->replay || s->dump ? NULL : write_so_far,
				    .serve = s->segment ? serve_so_far : NULL,
				    .stack_needs = s->replay || s->dump ? NULL : request_stack,
				    .context = run,
				    .opener = &run->opener},
		&run->analyst);

	if (r < 0) {
		standard_complain(s->program, "cannot start the analysis: %s", strerror(-r));
		return r;
	}
	r = s->replay ? take_replay(run) : take_ring(run, ring);
	if (r == 0 && (s->records || !s->live.on))
		r = finish_run(&(struct finish){analyst_results_end, say, &run->results},
			run->analyst, &run->blame);
	if (run->stuck)
		_exit(LIVE_EXIT_STUCK);
	analyst_free(run->analyst);
	return r;
}

static int run_all(int argc, char **argv)
{
	struct run run = {0};
	struct analyst_settings *s = &run.settings;
	struct ring ring;
	uint8_t *memory = NULL;
	bool has_mounts = false;
	pid_t opener_pid;
	int r;

	standard_hold();
	/*
	 * A write beyond the limit of file sizes then fails with EFBIG, instead of killing this
	 * process.
	 */
	(void)signal(SIGXFSZ, SIG_IGN);
	analyst_settings_parse(s, &run.blame, argc, argv);
	run.rotate_bytes = s->rotate_bytes;
	/* Without a view, a pipe without a reader is an ordinary error (EPIPE). */
	if (!s->live.on)
		(void)signal(SIGPIPE, SIG_IGN);
	vanish_survive();
	if (!s->replay) {
		memory = map_ring(s, &ring, &has_mounts);
		if (!memory)
			return 2;
	}
	r = start_opener(s, has_mounts, &run.opener, &opener_pid);
	if (r < 0) {
		standard_complain(s->program,
			"cannot start sprofil-opener, which belongs beside sprofil-analyst: %s",
			strerror(-r));
		return 2;
	}
	run.results = (struct analyst_results){s, &run.opener};
	r = give_up_rights(&run);
	if (r < 0)
		complain_unread(s, r);
	if (r == 0)
		r = blame_init(&run.blame, memory ? (char *)memory + RING_WORKING_ON_OFFSET : NULL);
	if (r == 0)
		r = analyse(&run, &ring);
	blame_release(&run.blame);
	opener_end(&run.opener, opener_pid);
	analyst_settings_release(s);
	return run.no_screen ? LIVE_EXIT_NO_SCREEN : r != 0;
}

int main(int argc, char **argv)
{
	return stack_room_run(run_all, argc, argv);
}
