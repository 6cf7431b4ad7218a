/* SPDX-License-Identifier: MIT */
/*
 * make_merge SEED STACKS FILE: writes a profile of STACKS different stacks, 30 frames deep on
 * average, with 40,000 functions in 40 objects. Half of the stacks are the same for each seed, as
 * in the ranks or hosts of one program; the functions are the same for all seeds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/file.h"
#include "profile/pprof.h"
#include "profile/profile.h"

enum { FUNCTIONS = 40000, OBJECTS = 40, DEPTH_LEAST = 10, DEPTH_MOST = 50 };

static uint32_t next(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

static int add_function(struct profile *profile, uint32_t number)
{
	uint32_t object = number % OBJECTS;
	char file[64], name[96], source[64];
	int mapping, function, location;

	(void)snprintf(file, sizeof(file), "/usr/lib/libpart%u.so.1", object);
	(void)snprintf(name, sizeof(name), "space%u::Type%u::method_%u(int, char const*)",
		number % 97, number % 991, number);
	(void)snprintf(source, sizeof(source), "/src/part%u/file%u.cc", object, number % 613);
	mapping = profile_add_mapping(profile,
		&(struct mapping){.file = file,
			.build_id = "",
			.start = 0x1000000 * (object + 1),
			.limit = 0x1000000 * (object + 2)});
	function = profile_add_function(
		profile, &(struct function){.name = name, .symbol = name, .file = source});
	location = profile_add_location(
		profile, (uint32_t)mapping, 0x1000000 * (object + 1) + number * UINT64_C(64));
	if (mapping < 0 || function < 0 || location < 0)
		return -1;
	return profile_set_lines(profile, (uint32_t)location,
		&(struct location_line){.function = (uint32_t)function, .line = number % 900 + 1},
		1);
}

static int add_stack(struct profile *profile, uint32_t task, uint64_t *seed)
{
	uint32_t location[DEPTH_MOST],
		depth = DEPTH_LEAST + next(seed) % (DEPTH_MOST - DEPTH_LEAST);
	int64_t values[] = {1 + next(seed) % 20, 4000000};

	for (uint32_t i = 0; i < depth; i++)
		location[i] = next(seed) % FUNCTIONS;
	values[1] *= values[0];
	return profile_add_sample(profile, task, location, depth, values);
}

int main(int argc, char **argv)
{
	uint64_t same = 1, own = argc > 1 ? strtoull(argv[1], NULL, 10) + 2 : 0;
	long stacks = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	struct profile *profile;
	uint8_t *data = NULL;
	size_t bytes = 0;
	int task, r = 0;

	if (argc != 4 || stacks <= 0 || profile_new(&profile) < 0)
		return 2;
	task = profile_add_task(profile, &(struct task){(uint32_t)own, (uint32_t)own, "p", "main"});
	for (uint32_t i = 0; i < FUNCTIONS && r >= 0; i++)
		r = add_function(profile, i);
	for (long i = 0; i < stacks && r >= 0; i++)
		r = add_stack(profile, (uint32_t)task, i % 2 ? &own : &same);
	if (r >= 0)
		r = pprof_write(profile, &data, &bytes);
	if (r >= 0)
		r = file_write(argv[3], data, bytes);
	free(data);
	profile_free(profile);
	return r < 0;
}
