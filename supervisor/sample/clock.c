/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/clock.h"

#include <string.h>

/* Less is not left between wake-ups of different CPUs. */
#define LEAST_NS 50000
/* A wake-up of ours takes the CPU from a thread, a stop does, and a third may be a neighbour's. */
#define OUR_ARRIVALS 3
/* A credit of so many periods is paid at once. */
#define SHARE_PERIODS 4
/* In so many payments what is kept comes to what shall be. */
#define SHARE_STEPS 8
/* The usual sum is that of the last payments, about so many. */
#define USUAL_OF 16
/* The load is that of about this long. */
#define LOAD_NS UINT64_C(100000000)

void wakeups_init(struct wakeups *wakeups, uint64_t period_ns, uint64_t now_ns, uint64_t seed)
{
	*wakeups = (struct wakeups){
		.period_ns = period_ns, .next_ns = now_ns, .random = seed ? seed : 1};
	wakeups_advance(wakeups, now_ns, period_ns, 1);
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

/* 0.75 to 1.25 spans after @from_ns; if that is past, within one from now. */
static uint64_t after(struct wakeups *wakeups, uint64_t from_ns, uint64_t span_ns, uint64_t now_ns)
{
	uint64_t at = from_ns + span_ns - span_ns / 4 + wakeups_random(wakeups, span_ns / 2 + 1);

	return at > now_ns ? at : now_ns + 1 + wakeups_random(wakeups, span_ns);
}

void wakeups_advance(struct wakeups *wakeups, uint64_t now_ns, uint64_t span_ns, unsigned parts)
{
	uint64_t part = wakeups->period_ns / parts, done = wakeups->next_ns, extra;

	/* It was a whole one; or the period is another one now. */
	if (wakeups->whole_ns <= done || wakeups->whole_ns - done > 3 * wakeups->period_ns)
		wakeups->whole_ns = after(wakeups, done, span_ns, now_ns);
	wakeups->next_ns = wakeups->whole_ns;
	if (parts == 1)
		return;
	if (part < LEAST_NS)
		part = LEAST_NS;
	extra = after(wakeups, done, part, now_ns);
	if (extra + part / 2 < wakeups->whole_ns)
		wakeups->next_ns = extra;
}

void credit_begin(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns,
	uint64_t period_ns, uint64_t phase_ns)
{
	*credit = (struct credit){
		.start_ns = cpu->run_ns,
		.paid_ns = cpu->run_ns,
		.due_ns = period_ns - phase_ns,
		.seen = *cpu,
		.seen_at_ns = now_ns,
		.true_at_ns = now_ns,
		.settled_ns = cpu->run_ns,
		.moved_at_ns = now_ns,
		.arrived_at_ns = now_ns,
	};
}

static void note_load(struct credit *credit)
{
	uint64_t span = credit->unseen_ns < LOAD_NS ? credit->unseen_ns : LOAD_NS;
	uint64_t ran = credit->moved_ns < credit->unseen_ns ? credit->moved_ns : credit->unseen_ns;

	if (span)
		credit->load = (credit->load * (LOAD_NS - span) +
				       ran * CREDIT_LOAD_WHOLE / credit->unseen_ns * span) /
			LOAD_NS;
}

bool credit_see(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns)
{
	bool arrived = cpu->slices != credit->seen.slices;
	bool moved = arrived || cpu->run_ns != credit->seen.run_ns;

	if (moved) {
		/*
		 * While it stays on its CPU only the scheduler's tick brings the figure up to date,
		 * up to a tick ago; but not before it can have run so much.
		 */
		uint64_t earliest = credit->true_at_ns + (cpu->run_ns - credit->seen.run_ns);

		credit->true_at_ns = arrived || earliest > now_ns ? now_ns : earliest;
		credit->moved_at_ns = now_ns;
	}
	if (arrived)
		credit->arrived_at_ns = now_ns;
	credit->moved_ns = cpu->run_ns - credit->seen.run_ns;
	credit->unseen_ns = now_ns - credit->seen_at_ns;
	note_load(credit);
	if (cpu->slices - credit->seen.slices > OUR_ARRIVALS &&
		credit->unseen_ns < CREDIT_RESTLESS_NS)
		credit->restless_at_ns = now_ns;
	credit->seen = *cpu;
	credit->seen_at_ns = now_ns;
	return moved;
}

uint64_t credit_settle_asleep(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns)
{
	(void)credit_see(credit, cpu, now_ns);
	credit->true_at_ns = now_ns;
	credit->settled_ns = cpu->run_ns;
	return cpu->run_ns > credit->paid_ns ? cpu->run_ns - credit->paid_ns : 0;
}

uint64_t credit_settle(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns)
{
	uint64_t owed = credit_settle_asleep(credit, cpu, now_ns);

	/* It is resumed at once: that it is put on a CPU again then says nothing new. */
	credit->arrived_at_ns = now_ns;
	credit->seen.slices++;
	return owed;
}

bool credit_is_hotter(const struct credit *a, const struct credit *b)
{
	if (a->arrived_at_ns != b->arrived_at_ns)
		return a->arrived_at_ns > b->arrived_at_ns;
	return a->moved_ns < b->moved_ns;
}

uint64_t clock_next_due(uint64_t due_ns, uint64_t paid_ns, uint64_t period_ns)
{
	uint64_t least = period_ns / 4, most = 2 * period_ns;
	/* A carried or long-saved credit is no reason to hurry for long. */
	uint64_t paid = paid_ns < 2 * period_ns ? paid_ns : 2 * period_ns;
	uint64_t due = due_ns + period_ns / 8;

	due = due > paid / 8 ? due - paid / 8 : 0;
	return due < least ? least : due > most ? most : due;
}

uint64_t credit_share(const struct credit *credit, uint64_t owed_ns, uint64_t period_ns)
{
	uint64_t keep = period_ns / 2, share;

	if (!credit->pays || owed_ns >= SHARE_PERIODS * period_ns)
		return owed_ns;
	/* What is kept goes back to that by and by. */
	share = credit->usual_ns + credit->kept_ns / SHARE_STEPS;
	share = share > keep / SHARE_STEPS ? share - keep / SHARE_STEPS : 0;
	return share < owed_ns ? share : owed_ns;
}

void credit_pay(struct credit *credit, uint64_t owed_ns, uint64_t paid_ns, uint64_t period_ns)
{
	uint64_t used = owed_ns > credit->kept_ns ? owed_ns - credit->kept_ns : 0;
	uint64_t of = credit->pays < USUAL_OF ? credit->pays + 1 : USUAL_OF,
		 most = SHARE_PERIODS * period_ns;

	credit->usual_ns =
		credit->usual_ns - credit->usual_ns / of + (used < most ? used : most) / of;
	credit->kept_ns = owed_ns - paid_ns;
	credit->due_ns = clock_next_due(credit->due_ns, paid_ns, period_ns);
	credit->paid_ns += paid_ns;
	credit->pays++;
}

void credit_clear(struct credit *credit, uint64_t run_ns)
{
	credit->paid_ns = run_ns;
	credit->kept_ns = 0;
}

uint64_t credit_estimate(const struct credit *credit, uint64_t now_ns, uint64_t scheduler_tick_ns)
{
	uint64_t since = now_ns - credit->true_at_ns;
	uint64_t run;

	if (since > scheduler_tick_ns)
		since = scheduler_tick_ns;
	run = credit->seen.run_ns + since;
	return run > credit->paid_ns ? run - credit->paid_ns : 0;
}

bool credit_on_cpu(const struct credit *credit, uint64_t now_ns, uint64_t scheduler_tick_ns)
{
	return now_ns - credit->moved_at_ns <= scheduler_tick_ns + scheduler_tick_ns / 4;
}

bool credit_restless(const struct credit *credit, uint64_t now_ns)
{
	return credit->restless_at_ns && now_ns - credit->restless_at_ns < CREDIT_RESTLESS_NS;
}

bool credit_overdue(const struct credit *credit, uint64_t period_ns)
{
	return credit->seen.run_ns - credit->settled_ns >= 3 * period_ns;
}
