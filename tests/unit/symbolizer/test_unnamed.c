/* SPDX-License-Identifier: MIT */
/* Functions without a name get one from their address. The test uses its own file, renamed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbolizer/module.h"
#include "symbolizer/unnamed.h"

static void assert_named(const char *path, const char *label)
{
	const struct symbolizer_options options = {.size = sizeof(options)};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct symbolizer *symbolizer;
	struct module *module;
	char wanted[64];
	const char *name;
	uint64_t entry;

	assert_true(fd >= 0);
	assert_int_equal(symbolizer_new(&options, &symbolizer), 0);
	module = module_special(symbolizer, path);
	assert_non_null(module);
	assert_int_equal(elfimage_map(&module->image, fd), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(elfimage_read_headers(&module->image), 0);
	module->headers_ok = true;
	memcpy(&entry, module->image.data + offsetof(Elf64_Ehdr, e_entry), sizeof(entry));
	assert_int_equal(unnamed_find(module, entry, &name), 0);
	assert_non_null(name);
	(void)snprintf(wanted, sizeof(wanted), "[%s+0x%llx]", label, (unsigned long long)entry);
	assert_string_equal(name, wanted);
	symbolizer_free(symbolizer);
}

static void test_unnamed__modules_of_python_have_short_names(void **state)
{
	(void)state;
	assert_named("/usr/lib/libffi.so.8", "libffi.so.8");
	assert_named("/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so", "_json.so");
	assert_named("[vdso]", "vdso");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unnamed__modules_of_python_have_short_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
