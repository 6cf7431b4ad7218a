/* SPDX-License-Identifier: MIT */
/* Which threads the sampler asks at an instant, and what the asked ones weigh for the others. */
#include "tests/unit/supervisor/sampler_fixture.h"

/* Of ten sleeping threads that have run, six are observed, equally likely, and weigh 10 / 6. */
static void test_sampler__a_part_of_many_sleepers_is_asked_and_weighs_for_all(void **state)
{
	enum { SLEEPERS = 10, LOOKS = 6000 };
	struct world w;
	unsigned found = 0;

	(void)state;
	begin(&w, 1, SLEEPERS);
	for (unsigned i = 0; i < LOOKS; i++) {
		struct actor *a = &w.actor[i % SLEEPERS], *t;

		for (unsigned k = 0; k < SLEEPERS; k++)
			w.actor[k].run_ns++;
		preempted(&w, a);
		t = look(&w, 0);
		assert_true(!t || t == a);
		assert_true(w.stamps <= 6);
		found += t != NULL;
		if (t)
			assert_int_equal(
				t->sample.hit.due.weight_ns[0], MS * (1024 * 10 / 6) / 1024);
	}
	/* @found is binomial with p = 0.6: 186 is 4.9 standard deviations. */
	assert_in_range(found, LOOKS * 6 / 10 - 186, LOOKS * 6 / 10 + 186);
	sampler_release(&w.sampler);
}

/* Of threads not hit lately, as many are observed as can be read in 150 us. */
static void test_sampler__a_random_part_of_the_others_is_asked_and_weighs_for_all(void **state)
{
	enum { THREADS = 192, LOOKS = 4000 };
	static const unsigned ask_ns[] = {1500, 6000}, most_asked[] = {41, 16};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		double found_ns = 0, part = (double)most_asked[i] / THREADS, off;
		struct world w;

		begin(&w, 1, THREADS);
		w.sampler.ask_ns = w.ask_ns = ask_ns[i];
		for (unsigned k = 0; k < LOOKS; k++) {
			/* The oldest was added first and never hit. */
			struct actor *a = (struct actor *)w.sampler.oldest->owner, *t;
			unsigned asked = 0;

			a->state = RUNNABLE;
			preempted(&w, a);
			t = look(&w, 0);
			a->state = ASLEEP;
			a->sample.stopping = false;
			assert_true(!t || t == a);
			for (unsigned n = 0; n < THREADS; n++)
				asked += w.actor[n].asked != 0;
			assert_true(asked <= 16 + most_asked[i]);
			found_ns += t ? (double)t->sample.hit.due.weight_ns[0] : 0;
		}
		/* Found with probability p, a thread weighs 1 / p. 4.9 standard deviations. */
		off = found_ns / LOOKS / MS - 1;
		assert_true(off * off < 24 * (1 / part - 1) / LOOKS);
		/* No thread of the machine is runnable: none is observed. */
		w.runnable = 0;
		w.actor[0].state = RUNNABLE;
		(void)look(&w, 0);
		assert_true(w.runnables <= 1);
		sampler_release(&w.sampler);
	}
}

/* Only a thread that ran since its last observation can have left the CPU. */
static void test_sampler__who_has_not_run_since_it_was_asked_is_passed_over(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 3);
	w.runnable = 0;
	assert_null(look(&w, 0));
	assert_int_equal(w.actor[0].asked + w.actor[1].asked + w.actor[2].asked, 3);
	w.actor[1].run_ns++;
	assert_null(look(&w, 0));
	assert_int_equal(w.actor[0].asked + w.actor[2].asked, 0);
	assert_int_equal(w.actor[1].asked, 1);
	sampler_release(&w.sampler);
}

static void test_sampler__threads_of_the_last_hits_are_asked_first(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 40);
	w.runnable = 0;
	hit(&w, &w.actor[37], 0, 1);
	w.actor[37].state = ASLEEP;
	hit(&w, &w.actor[39], 1, 1);
	assert_ptr_equal(w.sampler.newest, &w.actor[39].sample);
	assert_ptr_equal(w.sampler.newest->older, &w.actor[37].sample);
	/* CPU 0 reads the thread hit there first, although another one was hit later. */
	w.actor[37].state = RUNNABLE;
	preempted(&w, &w.actor[37]);
	assert_ptr_equal(look(&w, 0), &w.actor[37]);
	assert_int_equal(w.stamps, 1);
	assert_int_equal(w.actor[39].asked, 0);
	sampler_release(&w.sampler);
}

/* A thread that migrated at its stop is read first on its new CPU. */
static void test_sampler__a_resumed_thread_is_expected_where_it_went(void **state)
{
	const struct cpu_time cpu = {0};
	struct world w;

	(void)state;
	begin(&w, 2, 3);
	hit(&w, &w.actor[0], 0, 2);
	hit(&w, &w.actor[1], 1, 2);
	w.actor[0].last_cpu = 3;
	(void)sampler_resumed(&w.sampler, &w.actor[0].sample, &cpu, w.now);
	assert_int_equal(w.actor[0].sample.cpu, 1);
	w.actor[1].last_cpu = 2;
	(void)sampler_resumed(&w.sampler, &w.actor[1].sample, &cpu, w.now);
	hit(&w, &w.actor[0], 1, 1);
	assert_int_equal(w.stamps, 1);
	sampler_release(&w.sampler);
}

/* Of 12 busy threads last seen on other CPUs, as many are read as the time allows. */
static void test_sampler__a_part_of_those_elsewhere_is_asked_and_weighs_for_all(void **state)
{
	enum { THREADS = 12, LOOKS = 6000, MOST = 4 };
	unsigned found = 0;
	struct world w;

	(void)state;
	begin(&w, 2, THREADS);
	/* Of 200 us for reading, the waiter has used 20 us before. */
	w.sampler.stamp_ns = w.stamp_read_ns = 180 * US / MOST;
	w.before_ns = 20 * US;
	for (unsigned i = 0; i < LOOKS; i++) {
		struct actor *a = &w.actor[i % THREADS], *t;

		for (unsigned k = 0; k < THREADS; k++) {
			w.actor[k].run_ns++;
			w.actor[k].state = RUNNABLE;
			w.actor[k].sample.busy = true;
			w.actor[k].sample.cpu = 1;
		}
		preempted(&w, a);
		t = look(&w, 0);
		assert_true(!t || t == a);
		assert_true(w.stamps <= MOST);
		found += t != NULL;
		if (t)
			assert_int_equal(t->sample.hit.due.weight_ns[0], MS * THREADS / MOST);
		a->sample.stopping = false;
	}
	/* Binomial with 1/3: 4.9 standard deviations are 179. */
	assert_in_range(found, LOOKS / 3 - 179, LOOKS / 3 + 179);
	sampler_release(&w.sampler);
}

/* The waiter has read the expected thread's time stamp before its turn. */
static void test_sampler__an_expected_thread_is_not_asked_again(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 2);
	w.actor[0].state = w.actor[1].state = RUNNABLE;
	preempted(&w, &w.actor[0]);
	w.expected = &w.actor[0];
	assert_ptr_equal(look(&w, 0), &w.actor[0]);
	assert_int_equal(w.stamps, 0);
	w.actor[0].sample.stopping = false;
	preempted(&w, &w.actor[1]);
	assert_ptr_equal(look(&w, 0), &w.actor[1]);
	assert_int_equal(w.stamps, 1);
	sampler_release(&w.sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampler__a_part_of_many_sleepers_is_asked_and_weighs_for_all),
		cmocka_unit_test(
			test_sampler__a_random_part_of_the_others_is_asked_and_weighs_for_all),
		cmocka_unit_test(test_sampler__who_has_not_run_since_it_was_asked_is_passed_over),
		cmocka_unit_test(test_sampler__threads_of_the_last_hits_are_asked_first),
		cmocka_unit_test(test_sampler__a_resumed_thread_is_expected_where_it_went),
		cmocka_unit_test(
			test_sampler__a_part_of_those_elsewhere_is_asked_and_weighs_for_all),
		cmocka_unit_test(test_sampler__an_expected_thread_is_not_asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
