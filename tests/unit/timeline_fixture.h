/* SPDX-License-Identifier: MIT */
/*
 * A profile with a time line. It begins at FIXTURE_BEGAN_NS and takes 3 s, at 250 Hz:
 *
 *   main 10      load    0.0 s to 1.0 s      200 samples of weight 4 ms, and 5 ms of CPU time each
 *   main 10      work    1.0 s to 1.8 s, 2.0 s to 2.5 s     200 and 125, 4 ms each
 *   main 10      store   2.5 s to 3.0 s      125
 *   helper 11    work    2.0 s to 2.5 s      125
 *   main 10      [unsampled]                 7 ms
 */
#ifndef TESTS_TIMELINE_FIXTURE_H
#define TESTS_TIMELINE_FIXTURE_H

#include "profile/timeline.h"
#include "tests/unit/profile_fixture.h"

#define FIXTURE_BEGAN_NS UINT64_C(1700000000000000000)

/* Adds a sample each @step_ms, from @from_ms + 2 to @to_ms. Each has @step_ms of CPU time. */
static inline void fixture_phase(
	struct profile *profile, uint32_t stack, unsigned from_ms, unsigned to_ms, unsigned step_ms)
{
	for (unsigned ms = from_ms + 2; ms < to_ms; ms += step_ms) {
		const int64_t values[VALUE_TYPES_MAX] = {1, step_ms * (int64_t)FIXTURE_MS};
		const struct instant instant = {.sample = stack,
			.time_ns = FIXTURE_BEGAN_NS + (uint64_t)ms * FIXTURE_MS,
			.weight_ns = 4 * FIXTURE_MS};

		profile_add_values(profile, stack, values);
		(void)fixture_index(timeline_add(profile, &instant));
	}
}

static inline struct profile *fixture_timeline(void)
{
	static const char *const names[] = {"load", "work", "store", "main"};
	struct profile *profile = NULL;
	uint32_t location[4], stack[4], mapping, task[2];

	(void)fixture_index(profile_new(&profile));
	mapping = fixture_index(profile_add_mapping(profile,
		&(struct mapping){.file = "/opt/phases", .start = 0x1000, .limit = 0x9000}));
	task[0] =
		fixture_index(profile_add_task(profile, &(struct task){10, 10, "phases", "main"}));
	task[1] = fixture_index(
		profile_add_task(profile, &(struct task){10, 11, "phases", "helper"}));
	for (uint32_t i = 0; i < 4; i++) {
		struct location_line line = {
			.function = fixture_index(profile_add_function(profile,
				&(struct function){.name = names[i], .symbol = names[i]}))};

		location[i] = fixture_location(profile, mapping, 0x1000 + 64 * i, &line, 1);
	}
	for (uint32_t i = 0; i < 4; i++) {
		/* One frame each: load, work and store in main, work in helper. */
		stack[i] = fixture_index(
			profile_add_stack(profile, task[i == 3], &location[i == 3 ? 1 : i], 1));
	}
	profile_set_time(profile, FIXTURE_BEGAN_NS, 3000 * (uint64_t)FIXTURE_MS);
	profile_set_period(profile, 4 * FIXTURE_MS);
	(void)fixture_index(profile_set_command(profile, "phases --three"));
	fixture_phase(profile, stack[0], 0, 1000, 5);
	fixture_phase(profile, stack[1], 1000, 1800, 4);
	fixture_phase(profile, stack[1], 2000, 2500, 4);
	fixture_phase(profile, stack[3], 2000, 2500, 4);
	fixture_phase(profile, stack[2], 2500, 3000, 4);
	(void)fixture_index(profile_add_unsampled(profile, task[0], mapping, 7 * FIXTURE_MS));
	return profile;
}

#endif
