/* SPDX-License-Identifier: MIT */
#include "supervisor/clock.h"

#include <string.h>

void wakeups_init(struct wakeups *wakeups, uint64_t period_ns, uint64_t now_ns, uint64_t seed)
{
	*wakeups = (struct wakeups){.period_ns = period_ns, .next_ns = now_ns,
		.random = seed ? seed : 1};
	wakeups_advance(wakeups, now_ns);
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators". */
static uint64_t next_random(struct wakeups *wakeups)
{
	uint64_t x = wakeups->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	wakeups->random = x;
	return x * UINT64_C(2685821657736338717);
}

uint64_t wakeups_random(struct wakeups *wakeups, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)next_random(wakeups) * bound) >> 64);
}

void wakeups_advance(struct wakeups *wakeups, uint64_t now_ns)
{
	uint64_t period = wakeups->period_ns;

	wakeups->next_ns += period - period / 4 + wakeups_random(wakeups, period / 2 + 1);
	if (wakeups->next_ns <= now_ns)
		wakeups->next_ns = now_ns + 1 + wakeups_random(wakeups, period);
}

void credit_begin(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns,
	uint64_t period_ns, uint64_t phase_ns)
{
	*credit = (struct credit){
		.start_ns = cpu->run_ns,
		.paid_ns = cpu->run_ns,
		.due_ns = period_ns - phase_ns,
		.exact_ns = cpu->run_ns,
		.exact_at_ns = now_ns,
		.seen = *cpu,
		.moved_at_ns = now_ns,
	};
}

bool credit_see(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns)
{
	bool moved = cpu->run_ns != credit->seen.run_ns || cpu->slices != credit->seen.slices;

	if (moved)
		credit->moved_at_ns = now_ns;
	credit->seen = *cpu;
	return moved;
}

uint64_t credit_settle(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns)
{
	(void)credit_see(credit, cpu, now_ns);
	credit->exact_ns = cpu->run_ns;
	credit->exact_at_ns = now_ns;
	return cpu->run_ns > credit->paid_ns ? cpu->run_ns - credit->paid_ns : 0;
}

void credit_pay(struct credit *credit, uint64_t period_ns)
{
	credit->paid_ns = credit->seen.run_ns;
	credit->due_ns = period_ns / 2;
}

uint64_t credit_estimate(const struct credit *credit, uint64_t now_ns, uint64_t scheduler_tick_ns)
{
	uint64_t most = credit->exact_ns + (now_ns - credit->exact_at_ns);
	uint64_t run = credit->seen.run_ns + scheduler_tick_ns / 2;

	if (run > most)
		run = most;
	if (run < credit->seen.run_ns)
		run = credit->seen.run_ns;
	return run > credit->paid_ns ? run - credit->paid_ns : 0;
}

bool credit_on_cpu(const struct credit *credit, uint64_t now_ns, uint64_t scheduler_tick_ns)
{
	return now_ns - credit->moved_at_ns <= scheduler_tick_ns + scheduler_tick_ns / 4;
}
