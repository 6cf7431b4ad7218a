/* SPDX-License-Identifier: MIT */
/* -E and -u of sprofrun: the environment and the user of the command, and of nothing of ours. */
#ifndef TOOLS_COMMAND_AS_H
#define TOOLS_COMMAND_AS_H

#include <getopt.h>
#include <stdbool.h>

#include "supervisor/os/launch.h"

struct engine_options;

/* For a table of struct option and a string of short options. */
/* clang-format off */
#define COMMAND_AS_LONG \
	{"env", required_argument, NULL, 'E'}, \
	{"user", required_argument, NULL, 'u'}
/* clang-format on */
#define COMMAND_AS_SHORT "E:u:"

/* All zero at the start. */
struct command_as {
	char **environment; /* NULL: ours */
	struct launch_user user;
	bool has_user;
};

/*
 * "NAME=VALUE", or "NAME" to remove it. -EINVAL: it has no name. -ENOMEM. @assignment must outlive
 * it.
 */
int command_as_variable(struct command_as *as, const char *assignment);

/*
 * A user's name or number, with the groups that this user has. -ENOENT: there is no such user;
 * -EPERM: another one, and we are not root.
 */
int command_as_user(struct command_as *as, const char *name);

/* The value of a variable, as the command will have it; NULL: none. Borrowed. */
const char *command_as_get(const struct command_as *as, const char *name);

/*
 * Takes one of the options. False: it is none of them. A value that will not do is said, and ends
 * the program.
 */
bool command_as_take(const char *program, struct command_as *as, int option, const char *value);

/* What launches the command; without one, options that were given end the program. */
void command_as_finish(
	const char *program, const struct command_as *as, struct engine_options *engine);

void command_as_release(struct command_as *as);

#endif
