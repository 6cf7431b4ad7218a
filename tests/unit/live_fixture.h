/* SPDX-License-Identifier: MIT */
/*
 * A profile that can grow: that of profile_fixture.h (404 ms of CPU time), and a thread "worker
 * 101" with 850 samples of 4 ms. main calls dispatch, which calls work_00 to work_39: work_NN has
 * 40 - NN samples. A long name of C++, a name with wide characters and a system call have 10 each.
 */
#ifndef TESTS_LIVE_FIXTURE_H
#define TESTS_LIVE_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "tests/unit/profile_fixture.h"
#include "view/live/live.h"

#define LIVE_SECOND_NS UINT64_C(1000000000)

struct live_fixture {
	struct profile *profile;
	uint32_t exe, kernel, main_at, dispatch_at, task, work[40];
};

static inline uint32_t live_fixture_place(struct profile *profile, uint32_t mapping,
	uint64_t address, const char *name, const char *file, uint32_t line)
{
	uint32_t function = fixture_index(
		profile_add_function(profile, &(struct function){name, name, file, line}));

	return fixture_location(
		profile, mapping, address, &(struct location_line){function, line + 2}, 1);
}

static inline void live_fixture_init(struct live_fixture *f)
{
	struct profile *p = f->profile = fixture_profile();
	uint32_t cxx, wide, call, function;

	f->exe = 0;
	f->main_at = 0; /* the first location of the fixture */
	f->kernel = fixture_index(profile_add_mapping(p, &(struct mapping){.file = "[kernel]"}));
	f->task = fixture_index(profile_add_task(p, &(struct task){100, 101, "demo", "worker"}));
	f->dispatch_at = live_fixture_place(p, f->exe, 0x3000, "dispatch", "src/work.c", 10);
	for (uint32_t i = 0; i < 40; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "work_%02u", i);
		f->work[i] = live_fixture_place(
			p, f->exe, 0x3100 + 16 * i, name, "src/work.c", 20 + 10 * i);
		fixture_add(p, f->task, (uint32_t[]){f->work[i], f->dispatch_at, f->main_at}, 3,
			40 - (int64_t)i);
	}
	cxx = live_fixture_place(p, f->exe, 0x4000,
		"std::map<std::string, std::vector<int>, std::less<std::string>>::find(std::string "
		"const&)",
		"/usr/include/c++/12/bits/stl_map.h", 1200);
	wide = live_fixture_place(p, f->exe, 0x4100,
		"gr\xc3\xb6\xc3\x9f"
		"e::\xe6\x97\xa5\xe6\x9c\xac",
		"src/wide.c", 1);
	function = fixture_index(profile_add_function(
		p, &(struct function){"[syscall] read", "[syscall] read", "", 0}));
	call = fixture_index(profile_add_named_location(
		p, f->kernel, 0, &(struct location_line){function, 0}, 1));
	fixture_add(p, f->task, (uint32_t[]){cxx, f->main_at}, 2, 10);
	fixture_add(p, f->task, (uint32_t[]){wide, f->main_at}, 2, 10);
	fixture_add(p, f->task, (uint32_t[]){call, f->dispatch_at, f->main_at}, 3, 10);
	(void)profile_set_audit(p, "kernel_cpu_ns", 4000 * (uint64_t)FIXTURE_MS);
	(void)profile_set_audit(p, "found_ns", 3920 * (uint64_t)FIXTURE_MS);
	(void)profile_set_audit(p, "instants", 1250);
	(void)profile_set_audit(p, "effective_samples", 950);
	(void)profile_set_audit(p, "wall_ns", 5 * LIVE_SECOND_NS);
	(void)profile_set_audit(p, "cost_ns", 60 * (uint64_t)FIXTURE_MS);
	(void)profile_set_audit(p, "stopped_ns", 40 * (uint64_t)FIXTURE_MS);
}

/* When the only source file was last modified, in ns. Tests set it. */
static inline uint64_t *live_fixture_changed_ns(void)
{
	static uint64_t changed_ns;

	return &changed_ns;
}

static inline int live_fixture_source(
	void *context, const char *path, char **ret_text, uint64_t *ret_changed_ns)
{
	size_t bytes;
	FILE *out;

	(void)context;
	if (strcmp(path, "src/work.c") != 0)
		return -2;
	*ret_changed_ns = *live_fixture_changed_ns();
	out = open_memstream(ret_text, &bytes);
	for (int i = 1; out && i <= 60; i++)
		fprintf(out, i % 10 ? "\tline %d;\n" : "void work_%02d(void)\n",
			i % 10 ? i : i / 10 - 2);
	return out && fclose(out) == 0 ? 0 : -12;
}

static inline int live_fixture_disassembly(
	void *context, uint32_t location, char **ret_text, char **ret_problem)
{
	(void)context;
	(void)location;
	(void)ret_problem;
	*ret_text =
		strdup("    30f8:\tpush   %rbp\n    3100:\tmov    (%rdi),%eax\n    3104:\tret\n");
	return *ret_text ? 0 : -12;
}

static inline int live_fixture_output(void *context, char **ret_text)
{
	(void)context;
	*ret_text = strdup("a line of the command\nanother one\n");
	return *ret_text ? 0 : -12;
}

static inline struct live *live_fixture_new(bool ascii, bool totals)
{
	const struct live_options options = {.size = sizeof(options),
		.ascii = ascii,
		.totals = totals,
		.period_ns = 4000000,
		.cost_percent = 2,
		.sources = {
			live_fixture_source, live_fixture_disassembly, live_fixture_output, NULL}};
	struct live *live = NULL;

	if (live_new(&options, &live) < 0)
		abort();
	return live;
}

/* Updates the view at @second, with three live threads, of which 102 is not profiled. */
static inline int live_fixture_look(
	struct live *live, const struct profile *profile, uint64_t second)
{
	static const struct live_thread threads[] = {{100, 100, 'S', "demo", false},
		{100, 101, 'R', "worker", false}, {100, 102, 'S', "idle", true}};
	const struct live_facts facts = {.target = "demo --fast",
		.state = LIVE_RUNS,
		.status = -1,
		.thread = threads,
		.threads = live_wants_threads(live) ? 3 : 0};

	return live_update(live, profile, &facts, second * LIVE_SECOND_NS);
}

/* Presses @keys, a byte each: \x1b is Esc, \r Enter. */
static inline int live_fixture_type(struct live *live, const char *keys)
{
	int r = 0;

	for (; r == 0 && *keys; keys++) {
		struct live_key key = {.code = (unsigned char)*keys};

		if (*keys == '\x1b')
			key.code = LIVE_KEY_ESCAPE;
		r = live_press(live, key);
	}
	return r;
}

#endif
