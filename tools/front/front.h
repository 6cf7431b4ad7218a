/* SPDX-License-Identifier: MIT */
/*
 * What sprofrun, sproftop and sprofserve share. Each of them is a supervisor: it runs the engine,
 * and these functions do what comes before and after that.
 */
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
 * Exit statuses: sprofil failed; the command cannot be executed, or is not found (as in a shell);
 * the command line is wrong.
 */
enum { FRONT_OURS = 125, FRONT_NOT_EXECUTABLE = 126, FRONT_NOT_FOUND = 127, FRONT_USAGE = 2 };

/* Prints a message, "PROGRAM: …", on standard error. */
#define front_complain standard_complain

/* Reports a wrong value of an option, and ends the program with FRONT_USAGE. */
_Noreturn void front_reject(
	const char *program, const char *what, const char *value, const char *remedy);

/*
 * Finds the analyst: beside this program in the build tree, in libexec when installed; both
 * relative to this program, so that an installed tree can be moved. False, and a message, if it is
 * missing.
 */
bool front_find_analyst(const char *program, char path[PATH_MAX]);

/*
 * Saves in @state what the command inherits unchanged (signal mask, SIGCHLD, descriptor limit), and
 * prepares this process for the engine: signals blocked, the descriptor limit raised (each thread
 * needs four).
 */
void front_prepare(struct launch_state *state);

/*
 * Writes to @text why @pid cannot be traced; @option: the option by which the user named @pid.
 * False: the cause is unknown, or there is none any more.
 */
bool front_explain(const char *program, const char *option, int pid, char *text, size_t room);

/*
 * Ends this process like the command: with its exit status, or by the same signal without a core
 * dump.
 */
int front_end_like(int wait_status);

/*
 * After engine_run(): waits until the analyst has written and reported, and returns its wait
 * status; 0: there is no analyst. Closes result->analyst_fd.
 *
 * Signals during the wait: while the command lives, they are passed on to the command. After its
 * end, the first signal to end makes the analyst stop waiting for readers, and the next one kills
 * it; *@ret_signal is the last such signal, unchanged if there was none. With a live view,
 * @stop_view is not NULL (it suspends the analyst and this process, for ^Z). Then the first signal
 * to end ends the view, whether the command lives or not.
 */
int front_join_analyst(struct engine_result *result,
	void (*stop_view)(void *context, int analyst_pid), void *context, int *ret_signal);

/*
 * If nothing could be profiled: prints the message for the result of engine_run(), and returns our
 * exit status. 0: no failure.
 */
int front_failure(const char *program, const struct engine_options *options,
	const struct engine_result *result);

/*
 * Ends a program whose profiling has not failed. Without a command: returns the exit status, 0 if
 * the results were delivered (@done). With a command: waits for it, and ends as it did.
 */
int front_end(const struct engine_options *options, const struct engine_result *result, bool done);

#endif
