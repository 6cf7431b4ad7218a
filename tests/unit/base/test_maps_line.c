/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/maps_line.h"

static int parse(const char *text, struct maps_line *ret_line)
{
	return maps_line_parse(text, strlen(text), ret_line);
}

static void test_maps_line__reads_a_file_mapping(void **state)
{
	struct maps_line line;
	static const char text[] = "7f7c3a028000-7f7c3a1bd000 r-xp 00028000 fe:01 1180         "
				   "          /usr/lib/x86_64-linux-gnu/libc.so.6";

	(void)state;
	assert_int_equal(parse(text, &line), 0);
	assert_true(line.start == UINT64_C(0x7f7c3a028000));
	assert_true(line.end == UINT64_C(0x7f7c3a1bd000));
	assert_true(line.offset == 0x28000);
	assert_int_equal(line.major, 0xfe);
	assert_int_equal(line.minor, 1);
	assert_true(line.inode == 1180);
	assert_true(line.read && !line.write && line.execute);
	assert_int_equal(line.name_bytes, strlen("/usr/lib/x86_64-linux-gnu/libc.so.6"));
	assert_memory_equal(line.name, "/usr/lib/x86_64-linux-gnu/libc.so.6", line.name_bytes);
}

static void test_maps_line__reads_names_of_every_kind(void **state)
{
	static const char *const names[] = {"", "[vdso]", "[heap]", "[anon:two words]",
		"/memfd:a b (deleted)", "anon_inode:[perf_event]", "/a file with  two spaces",
		"/dev/zero (deleted)", "/odd\\012name"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct maps_line line;
		char text[256];

		strcpy(text, "00400000-00401000 rw-s 00000000 00:00 0 ");
		if (names[i][0])
			strcat(text, "                         ");
		strcat(text, names[i]);
		assert_int_equal(parse(text, &line), 0);
		assert_int_equal(line.name_bytes, strlen(names[i]));
		assert_memory_equal(line.name, names[i], line.name_bytes);
	}
}

static void test_maps_line__refuses_what_makes_no_sense(void **state)
{
	static const char *const bad[] = {"", "x", "00400000", "00400000-00401000",
		"00401000-00400000 r-xp 00000000 00:00 0",
		"00400000-00400000 r-xp 00000000 00:00 0", "00400000-00401000 r-x 00000000 00:00 0",
		"00400000-00401000 rrrp 00000000 00:00 0",
		"00400000-00401000 r-xp 00000000 00-00 0", "00400000-00401000 r-xp 00000000 00:00 ",
		"00400000-00401000 r-xp 00000000 00:00 1x /a",
		"10000000000400000-10000000000401000 r-xp 00000000 00:00 0",
		"00400000-00401000 r-xp fffffffffffff800 00:00 0",
		"00400000-00401000 r-xp 00000000 100000000:00 0", "-00401000 r-xp 00000000 00:00 0",
		"Size: 4 kB"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct maps_line line = {.inode = 42};

		assert_int_equal(parse(bad[i], &line), -EINVAL);
		assert_true(line.inode == 42);
	}
}

static void test_maps_line__reads_no_byte_past_the_line(void **state)
{
	static const char text[] = "00400000-00401000 r-xp 00000000 00:00 17 /x";

	(void)state;
	for (size_t bytes = 0; bytes <= strlen(text); bytes++) {
		struct maps_line line;
		char *copy = malloc(bytes ? bytes : 1);

		assert_non_null(copy);
		memcpy(copy, text, bytes);
		(void)maps_line_parse(copy, bytes, &line);
		free(copy);
	}
}

static void test_maps_line__takes_back_the_escape_of_a_newline(void **state)
{
	char to[32];

	(void)state;
	assert_int_equal(maps_line_unescape("/a\\012b", 7, to), 4);
	assert_memory_equal(to, "/a\nb", 4);
	/* The kernel does not escape a backslash, so "\134" stays as it is. */
	assert_int_equal(maps_line_unescape("/a\\134", 6, to), 6);
	assert_memory_equal(to, "/a\\134", 6);
	assert_int_equal(maps_line_unescape("/a\\01", 5, to), 5);
}

static void test_maps_line__cuts_deleted(void **state)
{
	(void)state;
	assert_int_equal(maps_line_without_deleted("/x (deleted)", 12), 2);
	assert_int_equal(maps_line_without_deleted("/x (deleted) ", 13), 13);
	assert_int_equal(maps_line_without_deleted(" (deleted)", 10), 10);
	assert_int_equal(maps_line_without_deleted("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps_line__reads_a_file_mapping),
		cmocka_unit_test(test_maps_line__reads_names_of_every_kind),
		cmocka_unit_test(test_maps_line__refuses_what_makes_no_sense),
		cmocka_unit_test(test_maps_line__reads_no_byte_past_the_line),
		cmocka_unit_test(test_maps_line__takes_back_the_escape_of_a_newline),
		cmocka_unit_test(test_maps_line__cuts_deleted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
