/* SPDX-License-Identifier: MIT */
/*
 * Tests arch_aarch64.c on any machine, compiled here with its table as arch_native. Its numbers of
 * system calls are those of <asm-generic/unistd.h>, so no header may define this machine's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <asm-generic/unistd.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/target/restart_rule.h"

/* svc #0 and nop: Arm Architecture Reference Manual. */
#define SVC 0xd4000001u
#define NOP 0xd503201fu

enum { X0 = 0, X8 = 8, SP = 31, PC = 32 }; /* indexes in struct user_pt_regs */

static struct arch_raw thread(uint64_t x0, uint64_t x8)
{
	struct arch_raw raw = {.bytes = 34 * 8};

	raw.word[X0] = x0;
	raw.word[X8] = x8;
	raw.word[SP] = 0xffff1000;
	raw.word[PC] = 0xaaaa0004;
	return raw;
}

static void test_arch_aarch64__the_instruction_before_tells_the_call(void **state)
{
	const uint32_t behind[2] = {SVC, NOP}, elsewhere[2] = {NOP, NOP}, both[2] = {SVC, SVC};
	struct arch_raw raw = thread((uint64_t)-EINTR, __NR_epoll_pwait);
	struct arch_snapshot s;

	(void)state;
	assert_true(arch_native.find_call(&raw, NULL));
	assert_int_equal(raw.syscall, -1);
	assert_true(arch_native.find_call(&raw, behind));
	assert_true(arch_native.decode(&raw, &s));
	assert_int_equal(s.syscall, __NR_epoll_pwait);
	assert_int_equal(s.result, -EINTR);
	assert_true(arch_native.find_call(&raw, both));
	assert_true(arch_native.decode(&raw, &s));
	assert_int_equal(s.result, -EINTR);
	assert_false(arch_native.find_call(&raw, elsewhere));
	assert_true(arch_native.decode(&raw, &s));
	assert_int_equal(s.syscall, -1);
}

/* The kernel has restored x0 and the pc for a restart, so x0 is no result. */
static void test_arch_aarch64__a_call_to_be_repeated_has_no_result(void **state)
{
	const uint32_t before[2] = {NOP, SVC};
	const struct arch_call *call = NULL;
	struct arch_raw raw = thread(5, __NR_write);
	struct arch_snapshot s;

	(void)state;
	assert_true(arch_native.find_call(&raw, before));
	assert_true(arch_native.decode(&raw, &s));
	assert_int_equal(s.syscall, __NR_write);
	assert_int_equal(s.result, ARCH_RESTART);
	assert_int_equal(restart_need(arch_native.restart, EM_AARCH64, &s, &call), RESTART_NOTHING);
}

static void test_arch_aarch64__registers_of_no_call_need_no_look(void **state)
{
	struct arch_raw pointer = thread(0, 0xaaaac0de), arm = thread(0, __NR_write);

	(void)state;
	assert_false(arch_native.find_call(&pointer, NULL));
	assert_int_equal(pointer.syscall, -1);
	arm.bytes = 18 * 4; /* a 32-bit thread */
	assert_false(arch_native.find_call(&arm, NULL));
	assert_int_equal(arm.syscall, -1);
}

/* Calls that fail with EINTR despite SA_RESTART: signal(7), "Interruption of system calls". */
static void test_arch_aarch64__has_the_numbers_of_this_machine(void **state)
{
	static const int32_t again[] = {__NR_epoll_pwait, __NR_epoll_pwait2, __NR_semop,
		__NR_semtimedop, __NR_rt_sigtimedwait, __NR_io_getevents, __NR_accept, __NR_accept4,
		__NR_connect, __NR_recvfrom, __NR_recvmsg, __NR_recvmmsg, __NR_sendto, __NR_sendmsg,
		__NR_sendmmsg, __NR_ppoll, __NR_pselect6, __NR_getrandom, __NR_pread64};
	static const int32_t transfers[] = {__NR_read, __NR_readv, __NR_write, __NR_writev,
		__NR_sendfile, __NR_sendto, __NR_sendmsg, __NR_recvfrom, __NR_recvmsg,
		__NR_getrandom};
	struct arch_snapshot s = {.machine = EM_AARCH64};
	const struct arch_call *call;

	(void)state;
	for (size_t i = 0; i < sizeof(again) / sizeof(*again); i++) {
		s.syscall = again[i];
		s.result = -EINTR;
		assert_int_equal(restart_need(arch_native.restart, EM_AARCH64, &s, &call),
			RESTART_BEGIN_AGAIN);
		assert_int_equal(call->number, again[i]);
	}
	for (size_t i = 0; i < sizeof(transfers) / sizeof(*transfers); i++) {
		s.syscall = transfers[i];
		s.result = 1;
		assert_int_equal(restart_need(arch_native.restart, EM_AARCH64, &s, &call),
			RESTART_MAYBE_SHORT);
	}
	s.syscall = __NR_close;
	s.result = -EINTR;
	assert_int_equal(restart_need(arch_native.restart, EM_AARCH64, &s, &call), RESTART_LEAVE);
}

/* The result overwrites the first argument, which the kernel keeps where no tracer can set it. */
static void test_arch_aarch64__the_first_argument_is_no_register(void **state)
{
	const struct arch_restart *restart = arch_native.restart;

	(void)state;
	assert_true(restart->rewinds);
	assert_true(restart->argument[0] * sizeof(uint64_t) >= restart->bytes);
	assert_int_equal(restart->entry, restart->argument[0]);
	assert_int_equal(restart->result, X0);
	for (unsigned i = 1; i < 6; i++)
		assert_int_equal(restart->argument[i], i);
	assert_int_equal(restart->pc, PC);
	assert_int_equal(restart->sp, SP);
	assert_int_equal(restart->instruction_bytes, sizeof(uint32_t));
	assert_memory_equal(restart->instruction, "\x01\x00\x00\xd4", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arch_aarch64__the_instruction_before_tells_the_call),
		cmocka_unit_test(test_arch_aarch64__a_call_to_be_repeated_has_no_result),
		cmocka_unit_test(test_arch_aarch64__registers_of_no_call_need_no_look),
		cmocka_unit_test(test_arch_aarch64__has_the_numbers_of_this_machine),
		cmocka_unit_test(test_arch_aarch64__the_first_argument_is_no_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
