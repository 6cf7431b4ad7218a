/* SPDX-License-Identifier: MIT */
#include "tools/live/live_session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "analyst/input.h"
#include "analyst/threads.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/standard.h"
#include "base/text.h"
#include "profile/profile.h"
#include "proto/record.h"
#include "proto/request.h"
#include "tools/front/live_settings.h"
#include "tools/live/live_choice.h"
#include "tools/live/live_screen.h"
#include "tools/live/live_sources.h"
#include "view/export/export.h"
#include "view/export/export_name.h"

#define TARGET_BYTES 256
/* Shortest time between two drawings. */
#define FRAME_NS (CLOCK_SECOND_NS / 10)
/*
 * The time from one update to the next is at least this many times the first one's CPU time: so
 * updates use at most 2 % of a CPU.
 */
#define LOOK_SHARE 50

struct running {
	struct live_session *session;
	struct live *live;
	struct live_screen *painter; /* NULL in batch mode */
	struct screen model;
	struct thread_states states;
	struct live_choice choice;
	struct live_thread *thread;
	size_t thread_room;
	unsigned rows, columns;
	int signal_fd;
	bool open;  /* the supervisor has its end of the doorbell pipe open */
	bool ended; /* RECORD_END has come */
	bool quit;  /* the user leaves */
	/* the screen may open: the target has run its program, or an audit has come */
	bool started;
	bool changed, anew;
	uint64_t begun_ns, drawn_ns, updated_ns, printed;
	uint64_t not_before_ns; /* earliest time of the next update */
	const char *keys;       /* the rest of --keys */
	int error;
};

static void ask_supervisor(struct running *run, uint32_t type, uint64_t value)
{
	uint8_t message[REQUEST_BYTES];

	request_put(message, &(struct request){.type = type, .value = value});
	(void)!write(run->session->request_fd, message, sizeof(message));
}

static enum live_target_state state_of(const struct running *run, int *ret_status, int *ret_signal)
{
	const struct analyst *analyst = run->session->analyst;
	uint32_t status = analyst->first_status;
	bool exited = analyst->first_ended;

	*ret_status = -1;
	*ret_signal = 0;
	if (exited && status != RECORD_EXIT_DETACHED) {
		*ret_status = WEXITSTATUS((int)status);
		*ret_signal = WIFSIGNALED((int)status) ? WTERMSIG((int)status) : 0;
	}
	if (!run->ended && !run->open)
		return LIVE_CUT_OFF;
	if (run->ended)
		return exited && status != RECORD_EXIT_DETACHED ? LIVE_ENDED : LIVE_LET_GO;
	return run->started ? LIVE_RUNS : LIVE_STARTS;
}

static int read_threads(struct running *run)
{
	int r = thread_states_read(&run->states, run->session->analyst);

	if (r < 0)
		return r;
	if (array_grow(&run->thread, &run->thread_room, run->states.n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < run->states.n; i++) {
		const struct thread_state *from = &run->states.thread[i];

		run->thread[i] = (struct live_thread){.pid = from->pid,
			.tid = from->tid,
			.state = from->state,
			.left_out = live_choice_leaves_out(&run->choice, from->tid, from->name)};
		memcpy(run->thread[i].name, from->name, sizeof(from->name));
	}
	return 0;
}

/* The target's name, "redis-server (1234)", follows an exec. */
static const char *name_target(const struct running *run, char text[TARGET_BYTES])
{
	const struct live_settings *s = run->session->settings;
	const struct analyst *analyst = run->session->analyst;

	if (!s->one_process || !analyst->main_changed)
		return s->target;
	(void)snprintf(text, TARGET_BYTES, "%s (%" PRIu32 ")", text_basename(analyst->main_path),
		analyst->first_pid);
	return text;
}

static int update(struct running *run, uint64_t now)
{
	struct analyst *analyst = run->session->analyst;
	char target[TARGET_BYTES];
	struct live_facts facts = {.target = name_target(run, target), .begun_ns = run->begun_ns};
	uint64_t cpu;
	int r = analyst_name_new(analyst);

	/* Naming happens only once: its time does not count as a cost of updates. */
	cpu = clock_read(CLOCK_THREAD_CPUTIME_ID);
	facts.state = state_of(run, &facts.status, &facts.signal);
	run->states.n = 0;
	if (r == 0 && live_wants_threads(run->live))
		r = read_threads(run);
	if (r == 0)
		r = analyst_factors(analyst, &facts.factor, &facts.factors);
	facts.thread = run->thread;
	facts.threads = run->states.n;
	run->updated_ns = now;
	run->changed = true;
	if (r == 0)
		r = live_update(run->live, analyst->profile, &facts, now);
	live_tell_stopped(run->live,
		facts.state == LIVE_RUNS && live_is_idle(run->live) &&
			thread_states_all_stopped(analyst));
	run->not_before_ns = now + (clock_read(CLOCK_THREAD_CPUTIME_ID) - cpu) * LOOK_SHARE;
	return r;
}

static uint64_t next_update_ns(const struct running *run)
{
	uint64_t next = run->updated_ns + CLOCK_SECOND_NS, due = live_due_ns(run->live);

	if (due < next)
		next = due;
	return next > run->not_before_ns ? next : run->not_before_ns;
}

/* Performs the user's requests that the view cannot perform. */
static void serve(struct running *run)
{
	struct control *control = live_control(run->live);
	char text[512], *problem = NULL;
	int r;

	if (control->quit)
		run->quit = true;
	if (control->redraw)
		run->anew = true;
	if (control->period_ns)
		ask_supervisor(run, REQUEST_PERIOD, control->period_ns);
	if (control->change_freeze)
		ask_supervisor(run, REQUEST_FREEZE, control->freeze);
	if (control->save_as) {
		/*
		 * Names without a known format are refused here, with a reason. The opener would
		 * refuse them, too, but gives no reason.
		 */
		bool named = export_find_for_file(control->save_as);

		if (!named)
			r = -EINVAL;
		else if (export_check_recording(control->save_as, &problem) < 0)
			r = -ENOMEM; /* shown only without a @problem */
		else
			r = run->session->save(run->session->context, control->save_as);
		if (!named)
			(void)snprintf(text, sizeof(text),
				"cannot save to %.300s: the name must tell the format, like "
				"sproftop%s",
				control->save_as, export_at(0)->suffix);
		else if (problem)
			(void)snprintf(text, sizeof(text), "%s", problem);
		else if (r < 0)
			(void)snprintf(text, sizeof(text), "cannot save to %.300s: %s",
				control->save_as, strerror(-r));
		else
			(void)snprintf(text, sizeof(text), "saved to %.300s%s", control->save_as,
				export_remark(control->save_as));
		live_say(run->live, text);
	}
	free(problem);
	free(control->save_as);
	*control = (struct control){0};
}

static int press(struct running *run, struct live_key key)
{
	bool wanted = live_wants_threads(run->live);
	int r = 0;

	if (key.code == LIVE_SCREEN_GONE) {
		run->quit = true;
	} else if (key.code == LIVE_SCREEN_RESIZED) {
		run->rows = key.row ? key.row : run->rows;
		run->columns = key.column ? key.column : run->columns;
	} else {
		r = live_press(run->live, key);
		serve(run);
		if (r == 0 && live_wants_threads(run->live) && !wanted)
			r = update(run, clock_now());
	}
	run->changed = true;
	return r;
}

/*
 * Presses the keys of --keys. Each character is a key; backslash and a letter stand for Esc (\e)
 * and Enter (\r), two backslashes for one.
 */
static int press_script(struct running *run)
{
	int r = 0;

	while (r == 0 && run->keys && *run->keys && !run->quit) {
		struct live_key key = {.code = text_next(&run->keys)};

		if (key.code == '\\' &&
			(*run->keys == 'e' || *run->keys == 'r' || *run->keys == '\\')) {
			key.code = *run->keys == 'e' ? LIVE_KEY_ESCAPE
				: *run->keys == 'r'  ? LIVE_KEY_ENTER
						     : '\\';
			run->keys++;
		}
		r = press(run, key);
	}
	return r;
}

static int draw(struct running *run, uint64_t now)
{
	int r = screen_resize(&run->model, run->rows, run->columns);

	if (r == 0)
		r = live_draw(run->live, &run->model);
	if (r == 0 && run->painter) {
		r = live_screen_show(run->painter, &run->model, run->anew);
	} else if (r == 0) {
		if (run->printed++)
			(void)fputc('\n', stdout);
		screen_print(&run->model, stdout);
		r = standard_end_output();
		run->session->unwritten = r < 0;
		if (ferror(stdout))
			run->quit = true; /* the reader of our standard output has left */
	}
	run->changed = run->anew = false;
	run->drawn_ns = now;
	return r;
}

/* Returns how long this process may sleep; -1: no limit. */
static int sleep_ms(const struct running *run, uint64_t now)
{
	uint64_t until = run->ended ? UINT64_MAX : next_update_ns(run);

	if (run->changed && run->painter && run->drawn_ns + FRAME_NS < until)
		until = run->drawn_ns + FRAME_NS;
	if (until == UINT64_MAX)
		return -1;
	return until > now ? (int)((until - now + 999999) / 1000000) : 0;
}

static int await(struct running *run)
{
	struct live_session *s = run->session;
	struct signalfd_siginfo info;
	struct pollfd fd[3] = {{.fd = run->open ? s->bell_fd : -1, .events = POLLIN},
		{.fd = run->painter ? live_screen_fd(run->painter) : -1, .events = POLLIN},
		{.fd = run->signal_fd, .events = POLLIN}};
	struct live_key key;
	bool sleeps = run->open && ring_sleep(s->ring);
	int timeout = run->open && !sleeps ? 0 : sleep_ms(run, clock_now()), r = 0;

	(void)poll(fd, 3, timeout);
	if (sleeps)
		ring_wake(s->ring);
	if (fd[0].revents && !input_bell(s->bell_fd))
		run->open = false;
	while (r == 0 && fd[1].revents && live_screen_key(run->painter, &key))
		r = press(run, key);
	if (fd[2].revents && read(run->signal_fd, &info, sizeof(info)) > 0)
		run->quit = true;
	return r;
}

/*
 * Sets the terminal modes that were in force before the live view. The screen takes them as those
 * to restore at its end.
 */
static void set_modes(const char *hex)
{
	struct termios modes;
	unsigned char *byte = (unsigned char *)&modes;
	unsigned value;

	if (!hex || strlen(hex) != 2 * sizeof(modes))
		return;
	for (size_t i = 0; i < sizeof(modes); i++) {
		if (sscanf(hex + 2 * i, "%2x", &value) != 1)
			return;
		byte[i] = (unsigned char)value;
	}
	(void)tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
}

/* Opens the screen once there is something to show; until then the terminal stays as it is. */
static int open_screen(struct running *run)
{
	struct live_session *s = run->session;
	uint64_t wall;
	int r;

	/*
	 * A sleeping target has no samples, but the supervisor's figures ("wall_ns") come once a
	 * second.
	 */
	if (!run->ended && profile_audit(s->analyst->profile, "wall_ns", &wall) && wall)
		run->started = true;
	run->started |= analyst_has_image(s->analyst);
	if (s->analyst->end_flags & RECORD_END_REFUSED)
		/* Attaching to one of the named processes failed: none is profiled. */
		run->started = false;
	if (run->painter || s->settings->batch || !run->started)
		return 0;
	set_modes(s->settings->modes);
	r = live_screen_open(
		s->settings->color, s->settings->suspends, s->settings->in_fd, &run->painter);
	if (r < 0)
		return r;
	live_screen_size(run->painter, &run->rows, &run->columns);
	s->screen = run->painter;
	run->changed = true;
	run->drawn_ns = 0;
	return 0;
}

/* One round: takes records, updates figures, obeys keys, draws the screen. */
static int turn(struct running *run)
{
	struct live_session *s = run->session;
	const struct live_settings *settings = s->settings;
	bool was_open = run->open, last;
	int capture_error = 0, r = 0;
	uint64_t now;

	if (!run->ended)
		r = input_ready(s->analyst, s->ring, s->capture, &capture_error);
	if (r < 0)
		return r;
	/*
	 * The supervisor wrote its last records before it closed the doorbell pipe. If the pipe was
	 * closed before input_ready(), all records have been taken by now.
	 */
	last = !run->ended && (r == 1 || !was_open);
	now = clock_now();
	run->ended |= r == 1;
	r = open_screen(run);
	if (r < 0)
		return r;
	if (last || (!run->ended && now >= next_update_ns(run))) {
		r = update(run, now);
		if (r == 0 && run->started)
			r = press_script(run);
		if (r == 0 && settings->batch && run->started &&
			(last || now >= run->drawn_ns + settings->delay_ns))
			r = draw(run, now);
	}
	if (settings->batch && (last || (settings->screens && run->printed >= settings->screens)))
		run->quit = true;
	/*
	 * Leaves if the supervisor was killed (no RECORD_END came), or if the target ended before
	 * there was anything to show.
	 */
	if (!run->ended ? !run->open : !run->started)
		run->quit = true;
	if (r >= 0 && run->painter && run->changed && now >= run->drawn_ns + FRAME_NS)
		r = draw(run, now);
	return r < 0 || run->quit ? r : await(run);
}

static int begin(struct running *run, struct live_source_context *sources)
{
	const struct live_settings *s = run->session->settings;
	const struct live_options options = {.size = sizeof(options),
		.ascii = s->ascii,
		.totals = s->totals,
		.half_life_ns = s->half_life_ns,
		.delay_ns = s->delay_ns,
		.period_ns = s->period_ns,
		.cost_percent = (double)s->cost_ppm / 1e4,
		.view = s->view,
		.save_as = s->save_as,
		.batch = s->batch,
		.sources = live_sources_make(sources)};
	return live_new(&options, &run->live);
}

static int open_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGWINCH);
	(void)sigaddset(&set, SIGTSTP);
	(void)sigaddset(&set, SIGCONT);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		(void)sigaddset(&set, signals[i]);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	/* A write to a closed pipe must fail with EPIPE, not kill: batch mode then ends. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigdelset(&set, SIGWINCH);
	(void)sigdelset(&set, SIGTSTP);
	(void)sigdelset(&set, SIGCONT);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Takes all further records after the user has left, so that a recording loses nothing. */
static int drain(struct running *run)
{
	struct live_session *s = run->session;
	struct pollfd fd = {.fd = s->bell_fd, .events = POLLIN};
	int r, capture_error = 0;

	for (;;) {
		r = input_ready(s->analyst, s->ring, s->capture, &capture_error);
		if (r || !run->open)
			return r;
		if (!ring_sleep(s->ring))
			continue;
		(void)poll(&fd, 1, -1);
		ring_wake(s->ring);
		run->open = input_bell(s->bell_fd);
	}
}

int live_session_run(struct live_session *session)
{
	const struct live_settings *s = session->settings;
	struct live_source_context sources = {session->analyst, s->log != NULL};
	struct running run = {.session = session,
		.open = true,
		.keys = s->keys,
		.rows = (unsigned)s->rows,
		.columns = (unsigned)s->columns,
		.signal_fd = open_signals()};
	int r = run.signal_fd < 0 ? -errno : begin(&run, &sources);

	live_choice_begin(&run.choice, s->thread_name, s->tids);
	run.begun_ns = run.drawn_ns = run.updated_ns = clock_now();
	while (r >= 0 && !run.quit)
		r = turn(&run);
	session->screen = NULL;
	session->stuck = !live_screen_close(run.painter);
	if (!run.ended && run.open) {
		int taken;

		if (!s->goes_on)
			ask_supervisor(&run, REQUEST_STOP, 0);
		taken = drain(&run);
		r = r < 0 ? r : taken;
	}
	live_free(run.live);
	screen_release(&run.model);
	thread_states_release(&run.states);
	live_choice_release(&run.choice);
	free(run.thread);
	if (run.signal_fd >= 0)
		(void)close(run.signal_fd);
	return r < 0 ? r : 0;
}
