/* SPDX-License-Identifier: MIT */
/*
 * Common code around the engine of the programs that are a supervisor: sprofrun, sproftop,
 * sprofserve.
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

enum { FRONT_OURS = 125, FRONT_NOT_EXECUTABLE = 126, FRONT_NOT_FOUND = 127, FRONT_USAGE = 2 };

/* Prints a message, "PROGRAM: …", on standard error. */
#define front_complain standard_complain

/*
 * Finds the analyst: beside this program in the build tree, in libexec when installed; both
 * relative to this program, so that an installed tree can be moved. False, and a message, if it is
 * missing.
 */
bool front_find_analyst(const char *program, char path[PATH_MAX]);

/*
 * Saves what the command gets back later, and prepares this process for the engine: signals
 * blocked, and the limit of descriptors raised (four per thread are needed).
 */
void front_prepare(struct launch_state *state);

/* The cause of a refusal. False: unknown, or there is none any more. */
bool front_explain(int pid, char *text, size_t room);

/*
 * Ends this process like the command: with its exit status, or by the same signal without a core
 * dump.
 */
int front_end_like(int wait_status);

/*
 * After engine_run(): waits until the analyst has written and reported, and returns its wait
 * status. Signals are for the command while it lives. After that, the first order makes the analyst
 * stop waiting for readers, and the next one ends it: *@ret_signal is the last order, unchanged if
 * there was none. With a live view (@stop_view, which stops the analyst and this process), the
 * first order ends the view, whether the command lives or not.
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
 * The end of a program whose profiling has not failed: its status, or the end of the command, which
 * is waited for. @done: its results were delivered.
 */
int front_end(const struct engine_options *options, const struct engine_result *result, bool done);

#endif
