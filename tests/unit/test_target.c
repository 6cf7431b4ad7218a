/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "supervisor/target/target.h"

/* All cold ones, and no others, hang at their hours, and both ways the same. */
static void check_cold(const struct target *target)
{
	size_t n = 0;

	for (size_t hour = 0; hour < TARGET_SLEEPERS; hour++) {
		const struct tracee *before = NULL;

		for (const struct tracee *t = target->sleeper[hour]; t; t = t->after) {
			assert_in_range(t->slot, target->hot, target->tracees - 1);
			assert_ptr_equal(t->before, before);
			assert_int_equal(t->wakes, hour);
			before = t;
			n++;
		}
	}
	assert_int_equal(n, target->tracees - target->hot);
}

static void test_target__the_cold_hang_where_they_are_likely_to_wake(void **state)
{
	const uint64_t day = UINT64_C(86400) * 1000000000;
	struct target target = {0};
	struct tracee *t[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(target_add(&target, 10 + i, NULL, &t[i]), 0);
	for (size_t hour = 0; hour < TARGET_SLEEPERS; hour++)
		assert_null(target.sleeper[hour]); /* new ones are hot */
	t[0]->rhythm = (struct rhythm){
		.wake_ns = day + 7 * TARGET_WAKES_NS, .cycle_ns = 100 * TARGET_WAKES_NS};
	t[2]->rhythm = (struct rhythm){
		.wake_ns = day + 4 * TARGET_WAKES_NS, .cycle_ns = 103 * TARGET_WAKES_NS};
	t[3]->rhythm = t[0]->rhythm;
	t[3]->rhythm.cycle_ns += TARGET_SLEEPERS * TARGET_WAKES_NS; /* a round later */
	target_cool(&target, t[0]);
	target_cool(&target, t[2]);
	target_cool(&target, t[3]);
	t[0]->rhythm.cycle_ns = 0;
	target_cool(&target, t[0]); /* it is cold */
	assert_true(t[0]->slept);
	for (const int *i = (const int[]){0, 2, 3, -1}; *i >= 0; i++)
		assert_int_equal(t[*i]->wakes, target_hour(day + 107 * TARGET_WAKES_NS));
	check_cold(&target);
	target_heat(&target, t[2]);
	target_heat(&target, t[2]);
	check_cold(&target);
	target_remove(&target, t[3]);
	check_cold(&target);
	assert_ptr_equal(target.sleeper[t[0]->wakes], t[0]);
	assert_null(t[0]->after);
	target_release(&target);
}

static void test_target__the_hours_go_round(void **state)
{
	(void)state;
	assert_int_equal(target_hour(0), 0);
	assert_int_equal(target_hour(TARGET_WAKES_NS - 1), 0);
	assert_int_equal(target_hour(TARGET_WAKES_NS), 1);
	assert_int_equal(target_hour(TARGET_SLEEPERS * TARGET_WAKES_NS - 1), TARGET_SLEEPERS - 1);
	assert_int_equal(target_hour(TARGET_SLEEPERS * TARGET_WAKES_NS), 0);
}

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
		if (t && rand() % 2) {
			t->rhythm.wake_ns = (uint64_t)rand() * 1000;
			if (rand() % 2)
				target_heat(&target, t);
			else
				target_cool(&target, t);
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
		cmocka_unit_test(test_target__the_cold_hang_where_they_are_likely_to_wake),
		cmocka_unit_test(test_target__the_hours_go_round),
		cmocka_unit_test(test_target__finds_what_is_there),
		cmocka_unit_test(test_target__renames_over_exec),
		cmocka_unit_test(test_target__images_are_shared),
		cmocka_unit_test(test_target__a_process_without_leader_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
