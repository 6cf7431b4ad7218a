/* SPDX-License-Identifier: MIT */
/* "apt-cache policy" of packages and their debug symbols, recorded on real machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tools/inspector/package.h"
#include "view/code.h"

static const struct package_system debian = {"debian", "bookworm", PACKAGE_AS_ROOT};
static const struct package_system ubuntu = {"ubuntu", "noble", PACKAGE_AS_ROOT};

/* An update is available. The symbols are in an archive that is not configured. */
static const char outdated[] =
	"python3.11-minimal:\n"
	"  Installed: 3.11.2-6+deb12u6\n"
	"  Candidate: 3.11.2-6+deb12u9\n"
	"  Version table:\n"
	"     3.11.2-6+deb12u9 500\n"
	"        500 http://deb.debian.org/debian-security bookworm-security/main amd64 Packages\n"
	" *** 3.11.2-6+deb12u6 100\n"
	"        100 /var/lib/dpkg/status\n";

static const char own_archive[] =
	"libc6:\n"
	"  Installed: 2.36-9+deb12u14\n"
	"  Candidate: 2.36-9+deb12u14\n"
	"  Version table:\n"
	" *** 2.36-9+deb12u14 500\n"
	"        500 http://mirror.example/debian bookworm/main amd64 Packages\n"
	"        100 /var/lib/dpkg/status\n"
	"libc6-dbg:\n"
	"  Installed: (none)\n"
	"  Candidate: 2.36-9+deb12u14\n"
	"  Version table:\n"
	"     2.36-9+deb12u14 500\n"
	"        500 http://mirror.example/debian bookworm/main amd64 Packages\n";

/* Packages newer than the distribution's, in none of its archives. */
static const char newer[] =
	"nodejs:\n"
	"  Installed: 20.20.2-1nodesource1\n"
	"  Candidate: 20.20.2-1nodesource1\n"
	"  Version table:\n"
	" *** 20.20.2-1nodesource1 100\n"
	"        100 /var/lib/dpkg/status\n"
	"     18.20.4+dfsg-1~deb12u3 500\n"
	"        500 http://deb.debian.org/debian-security bookworm-security/main amd64 Packages\n";
static const char elsewhere[] =
	"tool:\n"
	"  Installed: 1.0\n"
	"  Candidate: 1.0\n"
	"  Version table:\n"
	" *** 1.0 500\n"
	"        500 https://deb.example.com/tool stable/main amd64 Packages\n"
	"        100 /var/lib/dpkg/status\n";
static const char no_lists[] = "xz-utils:\n"
			       "  Installed: 5.4.1-1\n"
			       "  Candidate: 5.4.1-1\n"
			       "  Version table:\n"
			       " *** 5.4.1-1 100\n"
			       "        100 /var/lib/dpkg/status\n";

static void expect(const struct package_system *system, const char *package, const char *symbols,
	const char *policy, const char *command, const char *foreign)
{
	struct code_package found;

	assert_int_equal(package_judge(system, package, symbols, policy, &found), 0);
	if (command) {
		assert_string_equal(found.command, command);
		assert_int_equal(found.name_bytes, strlen(symbols));
		assert_memory_equal(found.command + found.name_at, symbols, found.name_bytes);
	} else {
		assert_null(found.command);
	}
	if (foreign)
		assert_string_equal(found.foreign, foreign);
	else
		assert_null(found.foreign);
	assert_int_equal(found.adds, command && strstr(command, "sources.list.d"));
	free(found.command);
	free(found.foreign);
}

static void test_package__an_archive_that_is_not_set_up_is(void **state)
{
	(void)state;
	expect(&debian, "libc6", "libc6-dbg", own_archive, "apt install libc6-dbg", NULL);
	expect(&debian, "python3.11-minimal", "python3.11-minimal-dbgsym", outdated,
		"echo deb http://deb.debian.org/debian-debug bookworm-debug main "
		">/etc/apt/sources.list.d/sprofil-debug.list && apt update && apt install "
		"python3.11-minimal-dbgsym || rm /etc/apt/sources.list.d/sprofil-debug.list",
		NULL);
	expect(&debian, "xz-utils", "xz-utils-dbgsym", no_lists,
		"echo deb http://deb.debian.org/debian-debug bookworm-debug main "
		">/etc/apt/sources.list.d/sprofil-debug.list && apt update && apt install "
		"xz-utils-dbgsym "
		"|| rm /etc/apt/sources.list.d/sprofil-debug.list",
		NULL);
	expect(&ubuntu, "xz-utils", "xz-utils-dbgsym", no_lists,
		"apt install ubuntu-dbgsym-keyring && echo deb http://ddebs.ubuntu.com noble main "
		"universe >/etc/apt/sources.list.d/sprofil-debug.list && apt update && apt install "
		"xz-utils-dbgsym || rm /etc/apt/sources.list.d/sprofil-debug.list",
		NULL);
	/* Nothing is known of the machine. */
	expect(&(struct package_system){0}, "xz-utils", "xz-utils-dbgsym", "",
		"apt install xz-utils-dbgsym", NULL);
}

static void test_package__others_than_root_get_their_rights(void **state)
{
	static const struct package_system sudo = {"debian", "bookworm", PACKAGE_BY_SUDO};
	static const struct package_system su = {"debian", "bookworm", PACKAGE_BY_SU};

	(void)state;
	expect(&sudo, "libc6", "libc6-dbg", own_archive, "sudo apt install libc6-dbg", NULL);
	expect(&su, "libc6", "libc6-dbg", own_archive, "su -c 'apt install libc6-dbg'", NULL);
	expect(&sudo, "xz-utils", "xz-utils-dbgsym", no_lists,
		"sudo sh -c 'echo deb http://deb.debian.org/debian-debug bookworm-debug main "
		">/etc/apt/sources.list.d/sprofil-debug.list && apt update && apt install "
		"xz-utils-dbgsym "
		"|| rm /etc/apt/sources.list.d/sprofil-debug.list'",
		NULL);
}

static void test_package__of_somebody_else_there_is_no_command(void **state)
{
	(void)state;
	expect(&debian, "nodejs", "nodejs-dbgsym", newer, NULL, "nodejs");
	expect(&debian, "tool", "tool-dbgsym", elsewhere, NULL, "tool");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_package__an_archive_that_is_not_set_up_is),
		cmocka_unit_test(test_package__others_than_root_get_their_rights),
		cmocka_unit_test(test_package__of_somebody_else_there_is_no_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
