/* SPDX-License-Identifier: MIT */
/* Reads profiles, and prints a report about them (view/) or exports them. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell.h"
#include "base/stack_room.h"
#include "base/standard.h"
#include "base/waiting_line.h"
#include "profile/file.h"
#include "profile/profile.h"
#include "tools/inspector/inspect.h"
#include "tools/inspector/inspect_histogram.h"
#include "tools/report/pager.h"
#include "tools/report/report_command.h"

static void suit_output(struct command *command)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = !command->output && isatty(STDOUT_FILENO);
	struct winsize size;

	if (terminal && !command->has_width && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		command->options.width = size.ws_col;
	command->options.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	command->options.color = command->color == WHEN_ALWAYS ||
		(command->color == WHEN_AUTO && terminal && !(no_color && no_color[0]) &&
			!(term && !strcmp(term, "dumb")));
}

static int read_one(const char *path, const char *program, struct waiting_line *progress,
	struct profile **ret_profile)
{
	char *problem = NULL;
	int error;

	if (!strcmp(path, "-") && isatty(STDIN_FILENO)) {
		complain("standard input is a terminal; pipe a profile into it, or name a file");
		return EXIT_FAILED;
	}
	error = program ? inspect_histogram(path, program, ret_profile, &problem)
			: file_read(path, ret_profile, &problem);
	if (error < 0 || problem) {
		waiting_line_end(progress);
		complain("%s", problem ? problem : "out of memory");
	}
	free(problem);
	return error < 0 ? EXIT_FAILED : 0;
}

/* A file of this size takes long enough to read that progress is shown. */
enum { LARGE_BYTES = 8 << 20 };

static int read_next(const struct command *command, int index, struct waiting_line *progress,
	struct profile **ret_profile)
{
	const char *path = command->file[index];
	struct stat st;

	waiting_line_show(progress, "reading profiles", (double)index / command->files);
	if (stat(path, &st) == 0 && st.st_size >= LARGE_BYTES)
		waiting_line_say(progress, "reading a large profile");
	return read_one(path, command->program, progress, ret_profile);
}

/* Applies --from and --to. */
static int cut(
	const struct command *command, struct waiting_line *progress, struct profile **profile)
{
	char *problem = NULL;
	int error = report_span_apply(&command->span, profile, &problem);

	if (error < 0) {
		waiting_line_end(progress);
		complain("%s", problem ? problem : strerror(-error));
	}
	free(problem);
	return error < 0 ? EXIT_FAILED : 0;
}

static int read_side(const struct command *command, int from, int n, struct waiting_line *progress,
	struct profile **profile)
{
	int status = 0;

	for (int i = 0; i < n && !status; i++) {
		status = read_next(command, from + i, progress, &profile[i]);
		if (!status)
			status = cut(command, progress, &profile[i]);
	}
	return status;
}

/* Reads all files, and merges them. */
static int read_files(
	const struct command *command, struct waiting_line *progress, struct profile **ret_profile)
{
	struct profile *all = NULL, *one;
	int status = 0;

	for (int i = 0; i < command->files && !status; i++) {
		status = read_next(command, i, progress, i ? &one : &all);
		if (status || !i)
			continue;
		if (profile_merge(all, one) < 0) {
			waiting_line_end(progress);
			complain("cannot merge '%s' with those before it: out of memory, or more "
				 "kinds of values than fit in one profile",
				command->file[i]);
			status = EXIT_FAILED;
		}
		profile_free(one);
	}
	if (!status)
		status = cut(command, progress, &all);
	waiting_line_end(progress);
	if (status)
		profile_free(all);
	else
		*ret_profile = all;
	return status;
}

static void tell_waiting(void *context, const char *what, double done)
{
	waiting_line_show(context, what, done);
}

/* The subject of a report: one profile, or two sides. */
struct subject {
	const struct profile *profile;
	const struct report_sides *sides;
};

static int write_text(const struct command *command, const struct subject *subject,
	const struct report_options *options, FILE *out, char **ret_problem)
{
	if (!command->report && command->sides)
		return command->export_format->write_sides(
			subject->sides, options, out, ret_problem);
	if (!command->report)
		return export_write(
			command->export_format, subject->profile, options, out, ret_problem);
	if (command->report->print_sides)
		return command->report->print_sides(subject->sides, options, out, ret_problem);
	return command->report->print(subject->profile, options, out, ret_problem);
}

/* Makes "DEBUGINFOD_URLS=… sprofreport doctor --debuginfod sprof.pb.gz"; NULL: out of memory. */
static char *fetch_command(const struct command *command)
{
	static const char doctor[] = "sprofreport\0doctor\0--debuginfod";
	const char *urls = getenv("DEBUGINFOD_URLS");
	size_t bytes = 0;
	char *args = NULL, *line, *whole = NULL;
	FILE *out = open_memstream(&args, &bytes);

	if (!out)
		return NULL;
	(void)fwrite(doctor, 1, sizeof(doctor), out);
	for (int i = 0; i < command->files; i++)
		(void)fwrite(command->file[i], 1, strlen(command->file[i]) + 1, out);
	(void)fclose(out);
	line = args ? shell_line(args, bytes) : NULL;
	if (line &&
		asprintf(&whole, "%s%s",
			urls && urls[0] ? "" : "DEBUGINFOD_URLS=https://debuginfod.elfutils.org ",
			line) < 0)
		whole = NULL;
	free(line);
	free(args);
	return whole;
}

/*
 * Makes the report or export in memory, so that an output file is written completely or not at all.
 * Returns an exit status. *@ret_failed: the condition of --fail-above is met.
 */
static int make_text(const struct command *command, const struct subject *subject,
	struct waiting_line *progress, char **ret_text, size_t *ret_bytes, bool *ret_failed)
{
	struct report_options options = command->options;
	struct inspect inspect = {progress, command->sources};
	const struct code_reader reader = inspect_reader(&inspect);
	char *problem = NULL, *fetch = fetch_command(command);
	FILE *out = open_memstream(ret_text, ret_bytes);
	bool failed;
	int error;

	if (!out) {
		complain("%s", strerror(ENOMEM));
		free(fetch);
		return EXIT_FAILED;
	}
	options.code = &reader;
	options.files = (unsigned)command->files;
	options.fetch_command = fetch;
	options.progress = tell_waiting;
	options.progress_context = progress;
	error = write_text(command, subject, &options, out, &problem);
	*ret_failed = error > 0;
	failed = ferror(out);
	if ((fclose(out) || failed) && error >= 0)
		error = -ENOMEM;
	waiting_line_end(progress);
	if (error < 0 || problem)
		complain_list(problem ? problem : strerror(-error));
	free(problem);
	free(fetch);
	return error == -EINVAL ? EXIT_USAGE : error < 0 ? EXIT_FAILED : 0;
}

static int give_to_file(const struct command *command, const char *text, size_t bytes)
{
	const char *problem;
	int error = file_write_while(command->output, text, bytes, -1, &problem);

	if (!error && command->export_format && command->export_format->note)
		complain("%s: %s", command->output, command->export_format->note);
	if (!error)
		return 0;
	if (!strcmp(command->output, "-"))
		complain("cannot write to standard output: %s",
			problem ? problem : strerror(-error));
	else
		complain("cannot write '%s': %s%s", command->output,
			problem ? problem : strerror(-error),
			problem ? "" : "; name another file with -o");
	return EXIT_FAILED;
}

static int give_to_stdout(const struct command *command, const char *text, size_t bytes)
{
	struct pager pager = {.out = stdout};
	int error;

	/* An export is for programs: no pager. A program that stops reading early causes EPIPE. */
	if (command->report)
		pager_open(&pager);
	else
		(void)signal(SIGPIPE, SIG_IGN);
	pager_write(&pager, text, bytes);
	error = pager_close(&pager);
	if (error == -ENOEXEC)
		complain("the pager '%s' cannot be run; set PAGER to another, or to cat for none",
			getenv("PAGER") ? getenv("PAGER") : "less");
	else if (error)
		complain("cannot write to standard output: %s", strerror(-error));
	return error ? EXIT_FAILED : 0;
}

static int refuse_terminal(const struct command *command)
{
	if (!command->export_format || !command->export_format->binary || command->output ||
		!isatty(STDOUT_FILENO))
		return 0;
	complain("%s is not for a terminal; give -o FILE", command->export_format->name);
	return EXIT_USAGE;
}

/*
 * Returns the exit status of a failure. With --fail-above it is 2, because 1 then tells a script of
 * a slowdown.
 */
static int trouble(const struct command *command, int status)
{
	return status == EXIT_FAILED && command->options.has_fail_above ? EXIT_USAGE : status;
}

static int report(
	const struct command *command, const struct subject *subject, struct waiting_line *progress)
{
	bool failed = false;
	char *text = NULL;
	size_t bytes = 0;
	int status = make_text(command, subject, progress, &text, &bytes, &failed);

	if (!status)
		status = command->output ? give_to_file(command, text, bytes)
					 : give_to_stdout(command, text, bytes);
	free(text);
	return status ? trouble(command, status) : failed ? EXIT_FAILED : 0;
}

static int report_sides(const struct command *command, struct waiting_line *progress)
{
	struct profile **profile = calloc((size_t)command->files + 1, sizeof(struct profile *));
	size_t a = (size_t)command->files_a;
	struct report_sides sides;
	int status;

	if (!profile) {
		complain("%s", strerror(ENOMEM));
		return trouble(command, EXIT_FAILED);
	}
	sides = (struct report_sides){
		.profile = {profile, profile + a},
		.name = {(const char *const *)command->file,
			(const char *const *)command->file + a},
		.n = {a, (size_t)command->files - a},
	};
	status = trouble(command, read_side(command, 0, command->files, progress, profile));
	waiting_line_end(progress);
	if (!status)
		status = report(command, &(struct subject){.sides = &sides}, progress);
	for (int i = 0; i < command->files; i++)
		profile_free(profile[i]);
	free(profile);
	return status;
}

static int report_one(const struct command *command, struct waiting_line *progress)
{
	struct profile *profile = NULL;
	int status = read_files(command, progress, &profile);

	if (status)
		return status;
	status = report(command, &(struct subject){.profile = profile}, progress);
	profile_free(profile);
	return status;
}

static int run_all(int argc, char **argv)
{
	struct command command = {.options = {.size = sizeof(command.options), .programs = true}};
	struct waiting_line progress;
	int status;

	standard_hold();
	(void)setlocale(LC_CTYPE, "");
	(void)signal(
		SIGXFSZ, SIG_IGN); /* a file that becomes too long makes a write fail with EFBIG */
	status = command_parse(&command, argc, argv);
	if (status || command.done)
		return status ? status : standard_printed("sprofreport", EXIT_FAILED);
	suit_output(&command);
	status = refuse_terminal(&command);
	if (status)
		return status;
	waiting_line_begin(&progress);
	return command.files_a ? report_sides(&command, &progress)
			       : report_one(&command, &progress);
}

int main(int argc, char **argv)
{
	return stack_room_run(run_all, argc, argv);
}
