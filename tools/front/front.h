/* SPDX-License-Identifier: MIT */
/* What the supervisors (sprofrun, sproftop, sprofserve) do before and after the engine runs. */
#ifndef TOOLS_FRONT_FRONT_H
#define TOOLS_FRONT_FRONT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/standard.h"

struct engine_options;
struct engine_result;
struct launch_state;

/*
 * Exit statuses. OURS: sprofil failed. NOT_EXECUTABLE and NOT_FOUND are about the command, and have
 * the numbers that a shell uses. USAGE: the command line is wrong.
 */
enum { FRONT_OURS = 125, FRONT_NOT_EXECUTABLE = 126, FRONT_NOT_FOUND = 127, FRONT_USAGE = 2 };

#define front_complain standard_complain

/* Reports a wrong value of an option, and ends the program with FRONT_USAGE. */
_Noreturn void front_reject(
	const char *program, const char *what, const char *value, const char *remedy);

/* Finds the analyst, beside this program or in libexec. False, and a message: it is missing. */
bool front_find_analyst(const char *program, char path[PATH_MAX]);

/*
 * Saves in @state what the command inherits unchanged: the signal mask, whether SIGCHLD is ignored,
 * and the descriptor limit. Then blocks the signals of signals_handled() in this process, sets the
 * default action of SIGCHLD, and raises the descriptor limit, because each sampled thread needs
 * four descriptors.
 */
void front_prepare(struct launch_state *state);

/* Writes why @pid, which the user gave with @option, cannot be traced. False: no cause is known. */
bool front_explain(const char *program, const char *option, int pid, char *text, size_t room);

/*
 * Ends this process as the command has ended. @wait_status is the command's. If the command exited,
 * returns its exit status. If a signal killed the command, kills this process by the same signal,
 * without a core dump; returns 128 + signal if this process survives the signal.
 */
int front_end_like(int wait_status);

/*
 * Call after engine_run(). Waits until the analyst has written its results, and closes
 * result->analyst_fd. Returns the analyst's wait status; 0: there is no analyst.
 *
 * Without a live view (@stop_view is NULL), signals are passed on to a living command. If no
 * command lives, the first signal to end makes the analyst stop waiting for readers of its output,
 * and the next one kills the analyst. *@ret_signal becomes the last signal to end; it is unchanged
 * if none came.
 *
 * With a live view, the first signal to end ends the view, even if the command lives; the next two
 * act as without a view. ^Z (SIGTSTP) calls @stop_view, which suspends the analyst and this
 * process.
 */
int front_join_analyst(struct engine_result *result,
	void (*stop_view)(void *context, int analyst_pid), void *context, int *ret_signal);

/* If nothing could be profiled, says why and returns our exit status. 0: no failure. */
int front_failure(const char *program, const struct engine_options *options,
	const struct engine_result *result);

/*
 * If a command was started, waits for it, and ends like it (front_end_like()). Otherwise returns 0
 * if @done (all results were delivered), else FRONT_OURS.
 */
int front_end(const struct engine_options *options, const struct engine_result *result, bool done);

#endif
