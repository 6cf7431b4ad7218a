/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/throttle.h"

#define EACH_NS      UINT64_C(500000000)
#define MILLION      1000000
#define ANALYST_PART 5
/* A stretch by less than this factor is not reported. */
#define NOTABLE (THROTTLE_ONE + THROTTLE_ONE / 32)

void throttle_init(struct throttle *throttle)
{
	*throttle = (struct throttle){.factor = THROTTLE_ONE};
}

bool throttle_is_due(const struct throttle *throttle, uint64_t now_ns)
{
	return now_ns - throttle->at_ns >= EACH_NS;
}

uint64_t throttle_see(struct throttle *throttle, uint64_t now_ns, uint64_t cpu_ns,
	uint64_t analyst_ns, uint64_t bound_ppm)
{
	uint64_t span = now_ns - throttle->at_ns, used = cpu_ns - throttle->cpu_ns, wanted;
	/*
	 * The CPU time of a new analyst begins at 0, below the last reading of the old one. No CPU
	 * time of the analyst is then counted in this span.
	 */
	uint64_t analyst =
		analyst_ns > throttle->analyst_ns ? analyst_ns - throttle->analyst_ns : 0;
	uint64_t most = span / MILLION * bound_ppm / ANALYST_PART;
	bool began = throttle->at_ns, rarer = throttle->factor > NOTABLE;

	throttle->at_ns = now_ns;
	throttle->cpu_ns = cpu_ns;
	throttle->analyst_ns = analyst_ns;
	if (!began || !span)
		return 0;
	used += analyst < most ? analyst : most;
	/* The CPU time used is nearly proportional to the number of instants. */
	wanted = throttle->factor * (used * MILLION / span) / bound_ppm;
	if (wanted > THROTTLE_MOST)
		wanted = THROTTLE_MOST;
	if (wanted < THROTTLE_ONE)
		wanted = THROTTLE_ONE;
	/*
	 * The factor moves half of the way to @wanted. A factor that rises is rounded up, as else
	 * it would never reach @wanted.
	 */
	throttle->factor = wanted > throttle->factor ? (throttle->factor + wanted + 1) / 2
						     : (throttle->factor + wanted) / 2;
	return rarer ? span : 0;
}
