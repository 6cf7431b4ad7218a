/* SPDX-License-Identifier: MIT */
/* A thread of the supervisor on a CPU: what it does at which time, by real clocks. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "supervisor/os/cpu_waiter.h"

#define MS          UINT64_C(1000000)
#define DEADLINE_MS 20000

static const _Atomic bool not_heard = false;

static void begin(struct cpu_waiter *w)
{
	memset(w, 0, sizeof(*w));
	assert_int_equal(cpu_waiter_start(w, 0, eventfd(0, EFD_CLOEXEC), &not_heard, false), 0);
}

static void end(struct cpu_waiter *w)
{
	cpu_waiter_stop(w);
	(void)close(w->bell_fd);
}

/* The bell has rung; when it was heard. */
static uint64_t hear(struct cpu_waiter *w)
{
	struct pollfd bell = {.fd = w->bell_fd, .events = POLLIN};
	uint64_t rings;

	assert_int_equal(poll(&bell, 1, DEADLINE_MS), 1);
	assert_int_equal(read(w->bell_fd, &rings, sizeof(rings)), sizeof(rings));
	return clock_now();
}

static void wait_for(struct cpu_waiter *w, enum cpu_waiter_state state)
{
	uint64_t until = clock_now() + DEADLINE_MS * MS;

	while (cpu_waiter_state(w) != state)
		assert_true(clock_now() < until);
}

static bool is_silent(const struct cpu_waiter *w)
{
	struct pollfd bell = {.fd = w->bell_fd, .events = POLLIN};

	return poll(&bell, 1, 5) == 0;
}

static void test_cpu_waiter__holds_its_cpu_until_it_is_told_another_time(void **state)
{
	struct cpu_waiter w;
	uint64_t at = clock_now() + 5 * MS;

	(void)state;
	begin(&w);
	cpu_waiter_set(&w, at);
	assert_true(hear(&w) >= at);
	assert_true(atomic_load(&w.woke_ns) >= at);
	/* Nobody serves it: it lets go, and does nothing until it is told. */
	wait_for(&w, CPU_WAITER_GAVE_UP);
	assert_true(cpu_waiter_calls(&w));
	assert_true(clock_now() >= atomic_load(&w.woke_ns) + CPU_WAITER_HOLD_NS);
	cpu_waiter_set(&w, UINT64_MAX);
	assert_false(cpu_waiter_calls(&w));
	assert_true(is_silent(&w));
	end(&w);
}

static void test_cpu_waiter__keeps_from_before_the_ring_until_the_next_order(void **state)
{
	struct cpu_waiter w;
	uint64_t at = clock_now() + 5 * MS, next;

	(void)state;
	begin(&w);
	cpu_waiter_keep(&w, at, true);
	assert_true(hear(&w) >= at);
	assert_true(atomic_load(&w.rang_ns) >= at);
	assert_false(cpu_waiter_calls(&w));
	/* The next order ends it, or half a millisecond does; then it rings again. */
	next = clock_now() + 40 * MS;
	cpu_waiter_keep(&w, next, true);
	wait_for(&w, CPU_WAITER_ASLEEP);
	assert_true(hear(&w) >= next);
	wait_for(&w, CPU_WAITER_ASLEEP);
	assert_true(clock_now() >= next + CPU_WAITER_HOLD_NS);
	assert_true(is_silent(&w));
	end(&w);
}

static void test_cpu_waiter__a_ring_that_is_not_wanted_any_more_does_not_come(void **state)
{
	struct cpu_waiter w;
	uint64_t at = clock_now() + 300 * MS;

	(void)state;
	begin(&w);
	cpu_waiter_keep(&w, at, true);
	cpu_waiter_keep(&w, UINT64_MAX, true);
	while (clock_now() < at)
		assert_true(is_silent(&w));
	assert_true(is_silent(&w));
	assert_int_equal(cpu_waiter_state(&w), CPU_WAITER_ASLEEP);
	end(&w);
}

/* Its own time falls into the time that it keeps: it comes after that. */
static void test_cpu_waiter__does_both(void **state)
{
	struct cpu_waiter w;
	uint64_t at = clock_now() + 5 * MS;

	(void)state;
	begin(&w);
	cpu_waiter_keep(&w, at, true);
	cpu_waiter_set(&w, at + 1000);
	assert_true(hear(&w) >= at);
	wait_for(&w, CPU_WAITER_GAVE_UP);
	assert_true(atomic_load(&w.woke_ns) >= at + CPU_WAITER_HOLD_NS);
	cpu_waiter_set(&w, UINT64_MAX);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_waiter__holds_its_cpu_until_it_is_told_another_time),
		cmocka_unit_test(test_cpu_waiter__keeps_from_before_the_ring_until_the_next_order),
		cmocka_unit_test(test_cpu_waiter__a_ring_that_is_not_wanted_any_more_does_not_come),
		cmocka_unit_test(test_cpu_waiter__does_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
