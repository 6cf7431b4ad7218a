/* SPDX-License-Identifier: MIT */
/*
 * The live view in the analyst: records come through a ring, keys from a terminal or a script,
 * requests go to the supervisor. Each run is a child process in its own terminal.
 */
#include "tests/unit/stream_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/request.h"
#include "proto/ring.h"
#include "tools/front/live_settings.h"
#include "tools/live/live_screen.h"
#include "tools/live/live_session.h"
#include "tools/live/terminfo.h"

enum { RING_BYTES = 1 << 16, TEXT = 1 << 20, ROWS = 30, COLUMNS = 100 };

static const char *saved_path;

static int save(void *context, const char *path)
{
	(void)context;
	saved_path = path;
	return strstr(path, "nowhere") ? -ENOENT : 0;
}

/* A program that used CPU time in two threads. */
static void feed(struct stream *s)
{
	put_start(s);
	put_process(s, 10, 0, RECORD_PROCESS_ATTACHED);
	put_exec(s, 10, "/bin/prog", "prog");
	put_maps(s, 10, 0, "1000-9000 r-xp 00000000 00:00 0 [vdso]\n", true);
	put_thread(s, 10, 10, "prog");
	put_thread(s, 10, 11, "worker");
	for (uint64_t i = 0; i < 20; i++) {
		put_sample(s, 10, 10, 0x1000 + i, 4000000);
		put_sample_in(s, 10, 11, 0x2000, 4000000, 0);
	}
	put_cpu(s, 10, 10, 80000000, false);
	put_cpu(s, 10, 11, 80000000, true);
	put_text(s, RECORD_AUDIT, "kernel_cpu_ns\t160000000\nwall_ns\t1000000000\ninstants\t40\n");
}

static void put_into(struct ring *ring, const uint8_t *record, int n)
{
	uint8_t *to = ring_reserve(ring, (size_t)n, true);

	assert_non_null(to);
	memcpy(to, record, (size_t)n);
	(void)ring_commit(ring, (size_t)n);
}

struct run {
	struct live_settings settings;
	bool ends;      /* the program has ended; otherwise it runs until the user leaves */
	bool cut_off;   /* the supervisor has gone */
	bool announces; /* only announce() */
};

/* In the child: shows a screen full of '#', then announces work until a key comes. */
static _Noreturn void announce(void)
{
	struct screen model = {0};
	struct live_screen *screen;
	struct pollfd fd = {.events = POLLIN};
	char line[COLUMNS + 1] = "";

	memset(line, '#', COLUMNS);
	assert_int_equal(live_screen_open(false, false, STDIN_FILENO, &screen), 0);
	assert_int_equal(screen_resize(&model, ROWS, COLUMNS), 0);
	for (unsigned row = 0; row < ROWS; row++)
		(void)screen_put(&model, row, 0, COLUMNS, STYLE_TEXT, line);
	assert_int_equal(live_screen_show(screen, &model, false), 0);
	live_screen_busy(screen, "reading it");
	fd.fd = live_screen_fd(screen);
	(void)poll(&fd, 1, -1);
	screen_release(&model);
	exit(!live_screen_close(screen));
}

/* In the child: exits with 0, or with 1 after an error. */
static _Noreturn void live(const struct run *run, int request_fd)
{
	struct live_settings settings = run->settings;
	void *memory = calloc(1, ring_memory_bytes(RING_BYTES));
	struct ring ring, producer;
	struct stream stream;
	struct live_session session = {
		.settings = &settings, .ring = &ring, .request_fd = request_fd, .save = save};
	uint8_t b[256];
	int bell[2], r;

	begin(&stream);
	feed(&stream);
	assert_int_equal(ring_init(&producer, memory, RING_BYTES), 0);
	assert_int_equal(ring_open(&ring, memory, ring_memory_bytes(RING_BYTES)), 0);
	assert_int_equal(pipe(bell), 0);
	if (run->ends) {
		const struct record_exit exit = {
			.pid = 10, .status = 3 << 8, .kernel_ns = 160000000};

		put_into(&producer, b, record_put_exit(b, sizeof(b), stream.now, &exit));
		put_into(&producer, b,
			record_put_audit(b, sizeof(b), stream.now, RECORD_END, 0,
				"kernel_cpu_ns\t160000000\nwall_ns\t1000000000\n"));
	}
	if (run->ends || run->cut_off)
		(void)close(bell[1]);
	session.analyst = stream.analyst;
	session.bell_fd = bell[0];
	if (!run->ends && !run->cut_off) {
		/* Plays the supervisor, which ends when it is told that the user has left. */
		pid_t child = fork();

		if (child == 0) {
			uint8_t message[REQUEST_BYTES];
			struct request request;

			(void)close(bell[0]);
			do
				if (read(settings.in_fd + 100, message, sizeof(message)) !=
					(ssize_t)sizeof(message))
					_exit(0);
			while (request_get(message, &request) < 0 || request.type != REQUEST_STOP);
			_exit(0);
		}
		(void)close(bell[1]);
	}
	r = live_session_run(&session);
	analyst_free(stream.analyst);
	free(memory);
	exit(r < 0 || session.stuck);
}

/* What a run in batch mode prints. */
static char *batch(const char *view, const char *keys, int *ret_status)
{
	struct run run = {.ends = true,
		.settings = {.on = true,
			.batch = true,
			.ascii = true,
			.delay_ns = S,
			.period_ns = 4000000,
			.rows = ROWS,
			.columns = COLUMNS,
			.target = "prog",
			.view = view,
			.keys = keys,
			.save_as = "x.pb.gz",
			.log = "/proc/self/fd/9"}};
	char *text;
	int fd = memfd_create("screens", MFD_CLOEXEC);
	ssize_t n;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)dup2(fd, STDOUT_FILENO);
		live(&run, open("/dev/null", O_WRONLY));
	}
	assert_int_equal(waitpid(pid, ret_status, 0), pid);
	text = calloc(1, TEXT);
	assert_non_null(text);
	n = pread(fd, text, TEXT - 1, 0);
	assert_true(n > 0);
	(void)close(fd);
	return text;
}

static void test_live_session__screens_as_text(void **state)
{
	static const struct {
		const char *view, *keys, *shows;
	} screens[] = {{NULL, NULL, "FUNCTION"}, {"objects", NULL, "OBJECT"},
		{"threads", NULL, "worker"}, {NULL, "l", "LINE"}, {NULL, "g", "CALL TREE"},
		{NULL, "h", "help"}, {NULL, "/getr\\r", "getrandom"},
		{NULL, "wx.svg\\r", "FUNCTION"}, {NULL, "w\\\\\\e", "FUNCTION"},
		{NULL, "]", "FUNCTION"}, {NULL, "f", "FUNCTION"}};
	char *text;
	int status;

	(void)state;
	for (size_t i = 0; i < sizeof(screens) / sizeof(*screens); i++) {
		text = batch(screens[i].view, screens[i].keys, &status);
		if (status || !strstr(text, screens[i].shows))
			fail_msg("view %s, keys %s: status 0x%x, no '%s' in\n%s",
				screens[i].view ? screens[i].view : "",
				screens[i].keys ? screens[i].keys : "", (unsigned)status,
				screens[i].shows, text);
		free(text);
	}
}

/* @text: what was shown since the last key */
struct terminal_of {
	int fd, requests_fd;
	pid_t pid;
	char *text;
	size_t n;
};

static void start(struct terminal_of *t, const struct run *run)
{
	const struct winsize size = {ROWS, COLUMNS, 0, 0};
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), requests[2];

	*t = (struct terminal_of){.fd = fd, .text = calloc(1, TEXT)};
	assert_true(fd >= 0);
	assert_int_equal(grantpt(fd), 0);
	assert_int_equal(unlockpt(fd), 0);
	assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
	assert_int_equal(pipe(requests), 0);
	(void)fflush(NULL);
	t->pid = fork();
	if (t->pid == 0) {
		int slave;

		(void)setsid();
		slave = open(ptsname(fd), O_RDWR);
		for (int i = 0; i < 3; i++)
			(void)dup2(slave, i);
		(void)setenv("TERM", "xterm", 1);
		(void)setenv("LC_ALL", "C", 1);
		if (terminfo_keep("xterm") < 0)
			exit(77);
		/* the supervisor's end, which live() reads */
		(void)dup2(requests[0], 100);
		if (run->announces)
			announce();
		live(run, requests[1]);
	}
	(void)close(requests[1]);
	t->requests_fd = requests[0];
}

/* False: the terminal was closed, or 30 s passed, before it showed @text. */
static bool shows(struct terminal_of *t, const char *text)
{
	struct pollfd fd = {.fd = t->fd, .events = POLLIN};
	ssize_t n;

	while (!strstr(t->text, text)) {
		if (poll(&fd, 1, 30000) <= 0)
			return false;
		n = read(t->fd, t->text + t->n, TEXT - 1 - t->n);
		if (n <= 0)
			return false;
		for (size_t i = t->n; i < t->n + (size_t)n; i++)
			if (!t->text[i])
				t->text[i] = ' ';
		t->n += (size_t)n;
	}
	return true;
}

static void type(struct terminal_of *t, const char *keys)
{
	t->n = 0;
	memset(t->text, 0, TEXT);
	assert_int_equal(write(t->fd, keys, strlen(keys)), strlen(keys));
}

/* Returns the exit status. Reads on, so that the child does not block. */
static int finish(struct terminal_of *t)
{
	int status;

	(void)shows(t, "\1never");
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	(void)close(t->fd);
	(void)close(t->requests_fd);
	free(t->text);
	return status;
}

/* Waits for the first screen. Skips the test if there is no terminal. */
static void start_shown(struct terminal_of *t, const struct run *run)
{
	int status;

	start(t, run);
	if (shows(t, "FUNCTION"))
		return;
	status = finish(t);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	fail_msg("no screen, status 0x%x", (unsigned)status);
}

static void test_live_session__keys_of_a_terminal(void **state)
{
	const struct run run = {.ends = true,
		.settings = {.on = true,
			.delay_ns = S,
			.period_ns = 4000000,
			.target = "prog",
			.color = true,
			.save_as = "x.pb.gz"}};
	const struct winsize size = {20, 80, 0, 0};
	struct terminal_of t;

	(void)state;
	start_shown(&t, &run);
	type(&t, "l");
	assert_true(shows(&t, "LINE"));
	type(&t, "g");
	assert_true(shows(&t, "TREE"));
	type(&t, "\33OP"); /* F1 */
	assert_true(shows(&t, "help"));
	type(&t, "\33");
	assert_int_equal(ioctl(t.fd, TIOCSWINSZ, &size), 0);
	assert_int_equal(kill(t.pid, SIGWINCH), 0);
	type(&t, "wnowhere.pb.gz\r");
	assert_true(shows(&t, "cannot save"));
	type(&t, "\14"); /* ^L */
	assert_true(shows(&t, "prog"));
	type(&t, "q");
	assert_int_equal(finish(&t), 0);
}

/* The program goes on: the supervisor gets a request to stop when the user leaves. */
static void test_live_session__the_user_leaves(void **state)
{
	const struct run run = {.settings = {.on = true,
					.delay_ns = S,
					.period_ns = 4000000,
					.target = "prog",
					.one_process = true,
					.thread_name = "worker"}};
	struct terminal_of t;

	(void)state;
	start_shown(&t, &run);
	type(&t, "t");
	assert_true(shows(&t, "THREAD"));
	type(&t, "]fq");
	assert_int_equal(finish(&t), 0);
}

/* The supervisor was killed: the live view leaves the terminal at once. */
static void test_live_session__the_supervisor_is_gone(void **state)
{
	const struct run run = {.cut_off = true,
		.settings = {.on = true, .delay_ns = S, .period_ns = 4000000, .target = "prog"}};
	struct terminal_of t;
	int status;

	(void)state;
	start(&t, &run);
	status = finish(&t);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

/* The announcement has the last line for itself: blanks follow it, not what was there before. */
static void test_live_session__work_is_announced(void **state)
{
	const struct run run = {.announces = true};
	static const char said[] = "reading it";
	struct terminal_of t;
	const char *rest;

	(void)state;
	start(&t, &run);
	if (!shows(&t, said)) {
		int status = finish(&t);

		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			skip();
		fail_msg("no announcement, status 0x%x", (unsigned)status);
	}
	assert_int_equal(write(t.fd, "q", 1), 1);
	(void)shows(&t, "\1never");
	rest = strstr(t.text, said) + strlen(said);
	while (*rest == '\33')
		rest += strcspn(rest, "m") + 1; /* other attributes */
	assert_int_equal(*rest, ' ');
	assert_int_equal(finish(&t), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_session__screens_as_text),
		cmocka_unit_test(test_live_session__keys_of_a_terminal),
		cmocka_unit_test(test_live_session__the_user_leaves),
		cmocka_unit_test(test_live_session__the_supervisor_is_gone),
		cmocka_unit_test(test_live_session__work_is_announced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
