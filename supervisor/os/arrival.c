/* SPDX-License-Identifier: MIT */
#include "supervisor/os/arrival.h"

#include <errno.h>

#include "base/clock.h"
#include "supervisor/os/procfs.h"

void arrival_rest(struct arrival_log *log)
{
	log->rest_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
}

int arrival_read(struct arrival_log *log, int fd, struct arrival *ret_arrival)
{
	struct turn turn;
	int r = fd < 0 ? -ENODATA : procfs_read_turn(fd, &turn);
	uint64_t ran, since;

	if (r < 0)
		return r;
	if (!turn.switches || turn.switches != log->switches)
		log->turn_ns = log->rest_ns;
	log->switches = turn.switches;
	ran = turn.run_ns > log->turn_ns ? turn.run_ns - log->turn_ns : 0;
	since = clock_read(CLOCK_THREAD_CPUTIME_ID) - turn.run_ns;
	*ret_arrival =
		(struct arrival){turn.switched_ns - ran, turn.switched_ns, clock_now() - since};
	return 0;
}
