/* SPDX-License-Identifier: MIT */
/* -E and -u of sprofrun: environment and user of the command only, not of our own processes. */
#ifndef TOOLS_FRONT_COMMAND_AS_H
#define TOOLS_FRONT_COMMAND_AS_H

#include <stdbool.h>

#include "base/command_line.h"
#include "supervisor/os/launch.h"

struct engine_options;

/* Initialized as zeros, except @program; freed by command_as_release(). */
struct command_as {
	const char *program; /* for messages */
	/* the command's environment: the array is owned, the strings are not; NULL: ours */
	char **environment;
	struct launch_user user;
	bool has_user;
};

/*
 * Changes the command's environment: "NAME=VALUE" sets a variable, "NAME" removes it. Returns 0;
 * -EINVAL: @assignment has no name; -ENOMEM: there is no memory. @assignment must outlive @as.
 */
int command_as_variable(struct command_as *as, const char *assignment);

/* Returns the value of a variable of the command's environment, borrowed; NULL: it is unset. */
const char *command_as_get(const struct command_as *as, const char *name);

struct option_set command_as_options(struct command_as *as);

/*
 * Applies -E and -u to the command. Ends the program with status 2 if one of them was given, but no
 * command.
 */
void command_as_finish(
	const char *program, const struct command_as *as, struct engine_options *engine);

void command_as_release(struct command_as *as);

#endif
