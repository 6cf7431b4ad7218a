/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/os/say.h"
#include "supervisor/target/special.h"
#include "supervisor/target/target.h"

/* User ids: real, effective, saved, file system. */
#define STATUS(uids, gids, permitted, stays) \
	"Name:\tx\nUid:\t" uids "\nGid:\t" gids "\nCapPrm:\t" permitted "\nNoNewPrivs:\t" stays "\n"

static const char plain[] =
	STATUS("1000\t1000\t1000\t1000", "100\t100\t100\t100", "0000000000000000", "0");

static void test_special__a_program_without_bits_lacks_nothing(void **state)
{
	(void)state;
	assert_false(special_lost_privilege(plain, S_IFREG | 0755, 0, 0, false));
}

static void test_special__set_user_id_without_effect_is_lost(void **state)
{
	const char *root = STATUS("1000\t0\t0\t0", "100\t100\t100\t100", "000001ffffffffff", "0");

	(void)state;
	assert_true(special_lost_privilege(plain, S_IFREG | 04755, 0, 0, false));
	assert_false(special_lost_privilege(root, S_IFREG | 04755, 0, 0, false));
	/* The file belongs to the caller. */
	assert_false(special_lost_privilege(plain, S_IFREG | 04755, 1000, 0, false));
}

static void test_special__set_group_id_needs_the_groups_right(void **state)
{
	(void)state;
	assert_true(special_lost_privilege(plain, S_IFREG | 02755, 1000, 42, false));
	assert_false(special_lost_privilege(plain, S_IFREG | 02755, 1000, 100, false));
	/* Without the group's right to execute, the bit meant mandatory locking: no group. */
	assert_false(special_lost_privilege(plain, S_IFREG | 02745, 1000, 42, false));
}

static void test_special__capabilities_of_the_file(void **state)
{
	const char *has =
		STATUS("1000\t1000\t1000\t1000", "100\t100\t100\t100", "0000000000002000", "0");

	(void)state;
	assert_true(special_lost_privilege(plain, S_IFREG | 0755, 0, 0, true));
	assert_false(special_lost_privilege(has, S_IFREG | 0755, 0, 0, true));
}

static void test_special__who_renounced_lost_nothing_by_us(void **state)
{
	const char *renounced =
		STATUS("1000\t1000\t1000\t1000", "100\t100\t100\t100", "0000000000000000", "1");

	(void)state;
	assert_false(special_lost_privilege(renounced, S_IFREG | 04755, 0, 0, true));
	assert_false(special_lost_privilege("", S_IFREG | 04755, 0, 0, true));
}

static void count_message(void *context, enum say_kind kind, const char *line)
{
	assert_int_equal(kind, SAY_NOTE);
	assert_non_null(strstr(line, "seems to trace its children"));
	++*(unsigned *)context;
}

/* Returns how many messages there are once the examiner has examined the executable of @pid. */
static unsigned messages_about(int pid)
{
	unsigned messages = 0;
	const struct say say = {count_message, &messages};
	struct special special = {.say = &say};
	struct image image = {.path = (char *)"program"};
	const struct process process = {.pid = pid, .image = &image};

	special_see_child(&special, &process);
	assert_true(image.traces_asked);
	assert_int_equal(special.asked, 1);
	special_see_child(&special, &process); /* is not asked again */
	assert_int_equal(special.asked, 1);
	special_poll(&special, 60000);
	assert_int_equal(special.asked, 0);
	assert_int_equal(special.said_tracer, messages);
	special_release(&special);
	return messages;
}

/* The examiner's thread examines executables through an O_PATH descriptor. */
static void test_special__another_thread_examines(void **state)
{
	char *const argv[] = {(char *)"sleep", (char *)"1000", NULL};
	pid_t other;

	(void)state;
	assert_int_equal(messages_about(getpid()),
		1); /* this program has the name for which the examiner searches */
	assert_int_equal(posix_spawnp(&other, argv[0], NULL, NULL, argv, environ), 0);
	assert_int_equal(messages_about(other), 0);
	assert_int_equal(kill(other, SIGKILL), 0);
	assert_int_equal(waitpid(other, NULL, 0), other);
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
