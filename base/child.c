/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

/* ns between two checks of child_join_within(). */
#define LOOK_NS 200000

int child_join(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return status;
}

bool child_join_within(int pid, uint64_t most_ns)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	uint64_t until = clock_now() + most_ns;
	int r;

	while ((r = waitpid(pid, NULL, WNOHANG)) == 0 && clock_now() < until)
		(void)nanosleep(&pause, NULL);
	return r != 0;
}
