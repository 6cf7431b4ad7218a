/* SPDX-License-Identifier: MIT */
/* --thread-name and --tid: which threads the profile is of (supervisor/engine/choice.h). */
#ifndef TOOLS_THREAD_OPTIONS_H
#define TOOLS_THREAD_OPTIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "supervisor/engine/choice.h"

enum { THREAD_ARGUMENTS = 6 };

struct thread_options {
	const char *name, *tid; /* as given; NULL not */
	regex_t regex;
	int *list; /* of --tid; owned */
	size_t n;
	struct choice_rule rule;
	char text[160]; /* which threads these are, for the profile's reader */
};

/* Both take one option. When its value is wrong they say why and end the program with status 2. */
void thread_options_take_name(
	struct thread_options *options, const char *program, const char *value);
void thread_options_take_tids(
	struct thread_options *options, const char *program, const char *value);

/*
 * The processes of the threads of --tid, each once: *ret_list is to be freed, NULL where there are
 * none. Ends the program with status 125, and a message, when such a thread does not live.
 */
void thread_options_processes(
	const struct thread_options *options, const char *program, int **ret_list, size_t *ret_n);

/* The rule for the engine, or NULL: all threads. Borrowed from @options. */
const struct choice_rule *thread_options_rule(struct thread_options *options);

/* Adds what the analyst is to be told to its arguments, at most THREAD_ARGUMENTS: how many these
 * are. */
size_t thread_options_arguments(const struct thread_options *options, const char **argv);

void thread_options_release(struct thread_options *options);

#endif
