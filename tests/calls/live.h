/* SPDX-License-Identifier: MIT */
/*
 * For tests of the calls on a live target, which is the test itself: libsprofil starts its helper,
 * and the helper counts in the test's memory.
 *
 * live_spin(X, S) makes a thread spin at address X, at a jump to itself, until it has used S
 * seconds of CPU. So the program counter and the counter that must change are known exactly.
 * live_spin() returns when the supervisor has finished with that thread: the counters then stay.
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

/* Seconds of CPU with some 20 ticks of the clock. */
#define LIVE_SHORT 0.2

/* Addresses for code, far from all other code. */
#define LIVE_A UINT64_C(0x10000000)
#define LIVE_B UINT64_C(0x20000000)
#define LIVE_C UINT64_C(0x7e0000000000)

/* Makes one thread spin at @address. Returns its CPU time in ns, at least @seconds. */
uint64_t live_spin(uint64_t address, double seconds);

/* Makes two threads spin at once until each has used @seconds; the addresses may be equal. */
void live_spin_both(uint64_t one, uint64_t other, double seconds, uint64_t used_ns[2]);

/*
 * Makes one thread spin at two addresses by turns, twice @seconds of CPU at each. The addresses lie
 * less than a page apart. @used_ns gets the CPU time at each.
 */
void live_hop(const uint64_t address[2], double seconds, uint64_t used_ns[2]);

/* In ns, since the process's start. */
uint64_t live_process_cpu(void);

/* Uses @seconds of this thread's CPU time in the test's own code. Returns the time used in ns. */
uint64_t live_burn(double seconds);

/*
 * Maps @bytes that end at a page's end, between pages without access. A pattern fills the first
 * page before the buffer. @sharing: MAP_SHARED or MAP_PRIVATE.
 */
void *live_buffer(size_t bytes, int sharing);
/* Asserts that the pattern before the buffer is unchanged. */
void live_check_buffer(const void *buffer, size_t bytes);

/* The truth suite judges what depends on chance and on the machine's load. */
bool live_truth(void);
/* In the truth suite only: asserts @low <= @value <= @high. */
#define live_chance(value, low, high)                            \
	do {                                                     \
		if (live_truth())                                \
			assert_in_range((value), (low), (high)); \
	} while (0)

/*
 * Truth suite: asserts that @count is the number of ticks in @cpu_ns within max(6, 5 %), twice that
 * without real-time priority. Other suites: asserts that @count is not 0 if so many ticks are
 * expected that 0 cannot be chance.
 */
#define live_about(count, cpu_ns, tick_ns) \
	live_check_about(count, cpu_ns, tick_ns, __FILE__, __LINE__)
/* As live_about(), for @ticks expected ticks, with a tolerance of max(6, @most). */
void live_check_within(uint64_t count, double ticks, double most, const char *file, int line);
void live_check_about(
	uint64_t count, uint64_t cpu_ns, uint64_t tick_ns, const char *file, int line);

/*
 * As live_about(), for the CPU time @cpu_ns of @rounds accounts together, within 5 standard
 * deviations. A thread's life, or the time between on and off, is an account.
 *
 * The variance of one account, in square ticks: each tick comes by chance and halves the account's
 * error, so the variances add up to 1 + 1/4 + 1/16 + ... = 4/3. Rounding to whole ticks adds 1/12.
 */
void live_check_rounds(uint64_t count, uint64_t cpu_ns, uint64_t tick_ns, unsigned rounds,
	const char *file, int line);

/* Returns the errno of a call with @result -1, else 0. Asserts that @result is -1 or more. */
int live_errno(int result);

/*
 * Runs the tests as a group. Then asserts that no signal has come, no call was interrupted, no
 * child is left, and as many descriptors are open as before.
 */
#define live_run(tests) live_run_group(#tests, tests, sizeof(tests) / sizeof((tests)[0]))
int live_run_group(const char *name, const struct CMUnitTest *tests, size_t count);

/* As live_run() without its checks: the children of these tests send signals. */
#define live_run_with_children(tests) (live_filter(), cmocka_run_group_tests(tests, NULL, NULL))
/* Selects the tests that match the pattern $LIVE_FILTER. */
void live_filter(void);

/* Returns the pid of this process's tracer; 0: none. */
int live_tracer(void);
/* Waits until the supervisor, if any, has nothing to do. */
void live_settle(void);

/* Waits for @pid, asserts that its status is 0, then calls live_settle(). */
void live_reap(pid_t pid);

#endif
