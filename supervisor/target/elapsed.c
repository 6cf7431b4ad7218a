/* SPDX-License-Identifier: MIT */
#include "supervisor/target/elapsed.h"

#include "supervisor/os/procfs.h"

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void elapsed_begin(
	struct elapsed *elapsed, uint64_t serial, const struct cpu_time *cpu, uint64_t now_ns)
{
	*elapsed = (struct elapsed){.serial = serial,
		.begin_ns = now_ns,
		.begin_run_ns = cpu->run_ns,
		.begin_wait_ns = cpu->wait_ns};
}

void elapsed_see(struct elapsed *elapsed, const struct cpu_time *cpu)
{
	elapsed->queue_ns = less(cpu->wait_ns, elapsed->begin_wait_ns);
}

uint64_t elapsed_take(
	struct elapsed *elapsed, const struct cpu_time *cpu, uint64_t now_ns, uint64_t period_ns)
{
	uint64_t off_ns =
		less(less(now_ns, elapsed->begin_ns), less(cpu->run_ns, elapsed->begin_run_ns));
	uint64_t ticks = less(off_ns, elapsed->paid_ns) / period_ns;

	elapsed_see(elapsed, cpu);
	elapsed->paid_ns += ticks * period_ns;
	/*
	 * Off-CPU time includes run queue time, which is now counted, too, but for less than a
	 * tick.
	 */
	if (ticks)
		elapsed->queue_paid_ns = elapsed->queue_ns;
	return ticks;
}

uint64_t elapsed_take_queue(struct elapsed *elapsed, uint64_t period_ns)
{
	uint64_t ticks = less(elapsed->queue_ns, elapsed->queue_paid_ns) / period_ns;

	elapsed->queue_paid_ns += ticks * period_ns;
	elapsed->paid_ns += ticks * period_ns;
	return ticks;
}
