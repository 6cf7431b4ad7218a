/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <errno.h>
#include <sys/wait.h>

int child_join(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return status;
}
