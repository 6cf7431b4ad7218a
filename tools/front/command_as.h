/* SPDX-License-Identifier: MIT */
/*
 * -E and -u of sprofrun: environment and user of the command, without effect on our own processes.
 */
#ifndef TOOLS_FRONT_COMMAND_AS_H
#define TOOLS_FRONT_COMMAND_AS_H

#include <getopt.h>
#include <stdbool.h>

#include "supervisor/os/launch.h"

struct engine_options;

/* Entries for a table of struct option and a string of short options. */
/* clang-format off */
#define COMMAND_AS_LONG \
	{"env", required_argument, NULL, 'E'}, \
	{"user", required_argument, NULL, 'u'}
/* clang-format on */
#define COMMAND_AS_SHORT "E:u:"

/* Zero-initialized. */
struct command_as {
	char **environment; /* of the command; NULL: ours */
	struct launch_user user;
	bool has_user;
};

/*
 * "NAME=VALUE", or "NAME" to remove the variable. -EINVAL: no name. -ENOMEM. @assignment must
 * outlive @as.
 */
int command_as_variable(struct command_as *as, const char *assignment);

/*
 * Sets the command's user by name or number, with the groups of this user. -ENOENT: no such user;
 * -EPERM: another user, and we are not root.
 */
int command_as_user(struct command_as *as, const char *name);

/* The value of a variable in the command's environment; NULL: none. Borrowed. */
const char *command_as_get(const struct command_as *as, const char *name);

/*
 * Handles one of the options. False: another option. An invalid value is reported and ends the
 * program.
 */
bool command_as_take(const char *program, struct command_as *as, int option, const char *value);

/*
 * Applies the options to the command; without a command, options that were given end the program.
 */
void command_as_finish(
	const char *program, const struct command_as *as, struct engine_options *engine);

void command_as_release(struct command_as *as);

#endif
