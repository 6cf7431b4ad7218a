/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "supervisor/target/examiner.h"

/* User ids: real, effective, saved, file system. */
#define STATUS(uids, gids, permitted, stays) \
	"Name:\tx\nUid:\t" uids "\nGid:\t" gids "\nCapPrm:\t" permitted "\nNoNewPrivs:\t" stays "\n"

static const char plain[] =
	STATUS("1000\t1000\t1000\t1000", "100\t100\t100\t100", "0000000000000000", "0");

static void test_special__a_program_without_bits_lacks_nothing(void **state)
{
	(void)state;
	assert_false(examiner_lost_privilege(plain, S_IFREG | 0755, 0, 0, false));
}

static void test_special__set_user_id_without_effect_is_lost(void **state)
{
	const char *root = STATUS("1000\t0\t0\t0", "100\t100\t100\t100", "000001ffffffffff", "0");

	(void)state;
	assert_true(examiner_lost_privilege(plain, S_IFREG | 04755, 0, 0, false));
	assert_false(examiner_lost_privilege(root, S_IFREG | 04755, 0, 0, false));
	/* The file belongs to the caller. */
	assert_false(examiner_lost_privilege(plain, S_IFREG | 04755, 1000, 0, false));
}

static void test_special__set_group_id_needs_the_groups_right(void **state)
{
	(void)state;
	assert_true(examiner_lost_privilege(plain, S_IFREG | 02755, 1000, 42, false));
	assert_false(examiner_lost_privilege(plain, S_IFREG | 02755, 1000, 100, false));
	/* Without the group's right to execute, the bit meant mandatory locking: no group. */
	assert_false(examiner_lost_privilege(plain, S_IFREG | 02745, 1000, 42, false));
}

static void test_special__capabilities_of_the_file(void **state)
{
	const char *has =
		STATUS("1000\t1000\t1000\t1000", "100\t100\t100\t100", "0000000000002000", "0");

	(void)state;
	assert_true(examiner_lost_privilege(plain, S_IFREG | 0755, 0, 0, true));
	assert_false(examiner_lost_privilege(has, S_IFREG | 0755, 0, 0, true));
}

static void test_special__who_renounced_lost_nothing_by_us(void **state)
{
	const char *renounced =
		STATUS("1000\t1000\t1000\t1000", "100\t100\t100\t100", "0000000000000000", "1");

	(void)state;
	assert_false(examiner_lost_privilege(renounced, S_IFREG | 04755, 0, 0, true));
	assert_false(examiner_lost_privilege("", S_IFREG | 04755, 0, 0, true));
}

/* The examiner's thread examines executables through an O_PATH descriptor. */
static void test_special__another_thread_examines(void **state)
{
	struct examiner examiner = {0};
	const char *const path[] = {"/proc/self/exe", "/proc/self/maps"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct examiner_question *q = calloc(1, sizeof(*q)), *answer;

		assert_non_null(q);
		*q = (struct examiner_question){
			.kind = EXAMINER_TRACES, .fd = open(path[i], O_PATH | O_CLOEXEC)};
		assert_true(q->fd >= 0);
		assert_true(examiner_ask(&examiner, q));
		answer = examiner_answer(&examiner, 60000);
		assert_ptr_equal(answer, q);
		assert_int_equal(q->yes, i == 0); /* the linked-in library calls ptrace */
		examiner_forget(q);
	}
	assert_null(examiner_answer(&examiner, 60000));
	examiner_release(&examiner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_special__a_program_without_bits_lacks_nothing),
		cmocka_unit_test(test_special__set_user_id_without_effect_is_lost),
		cmocka_unit_test(test_special__set_group_id_needs_the_groups_right),
		cmocka_unit_test(test_special__capabilities_of_the_file),
		cmocka_unit_test(test_special__who_renounced_lost_nothing_by_us),
		cmocka_unit_test(test_special__another_thread_examines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
