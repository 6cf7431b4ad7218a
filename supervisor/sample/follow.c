/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/follow.h"

void follow_init(struct follow *follow)
{
	follow->cpu = follow->next = -1;
	follow->cpus = 1;
	CPU_ZERO(&follow->allowed);
	if (sched_getaffinity(0, sizeof(follow->allowed), &follow->allowed) == 0)
		follow->cpus = (unsigned)CPU_COUNT(&follow->allowed);
}

bool follow_may(const struct follow *follow, int cpu)
{
	return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &follow->allowed);
}

void follow_to(struct follow *follow, int cpu)
{
	cpu_set_t set;

	if (cpu == follow->cpu || !follow_may(follow, cpu))
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		follow->cpu = cpu;
}

void follow_stop(struct follow *follow)
{
	if (follow->cpu >= 0 &&
		sched_setaffinity(0, sizeof(follow->allowed), &follow->allowed) == 0)
		follow->cpu = -1;
}
