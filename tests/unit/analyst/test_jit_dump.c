/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyst/jit/jit.h"
#include "analyst/jit/jitdump.h"
#include "profile/profile.h"
#include "symbolizer/unwind/unwind.h"
#include "tests/unit/jit_fixture.h"

static size_t put_u32(uint8_t *to, size_t at, uint32_t value)
{
	memcpy(to + at, &value, sizeof(value));
	return at + sizeof(value);
}

static size_t put_u64(uint8_t *to, size_t at, uint64_t value)
{
	memcpy(to + at, &value, sizeof(value));
	return at + sizeof(value);
}

static size_t put_text(uint8_t *to, size_t at, const char *string)
{
	memcpy(to + at, string, strlen(string) + 1);
	return at + strlen(string) + 1;
}

static size_t put_head(uint8_t *to)
{
	size_t at = put_u32(to, 0, 0x4A695444);

	at = put_u32(to, put_u32(to, at, 1), 40);
	memset(to + at, 0, 28);
	return 40;
}

/* Puts a record of code at @begin. Returns its end. */
static size_t put_code(uint8_t *to, size_t begin, uint64_t start, uint64_t bytes, const char *name)
{
	size_t at = put_u64(to, put_u32(to, begin, 0) + 4, 7);

	at = put_u64(to, put_u32(to, put_u32(to, at, 1), 1), 0);
	at = put_u64(to, put_u64(to, put_u64(to, at, start), bytes), 1);
	at = put_text(to, at, name);
	memset(to + at, 0xcc, bytes);
	at += bytes;
	(void)put_u32(to, begin + 4, (uint32_t)(at - begin));
	return at;
}

static size_t put_lines(uint8_t *to, size_t begin, uint64_t start)
{
	size_t at = put_u64(to, put_u32(to, begin, 2) + 4, 7);

	at = put_u64(to, put_u64(to, at, start), 2);
	at = put_u32(to, put_u32(to, put_u64(to, at, start), 10), 0);
	at = put_text(to, at, "a.js");
	at = put_u32(to, put_u32(to, put_u64(to, at, start + 8), 12), 0);
	at = put_text(to, at, "\377");
	(void)put_u32(to, begin + 4, (uint32_t)(at - begin));
	return at;
}

static size_t put_moved(uint8_t *to, size_t begin, uint64_t from, uint64_t to_start, uint64_t bytes)
{
	size_t at = put_u64(to, put_u32(to, begin, 1) + 4, 7);

	at = put_u64(to, put_u32(to, put_u32(to, at, 1), 1), 0);
	at = put_u64(to, put_u64(to, put_u64(to, at, from), to_start), bytes);
	at = put_u64(to, at, 1);
	(void)put_u32(to, begin + 4, (uint32_t)(at - begin));
	return at;
}

static void test_jit__a_dump_has_names_and_lines(void **state)
{
	struct jit_map map = {0};
	struct jit_source source;
	uint8_t dump[1024] = {0};
	size_t head = put_head(dump), end;

	(void)state;
	assert_int_equal(jitdump_head(dump, sizeof(dump)), 40);
	assert_int_equal(jitdump_head(dump, 39), 0);
	assert_int_equal(jitdump_head(dump + 1, 100), -EINVAL);
	end = put_lines(dump, head, 0x1000);
	end = put_code(dump, end, 0x1000, 16, "first");
	end = put_code(dump, end, 0x2000, 16, "second");
	end = put_moved(dump, end, 0x1000, 0x3000, 16);
	assert_int_equal(
		jitdump_add(&map, dump + head, end - head, end - head, sizeof(dump)), end - head);
	assert_true(jit_map_look_up(&map, 0x1000, &source));
	assert_string_equal(source.name, "first");
	assert_string_equal(source.file, "a.js");
	assert_int_equal(source.line, 10);
	assert_true(jit_map_look_up(&map, 0x3009, &source));
	assert_string_equal(source.name, "first");
	assert_string_equal(source.file, "a.js");
	assert_int_equal(source.line, 12);
	assert_true(jit_map_look_up(&map, 0x200f, &source));
	assert_string_equal(source.name, "second");
	assert_string_equal(source.file, "");
	assert_int_equal(source.line, 0);
	assert_false(jit_map_look_up(&map, 0x2010, &source));
	jit_map_release(&map);
}

/*
 * A CIE and an FDE as CPython writes them for a trampoline (-X perf_jit) of 11 bytes. Between
 * "sub $8,%rsp", which ends at offset 4, and "add $8,%rsp", which ends at offset 10, the CFA is the
 * stack pointer + 16; otherwise + 8.
 */
static const uint8_t eh_frame[] = {0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 0x10, 1,
	0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0, 0x14, 0, 0, 0, 0x1c, 0, 0, 0, 0xd0, 0xff, 0xff, 0xff, 0x0b,
	0, 0, 0, 0, 0x44, 0x0e, 0x10, 0x46, 0x0e, 8, 0};

static size_t put_unwind(uint8_t *to, size_t begin, uint64_t all, uint64_t header)
{
	size_t at = put_u64(to, put_u32(to, begin, 4) + 4, 7);

	at = put_u64(to, put_u64(to, put_u64(to, at, all), header), 0);
	memcpy(to + at, eh_frame, sizeof(eh_frame));
	at += sizeof(eh_frame) + 20;
	(void)put_u32(to, begin + 4, (uint32_t)(at - begin));
	return at;
}

static void test_jit__a_dump_says_how_to_unwind(void **state)
{
	struct jit_map map = {0};
	struct unwind_generated found;
	uint8_t dump[1024] = {0};
	size_t end = put_unwind(dump, 0, sizeof(eh_frame) + 20, 20);

	(void)state;
	end = put_code(dump, end, 0x1000, 11, "with");
	end = put_code(dump, end, 0x2000, 11, "without");
	/* Refused: unwind information longer than its record, a header longer than the whole. */
	end = put_unwind(dump, end, UINT64_MAX, 20);
	end = put_unwind(dump, end, 20, UINT64_MAX);
	end = put_code(dump, end, 0x3000, 11, "py::trampoline:/x.py");
	end = put_moved(dump, end, 0x1000, 0x4000, 11);
	assert_int_equal(jitdump_add(&map, dump, end, end, sizeof(dump)), end);
	for (uint64_t at = 0x1004; at <= 0x4004; at += 0x3000) {
		assert_true(jit_map_unwind(&map, at, 0, &found));
		assert_int_equal(found.start, at - 4);
		assert_int_equal(found.end, at + 7);
		assert_int_equal(found.bytes, sizeof(eh_frame));
		assert_memory_equal(found.eh_frame, eh_frame, sizeof(eh_frame));
		assert_false(found.trampoline);
	}
	assert_true(jit_map_unwind(&map, 0x2004, 0, &found));
	assert_null(found.eh_frame);
	assert_true(jit_map_unwind(&map, 0x3004, 0, &found));
	assert_null(found.eh_frame);
	assert_true(found.trampoline);
	/* An address after a trampoline is of it, unless in another mapping or after other code. */
	assert_true(jit_map_unwind(&map, 0x3014, 0x3000, &found));
	assert_true(found.trampoline);
	assert_false(jit_map_unwind(&map, 0x3014, 0x3010, &found));
	assert_false(jit_map_unwind(&map, 0x4014, 0x3000, &found));
	assert_false(jit_map_unwind(&map, 0x0fff, 0, &found));
	jit_map_release(&map);
}

/* The dump grows while it is read, and one function is longer than a read. */
static void test_jit__a_dump_is_read_record_by_record(void **state)
{
	struct jit_map map = {0};
	uint8_t dump[1024] = {0};
	size_t end = put_code(dump, 0, 0x1000, 300, "long"),
	       all = put_code(dump, end, 1, 8, "next");

	(void)state;
	for (size_t n = 0; n < end; n++)
		assert_int_equal(jitdump_add(&map, dump, n, n, sizeof(dump)), 0);
	assert_int_equal(map.n, 0);
	/* reads of 100 bytes */
	assert_int_equal(jitdump_add(&map, dump, 100, all, 100), end);
	assert_string_equal(name_at(&map, 0x1000 + 299), "long");
	assert_int_equal(jitdump_add(&map, dump + end, all - end, all - end, 100), all - end);
	assert_int_equal(map.n, 2);
	(void)put_u32(dump, 4, 15);
	assert_int_equal(jitdump_add(&map, dump, all, all, sizeof(dump)), -EINVAL);
	jit_map_release(&map);
}

/* Another name, another format and a link are refused. */
static void test_jit__a_dump_is_opened_by_its_name(void **state)
{
	struct jit_budget budget = {0};
	char folder[] = "/tmp/test_jit.XXXXXX", path[96], other[96];
	uint8_t dump[256] = {0};
	size_t end = put_code(dump, put_head(dump), 0x7000, 16, "named");

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)getpid());
	for (size_t i = 0; i < 5; i++) {
		struct profile *profile;
		struct jit *jit;
		FILE *file = fopen(path, "we");
		int at;

		assert_non_null(file);
		dump[0] = i == 4 ? 'X' : 'D';
		assert_int_equal(fwrite(dump, 1, end, file), end);
		assert_int_equal(fclose(file), 0);
		(void)snprintf(other, sizeof(other), "%s", path);
		if (i > 0 && i < 4) {
			size_t n = (size_t)snprintf(other, sizeof(other), "%s/", folder);

			if (i == 1)
				(void)snprintf(other + n, sizeof(other) - n, "jit-1.dump");
			else
				(void)snprintf(other + n, sizeof(other) - n,
					i == 2 ? "jit-%d.dump2" : "%d.dump", (int)getpid());
			assert_int_equal(rename(path, other), 0);
		}
		assert_int_equal(profile_new(&profile), 0);
		jit = jit_new(profile, NULL, (uint32_t)getpid(), true, &budget);
		assert_non_null(jit);
		jit_set_dump(jit, other);
		at = jit_location(jit, 0x7004, 0x7000);
		assert_true(at >= 0);
		assert_int_equal(profile_location(profile, (size_t)at).lines, i == 0);
		jit_free(jit);
		profile_free(profile);
		assert_int_equal(unlink(other), 0);
	}
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jit__a_dump_has_names_and_lines),
		cmocka_unit_test(test_jit__a_dump_says_how_to_unwind),
		cmocka_unit_test(test_jit__a_dump_is_read_record_by_record),
		cmocka_unit_test(test_jit__a_dump_is_opened_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
