/* SPDX-License-Identifier: MIT */
#include "tools/live/live_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "view/live/terminal.h"

/*
 * BUSY_MS: work that takes longer is announced. LOOK_MS: interval of further reads of the size
 * after SIGWINCH. LOOKS: their number. STOP_LOOKS: after SIGTSTP, the terminal is left for at
 * most this many intervals of LOOK_MS, in which the signal stops this process.
 */
enum {
	BUSY_BYTES = 160,
	BUSY_MS = 300,
	LOOK_MS = 100,
	LOOKS = 3,
	STOP_LOOKS = 10,
	PAINTER_STACK_BYTES = 1 << 20
};

struct live_screen {
	pthread_t thread;
	pthread_mutex_t lock;
	struct screen next, shown; /* next: protected by the lock; shown: only the thread uses it */
	bool fresh, anew, quit;    /* protected by the lock */
	char busy[BUSY_BYTES];     /* protected by the lock; "": the caller is not busy */
	int wake_fd, key_fd[2], signal_fd, opened; /* opened: the result of terminal_open() */
	bool color, suspends;
	int in_fd;
	FILE *in, *out;
	unsigned first_rows, first_columns; /* the terminal's size at the start */
	unsigned rows, columns;             /* only the thread uses them once it runs */
	unsigned looks;                     /* the thread's own: remaining checks of the size */
	/* the thread's own: remaining intervals in which SIGTSTP may still stop this process */
	unsigned leaves;
	bool away; /* the thread's own: another process has the terminal */
};

static void read_size(const struct live_screen *screen, unsigned *rows, unsigned *columns)
{
	struct winsize size = {0};

	*rows = 24;
	*columns = 80;
	if (ioctl(fileno(screen->out), TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		*rows = size.ws_row;
		*columns = size.ws_col;
	}
}

static void send_key(struct live_screen *screen, struct live_key key)
{
	/* The pipe is non-blocking, and too long for a user to fill it. */
	(void)!write(screen->key_fd[1], &key, sizeof(key));
}

static void paint(struct live_screen *screen, struct terminal *terminal, bool busy)
{
	bool anew = false, fresh;

	(void)pthread_mutex_lock(&screen->lock);
	fresh = screen->fresh;
	if (fresh && screen_copy(&screen->shown, &screen->next) == 0) {
		anew = screen->anew;
		screen->fresh = screen->anew = false;
	}
	busy = busy && screen->busy[0] && screen->shown.rows;
	if (busy) {
		unsigned last = screen->shown.rows - 1;

		screen_clear_row(&screen->shown, last);
		screen_restyle(&screen->shown, last, 0, screen->shown.columns, STYLE_ON_BAR);
		(void)screen_put(&screen->shown, last, 1, screen->shown.columns,
			STYLE_WARN | STYLE_ON_BAR, screen->busy);
	}
	(void)pthread_mutex_unlock(&screen->lock);
	if (fresh || busy)
		terminal_paint(terminal, &screen->shown, anew);
}

/*
 * The kernel sends SIGWINCH just before it stores the new size, so a read right after the signal
 * may return the old size. (This happens on a busy machine; test_sproftop showed it.) So the size
 * is read at every wake-up, and LOOKS times more after a signal.
 */
static void see_size(struct live_screen *screen, struct terminal *terminal)
{
	struct live_key key = {.code = LIVE_SCREEN_RESIZED};

	read_size(screen, &key.row, &key.column);
	if (key.row == screen->rows && key.column == screen->columns)
		return;
	screen->rows = key.row;
	screen->columns = key.column;
	terminal_resize(terminal, key.row, key.column);
	send_key(screen, key);
}

/* Is our process group in the terminal's foreground? True also without job control. */
static bool is_foreground(const struct live_screen *screen)
{
	pid_t group = tcgetpgrp(fileno(screen->out));

	return group < 0 || group == getpgrp();
}

/*
 * Leaves the terminal to the shell while the job is stopped or in the background. This process may
 * not notice that only the supervisor was stopped (by SIGSTOP, or by a SIGTSTP to the supervisor
 * alone). So every wake-up checks which process group has the terminal.
 */
static void see_place(struct live_screen *screen, struct terminal *terminal)
{
	bool away = screen->leaves || !is_foreground(screen);

	if (away && !screen->away)
		terminal_leave(terminal);
	else if (!away && screen->away)
		terminal_return(terminal);
	screen->away = away;
}

static void take_signals(struct live_screen *screen)
{
	struct signalfd_siginfo info;

	while (read(screen->signal_fd, &info, sizeof(info)) > 0) {
		if (info.ssi_signo == SIGWINCH)
			screen->looks = LOOKS;
		else
			screen->leaves = info.ssi_signo == SIGTSTP ? STOP_LOOKS : 0;
	}
}

/* Handles a wake-up. False: the terminal is gone. */
static bool serve(struct live_screen *screen, struct terminal *terminal, struct pollfd *fd)
{
	struct live_key key;
	uint64_t count;
	bool any = false;

	if (fd[1].revents)
		(void)!read(screen->wake_fd, &count, sizeof(count));
	if (!fd[0].revents)
		return true;
	while (!screen->away && terminal_key(terminal, &key)) {
		send_key(screen, key);
		any = true;
	}
	return any || !(fd[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

static bool must_quit(struct live_screen *screen, bool *ret_busy)
{
	bool quit;

	(void)pthread_mutex_lock(&screen->lock);
	quit = screen->quit;
	*ret_busy = screen->busy[0] != '\0';
	(void)pthread_mutex_unlock(&screen->lock);
	return quit;
}

static void *paint_all(void *context)
{
	struct live_screen *screen = context;
	struct terminal *terminal = NULL;
	bool busy = false;

	screen->opened = terminal_open(
		NULL, screen->out, screen->in, screen->color, screen->suspends, &terminal);
	send_key(screen, (struct live_key){.code = LIVE_SCREEN_RESIZED});
	if (screen->opened < 0)
		return NULL;
	while (!must_quit(screen, &busy)) {
		struct pollfd fd[3] = {
			{.fd = fileno(screen->in), .events = screen->away ? 0 : POLLIN},
			{.fd = screen->wake_fd, .events = POLLIN},
			{.fd = screen->signal_fd, .events = POLLIN}};
		bool waits = screen->looks || screen->away;
		int n = poll(fd, 3, busy ? BUSY_MS : waits ? LOOK_MS : -1);

		if (fd[2].revents)
			take_signals(screen);
		screen->looks -= n == 0 && screen->looks;
		screen->leaves -= n == 0 && screen->leaves;
		see_place(screen, terminal);
		see_size(screen, terminal);
		if (n > 0 && !serve(screen, terminal, fd)) {
			send_key(screen, (struct live_key){.code = LIVE_SCREEN_GONE});
			break;
		}
		if (!screen->away)
			paint(screen, terminal, n == 0);
	}
	terminal_close(terminal);
	return NULL;
}

static void release(struct live_screen *screen)
{
	screen_release(&screen->next);
	screen_release(&screen->shown);
	for (size_t i = 0; i < 2; i++) {
		if (screen->key_fd[i] >= 0)
			(void)close(screen->key_fd[i]);
	}
	if (screen->wake_fd >= 0)
		(void)close(screen->wake_fd);
	if (screen->signal_fd >= 0)
		(void)close(screen->signal_fd);
	if (screen->in && screen->in != stdin)
		(void)fclose(screen->in);
	(void)pthread_mutex_destroy(&screen->lock);
	free(screen);
}

static int open_all(struct live_screen *screen)
{
	sigset_t signals;

	if (!isatty(STDOUT_FILENO))
		return -ENOTTY;
	screen->out = stdout;
	screen->in = screen->in_fd == STDIN_FILENO ? stdin : fdopen(screen->in_fd, "r");
	if (!screen->in)
		return -ENOTTY;
	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGWINCH);
	(void)sigaddset(&signals, SIGTSTP);
	(void)sigaddset(&signals, SIGCONT);
	if (pipe2(screen->key_fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	screen->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	screen->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (screen->wake_fd < 0 || screen->signal_fd < 0)
		return -errno;
	return 0;
}

/*
 * Starts the thread with a stack of its own size: with a low "ulimit -s", the default stack would
 * be too small to read the terminal's description.
 */
static int start(struct live_screen *screen)
{
	pthread_attr_t attributes;
	int r = -pthread_attr_init(&attributes);

	if (r < 0)
		return r;
	(void)pthread_attr_setstacksize(&attributes, PAINTER_STACK_BYTES);
	r = -pthread_create(&screen->thread, &attributes, paint_all, screen);
	(void)pthread_attr_destroy(&attributes);
	return r;
}

int live_screen_open(bool color, bool suspends, int in_fd, struct live_screen **ret_screen)
{
	struct live_screen *screen = calloc(1, sizeof(*screen));
	struct live_key key;
	int r;

	if (!screen)
		return -ENOMEM;
	screen->wake_fd = screen->signal_fd = screen->key_fd[0] = screen->key_fd[1] = -1;
	screen->color = color;
	screen->suspends = suspends;
	screen->in_fd = in_fd;
	(void)pthread_mutex_init(&screen->lock, NULL);
	r = open_all(screen);
	if (r == 0) {
		read_size(screen, &screen->rows, &screen->columns);
		screen->first_rows = screen->rows;
		screen->first_columns = screen->columns;
		r = start(screen);
	}
	if (r == 0) {
		struct pollfd fd = {.fd = screen->key_fd[0], .events = POLLIN};

		(void)poll(&fd, 1, -1);
		(void)live_screen_key(screen, &key);
		r = screen->opened;
		if (r < 0)
			(void)pthread_join(screen->thread, NULL);
	}
	if (r < 0) {
		release(screen);
		return r;
	}
	*ret_screen = screen;
	return 0;
}

static void wake(struct live_screen *screen)
{
	uint64_t one = 1;

	(void)!write(screen->wake_fd, &one, sizeof(one));
}

bool live_screen_close(struct live_screen *screen)
{
	struct timespec until;

	if (!screen)
		return true;
	(void)pthread_mutex_lock(&screen->lock);
	screen->quit = true;
	(void)pthread_mutex_unlock(&screen->lock);
	wake(screen);
	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	/*
	 * If the terminal blocks, the thread is blocked in a write. It is then not joined, and ends
	 * with the process.
	 */
	if (pthread_clockjoin_np(screen->thread, NULL, CLOCK_MONOTONIC, &until) != 0)
		return false;
	release(screen);
	return true;
}

int live_screen_fd(const struct live_screen *screen)
{
	return screen->key_fd[0];
}

bool live_screen_key(struct live_screen *screen, struct live_key *ret_key)
{
	return read(screen->key_fd[0], ret_key, sizeof(*ret_key)) == (ssize_t)sizeof(*ret_key);
}

void live_screen_size(const struct live_screen *screen, unsigned *ret_rows, unsigned *ret_columns)
{
	*ret_rows = screen->first_rows;
	*ret_columns = screen->first_columns;
}

int live_screen_show(struct live_screen *screen, const struct screen *model, bool anew)
{
	int r;

	(void)pthread_mutex_lock(&screen->lock);
	r = screen_copy(&screen->next, model);
	screen->fresh = r == 0;
	screen->anew |= anew;
	(void)pthread_mutex_unlock(&screen->lock);
	wake(screen);
	return r;
}

void live_screen_busy(struct live_screen *screen, const char *what)
{
	bool was;

	(void)pthread_mutex_lock(&screen->lock);
	was = screen->busy[0] != '\0';
	(void)snprintf(screen->busy, sizeof(screen->busy), "%s", what ? what : "");
	(void)pthread_mutex_unlock(&screen->lock);
	if (what && !was)
		wake(screen);
}
