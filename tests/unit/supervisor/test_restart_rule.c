/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <errno.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "supervisor/target/restart_rule.h"

#define MS UINT64_C(1000000)

static enum restart_need need_of(int32_t syscall, int64_t result)
{
	const struct arch_snapshot s = {
		.machine = arch_native.machine, .syscall = syscall, .result = result};
	const struct arch_call *call = NULL;
	enum restart_need need = restart_need(arch_native.restart, arch_native.machine, &s, &call);

	if (need == RESTART_BEGIN_AGAIN || need == RESTART_MAYBE_SHORT ||
		need == RESTART_MAYBE_EARLY)
		assert_int_equal(call->number, syscall);
	return need;
}

/* Calls that fail with EINTR despite SA_RESTART: signal(7), "Interruption of system calls". */
static void test_restart_rule__begins_again_what_signal_7_lists(void **state)
{
	static const int32_t list[] = {SYS_epoll_pwait, SYS_semop, SYS_semtimedop,
		SYS_rt_sigtimedwait, SYS_io_getevents, SYS_accept, SYS_connect, SYS_recvfrom,
		SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_ppoll, SYS_pselect6};

	(void)state;
	if (!arch_native.restart)
		skip();
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		assert_int_equal(need_of(list[i], -EINTR), RESTART_BEGIN_AGAIN);
}

static void test_restart_rule__leaves_close_and_io_uring_alone(void **state)
{
	(void)state;
	assert_int_equal(need_of(SYS_close, -EINTR), RESTART_LEAVE);
	assert_int_equal(need_of(SYS_io_uring_enter, -EINTR), RESTART_LEAVE);
	/* The kernel restarts these. */
	assert_int_equal(need_of(SYS_futex, -512), RESTART_NOTHING);
	assert_int_equal(need_of(SYS_epoll_pwait, -516), RESTART_NOTHING);
}

/* -516, -ERESTART_RESTARTBLOCK, leads to restart_syscall, which a seccomp filter may forbid. */
static void test_restart_rule__what_restart_syscall_resumes_may_be_forbidden_to(void **state)
{
	static const int32_t list[] = {
		SYS_nanosleep,
		SYS_clock_nanosleep,
		SYS_futex,
#ifdef SYS_poll
		SYS_poll,
#endif
	};

	(void)state;
	/* With @rewinds the kernel decides before the stop: no tracer sees this result. */
	if (!arch_native.restart || arch_native.restart->rewinds)
		skip();
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		assert_int_equal(need_of(list[i], -516), RESTART_FILTERED);
}

/* socket(7), SO_RCVTIMEO: errno is EAGAIN or EWOULDBLOCK, or EINPROGRESS of connect(2). */
static void test_restart_rule__a_socket_s_time_out_may_be_early(void **state)
{
	(void)state;
	if (!arch_native.restart)
		skip();
	assert_int_equal(need_of(SYS_accept, -EAGAIN), RESTART_MAYBE_EARLY);
	assert_int_equal(need_of(SYS_recvfrom, -EAGAIN), RESTART_MAYBE_EARLY);
	assert_int_equal(need_of(SYS_sendmsg, -EAGAIN), RESTART_MAYBE_EARLY);
	assert_int_equal(need_of(SYS_write, -EAGAIN), RESTART_MAYBE_EARLY);
	assert_int_equal(need_of(SYS_connect, -EAGAIN), RESTART_MAYBE_EARLY);
	assert_int_equal(need_of(SYS_connect, -EINPROGRESS), RESTART_MAYBE_EARLY);
	assert_int_equal(need_of(SYS_connect, -EALREADY), RESTART_MAYBE_EARLY);
	/* Calls without a socket's time-out need nothing: their timers are exact. */
	assert_int_equal(need_of(SYS_rt_sigtimedwait, -EAGAIN), RESTART_NOTHING);
	assert_int_equal(need_of(SYS_semtimedop, -EAGAIN), RESTART_NOTHING);
	assert_int_equal(need_of(SYS_futex, -EAGAIN), RESTART_NOTHING);
	assert_int_equal(need_of(SYS_accept, -EINPROGRESS), RESTART_NOTHING);
	assert_int_equal(need_of(SYS_close, -EAGAIN), RESTART_NOTHING);
}

static void test_restart_rule__looks_only_at_calls(void **state)
{
	(void)state;
	/* Outside of a call, a register happens to hold -EINTR. */
	assert_int_equal(need_of(-1, -EINTR), RESTART_NOTHING);
	assert_int_equal(need_of(SYS_write, 0), RESTART_NOTHING);
	assert_int_equal(need_of(SYS_write, -EPIPE), RESTART_NOTHING);
	if (!arch_native.restart)
		skip();
	assert_int_equal(need_of(SYS_write, 5), RESTART_MAYBE_SHORT);
	assert_int_equal(need_of(SYS_getrandom, 4096), RESTART_MAYBE_SHORT);
	assert_int_equal(need_of(SYS_pwritev2, 4096), RESTART_MAYBE_SHORT);
	assert_int_equal(need_of(SYS_copy_file_range, 4096), RESTART_MAYBE_SHORT);
	assert_int_equal(need_of(SYS_splice, 4096), RESTART_NOTHING);
	assert_int_equal(need_of(SYS_sendmmsg, 1), RESTART_NOTHING);
}

static void test_restart_rule__other_machines_numbers_are_not_ours(void **state)
{
	const struct arch_snapshot s = {.machine = 3, .syscall = SYS_semop, .result = -EINTR};
	const struct arch_call *call = NULL;

	(void)state;
	assert_int_equal(
		restart_need(arch_native.restart, arch_native.machine, &s, &call), RESTART_LEAVE);
	assert_int_equal(restart_need(NULL, 3, &s, &call), RESTART_LEAVE);
}

static void test_restart_rule__places_of_handlers_are_kept_apart_while_they_fit(void **state)
{
	struct handled_calls places = {0};

	(void)state;
	assert_false(handled_calls_has(&places, 0x1000));
	for (uint64_t i = 1; i <= HANDLED_CALLS; i++) {
		handled_calls_add(&places, i * 0x1000);
		handled_calls_add(&places, i * 0x1000);
	}
	assert_true(handled_calls_has(&places, 0x1000));
	assert_true(handled_calls_has(&places, HANDLED_CALLS * 0x1000));
	assert_false(handled_calls_has(&places, 0x1004));
	/* One address too many: from now on each address counts as handled. */
	handled_calls_add(&places, 0x9999000);
	assert_true(handled_calls_has(&places, 0x9999000));
	assert_true(handled_calls_has(&places, 0x1004));
}

static void test_restart_rule__time_outs_go_both_ways(void **state)
{
	uint64_t ns;
	int64_t v[2];

	(void)state;
	assert_true(restart_get_wait(ARCH_WAIT_MS, (const int64_t[]){1500, 0}, &ns));
	assert_int_equal(ns, 1500 * MS);
	/* epoll_wait(…, -1) leaves 0xffffffff in a 64-bit register. */
	assert_false(restart_get_wait(ARCH_WAIT_MS, (const int64_t[]){0xffffffff, 0}, &ns));
	assert_true(restart_get_wait(ARCH_WAIT_SPEC, (const int64_t[]){3, 7}, &ns));
	assert_int_equal(ns, 3000000007);
	assert_true(restart_get_wait(ARCH_WAIT_VAL, (const int64_t[]){2, 5000}, &ns));
	assert_int_equal(ns, 2005000000);
	assert_false(restart_get_wait(ARCH_WAIT_SPEC, (const int64_t[]){INT64_MAX, 0}, &ns));
	assert_false(restart_get_wait(ARCH_WAIT_NONE, (const int64_t[]){1, 1}, &ns));

	restart_put_wait(ARCH_WAIT_MS, 1 * MS + 1, v);
	assert_int_equal(v[0], 2);
	restart_put_wait(ARCH_WAIT_SPEC, 3000000007, v);
	assert_int_equal(v[0], 3);
	assert_int_equal(v[1], 7);
	restart_put_wait(ARCH_WAIT_VAL, 1000000001, v);
	assert_int_equal(v[0], 1);
	assert_int_equal(v[1], 1);
}

static void test_restart_rule__rest_of_a_vector(void **state)
{
	const struct restart_part part[] = {{100, 10}, {200, 0}, {300, 5}, {400, 20}};
	struct restart_part rest[4];
	uint64_t skip = 12, bytes = 0;

	(void)state;
	assert_int_equal(restart_rest(part, 4, &skip, rest, 4, &bytes), 2);
	assert_int_equal(rest[0].base, 302);
	assert_int_equal(rest[0].bytes, 3);
	assert_int_equal(rest[1].base, 400);
	assert_int_equal(rest[1].bytes, 20);
	assert_int_equal(bytes, 23);
	assert_int_equal(skip, 0);

	/* The vector is read in two parts; the first four pieces hold nothing of the rest. */
	skip = 37;
	bytes = 0;
	assert_int_equal(restart_rest(part, 4, &skip, rest, 4, &bytes), 0);
	assert_int_equal(skip, 2);

	/* Room for one part only: the others are left for a later restart. */
	skip = 0;
	assert_int_equal(restart_rest(part, 4, &skip, rest, 1, &bytes), 1);
	assert_int_equal(bytes, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restart_rule__begins_again_what_signal_7_lists),
		cmocka_unit_test(test_restart_rule__leaves_close_and_io_uring_alone),
		cmocka_unit_test(
			test_restart_rule__what_restart_syscall_resumes_may_be_forbidden_to),
		cmocka_unit_test(test_restart_rule__a_socket_s_time_out_may_be_early),
		cmocka_unit_test(test_restart_rule__looks_only_at_calls),
		cmocka_unit_test(
			test_restart_rule__places_of_handlers_are_kept_apart_while_they_fit),
		cmocka_unit_test(test_restart_rule__other_machines_numbers_are_not_ours),
		cmocka_unit_test(test_restart_rule__time_outs_go_both_ways),
		cmocka_unit_test(test_restart_rule__rest_of_a_vector),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
