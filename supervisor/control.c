/* SPDX-License-Identifier: MIT */
/* What the engine is told from outside: signals, and requests of the analyst. */
#include "supervisor/engine_internal.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "proto/request.h"

void engine_signals(sigset_t *ret_set)
{
	static const int signals[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN,
		SIGTTOU, SIGPIPE};

	(void)sigemptyset(ret_set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		(void)sigaddset(ret_set, signals[i]);
}

static void handle_request(struct engine *engine, const struct request *request)
{
	struct process *process;

	switch (request->type) {
	case REQUEST_PERIOD:
		engine->period_ns = request->value;
		engine_set_wakeups(engine);
		break;
	case REQUEST_FREEZE: account_count(engine, !request->value); break;
	case REQUEST_MAPS:
		process = target_find_process(&engine->target, (int)request->id);
		if (process)
			process->maps_announced = false;
		break;
	case REQUEST_STOP: engine->stop = true; break;
	default: break;
	}
}

void control_requests(struct engine *engine)
{
	uint8_t message[REQUEST_BYTES];
	struct request request;

	while (read(engine->link.request_fd, message, sizeof(message)) == (ssize_t)sizeof(message)) {
		if (request_get(message, &request) == 0)
			handle_request(engine, &request);
	}
}

/*
 * Signals to us. What the terminal sends goes to the command as well, which decides; what was sent
 * to us alone by kill(2) is passed on. Without a command (attached, or it has ended) they end the
 * profiling.
 */
static void handle_signal(struct engine *engine, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;
	bool from_terminal = info->ssi_code == SI_KERNEL;
	bool command_lives = engine->options->command && !engine->result->command_ended &&
		!engine->options->signals_end;

	switch (signal) {
	case SIGINT:
	case SIGQUIT:
	case SIGTERM:
	case SIGHUP:
		if (!command_lives) {
			engine->result->stopped_by = signal;
			engine->stop = true;
		} else if (!from_terminal) {
			(void)kill(engine->launch.pid, signal);
		}
		break;
	case SIGTSTP:
		if (!command_lives)
			(void)raise(SIGSTOP);
		else if (from_terminal)
			engine->stop_pending = true;
		break;
	default: break;
	}
}

void control_signals(struct engine *engine)
{
	struct signalfd_siginfo info;

	while (read(engine->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		handle_signal(engine, &info);
}

int engine_join(const struct engine_result *result, int *ret_status)
{
	struct waiter_result seen;
	siginfo_t info;
	sigset_t signals;
	int r;

	engine_signals(&signals);
	while ((r = waiter_peek(result->command_pid, &seen)) == 0 && seen.kind != WAITER_GONE) {
		if (sigwaitinfo(&signals, &info) < 0 || info.si_code == SI_KERNEL ||
			info.si_signo == SIGCHLD)
			continue;
		(void)kill(result->command_pid, info.si_signo);
	}
	if (r < 0)
		return r;
	*ret_status = seen.status;
	return waiter_take(result->command_pid);
}
