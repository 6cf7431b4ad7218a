/* SPDX-License-Identifier: MIT */
#include "tools/front/command_as.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/engine/engine.h"
#include "tools/front/front.h"
#include "tools/front/target_options.h"

static bool is_variable(const char *entry, const char *name, size_t bytes)
{
	return strncmp(entry, name, bytes) == 0 && entry[bytes] == '=';
}

int command_as_variable(struct command_as *as, const char *assignment)
{
	char **old = as->environment ? as->environment : environ, **fresh;
	size_t bytes = strcspn(assignment, "="), n = 0, kept = 0;

	if (!bytes)
		return -EINVAL;
	while (old[n])
		n++;
	fresh = calloc(n + 2, sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!is_variable(old[i], assignment, bytes))
			fresh[kept++] = old[i];
	}
	if (assignment[bytes])
		fresh[kept] = (char *)assignment;
	free(as->environment);
	as->environment = fresh;
	return 0;
}

static const struct passwd *find(const char *name)
{
	const struct passwd *user = getpwnam(name);

	if (!user && name[0] && strlen(name) < 10 && strspn(name, "0123456789") == strlen(name))
		user = getpwuid((uid_t)strtoul(name, NULL, 10));
	return user;
}

/* Sets the user by name or number. -ENOENT: no such user; -EPERM: only root may name another. */
static int set_user(struct command_as *as, const char *name)
{
	const struct passwd *found = find(name);
	struct launch_user user = {0};
	int n = 64;

	if (!found)
		return -ENOENT;
	if (geteuid() != 0)
		return found->pw_uid == geteuid() ? 0 : -EPERM;
	user.uid = found->pw_uid;
	user.gid = found->pw_gid;
	do {
		gid_t *groups = reallocarray(user.groups, (size_t)n, sizeof(*groups));

		if (!groups) {
			free(user.groups);
			return -ENOMEM;
		}
		user.groups = groups;
		/* If the array is too short, this returns -1 and sets @n to the size needed. */
	} while (getgrouplist(found->pw_name, found->pw_gid, user.groups, &n) < 0);
	user.groups_n = (size_t)n;
	free(as->user.groups);
	as->user = user;
	as->has_user = true;
	return 0;
}

const char *command_as_get(const struct command_as *as, const char *name)
{
	char **entry = as->environment ? as->environment : environ;
	size_t bytes = strlen(name);

	while (*entry && !is_variable(*entry, name, bytes))
		entry++;
	return *entry ? *entry + bytes + 1 : NULL;
}

static int take_user(void *command_as, char *value)
{
	struct command_as *as = command_as;
	int r = set_user(as, value);

	if (r == -ENOENT || r == 0)
		return r ? -EINVAL : 0;
	front_complain(as->program, "cannot run the command as %s: %s", value,
		r == -EPERM ? "only root may; use sudo" : strerror(-r));
	exit(FRONT_OURS);
}

static int take_variable(void *as, char *value)
{
	return command_as_variable(as, value) < 0 ? -EINVAL : 0;
}

struct option_set command_as_options(struct command_as *as)
{
	static const struct option_row rows[] = {
		{"env", 'E', OPTION_TAKE, .take = take_variable, NULL, "bad variable",
			"give NAME=VALUE, or NAME to remove it"},
		{"user", 'u', OPTION_TAKE, .take = take_user, NULL, "no user",
			"give the name or number of one that there is"},
	};

	return (struct option_set){OPTION_ROWS(rows), as, 0};
}

void command_as_finish(
	const char *program, const struct command_as *as, struct engine_options *engine)
{
	if ((as->environment || as->has_user) && !engine->command) {
		front_complain(program, "-E and -u are for a command that is started");
		exit(FRONT_USAGE);
	}
	engine->inherited.environment = as->environment;
	engine->inherited.user = as->has_user ? &as->user : NULL;
}

void command_as_release(struct command_as *as)
{
	free(as->environment);
	free(as->user.groups);
	*as = (struct command_as){0};
}
