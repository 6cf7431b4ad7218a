/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/pace.h"

#define EACH_NS      UINT64_C(500000000)
#define MILLION      1000000
#define ANALYST_PART 5
/* Below that it is not worth a word. */
#define NOTABLE (PACE_ONE + PACE_ONE / 32)

void pace_init(struct pace *pace)
{
	*pace = (struct pace){.factor = PACE_ONE};
}

bool pace_is_due(const struct pace *pace, uint64_t now_ns)
{
	return now_ns - pace->at_ns >= EACH_NS;
}

uint64_t pace_see(struct pace *pace, uint64_t now_ns, uint64_t cpu_ns, uint64_t analyst_ns,
	uint64_t bound_ppm)
{
	uint64_t span = now_ns - pace->at_ns, used = cpu_ns - pace->cpu_ns, wanted;
	/* A fresh one begins anew. */
	uint64_t analyst = analyst_ns > pace->analyst_ns ? analyst_ns - pace->analyst_ns : 0;
	uint64_t most = span / MILLION * bound_ppm / ANALYST_PART;
	bool began = pace->at_ns, rarer = pace->factor > NOTABLE;

	pace->at_ns = now_ns;
	pace->cpu_ns = cpu_ns;
	pace->analyst_ns = analyst_ns;
	if (!began || !span)
		return 0;
	used += analyst < most ? analyst : most;
	/* What there is to do goes with the ticks, nearly. */
	wanted = pace->factor * (used * MILLION / span) / bound_ppm;
	if (wanted > PACE_MOST)
		wanted = PACE_MOST;
	if (wanted < PACE_ONE)
		wanted = PACE_ONE;
	/* Half of the way, and all of the last step. */
	pace->factor = wanted > pace->factor ? (pace->factor + wanted + 1) / 2
					     : (pace->factor + wanted) / 2;
	return rarer ? span : 0;
}
