/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/timing.h"

#include "base/clock.h"
#include "supervisor/engine/engine.h"

void timing_start(struct timing *timing, const struct engine_options *options)
{
	uint64_t begin_ns = clock_now() + options->delay_ns;

	timing->begins_at_ns = options->delay_ns ? begin_ns : 0;
	timing->ends_at_ns = options->duration_ns ? begin_ns + options->duration_ns : 0;
}
