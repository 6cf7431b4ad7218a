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
#include "supervisor/engine/signals.h"

/* A command still stopped this long after a SIGCONT to the supervisor gets the signal, too. */
#define CONTINUE_NS 50000000
/* Requests handled per call. Each may read memory of the target, which takes 1 to 2 us. */
#define REQUESTS_AT_ONCE 64

/* The analyst has found how much of a thread's stack is needed. The thread may have ended. */
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
	case REQUEST_RUNTIME: runtime_records_request(engine, request); break;
	case REQUEST_STACK: set_stack_need(engine, request->index, request->value); break;
	case REQUEST_GO: runtime_records_go(engine, request); break;
	case REQUEST_CHUNKS_BASE:
	case REQUEST_CHUNKS: runtime_records_chunks(engine, request); break;
	case REQUEST_MEMORY: runtime_records_memory(engine, request); break;
	case REQUEST_STOP: engine->timing.stop = true; break;
	default: break;
	}
}

void control_requests(struct engine *engine)
{
	uint8_t message[REQUEST_BYTES];
	struct request request;

	/* Further requests wait for the loop's next round, as sampling instants must not wait. */
	for (unsigned i = 0; i < REQUESTS_AT_ONCE; i++) {
		if (read(engine->reader.link.request_fd, message, sizeof(message)) !=
			(ssize_t)sizeof(message))
			return;
		if (request_get(message, &request) == 0)
			handle_request(engine, &request);
	}
}

/* Is SIGHUP ignored, as by nohup(1)? An ignored SIGINT (background jobs) still ends the run. */
static bool is_hangup_ignored(void)
{
	struct sigaction action;

	return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/*
 * Is @sender a process of the target? A full-screen program reads ^Z as a key, and then sends the
 * stop signal to its process group itself. If the supervisor gets the signal from there, it stops
 * as after a ^Z.
 */
static bool is_of_target(const struct engine *engine, int sender)
{
	return target_find_process(&engine->target, sender) != NULL;
}

/*
 * Handles a signal to the supervisor. If the command got the signal, too, the command decides what
 * to do. Otherwise the signal is passed on to the command. If no command lives, the signal ends the
 * profiling, but stop signals are ignored. This is because a supervisor that is stopped holds its
 * tracees: each thread of the target would stand still at its next signal, or when it next makes a
 * child.
 */
static void handle_signal(struct engine *engine, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;
	int sender = (int)info->ssi_pid;
	enum signals_origin origin = signals_origin(signal, info->ssi_code, info->ssi_ptr, &sender);
	bool command_lives = engine->options->command && !engine->result->command_ended &&
		!engine->options->signals_end;

	if (signal == SIGUSR2 && engine->options->snapshots && origin != SIGNALS_FROM_TERMINAL) {
		figures_snapshot(engine);
	} else if (signals_is_control(signal) && command_lives) {
		if (!signals_is_ours_alone(engine->result, origin))
			return;
		engine->life.hung_up |= signal == SIGHUP && origin == SIGNALS_FROM_TERMINAL_TO_US;
		signals_send(engine->result, signal, origin);
	} else if (signals_is_control(signal) && !(signal == SIGHUP && is_hangup_ignored())) {
		engine->result->stopped_by = signal;
		engine->timing.stop = true;
	} else if (signals_is_stop(signal) && command_lives &&
		(origin != SIGNALS_SENT || is_of_target(engine, sender))) {
		/* A command in its own session does not get the terminal's signals. */
		if (engine->result->command_apart && origin != SIGNALS_SENT)
			(void)kill(-engine->launch.pid, SIGSTOP);
		lifecycle_stop_with_command(engine, signal);
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
