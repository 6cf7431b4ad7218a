/* SPDX-License-Identifier: MIT */
#include "tools/front/front.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/libexec.h"
#include "base/standard.h"
#include "supervisor/engine/diagnose.h"
#include "supervisor/engine/engine.h"
#include "supervisor/engine/signals.h"
#include "supervisor/os/suspend.h"
#include "supervisor/os/waiter.h"

_Noreturn void front_reject(
	const char *program, const char *what, const char *value, const char *remedy)
{
	front_complain(program, "%s '%s': %s", what, value, remedy);
	exit(FRONT_USAGE);
}

bool front_find_analyst(const char *program, char path[PATH_MAX])
{
	char self[1];

	if (libexec_find("sprofil-analyst", path))
		return true;
	if (readlink("/proc/self/exe", self, sizeof(self)) < 0)
		front_complain(program,
			"cannot read /proc/self/exe (%s): nothing can be profiled without /proc; "
			"mount it (mount -t proc proc /proc)",
			strerror(errno));
	else
		front_complain(program,
			"sprofil-analyst is missing: it belongs into libexec/sprofil beside bin");
	return false;
}

void front_prepare(struct launch_state *state)
{
	struct sigaction children;
	struct rlimit files;
	sigset_t signals;

	(void)sigaction(SIGCHLD, NULL, &children);
	state->children_ignored = children.sa_handler == SIG_IGN;
	(void)signal(SIGCHLD, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, NULL, &state->mask);
	signals_handled(&signals);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	(void)getrlimit(RLIMIT_NOFILE, &state->files);
	files = state->files;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
}

bool front_explain(const char *program, const char *option, int pid, char *text, size_t room)
{
	struct diagnose_facts facts;

	if (diagnose_read(pid, &facts) < 0)
		return false;
	diagnose_explain(&facts, program, option, text, room);
	return diagnose_classify(&facts) != DIAGNOSE_NONE;
}

int front_end_like(int status)
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

static void close_request_pipe(struct engine_result *result)
{
	if (result->analyst_fd >= 0)
		(void)close(result->analyst_fd);
	result->analyst_fd = -1;
}

/*
 * Makes the analyst end sooner, because a signal to end has come. @nth is the number of the signal.
 * 0: ends the live view. 1: closes the request pipe, so that the analyst stops waiting for readers.
 * 2 and more: kills the analyst.
 */
static void hurry_analyst(struct engine_result *result, unsigned nth)
{
	if (nth == 0)
		(void)kill(result->analyst_pid, SIGTERM);
	else if (nth > 1)
		(void)kill(result->analyst_pid, SIGKILL);
	else
		close_request_pipe(result);
}

int front_join_analyst(struct engine_result *result,
	void (*stop_view)(void *context, int analyst_pid), void *context, int *ret_signal)
{
	struct timespec second = {1, 0};
	struct waiter_result seen;
	siginfo_t info;
	sigset_t signals;
	unsigned orders = stop_view ? 0 : 1; /* @nth of the next signal to end; 0 needs a view */
	int status = 0;

	signals_handled(&signals);
	if (!result->analyst_pid)
		return 0;
	if (stop_view && result->stopped_by)
		hurry_analyst(result, orders++);
	while (waiter_peek(result->analyst_pid, &seen) == 0 && seen.kind != WAITER_GONE) {
		if (sigtimedwait(&signals, &info, &second) < 0 ||
			(!stop_view && signals_pass_on(result, &info)))
			continue;
		/* SIGUSR2 only asks for a snapshot: it is no signal to end. */
		if (info.si_signo != SIGUSR2 && signals_is_control(info.si_signo)) {
			*ret_signal = info.si_signo;
			hurry_analyst(result, orders++);
		} else if (info.si_signo == SIGTSTP && stop_view) {
			stop_view(context, result->analyst_pid);
		} else if (info.si_signo == SIGTSTP) {
			suspend_by_key();
		}
	}
	(void)waiter_join(result->analyst_pid, &status);
	close_request_pipe(result);
	return status;
}

static int exec_failed(const char *program, const char *command, int error)
{
	struct stat st;

	if (error == ENOENT && strchr(command, '/') && access(command, F_OK) == 0)
		front_complain(program,
			"cannot run '%s': its interpreter (the first line, or the ELF loader) is "
			"missing",
			command);
	else if (error == ENOENT)
		front_complain(program, "cannot run '%s': no such command", command);
	else if (error == ENOEXEC)
		front_complain(program,
			"cannot run '%s': it is no program for this machine, or a damaged one",
			command);
	else if (error == EACCES && stat(command, &st) == 0 && !S_ISREG(st.st_mode))
		front_complain(program, "cannot run '%s': it is %s", command,
			S_ISDIR(st.st_mode) ? "a directory" : "no program");
	else if (error == EACCES && access(command, F_OK) == 0 && access(command, X_OK) < 0)
		front_complain(program,
			"cannot run '%s': it is not executable for you (chmod +x, if it is a "
			"program)",
			command);
	else
		front_complain(program, "cannot run '%s': %s", command, strerror(error));
	return error == ENOENT ? FRONT_NOT_FOUND : FRONT_NOT_EXECUTABLE;
}

static const char *remedy(int error)
{
	switch (error) {
	case -EMFILE: return "; raise the limit (ulimit -n)";
	case -EAGAIN:
		return "; the limit of processes (ulimit -u) or of memory (-v, -d, -l) is too low";
	case -ENOMEM: return "; if not the machine, a limit of memory is too low (ulimit -v, -d)";
	default: return "";
	}
}

static void explain_child(const char *program, const struct diagnose_facts *facts)
{
	char text[512];

	diagnose_explain_child(facts, text, sizeof(text));
	front_complain(program, "%s", text);
}

static int refused(const char *program, const struct engine_options *options,
	const struct engine_result *result)
{
	struct diagnose_facts facts;
	const char *option = options->dump ? "--dump" : "-p";
	char text[512];

	if (result->refused_pid &&
		front_explain(program, option, result->refused_pid, text, sizeof(text)))
		front_complain(program, "%s", text);
	else if (result->refused_pid)
		front_complain(program, "cannot attach to %d: %s", result->refused_pid,
			strerror(-result->error));
	else if (result->error == -EPERM && diagnose_read((int)getpid(), &facts) == 0)
		explain_child(program, &facts);
	else
		front_complain(program, "cannot begin: %s%s", strerror(-result->error),
			remedy(result->error));
	return FRONT_OURS;
}

int front_failure(const char *program, const struct engine_options *options,
	const struct engine_result *result)
{
	if (result->exec_error)
		return exec_failed(program, options->command[0], result->exec_error);
	return result->error ? refused(program, options, result) : 0;
}

int front_end(const struct engine_options *options, const struct engine_result *result, bool done)
{
	int status = result->command_status;

	if (!options->command)
		return done ? 0 : FRONT_OURS;
	if (!result->command_ended && signals_join_command(result, &status) < 0)
		return FRONT_OURS;
	return front_end_like(status);
}
