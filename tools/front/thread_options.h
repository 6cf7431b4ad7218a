/* SPDX-License-Identifier: MIT */
/* --thread-name and --tid: the threads to profile (supervisor/engine/choice.h). */
#ifndef TOOLS_FRONT_THREAD_OPTIONS_H
#define TOOLS_FRONT_THREAD_OPTIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "supervisor/engine/choice.h"

enum { THREAD_ARGUMENTS = 6 };

struct thread_options {
	const char *name, *tid; /* as given; NULL: not given */
	regex_t regex;
	int *list; /* thread ids of --tid; owned */
	size_t n;
	struct choice_rule rule;
	char text[160]; /* describes these threads to the profile's reader */
};

/*
 * Each of these two functions takes the value of one option. A wrong value ends the program with a
 * message and status 2.
 */
void thread_options_take_name(
	struct thread_options *options, const char *program, const char *value);
void thread_options_take_tids(
	struct thread_options *options, const char *program, const char *value);

/*
 * Lists the processes of the threads of --tid in *@ret_list, each process once; the caller frees
 * the list. If one of the threads does not exist, ends the program with status 125.
 */
void thread_options_processes(
	const struct thread_options *options, const char *program, int **ret_list, size_t *ret_n);

/* Returns the engine's rule, borrowed from @options; NULL: all threads are chosen. */
const struct choice_rule *thread_options_rule(struct thread_options *options);

/* Appends at most THREAD_ARGUMENTS words about threads for the analyst; returns their number. */
size_t thread_options_arguments(const struct thread_options *options, const char **argv);

void thread_options_release(struct thread_options *options);

#endif
