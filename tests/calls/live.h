/* SPDX-License-Identifier: MIT */
/*
 * For tests of the calls on a live target, which is the test itself: libsprofil starts its helper,
 * and the helper counts in the test's memory.
 *
 * live_spin(X, S) makes a thread spin at address X, at a jump to itself, until it has used S
 * seconds of CPU. So the program counter is known exactly, and so is the counter that must change.
 * It returns when the supervisor has finished with that thread, even on a busy machine: the
 * counters do not change any more.
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

/* Addresses at which code is mapped, far from all other code. */
#define LIVE_A UINT64_C(0x10000000)
#define LIVE_B UINT64_C(0x20000000)
#define LIVE_C UINT64_C(0x7e0000000000)

/* Makes one thread spin at @address. Returns the CPU time in ns that it used, at least @seconds. */
uint64_t live_spin(uint64_t address, double seconds);

/*
 * Two threads at once at two addresses (or both at one). Both spin until each has used @seconds.
 * @used_ns gets the CPU time of each.
 */
void live_spin_both(uint64_t one, uint64_t other, double seconds, uint64_t used_ns[2]);

/*
 * One thread that spins alternately at two addresses within a page of each other, twice @seconds of
 * CPU at each. @used_ns gets the CPU time used at each.
 */
void live_hop(const uint64_t address[2], double seconds, uint64_t used_ns[2]);

/* Returns the CPU time of this process so far, in ns. */
uint64_t live_process_cpu(void);

/*
 * Uses @seconds of this thread's CPU time in the test's own code. Returns the CPU time used, in ns.
 */
uint64_t live_burn(double seconds);

/*
 * Maps @bytes that end at a page's end. The page after it is not mapped, and the page before it is
 * without access. The rest of the first page, before the buffer, is filled with a pattern. @sharing
 * is MAP_SHARED or MAP_PRIVATE.
 */
void *live_buffer(size_t bytes, int sharing);
/* Asserts that the pattern around the buffer is unchanged. */
void live_check_buffer(const void *buffer, size_t bytes);

/* Is this the truth suite, which judges what depends on chance and the machine's load? */
bool live_truth(void);
/* In the truth suite only: asserts that @value is from @low to @high, both included. */
#define live_chance(value, low, high)                            \
	do {                                                     \
		if (live_truth())                                \
			assert_in_range((value), (low), (high)); \
	} while (0)

/*
 * Asserts that @count is the number of ticks in @cpu_ns within max(6, 5 %), twice that without
 * real-time priority. This is judged in the truth suite only. Other suites assert that @count is
 * not 0, and only where so many ticks are expected that 0 cannot be chance.
 */
#define live_about(count, cpu_ns, tick_ns) \
	live_check_about(count, cpu_ns, tick_ns, __FILE__, __LINE__)
/* As live_about(), with a tolerance of max(6, @most) ticks. */
void live_check_within(uint64_t count, double ticks, double most, const char *file, int line);
void live_check_about(
	uint64_t count, uint64_t cpu_ns, uint64_t tick_ns, const char *file, int line);

/*
 * Asserts that @count is the number of ticks in @cpu_ns, the CPU time of @rounds accounts together.
 * An account is the life of a thread, or the time between on and off: the counting begins and ends
 * anew with each. The limit is 5 standard deviations.
 *
 * The variance of one account, in square ticks: each tick comes by chance and halves the account's
 * error, so the variances add up to 1 + 1/4 + 1/16 + ... = 4/3. Rounding to whole ticks adds 1/12.
 */
void live_check_rounds(uint64_t count, uint64_t cpu_ns, uint64_t tick_ns, unsigned rounds,
	const char *file, int line);

/*
 * Returns the errno of a call whose @result is -1, and 0 of one whose @result is not negative.
 * Asserts that it is one of the two.
 */
int live_errno(int result);

/*
 * Runs the tests as a group. Asserts that after them no signal has come, no call was interrupted,
 * there is no child, and as many descriptors are open as before.
 */
#define live_run(tests) live_run_group(#tests, tests, sizeof(tests) / sizeof((tests)[0]))
int live_run_group(const char *name, const struct CMUnitTest *tests, size_t count);

/* Runs tests whose children send them signals, without the checks of live_run(). */
#define live_run_with_children(tests) (live_filter(), cmocka_run_group_tests(tests, NULL, NULL))
/* Selects the tests whose names match the pattern $LIVE_FILTER, for runs by hand. */
void live_filter(void);

/* Returns the pid of this process's tracer; 0: none. */
int live_tracer(void);
/* Waits until the supervisor, if there is one, has nothing to do. */
void live_settle(void);

/* Waits for @pid and asserts that it ended with status 0; then for the supervisor. */
void live_reap(pid_t pid);

#endif
