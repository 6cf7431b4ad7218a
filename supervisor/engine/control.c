/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/control.h"

#include <limits.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "proto/request.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/figures.h"
#include "supervisor/os/waiter.h"

/* A command that gets the same SIGCONT as the supervisor is going on after this time. */
#define CONTINUE_NS 50000000

void engine_signals(sigset_t *ret_set)
{
	static const int signals[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN,
		SIGTTOU, SIGCONT, SIGPIPE, SIGUSR1, SIGUSR2, SIGXFSZ};

	(void)sigemptyset(ret_set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		(void)sigaddset(ret_set, signals[i]);
}

/*
 * How much of a thread's stack is copied from now on, as the analyst found it; at most --max-stack.
 * The thread may have ended.
 */
static void set_stack_need(struct engine *engine, uint32_t tid, uint64_t bytes)
{
	struct tracee *t = tid <= INT_MAX ? target_find(&engine->target, (int)tid) : NULL;

	if (t)
		t->home.need = bytes;
}

static void handle_request(struct engine *engine, const struct request *request)
{
	switch (request->type) {
	case REQUEST_PERIOD:
		engine->period_ns = request->value;
		sampling_set_periods(engine);
		break;
	case REQUEST_FREEZE: counting_freeze(engine, request->value); break;
	case REQUEST_ROTATE: rotate_wanted(engine, clock_now()); break;
	case REQUEST_EXAMINED: engine->runtimes.examined++; break;
	case REQUEST_RUNTIME: runtime_records_request(engine, request); break;
	case REQUEST_STACK: set_stack_need(engine, request->index, request->value); break;
	case REQUEST_GO: runtime_records_go(engine, request); break;
	case REQUEST_STOP: engine->timing.stop = true; break;
	default: break;
	}
}

void control_requests(struct engine *engine)
{
	uint8_t message[REQUEST_BYTES];
	struct request request;

	while (read(engine->reader.link.request_fd, message, sizeof(message)) ==
		(ssize_t)sizeof(message)) {
		if (request_get(message, &request) == 0)
			handle_request(engine, &request);
	}
}

bool engine_is_control_signal(int signal)
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

/* The origin of a signal. engine_forward() passes it on as the signal's value, with the sender. */
enum origin {
	SENT = 0x73707200, /* by kill(2), to the supervisor alone */
	FROM_TERMINAL,     /* and sent to the command as well */
	FROM_TERMINAL_TO_US,
};

/*
 * Who sent a signal, and to whom. The terminal sends its signals to the command as well. A hang-up
 * goes only to the session leader: the others get it when the leader ends, and without the
 * supervisor the command would be the leader. @sender: the pid in the siginfo; of a forwarded
 * signal, that of the first sender.
 */
static enum origin find_origin(int signal, int code, uint64_t value, int *sender)
{
	uint64_t origin = value >> 32;

	if (code == SI_QUEUE && *sender == getppid() && origin >= SENT &&
		origin <= FROM_TERMINAL_TO_US) {
		*sender = (int)(value & UINT32_MAX);
		return (enum origin)origin;
	}
	if (code != SI_KERNEL)
		return SENT;
	return signal == SIGHUP && getsid(0) == getpid() ? FROM_TERMINAL_TO_US : FROM_TERMINAL;
}

static enum origin origin_of(const siginfo_t *info, int *ret_sender)
{
	*ret_sender = info->si_pid;
	return find_origin(
		info->si_signo, info->si_code, (uintptr_t)info->si_value.sival_ptr, ret_sender);
}

void engine_forward(int pid, const siginfo_t *info)
{
	int sender;
	uint64_t origin = origin_of(info, &sender);
	union sigval value = {.sival_ptr = (void *)(uintptr_t)(origin << 32 | (uint32_t)sender)};

	(void)sigqueue(pid, info->si_signo, value);
}

/* Was the signal sent to the supervisor, and not to the command as well? */
static bool is_ours_alone(const struct engine_result *result, enum origin origin)
{
	return origin != FROM_TERMINAL || result->command_apart;
}

/*
 * Passes a signal on to the command. A hang-up is followed by SIGCONT, as the kernel does, so that
 * a stopped process gets it. The terminal's signals go to the process group.
 */
static void pass_on(const struct engine_result *result, int signal, enum origin origin)
{
	int pid = result->command_apart && origin != SENT ? -result->command_pid
							  : result->command_pid;

	(void)kill(pid, signal);
	if (signal == SIGHUP && origin != SENT)
		(void)kill(pid, SIGCONT);
}

/*
 * Has nohup(1) had SIGHUP ignored? Signals that shells ignore for background jobs (SIGINT) still
 * count as requests to end.
 */
static bool is_hangup_ignored(void)
{
	struct sigaction action;

	return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* First sends the analyst the CPU time of all threads, which it otherwise gets once a second. */
void control_snapshot(struct engine *engine)
{
	char text[FIGURES_BYTES];
	uint64_t now = clock_now();

	cpu_account_report_all(engine, now);
	if (!figures_print(engine, now, text) ||
		!emit_audit(&engine->emitter, now, RECORD_SNAPSHOT, 0, text))
		say_line(&engine->say, SAY_WARNING,
			"no snapshot was written: the analyst is busy, or gone");
}

bool engine_is_stop(int signal)
{
	return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/*
 * Does the sender belong to the target? A full-screen program stops its whole process group itself,
 * as the terminal would.
 */
static bool is_of_target(const struct engine *engine, int sender)
{
	return target_find_process(&engine->target, sender) != NULL;
}

/*
 * Signals to the supervisor. The command decides about signals that it also gets; a signal sent to
 * the supervisor alone by kill(2) is passed on. Without a command (attached, or it has ended) a
 * signal ends the profiling, but for a request to stop: while the supervisor is stopped, threads of
 * the target stand still from their next signal or new thread on.
 */
static void handle_signal(struct engine *engine, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;
	int sender = (int)info->ssi_pid;
	enum origin origin = find_origin(signal, info->ssi_code, info->ssi_ptr, &sender);
	bool command_lives = engine->options->command && !engine->result->command_ended &&
		!engine->options->signals_end;

	if (signal == SIGUSR2 && engine->options->snapshots && origin != FROM_TERMINAL) {
		control_snapshot(engine);
	} else if (engine_is_control_signal(signal) && command_lives) {
		if (!is_ours_alone(engine->result, origin))
			return;
		engine->life.hung_up |= signal == SIGHUP && origin == FROM_TERMINAL_TO_US;
		pass_on(engine->result, signal, origin);
	} else if (engine_is_control_signal(signal) && !(signal == SIGHUP && is_hangup_ignored())) {
		engine->result->stopped_by = signal;
		engine->timing.stop = true;
	} else if (engine_is_stop(signal) && command_lives &&
		(origin != SENT || is_of_target(engine, sender))) {
		engine->life.stop_signal = signal;
		/* A command in a session of its own does not get the terminal's signals. */
		if (engine->result->command_apart && origin != SENT)
			(void)kill(-engine->launch.pid, SIGSTOP);
		lifecycle_stop_with_command(engine);
	} else if (signal == SIGCONT && command_lives) {
		engine->life.continues_at_ns = clock_now() + CONTINUE_NS;
	}
}

void control_signals(struct engine *engine)
{
	struct signalfd_siginfo info[8];
	ssize_t n;

	do {
		n = read(engine->signal_fd, info, sizeof(info));
		for (ssize_t i = 0; i < n / (ssize_t)sizeof(info[0]); i++)
			handle_signal(engine, &info[i]);
	} while (n == (ssize_t)sizeof(info));
}

bool engine_pass_on(const struct engine_result *result, const siginfo_t *info)
{
	struct waiter_result seen;
	enum origin origin;
	int sender;

	if (!result->command_pid || result->command_ended ||
		waiter_peek(result->command_pid, &seen) < 0 || seen.kind == WAITER_GONE)
		return false;
	origin = origin_of(info, &sender);
	if (engine_is_control_signal(info->si_signo) && is_ours_alone(result, origin))
		pass_on(result, info->si_signo, origin);
	return true;
}

int engine_join(const struct engine_result *result, int *ret_status)
{
	struct waiter_result seen;
	siginfo_t info;
	sigset_t signals;
	int r;

	engine_signals(&signals);
	while ((r = waiter_peek(result->command_pid, &seen)) == 0 && seen.kind != WAITER_GONE) {
		if (sigwaitinfo(&signals, &info) >= 0)
			(void)engine_pass_on(result, &info);
	}
	if (r < 0)
		return r;
	*ret_status = seen.status;
	return waiter_take(result->command_pid);
}
