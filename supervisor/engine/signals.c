/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/signals.h"

#include <unistd.h>

#include "supervisor/engine/engine.h"
#include "supervisor/os/waiter.h"

void signals_handled(sigset_t *ret_set)
{
	static const int signals[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN,
		SIGTTOU, SIGCONT, SIGPIPE, SIGUSR1, SIGUSR2, SIGXFSZ};

	(void)sigemptyset(ret_set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		(void)sigaddset(ret_set, signals[i]);
}

bool signals_is_control(int signal)
{
	switch (signal) {
	case SIGINT:
	case SIGQUIT:
	case SIGTERM:
	case SIGHUP:
	case SIGUSR1:
	case SIGUSR2: return true;
	default: return false;
	}
}

bool signals_is_stop(int signal)
{
	return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

enum signals_origin signals_origin(int signal, int code, uint64_t value, int *sender)
{
	uint64_t origin = value >> 32;

	if (code == SI_QUEUE && *sender == getppid() && origin >= SIGNALS_SENT &&
		origin <= SIGNALS_FROM_TERMINAL_TO_US) {
		*sender = (int)(value & UINT32_MAX);
		return (enum signals_origin)origin;
	}
	if (code != SI_KERNEL)
		return SIGNALS_SENT;
	return signal == SIGHUP && getsid(0) == getpid() ? SIGNALS_FROM_TERMINAL_TO_US
							 : SIGNALS_FROM_TERMINAL;
}

static enum signals_origin origin_of(const siginfo_t *info, int *ret_sender)
{
	*ret_sender = info->si_pid;
	return signals_origin(
		info->si_signo, info->si_code, (uintptr_t)info->si_value.sival_ptr, ret_sender);
}

void signals_forward(int pid, const siginfo_t *info)
{
	int sender;
	uint64_t origin = origin_of(info, &sender);
	union sigval value = {.sival_ptr = (void *)(uintptr_t)(origin << 32 | (uint32_t)sender)};

	(void)sigqueue(pid, info->si_signo, value);
}

bool signals_is_ours_alone(const struct engine_result *result, enum signals_origin origin)
{
	return origin != SIGNALS_FROM_TERMINAL || result->command_apart;
}

void signals_send(const struct engine_result *result, int signal, enum signals_origin origin)
{
	int pid = result->command_apart && origin != SIGNALS_SENT ? -result->command_pid
								  : result->command_pid;

	(void)kill(pid, signal);
	if (signal == SIGHUP && origin != SIGNALS_SENT)
		(void)kill(pid, SIGCONT);
}

bool signals_pass_on(const struct engine_result *result, const siginfo_t *info)
{
	struct waiter_result seen;
	enum signals_origin origin;
	int sender;

	if (!result->command_pid || result->command_ended ||
		waiter_peek(result->command_pid, &seen) < 0 || seen.kind == WAITER_GONE)
		return false;
	origin = origin_of(info, &sender);
	if (signals_is_control(info->si_signo) && signals_is_ours_alone(result, origin))
		signals_send(result, info->si_signo, origin);
	return true;
}

int signals_join_command(const struct engine_result *result, int *ret_status)
{
	struct waiter_result seen;
	siginfo_t info;
	sigset_t signals;
	int r;

	signals_handled(&signals);
	while ((r = waiter_peek(result->command_pid, &seen)) == 0 && seen.kind != WAITER_GONE) {
		if (sigwaitinfo(&signals, &info) >= 0)
			(void)signals_pass_on(result, &info);
	}
	if (r < 0)
		return r;
	*ret_status = seen.status;
	return waiter_take(result->command_pid);
}
