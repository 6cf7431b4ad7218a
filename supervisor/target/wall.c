/* SPDX-License-Identifier: MIT */
#include "supervisor/target/wall.h"

void wall_begin(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns)
{
	*wall = (struct wall){.begin_ns = now_ns, .since_ns = now_ns, .at = *cpu};
}

void wall_settle(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns)
{
	bool older = cpu->run_ns < wall->at.run_ns || cpu->wait_ns < wall->at.wait_ns;
	const struct cpu_time *last = older ? &wall->at : cpu;
	uint64_t waited = last->wait_ns - wall->at.wait_ns;

	wall->blocked_ns += (int64_t)(now_ns - wall->since_ns);
	wall->blocked_ns -= (int64_t)(last->run_ns - wall->at.run_ns + waited + wall->stopped_ns);
	wall->queue_ns += waited;
	wall->since_ns = now_ns;
	wall->stopped_ns = 0;
	wall->at = *last;
}

bool wall_stays(const struct wall *wall, const struct cpu_time *cpu)
{
	return wall->seen && cpu->slices == wall->slices;
}

void wall_stay(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns)
{
	if (now_ns <= wall->since_ns)
		return;
	wall_settle(wall, cpu, now_ns);
	wall->here_ns = wall->blocked_ns;
}

void wall_see(struct wall *wall, uint64_t slices, uint64_t now_ns)
{
	wall->seen = true;
	wall->slices = slices;
	wall->said_ns = now_ns;
	wall->here_ns = 0;
}

struct waiting wall_owes(const struct wall *wall)
{
	return (struct waiting){
		wall->queue_ns, wall->blocked_ns > 0 ? (uint64_t)wall->blocked_ns : 0};
}

uint64_t wall_owes_here(const struct wall *wall)
{
	return wall->here_ns > 0 ? (uint64_t)wall->here_ns : 0;
}

void wall_pay(struct wall *wall, const struct waiting *paid)
{
	wall->queue_ns -= paid->queue_ns;
	wall->blocked_ns -= (int64_t)paid->blocked_ns;
	wall->here_ns -= (int64_t)paid->blocked_ns;
	if (wall->here_ns < 0)
		wall->here_ns = 0;
}
