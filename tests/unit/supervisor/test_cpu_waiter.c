/* SPDX-License-Identifier: MIT */
/* A CPU's waiter thread, and its calls to the tracing thread, with real clocks. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "supervisor/os/cpu_waiter.h"
#include "tests/refuse_call.h"

#define MS          UINT64_C(1000000)
#define DEADLINE_MS 20000

struct fixture {
	struct cpu_waiter waiter;
	struct summons summons;
	_Atomic uint64_t at_ns, woke_ns;
	_Atomic unsigned wakes, pokes;
	_Atomic int came_on; /* the CPU on which the waiter says that it woke up */
	_Atomic bool claimed, gives_back;
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
	atomic_store(&f->came_on, arrival->cpu);
	atomic_store(&f->claimed, summons_claim(&f->summons, 3, clock_now() + DEADLINE_MS * MS));
	if (atomic_load(&f->gives_back))
		summons_give_back(&f->summons);
	else if (atomic_load(&f->claimed))
		summons_call(&f->summons, 0);
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

static void test_cpu_waiter__wakes_up_in_time_and_calls(void **state)
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
	assert_int_equal(summons_wake(&f.summons, MS), 1);
	assert_true(atomic_load(&f.woke_ns) >= at);
	assert_true(atomic_load(&f.claimed));
	assert_int_equal(atomic_load(&f.summons.cpu), 0);
	/* The call is answered once: the tracing thread is at work now. */
	assert_int_equal(summons_wake(&f.summons, MS), 0);
	end(&f);
}

static void test_cpu_waiter__gives_its_turn_back(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	atomic_store(&f.gives_back, true);
	atomic_store(&f.at_ns, 1);
	summons_rest(&f.summons);
	cpu_waiter_poke(&f.waiter);
	wait_until(&f.wakes, 1);
	assert_true(atomic_load(&f.claimed));
	assert_int_equal(atomic_load(&f.summons.state), SUMMONS_SLEEPS);
	assert_int_equal(summons_wake(&f.summons, MS), 0);
	end(&f);
}

/* The end of the waiter's turn wakes the tracing thread without an IPI, called or not. */
static void test_cpu_waiter__the_tracing_thread_waits_for_the_end_of_a_turn(void **state)
{
	struct fixture f;

	(void)state;
	for (unsigned gives_back = 0; gives_back < 2; gives_back++) {
		begin(&f);
		atomic_store(&f.gives_back, gives_back);
		atomic_store(&f.at_ns, 1);
		/* The tracing thread asks for the turn before the waiter may have it. */
		atomic_store(&f.summons.wanted, true);
		summons_rest(&f.summons);
		cpu_waiter_poke(&f.waiter);
		wait_until(&f.pokes, 1);
		assert_int_equal(atomic_load(&f.wakes), 0);
		atomic_store(&f.summons.wanted, false);
		while (atomic_load(&f.summons.state) == SUMMONS_SLEEPS && !atomic_load(&f.wakes))
			continue;
		while (summons_wake(&f.summons, DEADLINE_MS * MS) < 0)
			continue;
		wait_until(&f.wakes, 1);
		assert_true(atomic_load(&f.claimed));
		assert_false(atomic_load(&f.summons.wanted));
		end(&f);
	}
}

/* Returns the CPU on which the waiter says that it woke up. */
static int comes_on(struct fixture *f)
{
	unsigned before = atomic_load(&f->wakes);

	atomic_store(&f->at_ns, 1);
	cpu_waiter_poke(&f->waiter);
	wait_until(&f->wakes, before + 1);
	return atomic_load(&f->came_on);
}

/*
 * The kernel moves the waiter of an offline CPU, like sched_setaffinity() here. The waiter tells on
 * which CPU it woke up, and is pinned to its own again.
 */
static void test_cpu_waiter__tells_that_it_was_moved_and_is_pinned_again(void **state)
{
	struct fixture f;
	cpu_set_t other;
	int cpu = 1;

	(void)state;
	begin(&f);
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &f.summons.started_on))
		cpu++;
	atomic_store(&f.gives_back, true);
	summons_rest(&f.summons);
	if (cpu == CPU_SETSIZE || !CPU_ISSET(0, &f.summons.started_on)) {
		end(&f);
		skip();
	}
	assert_int_equal(comes_on(&f), 0);
	CPU_ZERO(&other);
	CPU_SET(cpu, &other);
	assert_int_equal(sched_setaffinity(atomic_load(&f.waiter.tid), sizeof(other), &other), 0);
	assert_int_equal(comes_on(&f), cpu);
	cpu_waiter_pin(&f.waiter);
	assert_int_equal(comes_on(&f), 0);
	end(&f);
}

/* The CPUs on which the tracing thread has started are not in its cpuset any more. */
static void test_cpu_waiter__unpins_in_another_cpuset(void **state)
{
	struct fixture f;
	cpu_set_t began, one, now;

	(void)state;
	begin(&f);
	began = f.summons.started_on;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CPU_ZERO(&f.summons.started_on);
	CPU_SET(CPU_SETSIZE - 1, &f.summons.started_on);
	if (CPU_COUNT(&began) == 1 || CPU_ISSET(CPU_SETSIZE - 1, &began)) {
		end(&f);
		skip();
	}
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	atomic_store(&f.summons.cpu, sched_getcpu());
	summons_unpin(&f.summons);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	CPU_AND(&now, &now, &began);
	assert_true(CPU_EQUAL(&now, &began));
	end(&f);
	(void)sched_setaffinity(0, sizeof(began), &began);
}

/* Runs a waiter of CPU 0, which cannot be pinned, on @cpu. Exits with 1 + the CPU that it tells. */
static void be_loose(int cpu)
{
	struct fixture f;
	cpu_set_t other;

	CPU_ZERO(&other);
	CPU_SET(cpu, &other);
	if (sched_setaffinity(0, sizeof(other), &other) < 0 ||
		refuse_call(SYS_sched_setaffinity) < 0)
		_exit(0);
	begin(&f);
	atomic_store(&f.gives_back, true);
	summons_rest(&f.summons);
	_exit(1 + comes_on(&f));
}

/* Where pinning is refused, a waiter on a CPU not its own does not count as strayed. */
static void test_cpu_waiter__takes_any_cpu_if_pinning_is_refused(void **state)
{
	cpu_set_t all;
	int cpu = 1, status;
	pid_t pid;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &all))
		cpu++;
	if (cpu == CPU_SETSIZE)
		skip();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		be_loose(cpu);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 0)
		skip(); /* no filters here */
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void test_cpu_waiter__one_at_a_time_has_the_turn(void **state)
{
	struct summons s;

	(void)state;
	assert_int_equal(summons_init(&s), 0);
	assert_false(summons_claim(&s, 1, clock_now() + MS)); /* the tracing thread is at work */
	summons_rest(&s);
	assert_true(summons_claim(&s, 1, clock_now() + MS));
	assert_false(summons_claim(&s, 2, clock_now() + MS));
	/* The waiter keeps its turn: the tracing thread waits in vain. */
	assert_int_equal(summons_wake(&s, MS), -ETIMEDOUT);
	summons_give_back(&s);
	/* The tracing thread asks for the turn, and is the next. */
	assert_false(summons_claim(&s, 2, clock_now() + MS));
	assert_int_equal(summons_wake(&s, MS), 0);
	summons_rest(&s);
	assert_true(summons_claim(&s, 2, clock_now() + MS));
	/* A called tracing thread does not take its turn: after a while others may. */
	summons_call(&s, 0);
	assert_false(summons_claim(&s, 3, 0));
	assert_true(summons_claim(&s, 3, clock_now() + DEADLINE_MS * MS));
	summons_give_back(&s);
	summons_unpin(&s);
	summons_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_waiter__wakes_up_in_time_and_calls),
		cmocka_unit_test(test_cpu_waiter__gives_its_turn_back),
		cmocka_unit_test(test_cpu_waiter__the_tracing_thread_waits_for_the_end_of_a_turn),
		cmocka_unit_test(test_cpu_waiter__tells_that_it_was_moved_and_is_pinned_again),
		cmocka_unit_test(test_cpu_waiter__unpins_in_another_cpuset),
		cmocka_unit_test(test_cpu_waiter__takes_any_cpu_if_pinning_is_refused),
		cmocka_unit_test(test_cpu_waiter__one_at_a_time_has_the_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
