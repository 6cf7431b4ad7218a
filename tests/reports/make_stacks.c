/* SPDX-License-Identifier: MIT */
/*
 * make_stacks KIND FILE: writes a profile. KIND is stacks, slower, hostile, deep or empty, for
 * those of tests/unit/stacks_fixture.h; large, as a real program's; even, of a whole recording;
 * loaded, of that recording on a slower machine; semicolon, of a function with a semicolon in its
 * name.
 */
#include <stdio.h>

#include "profile/file.h"
#include "profile/pprof.h"
#include "tests/random.h"
#include "tests/unit/stacks_fixture.h"

enum { LARGE_FUNCTIONS = 400, LARGE_OBJECTS = 12, LARGE_STACKS = 4000, LARGE_DEPTH = 45 };

/* As in real programs, each function mostly calls the same few others. */
static struct profile *make_large(void)
{
	static const char *const forms[] = {"do_work_%u",
		"std::vector<std::pair<int, Item%u>, std::allocator<Item%u> >::push_back(Item%u&&)",
		"net::Session%u::on_read(net::Buffer const&, unsigned long)", "parse_%u",
		"_start_%u", "(anonymous namespace)::visit%u(Node*)"};
	struct profile *profile = NULL;
	uint32_t location[LARGE_FUNCTIONS], stack[LARGE_DEPTH], path[LARGE_DEPTH];
	uint64_t seed = 1;

	(void)fixture_index(profile_new(&profile));
	(void)fixture_index(profile_add_task(profile, &(struct task){1, 1, "large", "main"}));
	for (uint32_t i = 0; i < LARGE_FUNCTIONS; i++) {
		uint32_t object = random_number(&seed) % LARGE_OBJECTS * (random_number(&seed) % 2),
			 function;
		char file[64], name[256];

		(void)snprintf(file, sizeof(file),
			object ? "/usr/lib/libpart%u.so.%u" : "/opt/large", object, object);
/* The format is no literal: each form has its own conversions for the number. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
		(void)snprintf(name, sizeof(name), forms[i % 6], i, i, i);
#pragma GCC diagnostic pop
		function = fixture_index(profile_add_function(
			profile, &(struct function){.name = name, .symbol = name}));
		location[i] = fixture_location(profile,
			fixture_index(profile_add_mapping(profile,
				&(struct mapping){.file = file, .start = 0x1000, .limit = 0x9000})),
			0x1000 + 16 * i, &(struct location_line){function, 1}, 1);
	}
	for (size_t i = 0; i < LARGE_STACKS; i++) {
		/* Outer frames stay from stack to stack, as in a running program. */
		uint32_t depth = 5 + random_number(&seed) % (LARGE_DEPTH - 5);
		uint32_t kept =
			i ? random_number(&seed) % 100 < 97 ? 4 + random_number(&seed) % 36 : 2 : 0;
		int64_t values[VALUE_TYPES_MAX] = {1 + random_number(&seed) % 9, 0};

		values[1] = values[0] * FIXTURE_MS;
		for (uint32_t j = kept; j < LARGE_DEPTH; j++) {
			uint32_t step = random_number(&seed) % 8 ? 1 : 2 + random_number(&seed) % 2;

			path[j] = j ? (path[j - 1] * 7 + step) % LARGE_FUNCTIONS : 0;
		}
		for (uint32_t j = 0; j < depth; j++)
			stack[depth - 1 - j] = location[path[j]];
		(void)fixture_index(profile_add_sample(profile, 0, stack, depth, values));
	}
	(void)fixture_index(profile_set_command(profile, "large --with --many options"));
	profile_set_period(profile, FIXTURE_MS);
	return profile;
}

/* fixture_stacks() of another build: its file has another name, and fib takes 100 ms more. */
static struct profile *make_slower(void)
{
	struct profile *from = fixture_stacks(), *to = NULL;
	const struct mapping app = {.file = "/tmp/app.new", .start = 0x1000, .limit = 0x2000};
	const struct mapping libc = {.file = "/lib/libc.so.6", .start = 0x1000, .limit = 0x2000};
	uint32_t mapping[2];

	(void)fixture_index(profile_new(&to));
	mapping[0] = fixture_index(profile_add_mapping(to, &app));
	mapping[1] = fixture_index(profile_add_mapping(to, &libc));
	(void)fixture_index(profile_add_task(to, &(struct task){400, 400, "app", "app"}));
	for (size_t i = 0; i < profile_samples(from); i++) {
		struct sample sample = profile_sample(from, i);
		char stack[256] = "";

		for (size_t j = sample.n; j-- > 0;) {
			struct location location = profile_location(from, sample.location[j]);

			strcat(stack, profile_function(from, location.line[0].function).name);
			strcat(stack, j ? " " : "");
		}
		if (sample.value[VALUE_SAMPLES])
			stacks_add(to, 0, mapping[0], mapping[1], stack,
				sample.value[VALUE_SAMPLES] +
					(strcmp(stack, "main fib") ? 0 : 100));
	}
	profile_set_period(to, FIXTURE_MS);
	profile_free(from);
	return to;
}

/* Main calls eight functions, with @samples samples each. Includes the kernel's figure. */
static struct profile *make_even(int64_t samples)
{
	struct profile *profile = NULL;
	uint32_t app;

	(void)fixture_index(profile_new(&profile));
	app = fixture_index(profile_add_mapping(
		profile, &(struct mapping){.file = "/opt/app", .start = 0x1000, .limit = 0x2000}));
	(void)fixture_index(profile_add_task(profile, &(struct task){1, 1, "app", "app"}));
	for (int i = 0; i < 8; i++) {
		char stack[16];

		(void)snprintf(stack, sizeof(stack), "main f%d", i);
		stacks_add(profile, 0, app, app, stack, samples);
	}
	(void)profile_set_audit(profile, "kernel_cpu_ns", 8 * (uint64_t)(samples * FIXTURE_MS));
	return profile;
}

static struct profile *make_semicolon(void)
{
	const int64_t values[VALUE_TYPES_MAX] = {10, 10 * FIXTURE_MS};
	struct profile *profile = NULL;
	uint32_t app, location;

	(void)fixture_index(profile_new(&profile));
	app = fixture_index(profile_add_mapping(
		profile, &(struct mapping){.file = "/opt/app", .start = 0x1000, .limit = 0x2000}));
	(void)fixture_index(profile_add_task(profile, &(struct task){1, 1, "app", "app"}));
	location = stacks_location(profile, app, app, "<[u8; 4] as Hash>::hash");
	(void)fixture_index(profile_add_sample(profile, 0, &location, 1, values));
	return profile;
}

static struct profile *make(const char *kind)
{
	struct profile *profile = NULL;

	if (!strcmp(kind, "stacks"))
		return fixture_stacks();
	if (!strcmp(kind, "slower"))
		return make_slower();
	if (!strcmp(kind, "hostile"))
		return fixture_hostile();
	if (!strcmp(kind, "deep"))
		return fixture_deep(5000);
	if (!strcmp(kind, "large"))
		return make_large();
	if (!strcmp(kind, "even"))
		return make_even(1000);
	if (!strcmp(kind, "loaded"))
		return make_even(1200);
	if (!strcmp(kind, "semicolon"))
		return make_semicolon();
	if (!strcmp(kind, "empty"))
		(void)fixture_index(profile_new(&profile));
	return profile;
}

int main(int argc, char **argv)
{
	struct profile *profile = argc == 3 ? make(argv[1]) : NULL;
	uint8_t *data = NULL;
	size_t bytes = 0;
	int error;

	if (!profile)
		return 2;
	error = pprof_write(profile, &data, &bytes);
	if (!error)
		error = file_write(argv[2], data, bytes);
	free(data);
	profile_free(profile);
	return error ? 1 : 0;
}
