/* SPDX-License-Identifier: MIT */
/*
 * make_timeline KIND [ARGUMENTS] FILE: writes a profile with a time line. KIND is one of:
 *
 *	phases               the profile of tests/unit/timeline_fixture.h
 *	many SAMPLES STACKS  that many samples of that many stacks
 *	rank RANK FACTOR     phases of one rank, with FACTOR times as much of store
 *	waits                phases with waits: main is blocked in work from 1.8 s to 2 s (in
 *	                     three observations) and from 2.1 s to 2.2 s; helper waits for a
 *	                     CPU from 2.55 s to 2.6 s
 *	wall                 a wall-clock profile of 2 s: a thread runs in the first second
 *	                     and is blocked in the other; an unknown thread without samples
 *	                     has as much time
 *	slow                 at 250 Hz, of which the bound of the cost left a tick every 40 ms,
 *	                     with a pause of 0.4 s, and one of 1.2 s that is mostly a wait for
 *	                     a CPU
 *	seldom               at 250 Hz, but sampled 16 times more rarely, with a fiftieth of a
 *	                     CPU in the first 100 s and a whole one in the other 20 s: a sample
 *	                     every 3.2 s, then every 64 ms, with a pause of 10 s in each part
 */
#include <stdio.h>
#include <string.h>

#include "profile/file.h"
#include "profile/labels.h"
#include "profile/pprof.h"
#include "tests/random.h"
#include "tests/unit/timeline_fixture.h"

enum { THREADS = 16, FUNCTIONS = 1000, DEPTH = 12 };

static void add_places(struct profile *profile, uint32_t location[FUNCTIONS])
{
	uint32_t mapping = fixture_index(profile_add_mapping(profile,
		&(struct mapping){.file = "/opt/many", .start = 0x1000, .limit = 0x900000}));

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[40];
		struct location_line line = {0};

		(void)snprintf(name, sizeof(name), "function_%u", i);
		line.function = fixture_index(profile_add_function(
			profile, &(struct function){.name = name, .symbol = name}));
		location[i] = fixture_location(profile, mapping, 0x1000 + 64 * i, &line, 1);
	}
}

/* Each stack has a sample, and a few stacks have most of the samples. */
static struct profile *make_many(size_t samples, size_t stacks)
{
	uint32_t location[FUNCTIONS], stack[DEPTH], task[THREADS];
	uint64_t seed = 1, time_ns = FIXTURE_BEGAN_NS;
	struct profile *profile = NULL;

	(void)fixture_index(profile_new(&profile));
	add_places(profile, location);
	for (uint32_t i = 0; i < THREADS; i++)
		task[i] = fixture_index(
			profile_add_task(profile, &(struct task){100, 100 + i, "many", "worker"}));
	for (size_t i = 0; i < stacks; i++) {
		for (size_t j = 0; j < DEPTH; j++)
			stack[j] = location[random_number(&seed) % FUNCTIONS];
		(void)fixture_index(profile_add_stack(profile, task[i % THREADS], stack, DEPTH));
	}
	stacks = profile_samples(profile);
	for (size_t i = 0; i < samples; i++) {
		const int64_t values[VALUE_TYPES_MAX] = {1, 4 * FIXTURE_MS};
		uint32_t skew = random_number(&seed) % 64;
		struct instant instant = {.weight_ns = 4 * FIXTURE_MS};

		time_ns += random_number(&seed) % 500000;
		instant.time_ns = time_ns;
		instant.sample = i < stacks
			? (uint32_t)i
			: (uint32_t)(random_number(&seed) % (stacks / (skew + 1) + 1));
		if (instant.sample >= stacks)
			instant.sample = 0;
		profile_add_values(profile, instant.sample, values);
		(void)fixture_index(timeline_add(profile, &instant));
	}
	profile_set_time(profile, FIXTURE_BEGAN_NS, time_ns - FIXTURE_BEGAN_NS);
	profile_set_period(profile, 4 * FIXTURE_MS);
	return profile;
}

static struct profile *make_rank(long rank, long factor)
{
	struct profile *profile = fixture_timeline();
	const struct label label[] = {{.key = LABEL_RANK, .number = rank, .unit = ""},
		{.key = LABEL_HOST, .text = rank < 2 ? "north" : "south"}};

	/* The fixture's third stack is that of "store". */
	for (int i = 0; i < 2; i++)
		profile_set_value(
			profile, 2, (size_t)i, profile_sample(profile, 2).value[i] * factor);
	if (labels_give_all(profile, fixture_index(labels_add(profile, label, 2))) < 0)
		abort();
	return profile;
}

static struct profile *make_waits(void)
{
	static const struct {
		uint32_t stack;
		unsigned to_ms, ms;
		enum timeline_state state;
	} waits[] = {
		{1, 1850, 50, TIMELINE_BLOCKED},
		{1, 1950, 100, TIMELINE_BLOCKED},
		{1, 2000, 50, TIMELINE_BLOCKED},
		{1, 2200, 100, TIMELINE_BLOCKED},
		{3, 2600, 50, TIMELINE_QUEUED},
	};
	struct profile *profile = fixture_timeline();

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		(void)fixture_index(timeline_add(profile,
			&(struct instant){.sample = waits[i].stack,
				.time_ns = FIXTURE_BEGAN_NS + (uint64_t)waits[i].to_ms * FIXTURE_MS,
				.weight_ns = (uint64_t)waits[i].ms * FIXTURE_MS,
				.state = waits[i].state}));
	}
	return profile;
}

static struct profile *make_wall(void)
{
	struct profile *profile = NULL;
	const int64_t runs[VALUE_TYPES_MAX] = {250, 1000 * FIXTURE_MS, 1000 * FIXTURE_MS},
		      sleeps[VALUE_TYPES_MAX] = {1, 0, 1000 * FIXTURE_MS, 1000 * FIXTURE_MS},
		      lost[VALUE_TYPES_MAX] = {
			      0, 1000 * FIXTURE_MS, 2000 * FIXTURE_MS, 1000 * FIXTURE_MS};
	struct location_line line = {0};
	uint32_t task, unknown, mapping, stack, location;

	(void)fixture_index(profile_new(&profile));
	profile_set_default_value(
		profile, fixture_index(profile_add_value_type(profile, "wall", "nanoseconds")));
	(void)fixture_index(profile_add_value_type(profile, "blocked", "nanoseconds"));
	mapping = fixture_index(profile_add_mapping(profile,
		&(struct mapping){.file = "/opt/stall", .start = 0x1000, .limit = 0x9000}));
	task = fixture_index(profile_add_task(profile, &(struct task){10, 10, "stall", "main"}));
	unknown = fixture_index(profile_add_task(profile, &(struct task){0, 0, "stall", "stall"}));
	line.function = fixture_index(profile_add_function(
		profile, &(struct function){.name = "work", .symbol = "work"}));
	location = fixture_location(profile, mapping, 0x1000, &line, 1);
	stack = fixture_index(profile_add_stack(profile, task, &location, 1));
	profile_set_time(profile, FIXTURE_BEGAN_NS, 2000 * (uint64_t)FIXTURE_MS);
	profile_set_period(profile, 4 * FIXTURE_MS);
	profile_add_values(profile, stack, runs);
	profile_add_values(profile, stack, sleeps);
	for (uint64_t ms = 2; ms < 1000; ms += 4)
		(void)fixture_index(timeline_add(profile,
			&(struct instant){.sample = stack,
				.time_ns = FIXTURE_BEGAN_NS + ms * FIXTURE_MS,
				.weight_ns = 4 * FIXTURE_MS}));
	(void)fixture_index(timeline_add(profile,
		&(struct instant){.sample = stack,
			.time_ns = FIXTURE_BEGAN_NS + 2000 * (uint64_t)FIXTURE_MS,
			.weight_ns = 1000 * FIXTURE_MS,
			.state = TIMELINE_BLOCKED}));
	(void)fixture_index(profile_add_unsampled_values(profile, unknown, mapping, lost));
	return profile;
}

static struct profile *make_slow(void)
{
	struct profile *profile = NULL;
	struct location_line line = {0};
	uint32_t task, mapping, stack, location;

	(void)fixture_index(profile_new(&profile));
	(void)fixture_index(profile_add_value_type(profile, "runqueue", "nanoseconds"));
	mapping = fixture_index(profile_add_mapping(
		profile, &(struct mapping){.file = "/opt/slow", .start = 0x1000, .limit = 0x9000}));
	task = fixture_index(profile_add_task(profile, &(struct task){10, 10, "slow", "slow"}));
	line.function = fixture_index(profile_add_function(
		profile, &(struct function){.name = "work", .symbol = "work"}));
	location = fixture_location(profile, mapping, 0x1000, &line, 1);
	stack = fixture_index(profile_add_stack(profile, task, &location, 1));
	profile_set_time(profile, FIXTURE_BEGAN_NS, 30000 * (uint64_t)FIXTURE_MS);
	profile_set_period(profile, 4 * FIXTURE_MS);
	for (uint64_t ms = 20; ms < 30000; ms += 40) {
		const int64_t values[VALUE_TYPES_MAX] = {1, 40 * FIXTURE_MS};

		if ((ms >= 10000 && ms < 10400) || (ms >= 20000 && ms < 21200))
			continue;
		profile_add_values(profile, stack, values);
		(void)fixture_index(timeline_add(profile,
			&(struct instant){.sample = stack,
				.time_ns = FIXTURE_BEGAN_NS + ms * FIXTURE_MS,
				.weight_ns = 40 * FIXTURE_MS}));
	}
	for (uint64_t ms = 20600; ms <= 21200; ms += 600)
		(void)fixture_index(timeline_add(profile,
			&(struct instant){.sample = stack,
				.time_ns = FIXTURE_BEGAN_NS + ms * FIXTURE_MS,
				.weight_ns = 500 * FIXTURE_MS,
				.state = TIMELINE_QUEUED}));
	return profile;
}

static struct profile *make_seldom(void)
{
	const int64_t values[VALUE_TYPES_MAX] = {1, 64 * FIXTURE_MS};
	struct profile *profile = NULL;
	struct location_line line = {0};
	uint32_t task, mapping, stack, location;

	(void)fixture_index(profile_new(&profile));
	mapping = fixture_index(profile_add_mapping(profile,
		&(struct mapping){.file = "/opt/seldom", .start = 0x1000, .limit = 0x9000}));
	task = fixture_index(profile_add_task(profile, &(struct task){10, 10, "seldom", "seldom"}));
	line.function = fixture_index(profile_add_function(
		profile, &(struct function){.name = "work", .symbol = "work"}));
	location = fixture_location(profile, mapping, 0x1000, &line, 1);
	stack = fixture_index(profile_add_stack(profile, task, &location, 1));
	profile_set_time(profile, FIXTURE_BEGAN_NS, 120000 * (uint64_t)FIXTURE_MS);
	profile_set_period(profile, 4 * FIXTURE_MS);
	for (uint64_t ms = 0; ms < 120000; ms += ms < 100000 ? 3200 : 64) {
		if ((ms >= 50000 && ms < 60000) || (ms >= 105000 && ms < 115000))
			continue;
		profile_add_values(profile, stack, values);
		(void)fixture_index(timeline_add(profile,
			&(struct instant){.sample = stack,
				.time_ns = FIXTURE_BEGAN_NS + ms * FIXTURE_MS,
				.weight_ns = 64 * FIXTURE_MS}));
	}
	return profile;
}

int main(int argc, char **argv)
{
	struct profile *profile;
	uint8_t *data;
	size_t bytes;
	int error;

	if (argc == 3 && !strcmp(argv[1], "phases")) {
		profile = fixture_timeline();
	} else if (argc == 3 && !strcmp(argv[1], "waits")) {
		profile = make_waits();
	} else if (argc == 3 && !strcmp(argv[1], "wall")) {
		profile = make_wall();
	} else if (argc == 3 && !strcmp(argv[1], "slow")) {
		profile = make_slow();
	} else if (argc == 3 && !strcmp(argv[1], "seldom")) {
		profile = make_seldom();
	} else if (argc == 5 && !strcmp(argv[1], "many")) {
		profile = make_many(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	} else if (argc == 5 && !strcmp(argv[1], "rank")) {
		profile = make_rank(strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10));
	} else {
		fputs("usage: make_timeline phases|waits|wall|slow|seldom FILE | "
		      "many SAMPLES STACKS FILE | rank RANK FACTOR FILE\n",
			stderr);
		return 2;
	}
	error = pprof_write(profile, &data, &bytes);
	if (!error) {
		error = file_write(argv[argc - 1], data, bytes);
		free(data);
	}
	profile_free(profile);
	return error ? 1 : 0;
}
