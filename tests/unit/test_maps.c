/* SPDX-License-Identifier: MIT */
/* When the maps of a process are read again (supervisor/target/maps.h); the process is this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "supervisor/os/say.h"
#include "supervisor/target/maps.h"
#include "supervisor/target/procfiles.h"

static void count(void *context, struct process *process, const char *text)
{
	(void)process;
	(void)text;
	++*(unsigned *)context;
}

static bool pass_on(
	void *context, struct process *process, const char *text, size_t bytes, uint64_t now_ns)
{
	(void)context;
	(void)process;
	(void)text;
	(void)bytes;
	(void)now_ns;
	return true;
}

static const struct maps_events events = {count, pass_on};

/*
 * The image after an exec may have as much code as the one before, once a C library and a loader
 * are mapped. It must not be compared with the old one, or its library is missed.
 */
static void test_maps__a_new_image_is_not_compared_with_the_old(void **state)
{
	struct target target = {0};
	const struct say say = {0};
	struct procfiles files;
	unsigned reads = 0;
	struct maps_reader reader = {
		.files = &files, .stacks = true, .events = &events, .context = &reads};
	uint64_t pc = (uint64_t)(uintptr_t)&count;
	struct process *process;
	struct image *image;

	(void)state;
	procfiles_init(&files, &target, &say);
	assert_int_equal(target_image(&target, "/x", &image), 0);
	assert_int_equal(target_add_process(&target, getpid(), 1, image, &process), 0);
	for (unsigned round = 0; round < 3; round++) {
		reads = 0;
		/* What is mapped during a reading is noticed at the next one. */
		maps_cover(&reader, process, pc, clock_now());
		assert_int_equal(reads, 1);
		maps_cover(&reader, process, pc, clock_now());
		assert_int_equal(reads, 2);
		maps_cover(&reader, process, pc, clock_now());
		assert_int_equal(reads, 2);
		maps_forget(process);
	}
	maps_release(&reader);
	target_release(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps__a_new_image_is_not_compared_with_the_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
