/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "supervisor/target.h"

/* The tables agree with a plain array after many random additions and removals. */
/* The list of the cold ones holds just these, and both ways the same. */
static void check_cold(const struct target *target)
{
	const struct tracee *before = NULL;
	size_t n = 0;

	for (const struct tracee *t = target->oldest; t; t = t->newer) {
		assert_in_range(t->slot, target->hot, target->tracees - 1);
		assert_ptr_equal(t->older, before);
		before = t;
		n++;
	}
	assert_ptr_equal(target->newest, before);
	assert_int_equal(n, target->tracees - target->hot);
}

static void test_target__the_cold_are_in_the_order_of_their_cooling(void **state)
{
	struct target target = {0};
	struct tracee *t[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(target_add(&target, 10 + i, NULL, &t[i]), 0);
	assert_null(target.oldest); /* new ones are hot */
	target_heat(&target, t[2], false);
	target_heat(&target, t[0], false);
	target_heat(&target, t[3], false);
	target_heat(&target, t[0], false); /* it is */
	assert_ptr_equal(target.oldest, t[2]);
	assert_ptr_equal(target.oldest->newer, t[0]);
	target_heat(&target, t[2], true);
	target_heat(&target, t[2], false);
	assert_ptr_equal(target.oldest, t[0]);
	assert_ptr_equal(target.newest, t[2]);
	target_remove(&target, t[3]);
	check_cold(&target);
	target_release(&target);
}

static void test_target__finds_what_is_there(void **state)
{
	enum { TIDS = 3000 };
	struct target target = {0};
	struct process *process;
	struct image *image;
	static bool there[TIDS];
	unsigned count = 0;

	(void)state;
	srand(1);
	assert_int_equal(target_image(&target, "/bin/x", &image), 0);
	assert_int_equal(target_add_process(&target, 1, 0, image, &process), 0);
	for (unsigned i = 0; i < 60000; i++) {
		int tid = rand() % TIDS + 1;
		struct tracee *t = target_find(&target, tid);

		assert_int_equal(t != NULL, there[tid - 1]);
		if (t && rand() % 2) {
			target_heat(&target, t, rand() % 2);
		} else if (t) {
			target_remove(&target, t);
			there[tid - 1] = false;
			count--;
		} else {
			assert_int_equal(target_add(&target, tid, process, &t), 0);
			assert_int_equal(t->tid, tid);
			there[tid - 1] = true;
			count++;
		}
		assert_int_equal(target.tracees, count);
		assert_int_equal(process->threads, count);
		assert_true(target.hot <= count);
		if (i % 1000 == 0)
			check_cold(&target);
	}
	for (size_t i = 0; i < target.tracees; i++)
		assert_int_equal(target.tracee[i]->slot, i);
	target_release(&target);
}

static void test_target__renames_over_exec(void **state)
{
	struct target target = {0};
	struct process *process;
	struct image *image;
	struct tracee *a, *b;

	(void)state;
	assert_int_equal(target_image(&target, "/bin/x", &image), 0);
	assert_int_equal(target_add_process(&target, 10, 0, image, &process), 0);
	assert_int_equal(target_add(&target, 10, process, &a), 0);
	assert_int_equal(target_add(&target, 11, process, &b), 0);
	target_remove(&target, a);
	target_rename(&target, b, 10);
	assert_ptr_equal(target_find(&target, 10), b);
	assert_null(target_find(&target, 11));
	assert_ptr_equal(target_find_process(&target, 10), process);
	target_release(&target);
}

static void test_target__images_are_shared(void **state)
{
	struct target target = {0};
	struct image *a, *b, *c;

	(void)state;
	assert_int_equal(target_image(&target, "/bin/x", &a), 0);
	assert_int_equal(target_image(&target, "/bin/y", &b), 0);
	assert_int_equal(target_image(&target, "/bin/x", &c), 0);
	assert_ptr_equal(a, c);
	assert_ptr_not_equal(a, b);
	target_release(&target);
}

static void test_target__a_process_without_leader_is_found(void **state)
{
	struct target target = {0};
	struct process *process;
	struct image *image;
	struct tracee *t;

	(void)state;
	assert_int_equal(target_image(&target, "/bin/x", &image), 0);
	assert_int_equal(target_add_process(&target, 20, 0, image, &process), 0);
	assert_int_equal(target_add(&target, 21, process, &t), 0);
	assert_ptr_equal(target_find_process(&target, 20), process);
	assert_null(target_find_process(&target, 21));
	target_release(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target__the_cold_are_in_the_order_of_their_cooling),
		cmocka_unit_test(test_target__finds_what_is_there),
		cmocka_unit_test(test_target__renames_over_exec),
		cmocka_unit_test(test_target__images_are_shared),
		cmocka_unit_test(test_target__a_process_without_leader_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
