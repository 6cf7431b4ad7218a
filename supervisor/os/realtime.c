/* SPDX-License-Identifier: MIT */
#include "supervisor/os/realtime.h"

#include <time.h>

#include "base/clock.h"
#include "supervisor/os/priority.h"

/*
 * Real time is given up where the thread takes more than MOST_PART of a CPU over SPAN_NS, SPANS
 * times in a row: its CPU's other programs hardly run. (A hypervisor that takes the CPU away may
 * make it one.) It returns where the thread takes less than a RETURN_PART over AWAY_NS, as it does
 * when thousands of threads have begun.
 */
#define SPAN_NS     UINT64_C(100000000)
#define SPANS       2
#define AWAY_NS     UINT64_C(500000000)
#define MOST_PART   3 / 4
#define RETURN_PART 1 / 2

static bool take(void)
{
	return priority_guard() == 0 && priority_realtime() == 0;
}

void realtime_begin(struct realtime *r, bool wanted)
{
	r->had = r->has = wanted && take();
	if (!r->has)
		priority_prompt();
}

bool realtime_watch(struct realtime *r, uint64_t now)
{
	uint64_t span = now - r->checked_ns, used;
	bool first = !r->checked_ns;

	if (!r->had || span < (r->has ? SPAN_NS : AWAY_NS))
		return false;
	used = clock_read(CLOCK_THREAD_CPUTIME_ID) - r->cpu_ns;
	r->checked_ns = now;
	r->cpu_ns += used;
	if (first)
		return false;
	if (!r->has)
		return r->has = used < span * RETURN_PART && take();
	r->much = used > span * MOST_PART ? r->much + 1 : 0;
	if (priority_is_realtime() && r->much < SPANS)
		return false;
	r->has = false;
	r->much = 0;
	priority_give_up();
	return true;
}
