/* SPDX-License-Identifier: MIT */
/*
 * For tests of the calls on a live target, which is the test itself: libsprofil starts its helper,
 * and the helper counts in the test's memory.
 *
 * live_spin(X, S) makes a thread stand at address X, at a jump to itself, until it has used S
 * seconds of CPU. So the program counter is known exactly, and so is the counter that must move.
 * It returns when the supervisor is done with that thread, however late the machine lets it be:
 * then the counters stand still.
 */
#ifndef TESTS_LIVE_H
#define TESTS_LIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/types.h>

#include <cmocka.h>

#define LIVE_TICK_NS      10000000
#define LIVE_FAST_TICK_NS 1000000
#define LIVE_AIX_TICK_NS  16666667

/* Seconds of spinning that give some 20 ticks of the clock. */
#define LIVE_SHORT 0.2

/* Addresses of text that is far from everything else. */
#define LIVE_A UINT64_C(0x10000000)
#define LIVE_B UINT64_C(0x20000000)
#define LIVE_C UINT64_C(0x7e0000000000)

/* Returns the CPU time that the thread used, in ns: @seconds at least. */
uint64_t live_spin(uint64_t address, double seconds);

/*
 * Two threads at once at two addresses (or at one), for @seconds each at least: both go on until
 * both have used that. @used_ns gets the CPU time of each.
 */
void live_spin_both(uint64_t one, uint64_t other, double seconds, uint64_t used_ns[2]);

/*
 * One thread that stands now at one address, now at the other, twice @seconds of CPU at each. They
 * lie within a page of each other. @used_ns gets the CPU time used at each.
 */
void live_hop(const uint64_t address[2], double seconds, uint64_t used_ns[2]);

/* CPU time of this process so far, in ns. */
uint64_t live_process_cpu(void);

/*
 * Uses CPU time of this thread somewhere in the test's own text. Returns the CPU time used, in ns.
 */
uint64_t live_burn(double seconds);

/*
 * @bytes of memory that end where a page ends behind which nothing is mapped. What lies before them
 * on their page is filled with a pattern, and a page without access lies before that. MAP_SHARED or
 * MAP_PRIVATE in @sharing.
 */
void *live_buffer(size_t bytes, int sharing);
/* Asserts that the pattern around the buffer is unchanged. */
void live_check_buffer(const void *buffer, size_t bytes);

/* Is this the truth suite, which judges what depends on chance and the machine's load? */
bool live_truth(void);
/* Asserts in the truth suite only that @value is between the limits, both included. */
#define live_chance(value, low, high)                            \
	do {                                                     \
		if (live_truth())                                \
			assert_in_range((value), (low), (high)); \
	} while (0)

/*
 * Asserts that there are as many counts as @cpu_ns makes ticks: +- max(3, 5 %), twice that without
 * real-time priority; with LIVE_BESIDE_A_PROFILE in the environment max(5.5, 5 %). That is judged
 * in the truth suite only; in other suites, that there are any where chance cannot leave none.
 */
#define live_about(count, cpu_ns, tick_ns) \
	live_check_about(count, cpu_ns, tick_ns, __FILE__, __LINE__)
/* Asserts likewise with @most as the limit. */
void live_check_within(uint64_t count, double ticks, double most, const char *file, int line);
void live_check_about(
	uint64_t count, uint64_t cpu_ns, uint64_t tick_ns, const char *file, int line);

/* The errno of a call that must have failed with -1; 0 if it succeeded. */
int live_errno(int result);

/*
 * Runs the tests as a group, with what must hold after all of them: no signal has come, no call was
 * interrupted, there is no child, and as many descriptors are open as before.
 */
#define live_run(tests) live_run_group(#tests, tests, sizeof(tests) / sizeof((tests)[0]))
int live_run_group(const char *name, const struct CMUnitTest *tests, size_t count);

/* Runs tests that have children, which send signals: without those checks. */
#define live_run_with_children(tests) (live_filter(), cmocka_run_group_tests(tests, NULL, NULL))
/* $LIVE_FILTER, a pattern, selects tests of a run by hand. */
void live_filter(void);

/* The pid that traces this process; 0: none. */
int live_tracer(void);
/* Waits until the supervisor, if there is one, has nothing to do. */
void live_settle(void);

/* Waits for @pid and asserts that it ended with status 0; then for the supervisor. */
void live_reap(pid_t pid);

#endif
