/* SPDX-License-Identifier: MIT */
/*
 * A profile made by hand. Of 404 ms of CPU time, 100 samples of 4 ms and 4 ms unsampled:
 *
 *   thread     stack, leaf first                                      samples
 *   demo 100   helper (inlined in demo::compute) < main                    50
 *   worker 101 walk < walk < walk < main                                   25
 *   demo 100   0x2345 of libfoo.so.1, without a name < main                10
 *   worker 101 foo_read (in libfoo.so.1) < main                            15
 *   demo 100   [unsampled] of demo                                 0, but 4 ms
 */
#ifndef TESTS_PROFILE_FIXTURE_H
#define TESTS_PROFILE_FIXTURE_H

#include <stdlib.h>

#include "profile/profile.h"

#define FIXTURE_MS 1000000

static inline uint32_t fixture_index(int index)
{
	if (index < 0)
		abort();
	return (uint32_t)index;
}

static inline void fixture_add(
	struct profile *profile, uint32_t task, const uint32_t *location, size_t n, int64_t samples)
{
	int64_t values[VALUE_TYPES_MAX] = {samples, samples * 4 * FIXTURE_MS};

	(void)fixture_index(profile_add_sample(profile, task, location, n, values));
}

static inline uint32_t fixture_location(struct profile *profile, uint32_t mapping, uint64_t address,
	const struct location_line *line, size_t lines)
{
	uint32_t location = fixture_index(profile_add_location(profile, mapping, address));

	if (lines)
		(void)fixture_index(profile_set_lines(profile, location, line, lines));
	return location;
}

static inline void fixture_audit(struct profile *profile)
{
	static const struct {
		const char *key;
		uint64_t value;
	} figures[] = {
		{"kernel_cpu_ns", 404 * FIXTURE_MS},
		{"found_ns", 396 * FIXTURE_MS},
		{"instants", 125},
		{"late_instants", 1},
		{"realtime", 1},
		{"stops", 120},
		{"stop_ns_p50", 21000},
		{"stop_ns_p99", 60000},
		{"stop_ns_max", 412000},
		{"stopped_ns", 2500000},
		{"cost_ns", 3740000},
		{"lost_samples", 1},
		{"truncated_stacks", 2},
		{"effective_samples", 100},
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		(void)fixture_index(profile_set_audit(profile, figures[i].key, figures[i].value));
	(void)fixture_index(profile_add_note(profile, "made by hand"));
	(void)fixture_index(profile_set_command(profile, "demo --fast"));
	profile_set_time(profile, UINT64_C(1700000000000000000), 1000 * FIXTURE_MS);
	profile_set_period(profile, 4 * FIXTURE_MS);
}

static inline struct profile *fixture_profile(void)
{
	static const struct mapping demo = {.file = "/usr/bin/demo",
		.build_id = "aa01",
		.start = 0x1000,
		.limit = 0x5000,
		.offset = 0x1000};
	static const struct mapping foo = {.file = "/usr/lib/libfoo.so.1",
		.build_id = "bb02",
		.start = 0x2000,
		.limit = 0x3000,
		.offset = 0x2000};
	static const struct function functions[] = {
		{"main", "main", "src/main.c", 10},
		{"demo::compute(int)", "_ZN4demo7computeEi", "src/compute.cc", 20},
		{"helper", "helper", "src/inline.h", 5},
		{"walk", "walk", "src/walk.c", 30},
		{"foo_read", "foo_read", "foo.c", 40},
	};
	struct profile *profile = NULL;
	uint32_t exe, lib, f[5], main_at, compute_at, walk_at, unknown_at, read_at, one, two;

	(void)fixture_index(profile_new(&profile));
	exe = fixture_index(profile_add_mapping(profile, &demo));
	lib = fixture_index(profile_add_mapping(profile, &foo));
	for (size_t i = 0; i < 5; i++)
		f[i] = fixture_index(profile_add_function(profile, &functions[i]));
	main_at = fixture_location(profile, exe, 0x1100, &(struct location_line){f[0], 12}, 1);
	compute_at = fixture_location(
		profile, exe, 0x1200, (struct location_line[]){{f[2], 7}, {f[1], 25}}, 2);
	walk_at = fixture_location(profile, exe, 0x1300, &(struct location_line){f[3], 33}, 1);
	unknown_at = fixture_location(profile, lib, 0x2345, NULL, 0);
	read_at = fixture_location(profile, lib, 0x2400, &(struct location_line){f[4], 44}, 1);
	one = fixture_index(profile_add_task(profile, &(struct task){100, 100, "demo", "demo"}));
	two = fixture_index(profile_add_task(profile, &(struct task){100, 101, "demo", "worker"}));
	fixture_add(profile, one, (uint32_t[]){compute_at, main_at}, 2, 50);
	fixture_add(profile, two, (uint32_t[]){walk_at, walk_at, walk_at, main_at}, 4, 25);
	fixture_add(profile, one, (uint32_t[]){unknown_at, main_at}, 2, 10);
	fixture_add(profile, two, (uint32_t[]){read_at, main_at}, 2, 15);
	(void)fixture_index(profile_add_unsampled(profile, one, exe, 4 * FIXTURE_MS));
	fixture_audit(profile);
	return profile;
}

#endif
