/* SPDX-License-Identifier: MIT */
/* What the programs that are a supervisor, sprofrun and sproftop, do alike around the engine. */
#ifndef TOOLS_FRONT_H
#define TOOLS_FRONT_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct engine_options;
struct engine_result;
struct launch_state;

enum { FRONT_OURS = 125, FRONT_NOT_EXECUTABLE = 126, FRONT_NOT_FOUND = 127, FRONT_USAGE = 2 };

/* One message, "PROGRAM: …", on the standard error. */
void front_complain(const char *program, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The analyst lies beside this program in the build tree, and in libexec when installed; both are
 * found from where this program lies, so that an installed tree can be moved. False, and a message,
 * when it is missing.
 */
bool front_find_analyst(const char *program, char path[PATH_MAX]);

/*
 * What the command is to get back later, and what the engine wants of this process: its signals
 * blocked, and as many descriptors as there may be (two a thread).
 */
void front_prepare(struct launch_state *state);

/* The cause of a refusal. False: it cannot be told, or there is none any more. */
bool front_explain(int pid, char *text, size_t room);

/* Our own end, like the command's: its exit status, or death by the same signal without a core. */
int front_end_like(int wait_status);

/*
 * After engine_run(): waits until the analyst has written and reported, and returns its wait
 * status. Signals are for the command while it lives. After that the first order makes the analyst
 * wait for nobody any more, and the next one ends it: *@ret_signal is the last, unchanged if there
 * was none. With a live view (@stop_view, which stops it and us) a first one ends that, whether the
 * command lives or not.
 */
int front_join_analyst(struct engine_result *result,
	void (*stop_view)(void *context, int analyst_pid), void *context, int *ret_signal);

/*
 * What engine_run() has to tell when nothing could be profiled: the message, and our exit status.
 * 0: there is nothing to tell.
 */
int front_failure(const char *program, const struct engine_options *options,
	const struct engine_result *result);

#endif
