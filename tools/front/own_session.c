/* SPDX-License-Identifier: MIT */
#include "tools/front/own_session.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/engine/diagnose.h"
#include "supervisor/engine/signals.h"
#include "supervisor/os/priority.h"
#include "supervisor/os/suspend.h"
#include "tools/front/front.h"

static bool sessions_have_shares(void)
{
	int fd = open("/proc/sys/kernel/sched_autogroup_enabled", O_RDONLY | O_CLOEXEC);
	char on = '0';

	if (fd < 0)
		return false;
	if (read(fd, &on, 1) != 1)
		on = '0';
	(void)close(fd);
	return on == '1';
}

/*
 * The tracer has stopped. Returns the signal by which this process must stop, too. @stop: the stop
 * signal that this process has passed on to the tracer, or 0. Returns @stop if it is not 0; else
 * SIGTSTP if the command was stopped on its own terminal; else 0, because somebody stopped only the
 * tracer.
 */
static int stop_of_job(struct terminal_relay *relay, int stop)
{
	terminal_relay_leave(relay);
	if (!stop && relay->stops)
		stop = SIGTSTP;
	relay->stops = false;
	return stop;
}

static bool next_signal(struct terminal_relay *relay, const sigset_t *signals, siginfo_t *ret_info)
{
	if (!relay)
		return sigwaitinfo(signals, ret_info) >= 0;
	terminal_relay_wait(relay, signals, ret_info);
	return true;
}

/*
 * Represents the tracer @pid to the shell: stops and ends as the tracer does. A request to stop is
 * passed on to the tracer, which stops with its command. If somebody stops only the tracer, it is
 * continued at once: threads of the target would otherwise stand still at their next signal, or
 * when they create a thread. If there is no command (@alone), the tracer must never stop, so ^Z
 * stops only this process. As the first process of a container, this process also waits for
 * orphans.
 */
static _Noreturn void stand_for(pid_t pid, bool alone, struct terminal_relay *relay)
{
	sigset_t signals;
	siginfo_t info;
	int status, stop = 0;

	signals_handled(&signals);
	if (relay)
		terminal_relay_begin(relay);
	for (;;) {
		pid_t seen = waitpid(-1, &status, WNOHANG | WUNTRACED);

		if (seen == pid && relay && !WIFSTOPPED(status))
			terminal_relay_end(relay);
		if (seen == pid && !WIFSTOPPED(status))
			exit(front_end_like(status));
		if (seen == pid) {
			if (relay)
				stop = stop_of_job(relay, stop);
			if (stop)
				suspend(stop);
			stop = 0;
			(void)kill(pid, SIGCONT);
		} else if (seen <= 0 && next_signal(relay, &signals, &info) &&
			info.si_signo != SIGCHLD) {
			if (!alone && signals_is_stop(info.si_signo))
				stop = info.si_signo;
			if (alone && info.si_signo == SIGTSTP)
				suspend_by_key();
			else
				signals_forward(pid, &info);
		}
	}
}

bool own_session_divide(const struct engine_options *options, struct terminal_relay *relay)
{
	pid_t parent = getpid(), pid;

	if (!relay || !relay->used)
		relay = NULL;
	if (options->command && !relay &&
		(!sessions_have_shares() || (!options->no_realtime && priority_may_be_realtime())))
		return false;
	(void)fflush(NULL);
	pid = fork();
	if (pid > 0)
		stand_for(pid, !options->command, relay);
	if (pid < 0)
		return false;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(FRONT_OURS);
	/*
	 * A signal sent by name (pkill) must reach only the parent, which passes it on. So the
	 * tracer gets another name.
	 */
	(void)prctl(PR_SET_NAME, DIAGNOSE_TRACER_NAME);
	if (relay)
		terminal_relay_lead(relay, options->inherited.user->uid);
	return true;
}
