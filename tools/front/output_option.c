/* SPDX-License-Identifier: MIT */
#include "tools/front/output_option.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/outfile.h"
#include "base/output.h"
#include "base/text.h"
#include "supervisor/os/procfs.h"
#include "tools/front/front.h"

/*
 * Is @path an existing pipe, device or empty file? The user made it beforehand (mkfifo(1),
 * mktemp(1)), and its suffix says nothing about a format.
 */
static bool is_prepared(const char *path)
{
	struct stat st;

	return outfile_is_in_place(path) || (stat(path, &st) == 0 && !st.st_size);
}

/*
 * Asks the analyst whether @pattern's suffix names a format in which nothing can be recorded. If
 * so, ends the program with status 2.
 */
static void check_format(const char *analyst, const char *pattern)
{
	const char *argv[] = {analyst, "--check-output", pattern, NULL};
	const char *dot = strrchr(text_basename(pattern), '.'), *native = ".pb.gz";
	size_t bytes = strlen(pattern);
	void (*before)(int);
	int status = 0;
	pid_t pid;

	if (!dot || (bytes >= strlen(native) && !strcmp(pattern + bytes - strlen(native), native)))
		return;
	before = signal(SIGCHLD, SIG_DFL);
	if (posix_spawn(&pid, analyst, NULL, NULL, (char *const *)argv, environ) == 0) {
		status = child_join(pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == FRONT_USAGE)
			exit(FRONT_USAGE);
	}
	(void)signal(SIGCHLD, before);
}

/* @problem: a constant sentence, printed in place of the text of @error; NULL: there is none. */
static _Noreturn void refuse(
	const char *program, const char *what, const char *path, int error, const char *problem)
{
	front_complain(program, "cannot write the %s to %s: %s%s", what, path,
		problem ? problem : strerror(-error),
		problem                    ? ""
			: error == -EMFILE ? "; raise the limit (ulimit -n)"
					   : "; name another place with -o");
	exit(FRONT_OURS);
}

void output_option_redirect(
	const char *program, const char *pattern, int pid, struct outfile *ret_file)
{
	struct output_facts facts = {
		.pid = (uint32_t)pid, .name = "", .time = time(NULL), .rank = output_rank()};
	char name[PROCFS_NAME_BYTES];
	const char *problem = NULL;
	char *path;
	int error;

	procfs_read_name(pid, pid, name);
	facts.name = name;
	error = output_name(pattern, &facts, &path);
	if (error < 0)
		refuse(program, "stacks", pattern, error, NULL);
	error = outfile_begin(ret_file, path, -1, &problem);
	if (error == 0 && dup2(ret_file->fd, STDOUT_FILENO) < 0)
		error = -errno;
	if (error < 0)
		refuse(program, "stacks", path, error, problem);
	free(path);
}

void output_option_check(const char *program, const char *analyst, const char *pattern)
{
	/* Our own pid stands for that of the process (%p), which does not exist yet. */
	const struct output_facts facts = {.pid = (uint32_t)getpid(),
		.name = "name",
		.time = time(NULL),
		.rank = output_rank()};
	const char *problem = NULL;
	char *path;
	int error;

	if (strcmp(pattern, "-") == 0 && isatty(STDOUT_FILENO)) {
		front_complain(program,
			"bad output '-': a profile is not for a terminal; name a file, or let "
			"another program read it (| cat >FILE)");
		exit(FRONT_USAGE);
	}
	if (strcmp(pattern, "-") == 0 || output_name(pattern, &facts, &path) < 0)
		return;
	error = outfile_check(path, &problem);
	if (error < 0)
		refuse(program, "profile", path, error, problem);
	if (!is_prepared(path))
		check_format(analyst, pattern);
	free(path);
}

bool output_option_is_file(const char *pattern)
{
	return strcmp(pattern, "-") != 0 && !outfile_is_in_place(pattern);
}

const char *output_option_for_rank(const char *program, const char *pattern, bool quiet)
{
	unsigned ranks = output_ranks();
	char *apart;

	if (ranks < 2 || strcmp(pattern, "-") == 0 || outfile_is_in_place(pattern) ||
		strstr(pattern, "%r") || strstr(pattern, "%p"))
		return pattern;
	apart = output_apart(pattern, "%r");
	if (!apart)
		return pattern;
	if (!quiet)
		front_complain(program,
			"rank %s of %u: -o %s is taken as %s, so that no rank overwrites another",
			output_rank(), ranks, pattern, apart);
	return apart;
}
