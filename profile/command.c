/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "base/shell.h"
#include "profile/profile.h"

int profile_set_command_args(struct profile *profile, const char *args, size_t bytes)
{
	char *line = shell_line(args, bytes);
	int error;

	if (!line)
		return -ENOMEM;
	error = profile_set_command(profile, line);
	free(line);
	return error;
}
