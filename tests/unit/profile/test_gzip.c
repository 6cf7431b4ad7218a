/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/gzip.h"

static void pack(
	const void *data, size_t piece, size_t pieces, uint8_t **ret_data, size_t *ret_bytes)
{
	struct gzip_writer *writer;

	assert_int_equal(gzip_writer_new(&writer), 0);
	for (size_t i = 0; i < pieces; i++)
		assert_int_equal(gzip_writer_append(writer, data, piece), 0);
	assert_int_equal(gzip_writer_finish(writer, ret_data, ret_bytes), 0);
	gzip_writer_free(writer);
}

static void test_gzip__gives_back_what_was_packed(void **state)
{
	const size_t piece = 100000, pieces = 20;
	uint8_t *in = malloc(piece), *packed, *out;
	size_t packed_bytes, bytes;
	bool more = false;
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < piece; i++)
		in[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
	pack(in, piece, pieces, &packed, &packed_bytes);
	assert_true(gzip_is(packed, packed_bytes));
	assert_int_equal(gzip_unpack(packed, packed_bytes, &out, &bytes, &more), 0);
	assert_int_equal(bytes, piece * pieces);
	for (size_t i = 0; i < pieces; i++)
		assert_memory_equal(out + i * piece, in, piece);
	free(in);
	free(packed);
	free(out);
}

/* `cat a.gz b.gz` is a gzip file; other data behind the end are ignored. */
static void test_gzip__reads_all_members(void **state)
{
	uint8_t *a, *b, *both, *out;
	size_t a_bytes, b_bytes, bytes;
	bool more = false;

	(void)state;
	pack("first ", 6, 1, &a, &a_bytes);
	pack("second", 6, 1, &b, &b_bytes);
	both = malloc(a_bytes + b_bytes + 4);
	memcpy(both, a, a_bytes);
	memcpy(both + a_bytes, b, b_bytes);
	memset(both + a_bytes + b_bytes, 0, 4);
	assert_int_equal(gzip_unpack(both, a_bytes + b_bytes + 4, &out, &bytes, &more), 0);
	assert_int_equal(bytes, 12);
	assert_memory_equal(out, "first second", 12);
	assert_false(more); /* the rest is padding */
	free(out);
	memcpy(both + a_bytes + b_bytes, "\0\0\0x", 4);
	assert_int_equal(gzip_unpack(both, a_bytes + b_bytes + 4, &out, &bytes, &more), 0);
	assert_int_equal(bytes, 12);
	assert_true(more);
	free(out);
	/* The second member is cut. */
	assert_int_equal(gzip_unpack(both, a_bytes + b_bytes - 3, &out, &bytes, &more), -ENODATA);
	free(a);
	free(b);
	free(both);
}

static void test_gzip__refuses_damage(void **state)
{
	uint8_t *packed, *out;
	size_t packed_bytes, bytes;
	bool more = false;

	(void)state;
	pack("some text, some text", 20, 1, &packed, &packed_bytes);
	packed[packed_bytes - 6] ^= 1; /* a wrong checksum */
	assert_int_equal(gzip_unpack(packed, packed_bytes, &out, &bytes, &more), -EBADMSG);
	assert_int_equal(gzip_unpack(packed, 3, &out, &bytes, &more), -ENODATA);
	assert_false(gzip_is(packed, 1));
	free(packed);
}

/* 300 MiB of zeros in less than 1 MiB */
static void test_gzip__refuses_a_bomb(void **state)
{
	const size_t piece = 1 << 20;
	uint8_t *zeros = calloc(1, piece), *packed, *out = NULL;
	size_t packed_bytes, bytes;
	bool more = false;

	(void)state;
	pack(zeros, piece, 300, &packed, &packed_bytes);
	assert_true(packed_bytes < piece);
	assert_int_equal(gzip_unpack(packed, packed_bytes, &out, &bytes, &more), -EFBIG);
	assert_null(out);
	free(packed);
	/* below the limit */
	pack(zeros, piece, 20, &packed, &packed_bytes);
	assert_int_equal(gzip_unpack(packed, packed_bytes, &out, &bytes, &more), 0);
	assert_int_equal(bytes, 20 * piece);
	free(out);
	free(packed);
	free(zeros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gzip__gives_back_what_was_packed),
		cmocka_unit_test(test_gzip__reads_all_members),
		cmocka_unit_test(test_gzip__refuses_damage),
		cmocka_unit_test(test_gzip__refuses_a_bomb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
