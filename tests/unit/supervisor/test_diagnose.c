/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/engine/diagnose.h"

/* An ordinary user's process to which its own user cannot attach, for no reason yet. */
static struct diagnose_facts refused(void)
{
	return (struct diagnose_facts){
		.pid = 7,
		.error = EPERM,
		.exists = true,
		.yama = -1,
		.proc_owner = 1000,
		.we = {{1000, 1000, 1000}, {1000, 1000, 1000}, 0, 4026531837, 0},
		.it = {{1000, 1000, 1000}, {1000, 1000, 1000}, 0, 4026531837, 0},
	};
}

static void expect(const struct diagnose_facts *f, enum diagnose_cause cause, const char *part)
{
	char text[512];

	assert_int_equal(diagnose_classify(f), cause);
	diagnose_explain(f, "sprofrun", "--dump", text, sizeof(text));
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static void test_diagnose__nothing_in_the_way(void **state)
{
	struct diagnose_facts f = refused();

	(void)state;
	f.error = 0;
	expect(&f, DIAGNOSE_NONE, "7 can be attached to");
}

static void test_diagnose__what_is_no_process(void **state)
{
	struct diagnose_facts f = refused();

	(void)state;
	f.exists = false;
	expect(&f, DIAGNOSE_GONE, "no such process");
	f = refused();
	f.zombie = true;
	expect(&f, DIAGNOSE_ZOMBIE, "has ended");
	f = refused();
	f.kernel_thread = true;
	expect(&f, DIAGNOSE_KERNEL_THREAD, "kernel");
	f = refused();
	f.ourselves = true;
	expect(&f, DIAGNOSE_OURSELVES, "itself");
}

static void test_diagnose__another_tracer_is_named(void **state)
{
	struct diagnose_facts f = refused();

	(void)state;
	f.tracer = 99;
	strcpy(f.tracer_name, "gdb");
	expect(&f, DIAGNOSE_TRACED, "gdb (pid 99)");
	/* All capabilities do not help: the other tracer must end. */
	f.we.capabilities = UINT64_MAX;
	expect(&f, DIAGNOSE_TRACED, "kill 99");
}

static void test_diagnose__other_users(void **state)
{
	struct diagnose_facts f = refused();

	(void)state;
	f.it.uid[1] = 0;
	expect(&f, DIAGNOSE_OTHER_USER, "user 0, you are 1000");
	f = refused();
	f.it.gid[2] = 5; /* a different saved group is enough */
	expect(&f, DIAGNOSE_OTHER_USER, "sudo sprofrun --dump 7");
}

static void test_diagnose__not_dumpable_belongs_to_root_in_proc(void **state)
{
	struct diagnose_facts f = refused();

	(void)state;
	f.proc_owner = 0;
	expect(&f, DIAGNOSE_NOT_DUMPABLE, "not dumpable");
}

/* Yama permits tracing our child in mode 1, in mode 2 only with CAP_SYS_PTRACE, in mode 3 never. */
static void test_diagnose__a_child_by_mode(void **state)
{
	static const char *const said[] = {"seccomp, or another tracer",
		"seccomp, or another tracer", "kernel.yama.ptrace_scope is 2",
		"kernel.yama.ptrace_scope is 3"};
	struct diagnose_facts f = {0};
	char text[512];

	(void)state;
	for (f.yama = 0; f.yama < 4; f.yama++) {
		diagnose_explain_child(&f, text, sizeof(text));
		assert_non_null(strstr(text, "cannot trace: "));
		assert_non_null(strstr(text, said[f.yama]));
	}
	f.yama = 2;
	f.we.capabilities = UINT64_C(1) << 19; /* CAP_SYS_PTRACE */
	diagnose_explain_child(&f, text, sizeof(text));
	assert_non_null(strstr(text, "seccomp"));
}

/* strace -f, gdb or another sprofrun traces sprofrun, and so the command. */
static void test_diagnose__a_child_of_who_is_traced(void **state)
{
	struct diagnose_facts f = {.tracer = 99};
	char text[512];

	(void)state;
	strcpy(f.tracer_name, "strace");
	diagnose_explain_child(&f, text, sizeof(text));
	assert_non_null(strstr(text, "cannot trace: strace (pid 99) traces this process"));
	f.yama = 3;
	diagnose_explain_child(&f, text, sizeof(text));
	assert_non_null(strstr(text, "kernel.yama.ptrace_scope is 3"));
}

static void test_diagnose__yama_by_mode(void **state)
{
	struct diagnose_facts f = refused();

	(void)state;
	f.yama = 1;
	expect(&f, DIAGNOSE_YAMA, "sysctl kernel.yama.ptrace_scope=0");
	f.yama = 2;
	expect(&f, DIAGNOSE_YAMA, "sudo");
	f.yama = 3;
	f.we.capabilities = UINT64_MAX;
	expect(&f, DIAGNOSE_YAMA, "reboot");
	f.yama = 0;
	f.we.capabilities = 0;
	expect(&f, DIAGNOSE_UNKNOWN, "security module");
}

static void test_diagnose__namespace_capabilities_seccomp(void **state)
{
	struct diagnose_facts f = refused();

	(void)state;
	f.it.user_namespace++;
	expect(&f, DIAGNOSE_USER_NAMESPACE, "user namespace");
	f.we.capabilities = UINT64_MAX;
	expect(&f, DIAGNOSE_USER_NAMESPACE, "user namespace");
	/* A user namespace that cannot be read is not taken for another one. */
	f.it.user_namespace = 0;
	expect(&f, DIAGNOSE_UNKNOWN, "security module");
	expect(&f, DIAGNOSE_UNKNOWN, "outside of your user namespace");
	f = refused();
	f.it.capabilities = 1 << 10;
	expect(&f, DIAGNOSE_CAPABILITIES, "capabilities");
	f = refused();
	f.we.seccomp = 2;
	expect(&f, DIAGNOSE_SECCOMP, "--cap-add=SYS_PTRACE");
}

static void test_diagnose__reads_proc(void **state)
{
	struct diagnose_facts f;

	(void)state;
	assert_int_equal(diagnose_read(getpid(), &f), 0);
	assert_true(f.exists && f.ourselves && !f.zombie && !f.kernel_thread);
	assert_int_equal(f.it.uid[0], getuid());
	assert_int_equal(f.it.gid[0], getgid());
	assert_true(f.it.user_namespace != 0);
	assert_int_equal(diagnose_read(4194305, &f), 0);
	assert_int_equal(diagnose_classify(&f), DIAGNOSE_GONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diagnose__nothing_in_the_way),
		cmocka_unit_test(test_diagnose__what_is_no_process),
		cmocka_unit_test(test_diagnose__another_tracer_is_named),
		cmocka_unit_test(test_diagnose__other_users),
		cmocka_unit_test(test_diagnose__not_dumpable_belongs_to_root_in_proc),
		cmocka_unit_test(test_diagnose__yama_by_mode),
		cmocka_unit_test(test_diagnose__a_child_by_mode),
		cmocka_unit_test(test_diagnose__a_child_of_who_is_traced),
		cmocka_unit_test(test_diagnose__namespace_capabilities_seccomp),
		cmocka_unit_test(test_diagnose__reads_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
