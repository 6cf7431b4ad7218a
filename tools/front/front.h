/* SPDX-License-Identifier: MIT */
/* What sprofrun, sproftop and sprofserve, which are supervisors, do before and after the engine. */
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

/* Exit statuses: sprofil failed; as in a shell: not executable, not found; wrong command line. */
enum { FRONT_OURS = 125, FRONT_NOT_EXECUTABLE = 126, FRONT_NOT_FOUND = 127, FRONT_USAGE = 2 };

#define front_complain standard_complain

/* Reports a wrong value of an option, and ends the program with FRONT_USAGE. */
_Noreturn void front_reject(
	const char *program, const char *what, const char *value, const char *remedy);

/* Finds the analyst, beside this program or in libexec. False, and a message: it is missing. */
bool front_find_analyst(const char *program, char path[PATH_MAX]);

/*
 * Saves in @state what the command inherits unchanged (signal mask, SIGCHLD, descriptor limit),
 * then blocks signals and raises the descriptor limit: each sampled thread needs four descriptors.
 */
void front_prepare(struct launch_state *state);

/* Writes why @pid, which the user gave with @option, cannot be traced. False: no cause is known. */
bool front_explain(const char *program, const char *option, int pid, char *text, size_t room);

/* Ends like the command: returns its exit status, or dies of its signal, without a core dump. */
int front_end_like(int wait_status);

/*
 * After engine_run(): waits until the analyst has written and reported, closes result->analyst_fd,
 * and returns the analyst's wait status; 0: no analyst.
 *
 * Meanwhile, signals are passed on to a living command. After its end, the first signal to end
 * makes the analyst stop waiting for readers, and the next one kills it; *@ret_signal: the last
 * such signal; unchanged if none came. With a live view, @stop_view is set (it suspends the analyst
 * and this process, for ^Z), and the first signal to end ends the view, even if the command lives.
 */
int front_join_analyst(struct engine_result *result,
	void (*stop_view)(void *context, int analyst_pid), void *context, int *ret_signal);

/* If nothing could be profiled, says why and returns our exit status. 0: no failure. */
int front_failure(const char *program, const struct engine_options *options,
	const struct engine_result *result);

/* Waits for the command, and ends like it. Without one, returns 0 if there are results (@done). */
int front_end(const struct engine_options *options, const struct engine_result *result, bool done);

#endif
