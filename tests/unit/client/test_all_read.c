/* SPDX-License-Identifier: MIT */
/* From counters to functions: client/all_read.c, with segments and symbols of this test. */
#include "client/all_read.c"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

#include <cmocka.h>

#define BIAS  UINT64_C(0x100000)
#define START (BIAS + 0x1000) /* of the library's text */
#define PAGE  1024u           /* counters that are skipped at a time */

static struct all_segment *segment;
static size_t segments;
static int locked, symbols_error;
static unsigned symbols_asked;
static char asked[64];

/* in place of all.c and all_symbols.c */
struct all_segment *all_lock(size_t *ret_n)
{
	locked++;
	*ret_n = segments;
	return segment;
}

void all_unlock(void)
{
	locked--;
}

static const struct all_symbol table[] = {
	{0x1000, 16, "first"},  /* counters 0 to 3 */
	{0x1013, 13, "inside"}, /* from the last byte of counter 4 to the end of 7 */
	{0x1020, 0, "no_size"}, /* 8 and 9 */
	{0x1028, 4, "ten"}, {0x1030, 6, "odd"}, /* 12, and a half of 13 */
};

int all_symbols(const char *path, struct all_symbol **ret_symbols, char **ret_names, size_t *ret_n)
{
	symbols_asked++;
	(void)snprintf(asked, sizeof(asked), "%s", path);
	if (symbols_error)
		return symbols_error;
	*ret_symbols = malloc(sizeof(table));
	assert_non_null(*ret_symbols);
	memcpy(*ret_symbols, table, sizeof(table));
	*ret_names = NULL;
	*ret_n = sizeof(table) / sizeof(*table);
	return 0;
}

/* @path: of the object; "" is the program. */
static struct all_segment *add_segment(uint64_t start, size_t n, const char *path)
{
	struct all_segment *s;

	segment = reallocarray(segment, segments + 1, sizeof(*segment));
	assert_non_null(segment);
	s = &segment[segments++];
	*s = (struct all_segment){.start = start,
		.end = start ? start + n * ALL_STEP : 0,
		.bias = start ? BIAS : 0,
		.path = path,
		.counter = calloc(n, sizeof(*s->counter))};
	assert_non_null(s->counter);
	return s;
}

static int forget(void **state)
{
	(void)state;
	for (size_t i = 0; i < segments; i++) {
		free(segment[i].counter);
		free(segment[i].symbol);
	}
	free(segment);
	segment = NULL;
	segments = 0;
	symbols_asked = 0;
	symbols_error = 0;
	return locked;
}

static struct sprofil_function row[400];

static long read_rows(void)
{
	long n;

	memset(row, 0x55, sizeof(row));
	n = sprofil_all_read(row, sizeof(row) / sizeof(*row));
	assert_int_equal(locked, 0);
	return n;
}

static void expect(long i, uint64_t ticks, const char *function, uint64_t address)
{
	assert_int_equal(row[i].ticks, ticks);
	assert_string_equal(row[i].function, function);
	assert_int_equal(row[i].address, address);
}

static void test_all_read__functions_have_their_counters(void **state)
{
	static const struct {
		const char *function;
		uint64_t svma;
	} of[16] = {{"first", 0x1000}, {"first", 0x1000}, {"first", 0x1000}, {"first", 0x1000},
		{"inside", 0x1013}, {"inside", 0x1013}, {"inside", 0x1013}, {"inside", 0x1013},
		{"no_size", 0x1020}, {"no_size", 0x1020}, {"ten", 0x1028}, {"", 0x102c},
		{"odd", 0x1030}, {"odd", 0x1030}, {"", 0x1038}, {"", 0x103c}};
	struct all_segment *s = add_segment(START, 16, "/lib/some.so");

	(void)state;
	assert_int_equal(read_rows(), 0);
	assert_int_equal(symbols_asked, 0); /* not read, as there is nothing to name */
	for (unsigned i = 0; i < 16; i++) {
		s->counter[i] = 7 + i;
		assert_int_equal(read_rows(), 1);
		expect(0, 7 + i, of[i].function, of[i].svma + BIAS);
		assert_string_equal(row[0].object, "/lib/some.so");
		s->counter[i] = 0;
	}
	assert_int_equal(symbols_asked, 1);
	assert_string_equal(asked, "/lib/some.so");
}

/*
 * Adjacent counters without a name make one row, too. Rows with most ticks come first, and of equal
 * ones that of the lowest address.
 */
static void test_all_read__neighbours_are_one_row(void **state)
{
	struct all_segment *s = add_segment(START, 16, "/lib/some.so");

	(void)state;
	for (unsigned i = 0; i < 16; i++)
		s->counter[i] = 10;
	assert_int_equal(read_rows(), 7);
	expect(0, 40, "first", 0x1000 + BIAS);
	expect(1, 40, "inside", 0x1013 + BIAS);
	expect(2, 20, "no_size", 0x1020 + BIAS);
	expect(3, 20, "odd", 0x1030 + BIAS);
	expect(4, 20, "", 0x1038 + BIAS);
	expect(5, 10, "ten", 0x1028 + BIAS);
	expect(6, 10, "", 0x102c + BIAS);
	/* The caller has room for two rows. */
	memset(row, 0x55, sizeof(row));
	assert_int_equal(sprofil_all_read(row, 2), 7);
	expect(1, 40, "inside", 0x1013 + BIAS);
	assert_int_equal(row[2].ticks, UINT64_C(0x5555555555555555));
	assert_int_equal(sprofil_all_read(NULL, 0), 7);
}

static void test_all_read__the_program_and_the_rest(void **state)
{
	char exe[4096] = "";

	(void)state;
	add_segment(START, 4, "")->counter[0] = 3;
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	add_segment(0, 1, "")->counter[0] = 2;
	assert_int_equal(read_rows(), 2);
	expect(0, 3, "first", 0x1000 + BIAS);
	assert_string_equal(row[0].object, exe);
	expect(1, 2, "", 0);
	assert_string_equal(row[1].object, "");
	/* No names are read for addresses outside of all objects. */
	assert_int_equal(symbols_asked, 1);
	assert_string_equal(asked, "/proc/self/exe");
}

/* The last counters of one segment and the first of the next have no names: two rows. */
static void test_all_read__segments_are_apart(void **state)
{
	(void)state;
	add_segment(START, 16, "/lib/some.so")->counter[15] = 1;
	add_segment(START + 0x3c, 4, "/lib/other.so")->counter[1] = 2;
	assert_int_equal(read_rows(), 2);
	expect(0, 2, "", START + 0x40);
	expect(1, 1, "", START + 0x3c);
	assert_string_equal(row[1].object, "/lib/some.so");
}

/* Only whole pages of zero counters are skipped. The last page is incomplete, then complete. */
static void test_all_read__zeroes_are_skipped(void **state)
{
	static const size_t at[] = {0, 1, PAGE - 1, PAGE, 2 * PAGE - 1, 2 * PAGE, 2 * PAGE + 951};

	(void)state;
	for (size_t n = 2 * PAGE + 952; n >= 2 * PAGE; n -= 952) {
		struct all_segment *s = add_segment(BIAS + 0x100000, n, "/lib/some.so");
		unsigned set = 0;

		for (unsigned i = 0; i < sizeof(at) / sizeof(*at); i++) {
			if (at[i] >= n)
				continue;
			s->counter[at[i]] = 100 + i;
			assert_int_equal(read_rows(), 1);
			assert_int_equal(row[0].ticks, 100 + i);
			assert_int_equal(row[0].address, s->start + 4 * at[i]);
			s->counter[at[i]] = 0;
		}
		for (unsigned i = 0; i < sizeof(at) / sizeof(*at); i++) {
			if (at[i] < n) {
				s->counter[at[i]] = 1;
				set++;
			}
		}
		assert_int_equal(read_rows(), 1); /* without a name, all are one row */
		assert_int_equal(row[0].ticks, set);
		(void)forget(NULL);
	}
}

static void test_all_read__many_rows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++)
		add_segment(START + 0x1000 * i, 1, "/lib/some.so")->counter[0] = 1 + i;
	assert_int_equal(read_rows(), 300);
	for (unsigned i = 0; i < 300; i++)
		assert_int_equal(row[i].ticks, 300 - i);
	assert_int_equal(row[299].address, 0x1000 + BIAS);
}

/* Without memory no rows come, and the next call reads the names again. */
static void test_all_read__without_memory(void **state)
{
	(void)state;
	add_segment(0, 1, "")->counter[0] = 2;
	add_segment(START, 4, "/lib/some.so")->counter[0] = 3;
	symbols_error = -ENOMEM;
	errno = 0;
	assert_int_equal(read_rows(), -1);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(row[0].ticks, UINT64_C(0x5555555555555555));
	assert_int_equal(sprofil_all_print(-1, 10), -1);
	assert_int_equal(errno, ENOMEM);
	symbols_error = 0;
	assert_int_equal(read_rows(), 2);
	expect(0, 3, "first", 0x1000 + BIAS);
}

static void test_all_read__prints_rows(void **state)
{
	struct all_segment *s = add_segment(START, 16, "/lib/some.so");
	int fd = memfd_create("rows", MFD_CLOEXEC);
	char text[512] = "";

	(void)state;
	assert_true(fd >= 0);
	s->counter[0] = 500;
	s->counter[11] = 300;
	add_segment(0, 1, "")->counter[0] = 200;
	errno = EIO; /* errno of an earlier call */
	assert_int_equal(sprofil_all_print(fd, 0), 0);
	assert_int_equal(sprofil_all_print(fd, 2), 0);
	assert_int_equal(sprofil_all_print(fd, 4), 0);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text,
		" 50.0%      500  first  (some.so)\n"
		" 30.0%      300  0x10102c  (some.so)\n"
		" 50.0%      500  first  (some.so)\n"
		" 30.0%      300  0x10102c  (some.so)\n"
		" 20.0%      200  elsewhere\n");
	assert_int_equal(close(fd), 0);
	assert_int_equal(sprofil_all_print(-1, 1), -1);
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_all_read__functions_have_their_counters, forget),
		cmocka_unit_test_teardown(test_all_read__neighbours_are_one_row, forget),
		cmocka_unit_test_teardown(test_all_read__the_program_and_the_rest, forget),
		cmocka_unit_test_teardown(test_all_read__segments_are_apart, forget),
		cmocka_unit_test_teardown(test_all_read__zeroes_are_skipped, forget),
		cmocka_unit_test_teardown(test_all_read__many_rows, forget),
		cmocka_unit_test_teardown(test_all_read__without_memory, forget),
		cmocka_unit_test_teardown(test_all_read__prints_rows, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
