/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "supervisor/os/cgroup.h"
#include "tools/front/containers.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_cgroup__a_path_and_what_is_below(void **state)
{
	const char *text = "4:memory:/a/b\n3:cpu,cpuacct:/\n0::/system.slice/nginx.service/w:1\n";

	(void)state;
	assert_true(cgroup_is_in(text, "/a"));
	assert_true(cgroup_is_in(text, "/a/"));
	assert_true(cgroup_is_in(text, "/a/b"));
	assert_false(cgroup_is_in(text, "/a/b/c"));
	assert_false(cgroup_is_in("0::/ab\n", "/a"));
	assert_true(cgroup_is_in(text, "/system.slice/nginx.service/w:1"));
	assert_true(cgroup_is_in(text, "/sys/fs/cgroup/system.slice"));
	assert_true(cgroup_is_in(text, "nginx.service"));
	assert_true(cgroup_is_in(text, "b"));
	assert_false(cgroup_is_in(text, "nginx"));
	/* A script's empty variable does not mean the root. */
	assert_false(cgroup_is_in(text, ""));
	assert_true(cgroup_is_in(text, "/"));
	assert_false(cgroup_is_in(text, "cpu"));
	/* All cgroups are below the root. */
	assert_true(cgroup_is_in(text, "/"));
	assert_true(cgroup_is_in(text, "/sys/fs/cgroup"));
	assert_false(cgroup_is_in("", "/"));
	assert_false(cgroup_is_in("no line of a cgroup\n::\n", "nginx.service"));
}

static void test_cgroup__containers_by_their_ids(void **state)
{
	static const char *const texts[] = {"4:memory:/docker/" ID "\n",
		"0::/system.slice/docker-" ID ".scope\n",
		"0::/machine.slice/libpod-" ID ".scope/container\n",
		"1:x:/\n0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope",
		"4:pids:/kubepods/burstable/pod2/" ID "\n"};
	static const char *const none[] = {"", "0::/\n", ("0::/docker/" ID "0\n"),
		("0::/docker/x" ID "\n"), "0::/docker/0123456789abcdef\n", ("0::" ID), ID};
	char id[CGROUP_ID_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_true(cgroup_container(texts[i], id));
		assert_string_equal(id, ID);
	}
	for (size_t i = 0; i < 5; i++)
		assert_false(cgroup_container(none[i], id));
	assert_true(cgroup_container(none[5], id));
	assert_false(cgroup_container(none[6], id));
}

static void test_cgroup__machines_by_their_names(void **state)
{
	(void)state;
	assert_true(cgroup_is_of_machine("0::/lxc.payload.web/init.scope\n", "web"));
	assert_true(cgroup_is_of_machine("5:pids:/lxc/web/x\n", "web"));
	assert_true(cgroup_is_of_machine("0::/machine.slice/machine-web.scope\n", "web"));
	assert_true(cgroup_is_of_machine(
		"0::/machine.slice/systemd-nspawn@web.service/payload\n", "web"));
	assert_false(cgroup_is_of_machine("0::/lxc.payload.web2\n", "web"));
	assert_false(cgroup_is_of_machine("0::/system.slice/web\n", "web"));
}

static void put(const char *root, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A path as long as those of containers are. */
#define CONTAINER        \
	"/system.slice/" \
	"docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope"

static void test_cgroup__which_process_is_frozen(void **state)
{
	static const char *const files[] = {
		CONTAINER "/cgroup.events", "unified/b/cgroup.events", "freezer/c/freezer.state"};
	char root[] = "/tmp/test_cgroup.XXXXXX", command[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	for (int frozen = 0; frozen < 2; frozen++) {
		put(root, files[0], frozen ? "populated 1\nfrozen 1\n" : "populated 1\nfrozen 0\n");
		put(root, files[1], frozen ? "frozen 1\n" : "frozen 0\n");
		put(root, files[2], frozen ? "FROZEN\n" : "THAWED\n");
		assert_int_equal(cgroup_is_frozen("0::" CONTAINER "\n", root), frozen);
		assert_int_equal(cgroup_is_frozen("1:cpu:/\n0::/b\n", root), frozen);
		assert_int_equal(cgroup_is_frozen("3:freezer:/c\n0::/\n", root), frozen);
		/* Each hierarchy has its own groups, and not all have a file of these. */
		assert_false(cgroup_is_frozen("3:cpu:/c\n4:pids:" CONTAINER "\n0::/c\n", root));
	}
	assert_false(cgroup_is_frozen("", root));
	assert_false(cgroup_is_frozen("0::/\n::\n", root));
	(void)snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void test_cgroup__a_container_by_podmans_monitor(void **state)
{
	static const char line[] = "/usr/bin/conmon\0--api-version\0"
				   "1\0-c\0" ID "\0-u\0x\0-n\0web\0--exit-dir\0/run";
	char id[CGROUP_ID_BYTES];

	(void)state;
	assert_true(containers_read_monitor(line, sizeof(line), "web", id));
	assert_string_equal(id, ID);
	assert_false(containers_read_monitor(line, sizeof(line), "we", id));
	/* Nothing beyond a cut text is read. */
	for (size_t i = 0; i < sizeof(line) - sizeof("--exit-dir\0/run"); i++) {
		char *cut = test_malloc(i + 1);

		memcpy(cut, line, i);
		assert_false(containers_read_monitor(cut, i, "web", id));
		test_free(cut);
	}
	assert_false(containers_read_monitor("conmon\0-c\0short\0-n\0web", 23, "web", id));
}

static void test_cgroup__a_container_by_dockers_file(void **state)
{
	(void)state;
	assert_true(containers_is_named("{\"ID\":\"1\",\"Name\":\"/web\",\"x\":1}", "web"));
	assert_false(containers_is_named("{\"Name\":\"/web2\"}", "web"));
	/* A text that docker's file quotes is not taken for the container's name. */
	assert_false(containers_is_named("{\"Env\":[\"A=\\\"Name\\\":\\\"/web\\\"\"]}", "web"));
	assert_true(containers_is_id("0a1b"));
	assert_false(containers_is_id("0a1"));
	assert_false(containers_is_id("web1"));
	assert_false(containers_is_id(ID "0"));
}

static void test_cgroup__a_monitor_is_run_by_whom_we_trust(void **state)
{
	const struct container_monitor good = {{0}, 0, 0100755, "/usr/bin/conmon"};
	struct container_monitor m = good;

	(void)state;
	assert_true(containers_may_monitor(&m, 1000));
	m.uid[0] = 1000; /* a set-user-ID program of root, started by us */
	assert_true(containers_may_monitor(&m, 1000));
	m.uid[0] = 1001; /* ... started by another user */
	assert_false(containers_may_monitor(&m, 1000));
	m = good;
	(void)strcpy(m.exe, "/usr/bin/su"); /* run through a link named conmon */
	assert_false(containers_may_monitor(&m, 1000));
	m = good;
	m.mode = 0104755;
	assert_false(containers_may_monitor(&m, 1000));
	m.mode = 0100777;
	assert_false(containers_may_monitor(&m, 1000));
	m = good;
	m.owner = 1001;
	assert_false(containers_may_monitor(&m, 1000));
	m.owner = 1000;
	assert_true(containers_may_monitor(&m, 1000));
	m.exe[0] = '\0';
	assert_false(containers_may_monitor(&m, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroup__a_monitor_is_run_by_whom_we_trust),
		cmocka_unit_test(test_cgroup__a_path_and_what_is_below),
		cmocka_unit_test(test_cgroup__containers_by_their_ids),
		cmocka_unit_test(test_cgroup__machines_by_their_names),
		cmocka_unit_test(test_cgroup__which_process_is_frozen),
		cmocka_unit_test(test_cgroup__a_container_by_podmans_monitor),
		cmocka_unit_test(test_cgroup__a_container_by_dockers_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
