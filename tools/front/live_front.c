/* SPDX-License-Identifier: MIT */
#include "tools/front/live_front.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/shell.h"
#include "base/text.h"
#include "supervisor/engine/engine.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/suspend.h"
#include "tools/front/front.h"
#include "tools/front/live_settings.h"
#include "tools/front/output_log.h"

static int check_terminal(struct live_front *front)
{
	const char *type = getenv("TERM"), *batch = front->records ? "sproftop -b" : "-b";

	if (front->batch)
		return 0;
	if (!isatty(STDOUT_FILENO)) {
		front_complain(front->program,
			"standard output is no terminal; %s prints screens as plain text", batch);
		return FRONT_USAGE;
	}
	if (!type || !type[0] || strcmp(type, "dumb") == 0) {
		front_complain(front->program,
			"this terminal (TERM=%s) cannot place text on its screen; %s prints "
			"screens as plain text",
			type ? type : "", batch);
		return FRONT_USAGE;
	}
	front->has_terminal = tcgetattr(STDOUT_FILENO, &front->terminal) == 0;
	return 0;
}

/* Sets the name shown for a command: its command line, quoted for a shell, without the path. */
static void name_command(struct live_front *front, char *const command[])
{
	char args[sizeof(front->target)], *line;
	size_t n = 0;

	for (size_t i = 0; command[i] && n < sizeof(args); i++)
		n += (size_t)snprintf(args + n, sizeof(args) - n, "%s",
			     i ? command[i] : text_basename(command[i])) + 1;
	line = shell_line(args, n < sizeof(args) ? n : sizeof(args));
	if (line)
		(void)snprintf(front->target, sizeof(front->target), "%s", line);
	free(line);
}

/* Sets the name shown for the target: "redis-server (1234)", or the command line. */
static void name_target(struct live_front *front, const struct engine_options *engine)
{
	size_t n = 0, room = sizeof(front->target);

	if (engine->command)
		name_command(front, engine->command);
	for (size_t i = 0; !engine->command && i < engine->pids_n && n < room; i++) {
		char name[PROCFS_NAME_BYTES];

		procfs_read_name(engine->pids[i], engine->pids[i], name);
		n += (size_t)snprintf(front->target + n, room - n, "%s%s (%d)", i ? ", " : "", name,
			engine->pids[i]);
	}
}

/*
 * The view needs the terminal. So the command's stdout goes to the log. Its stderr goes there, too,
 * if stderr is a terminal. Its stdin becomes /dev/null if stdin is a terminal.
 */
static int open_streams(struct live_front *front, struct engine_options *engine)
{
	const char *problem;
	int r = output_log_open(
		front->log, &front->log_fd, front->log_path, sizeof(front->log_path), &problem);

	front->own_log = !front->log;
	front->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (r < 0 || front->null_fd < 0) {
		front_complain(front->program, "cannot write the log %s: %s",
			front->log ? front->log : "of the command",
			problem ? problem : strerror(r < 0 ? -r : errno));
		return FRONT_OURS;
	}
	front->streams[0] = isatty(STDIN_FILENO) ? front->null_fd : STDIN_FILENO;
	front->streams[1] = front->log_fd;
	front->streams[2] = isatty(STDERR_FILENO) ? front->log_fd : STDERR_FILENO;
	engine->inherited.streams = front->streams;
	if (front->own_log)
		front->trims =
			output_log_trim(front->log_fd, &front->trimmer, &front->stop_fd) == 0;
	return 0;
}

static void add(struct live_front *front, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add(struct live_front *front, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0)
		front->argument[front->arguments++] = text;
	va_end(args);
}

/*
 * If an analyst dies, the terminal keeps the modes that the analyst has set. The next analyst
 * cannot read the original modes from the terminal, so it gets them by this argument.
 */
static void add_modes(struct live_front *front)
{
	char hex[2 * sizeof(front->terminal) + 1];
	const unsigned char *byte = (const unsigned char *)&front->terminal;

	for (size_t i = 0; i < sizeof(front->terminal); i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", byte[i]);
	add(front, "--live-modes=%s", hex);
}

/*
 * May ^Z suspend the view? Only in a divided program without a command, where the stop does not
 * reach the tracer (own_session.h), and only if a shell can continue the stopped process.
 */
static bool may_suspend(const struct engine_options *engine)
{
	return engine->own_session && !engine->command && suspend_is_noticed();
}

static void make_arguments(struct live_front *front, const struct engine_options *engine)
{
	add(front, "--live-on");
	add(front, "--live-target=%s", front->target);
	if (!engine->command && engine->pids_n == 1)
		add(front, "--live-one-process");
	if (may_suspend(engine))
		add(front, "--live-suspends");
	add(front, "--live-delay=%" PRIu64, front->delay_ns);
	add(front, "--live-half-life=%" PRIu64, front->half_life_ns);
	add(front, "--live-period=%" PRIu64, engine->period_ns);
	if (engine->max_cost_ppm && engine->max_cost_ppm < 1000000)
		add(front, "--live-cost-ppm=%" PRIu32, engine->max_cost_ppm);
	add(front, "--live-screens=%" PRIu64, front->screens);
	add(front, "--live-rows=%" PRIu64, front->rows);
	add(front, "--live-columns=%" PRIu64, front->columns);
	if (front->log_fd >= 0)
		add(front, "--live-log=%s", front->log ? front->log : front->log_path);
	if (front->view)
		add(front, "--live-view=%s", front->view);
	if (front->keys)
		add(front, "--live-keys=%s", front->keys);
	if (front->save_as)
		add(front, "--live-save-as=%s", front->save_as);
	if (front->has_terminal)
		add_modes(front);
	if (front->batch)
		add(front, "--live-batch");
	if (front->records && engine->command)
		add(front, "--live-goes-on");
	if (front->totals)
		add(front, "--live-totals");
	if (front->color)
		add(front, "--live-color");
	(void)setlocale(LC_CTYPE, "");
	if (front->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		add(front, "--live-ascii");
}

int live_front_begin(
	struct live_front *front, struct engine_options *engine, const char **argv, size_t *n)
{
	int status = check_terminal(front);

	if (status)
		return status;
	name_target(front, engine);
	if (engine->command)
		status = open_streams(front, engine);
	if (status)
		return status;
	engine->signals_end = !front->records;
	front->notes = open_memstream(&front->notes_text, &front->notes_bytes);
	make_arguments(front, engine);
	for (size_t i = 0; i < front->arguments; i++)
		argv[(*n)++] = front->argument[i];
	return 0;
}

void live_front_note(struct live_front *front, const char *line)
{
	char *clean = front->notes ? text_clean(line, false) : NULL;

	if (clean)
		(void)fprintf(front->notes, "%s: %s\n", front->program, clean);
	free(clean);
}

/*
 * Handles ^Z after engine_run(), while the user still looks at the data. The analyst must leave the
 * terminal before this process stops, because then a shell takes the terminal. Waits at most 1 s
 * until the terminal has its original modes: then the analyst has left it.
 */
static void stop_with(void *context, int analyst_pid)
{
	const struct live_front *front = context;
	struct timespec moment = {0, 10000000};
	struct termios now;

	(void)kill(analyst_pid, SIGTSTP);
	for (int i = 0; i < 100; i++) {
		if (!front->has_terminal || tcgetattr(STDOUT_FILENO, &now) < 0 ||
			now.c_lflag == front->terminal.c_lflag)
			break;
		(void)nanosleep(&moment, NULL);
	}
	suspend(SIGTSTP);
	(void)kill(analyst_pid, SIGCONT);
}

/*
 * Restores the terminal's modes. @screen_too: also leaves the analyst's screen, because the analyst
 * is dead or could not do it. Only the analyst has the description of this terminal, so the escape
 * sequences are those that most terminals know.
 */
static void give_terminal_back(struct live_front *front, bool screen_too)
{
	static const char leave[] =
		"\033[?1000l\033[?1002l\033[?1006l\033[?1l\033>\033[0m\033[?25h\033[?1049l";

	pid_t group = tcgetpgrp(STDOUT_FILENO);

	/* In the background, the terminal is the shell's, with the shell's modes. */
	if (group >= 0 && group != getpgrp())
		return;
	/* Discards pending output, so that write() does not block if the terminal takes none. */
	if (screen_too)
		(void)tcflush(STDOUT_FILENO, TCOFLUSH);
	(void)tcsetattr(STDOUT_FILENO, TCSANOW, &front->terminal);
	if (screen_too)
		(void)!write(STDOUT_FILENO, leave, sizeof(leave) - 1);
}

static void show_log(struct live_front *front)
{
	off_t from, end;

	if (front->trims)
		output_log_trim_end(front->trimmer, front->stop_fd);
	front->trims = false;
	if (front->log_fd < 0 || !front->own_log)
		return;
	output_log_kept(front->log_fd, &from, &end);
	if (isatty(STDERR_FILENO) && output_log_is_binary(front->log_fd, from, end)) {
		front_complain(front->program,
			"the command wrote %jd bytes, which are no text: a terminal is not the "
			"place for them%s",
			(intmax_t)end, front->records ? "" : "; --log FILE keeps them");
		return;
	}
	if (from)
		front_complain(front->program,
			"the command wrote %jd bytes, of which the first %jd are not kept:",
			(intmax_t)end, (intmax_t)from);
	else if (end)
		front_complain(front->program, "the command wrote:");
	output_log_print(front->log_fd, from, end, stderr);
}

static void release(struct live_front *front)
{
	if (front->log_fd >= 0)
		(void)close(front->log_fd);
	if (front->null_fd >= 0)
		(void)close(front->null_fd);
	for (size_t i = 0; i < front->arguments; i++)
		free(front->argument[i]);
	free(front->notes_text);
}

int live_front_join(struct live_front *front, struct engine_result *result, int *ret_signal)
{
	int status;

	*ret_signal = result->stopped_by;
	status = front_join_analyst(result, stop_with, front, ret_signal);
	if (front->has_terminal)
		give_terminal_back(front, status & 0x7f || status >> 8 == LIVE_EXIT_STUCK);
	if (front->notes && fclose(front->notes) == 0 && front->notes_text)
		(void)fputs(front->notes_text, stderr);
	if (status & 0x7f)
		front_complain(
			front->program, "the analyst was killed by signal %d", status & 0x7f);
	show_log(front);
	release(front);
	return status;
}
