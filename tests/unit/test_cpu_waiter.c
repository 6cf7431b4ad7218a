/* SPDX-License-Identifier: MIT */
/* A waiter of a CPU, and how it calls the tracing thread, by real clocks. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "supervisor/os/cpu_waiter.h"

#define MS          UINT64_C(1000000)
#define DEADLINE_MS 20000

struct fixture {
	struct cpu_waiter waiter;
	struct summons summons;
	_Atomic uint64_t at_ns, woke_ns;
	_Atomic unsigned wakes, pokes;
	_Atomic bool claimed;
};

static uint64_t wake(void *context, uint64_t woke, const struct arrival *arrival, int error)
{
	struct fixture *f = context;

	(void)error;
	if (!woke) {
		atomic_fetch_add(&f->pokes, 1);
		return atomic_load(&f->at_ns);
	}
	assert_true(arrival->first_ns <= arrival->last_ns);
	atomic_store(&f->woke_ns, woke);
	atomic_store(&f->claimed, summons_claim(&f->summons, 3, DEADLINE_MS * MS));
	if (atomic_load(&f->claimed)) {
		atomic_store(&f->summons.holds, 3);
		summons_call(&f->summons, 0);
		summons_hold(&f->summons, 3, DEADLINE_MS * MS);
	}
	atomic_fetch_add(&f->wakes, 1);
	return UINT64_MAX;
}

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(summons_init(&f->summons), 0);
	f->waiter.wake = wake;
	f->waiter.context = f;
	atomic_store(&f->at_ns, UINT64_MAX);
	assert_int_equal(
		sched_getaffinity(0, sizeof(f->summons.started_on), &f->summons.started_on), 0);
	assert_int_equal(cpu_waiter_start(&f->waiter), 0);
}

static void end(struct fixture *f)
{
	cpu_waiter_stop(&f->waiter);
	summons_unpin(&f->summons);
	summons_release(&f->summons);
}

static void hear(struct fixture *f)
{
	struct pollfd bell = {.fd = f->summons.bell_fd, .events = POLLIN};
	uint64_t rings;

	assert_int_equal(poll(&bell, 1, DEADLINE_MS), 1);
	assert_int_equal(read(f->summons.bell_fd, &rings, sizeof(rings)), sizeof(rings));
}

static void wait_until(const _Atomic unsigned *count, unsigned least)
{
	uint64_t until = clock_now() + DEADLINE_MS * MS;

	while (atomic_load(count) < least)
		assert_true(clock_now() < until);
}

static void test_cpu_waiter__wakes_up_in_time_calls_and_holds_its_cpu(void **state)
{
	struct fixture f;
	uint64_t at = clock_now() + 5 * MS;

	(void)state;
	begin(&f);
	wait_until(&f.pokes, 1);
	atomic_store(&f.at_ns, at);
	cpu_waiter_poke(&f.waiter);
	wait_until(&f.pokes, 2);
	summons_rest(&f.summons);
	hear(&f);
	assert_int_equal(summons_wake(&f.summons), 3);
	assert_true(atomic_load(&f.woke_ns) >= at);
	assert_int_equal(atomic_load(&f.wakes), 0);
	assert_true(summons_let_go(&f.summons, 3));
	assert_false(summons_let_go(&f.summons, 3));
	wait_until(&f.wakes, 1);
	end(&f);
}

static void test_cpu_waiter__a_tracing_thread_at_work_is_not_claimed(void **state)
{
	struct summons s;

	(void)state;
	assert_int_equal(summons_init(&s), 0);
	assert_false(summons_claim(&s, 1, MS));
	summons_rest(&s);
	assert_true(summons_claim(&s, 1, MS));
	/* One at a time. */
	assert_false(summons_claim(&s, 2, MS));
	assert_int_equal(summons_wake(&s), 1);
	assert_int_equal(summons_wake(&s), -1);
	/* Nobody serves it: it gives its CPU back. */
	atomic_store(&s.holds, 1);
	summons_hold(&s, 1, MS);
	assert_int_equal(atomic_load(&s.holds), -1);
	summons_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_waiter__wakes_up_in_time_calls_and_holds_its_cpu),
		cmocka_unit_test(test_cpu_waiter__a_tracing_thread_at_work_is_not_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
