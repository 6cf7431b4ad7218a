/* SPDX-License-Identifier: MIT */
/*
 * Profiles with call stacks, made by hand; a sample is 1 ms.
 *
 * fixture_stacks(): 146 ms, 144 samples in four threads of two processes.
 *
 *   process, thread  stack, root first                                     samples
 *   app 200          main run parse lex (lex is inlined in parse)               40
 *   app 200          main run eval apply eval apply eval add                    30
 *   app 200          main run eval apply                                        10
 *   app 200          main fib fib fib                                           20
 *   app 200          main fib                                                    5
 *   app 201 worker   start_thread work eval apply eval                          15
 *   app 202 worker   start_thread work read                                     12
 *   child 300        main run parse                                              8
 *   app 200          (none)                                                      4
 *   app 200          [unsampled]                                    0, but 2 ms
 *
 * start_thread and read are of libc.so.6, the others of app.
 */
#ifndef TESTS_STACKS_FIXTURE_H
#define TESTS_STACKS_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "tests/unit/profile_fixture.h"

enum { STACKS_DEPTH = 8 };

static inline uint32_t stacks_location(
	struct profile *profile, uint32_t app, uint32_t libc, const char *name)
{
	bool inlined = !strcmp(name, "lex"),
	     is_libc = !strcmp(name, "start_thread") || !strcmp(name, "read");
	struct location_line lines[2];
	uint32_t index = fixture_index(profile_add_function(
		profile, &(struct function){.name = name, .symbol = name, .file = "app.c"}));
	uint64_t address = 0x1000 + 16 * (uint64_t)index;

	lines[0] = (struct location_line){index, 10};
	if (inlined)
		lines[1] = (struct location_line){
			fixture_index(profile_add_function(profile,
				&(struct function){
					.name = "parse", .symbol = "parse", .file = "app.c"})),
			20};
	return fixture_location(profile, is_libc ? libc : app, address, lines, inlined ? 2 : 1);
}

/* @stack: names separated by spaces, root first. */
static inline void stacks_add(struct profile *profile, uint32_t task, uint32_t app, uint32_t libc,
	const char *stack, int64_t samples)
{
	int64_t values[VALUE_TYPES_MAX] = {samples, samples * FIXTURE_MS};
	char names[256], *save = NULL;
	uint32_t location[STACKS_DEPTH];
	size_t n = 0;

	(void)snprintf(names, sizeof(names), "%s", stack);
	for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		if (n == STACKS_DEPTH)
			abort();
		location[n++] = stacks_location(profile, app, libc, name);
	}
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t other = location[i];

		location[i] = location[n - 1 - i];
		location[n - 1 - i] = other;
	}
	(void)fixture_index(profile_add_sample(profile, task, location, n, values));
}

static inline struct profile *fixture_stacks(void)
{
	static const struct {
		uint32_t task;
		const char *stack;
		int64_t samples;
	} stacks[] = {
		{0, "main run lex", 40}, /* lex is inlined in parse: one location */
		{0, "main run eval apply eval apply eval add", 30},
		{0, "main run eval apply", 10},
		{0, "main fib fib fib", 20},
		{0, "main fib", 5},
		{1, "start_thread work eval apply eval", 15},
		{2, "start_thread work read", 12},
		{3, "main run parse", 8},
		{0, "", 4},
	};
	struct profile *profile = NULL;
	uint32_t app, libc;

	(void)fixture_index(profile_new(&profile));
	app = fixture_index(profile_add_mapping(
		profile, &(struct mapping){.file = "/opt/app", .start = 0x1000, .limit = 0x2000}));
	libc = fixture_index(profile_add_mapping(profile,
		&(struct mapping){.file = "/lib/libc.so.6", .start = 0x1000, .limit = 0x2000}));
	(void)fixture_index(profile_add_task(profile, &(struct task){200, 200, "app", "app"}));
	(void)fixture_index(profile_add_task(profile, &(struct task){200, 201, "app", "worker"}));
	(void)fixture_index(profile_add_task(profile, &(struct task){200, 202, "app", "worker"}));
	(void)fixture_index(profile_add_task(profile, &(struct task){300, 300, "child", "child"}));
	for (size_t i = 0; i < sizeof(stacks) / sizeof(*stacks); i++) {
		stacks_add(profile, stacks[i].task, app, libc, stacks[i].stack, stacks[i].samples);
	}
	(void)fixture_index(profile_add_unsampled(profile, 0, app, 2 * FIXTURE_MS));
	(void)fixture_index(profile_set_command(profile, "app --run"));
	profile_set_period(profile, FIXTURE_MS);
	return profile;
}

static inline struct profile *fixture_hostile(void)
{
	static const char *const names[] = {
		"</title><script>alert(1)</script>",
		"]]></script><svg onload=alert(2)>",
		"a;b \"c\" 'd' &amp; <e>\t%s%n",
		"esc\033[31m\001\nnewline",
		"\xff\xfe not \xc3 UTF-8 \xed\xa0\x80",
		"\342\200\256thgir ot tfel",
		"\xef\xbf\xbe\xef\xbf\xbf nonchars",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe9\x96\xa2\xe6\x95\xb0 \xf0\x9f\x94\xa5",
		"",
	};
	enum { NAMES = sizeof(names) / sizeof(*names) };
	int64_t values[VALUE_TYPES_MAX] = {10, 10 * FIXTURE_MS};
	struct profile *profile = NULL;
	uint32_t location[NAMES + 1];
	static char longest[10001];

	memset(longest, 'x', sizeof(longest) - 1);
	(void)fixture_index(profile_new(&profile));
	(void)fixture_index(
		profile_add_task(profile, &(struct task){1, 1, "</g>", "t;\"<&>\n]]>"}));
	for (uint32_t i = 0; i <= NAMES; i++) {
		const char *name = i < NAMES ? names[i] : longest;
		uint32_t function = fixture_index(profile_add_function(
			profile, &(struct function){.name = name, .symbol = name}));
		uint32_t mapping = fixture_index(profile_add_mapping(profile,
			&(struct mapping){.file = name, .start = 0x1000, .limit = 0x2000}));

		location[i] = fixture_location(
			profile, mapping, 0x1000 + i, &(struct location_line){function, 1}, 1);
	}
	for (uint32_t i = 1; i <= NAMES + 1; i++)
		(void)fixture_index(profile_add_sample(profile, 0, location, i, values));
	(void)fixture_index(profile_set_command(profile, "<x>&\"';\n]]>\001"));
	(void)fixture_index(profile_add_note(profile, "</text><script>alert(3)</script>"));
	return profile;
}

/* One stack: @depth frames of one function below main. */
static inline struct profile *fixture_deep(size_t depth)
{
	int64_t values[VALUE_TYPES_MAX] = {1, FIXTURE_MS};
	struct profile *profile = NULL;
	uint32_t app, main_at, rec_at, *location = calloc(depth + 1, sizeof(*location));

	if (!location)
		abort();
	(void)fixture_index(profile_new(&profile));
	(void)fixture_index(profile_add_task(profile, &(struct task){1, 1, "deep", "deep"}));
	app = fixture_index(profile_add_mapping(
		profile, &(struct mapping){.file = "/opt/deep", .start = 0x1000, .limit = 0x2000}));
	main_at = stacks_location(profile, app, app, "main");
	rec_at = stacks_location(profile, app, app, "descend");
	for (size_t i = 0; i < depth; i++)
		location[i] = rec_at;
	location[depth] = main_at;
	(void)fixture_index(profile_add_sample(profile, 0, location, depth + 1, values));
	free(location);
	return profile;
}

#endif
