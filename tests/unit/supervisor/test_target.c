/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "supervisor/target/target.h"

/* The tables agree with a plain array after many random additions and removals. */
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
		if (t) {
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
	}
	for (size_t i = 0; i < target.tracees; i++)
		assert_int_equal(target.tracee[i]->slot, i);
	target_release(&target);
}

/* A pass over all threads visits each once, even if others are removed meanwhile. */
static void test_target__removal_moves_nobody_past_a_pass(void **state)
{
	enum { TIDS = 500 };
	static unsigned visits[TIDS + 1];
	struct target target = {0};
	struct process *process;
	struct image *image;
	struct tracee *t;

	(void)state;
	srand(1);
	assert_int_equal(target_image(&target, "/bin/x", &image), 0);
	assert_int_equal(target_add_process(&target, 1, 0, image, &process), 0);
	for (int tid = 1; tid <= TIDS; tid++)
		assert_int_equal(target_add(&target, tid, process, &t), 0);
	while (target.visited < target.tracees) {
		visits[target.tracee[target.visited++]->tid]++;
		t = target_find(&target, rand() % TIDS + 1);
		if (t && rand() % 2)
			target_remove(&target, t);
		for (size_t i = 0; i < target.tracees; i++)
			assert_int_equal(visits[target.tracee[i]->tid], i < target.visited);
	}
	assert_in_range(target.tracees, 1, TIDS - 1);
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
		cmocka_unit_test(test_target__finds_what_is_there),
		cmocka_unit_test(test_target__removal_moves_nobody_past_a_pass),
		cmocka_unit_test(test_target__renames_over_exec),
		cmocka_unit_test(test_target__images_are_shared),
		cmocka_unit_test(test_target__a_process_without_leader_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
