/* SPDX-License-Identifier: MIT */
/* How each dialect converts its arguments: client/dialects.c. The call itself is this test's. */
#include "client/dialects.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct client_call got;
static unsigned runs;
/* values of SPROFIL_STRICT, and of the variable that restricts PROF_FAST */
static const char *strict, *restricted;

int client_run(const struct client_call *call)
{
	got = *call;
	runs++;
	return 0;
}

int client_result(int r)
{
	errno = r < 0 ? -r : errno;
	return r < 0 ? -1 : 0;
}

int client_environment(const char *name, char *to, size_t room)
{
	const char *value = strcmp(name, STRICT_ENV) == 0 ? strict : restricted;

	if (!value)
		return -ENOENT;
	if (strlen(value) >= room)
		return -ENOSPC;
	memcpy(to, value, strlen(value) + 1);
	return (int)strlen(value);
}

typedef int sprofil_call(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);

static int error_of(sprofil_call *call, const void *profp, int profcnt, unsigned flags)
{
	unsigned before = runs;

	errno = 0;
	if (call(profp, profcnt, NULL, flags) == 0) {
		assert_int_equal(runs, before + 1);
		return 0;
	}
	assert_int_equal(runs, before);
	return errno;
}

static void test_dialects__entries(void **state)
{
	/* Bytes between the members have no effect. */
	const uint64_t irix[4] = {0x1112131415161718, 0xffffffff21222324, 0x3132333435363738,
		0xffffffff41424344},
		       glibc[4] = {1, UINT64_MAX - 1, 3, UINT32_MAX - UINT64_C(1)},
		       steep[4] = {1, 2, 3, UINT32_MAX + UINT64_C(1)};
	struct call_region r;

	(void)state;
	r.limit = 5;
	decode_irix((const uint8_t *)irix, &r);
	assert_true(r.base == irix[0] && r.bytes == 0x21222324 && r.offset == irix[2]);
	assert_true(r.scale == 0x41424344 && r.limit == 0);
	r.limit = 5;
	decode_glibc((const uint8_t *)glibc, &r);
	assert_true(r.base == 1 && r.bytes == UINT64_MAX - 1 && r.offset == 3);
	assert_true(r.scale == UINT32_MAX - 1 && r.limit == 0);
	decode_glibc((const uint8_t *)steep, &r);
	assert_int_equal(r.scale, UINT32_MAX);
}

static void test_dialects__a_bin_is_last(void **state)
{
	static const struct client_call call = {.count = 3, .element = 4};
	const struct call_region bin = {.bytes = 4, .scale = 2}, steeper = {.bytes = 4, .scale = 3},
				 higher = {.bytes = 4, .offset = 1, .scale = 2};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(check_bin_is_last(&call, i, &bin, NULL), i < 2 ? -EINVAL : 0);
		assert_int_equal(check_hpux(&call, i, &bin, NULL), i < 2 ? -EINVAL : 0);
		assert_int_equal(check_bin_is_last(&call, i, &steeper, NULL), 0);
		assert_int_equal(check_hpux(&call, i, &steeper, NULL), 0);
		assert_int_equal(check_bin_is_last(&call, i, &higher, NULL), 0);
		assert_int_equal(check_hpux(&call, i, &higher, NULL), 0);
	}
}

static int check_bytes(uint64_t bytes, uint64_t offset, uint32_t scale)
{
	static const struct client_call call = {.count = 1, .element = 4};

	return check_hpux(&call, 0,
		&(struct call_region){.bytes = bytes, .offset = offset, .scale = scale}, NULL);
}

static void test_dialects__sizes_of_hpux(void **state)
{
	(void)state;
	assert_int_equal(check_bytes(0, 8, 2), -EINVAL);
	assert_int_equal(check_bytes(6, 8, 2), -EINVAL);
	assert_int_equal(check_bytes(UINT64_C(2) << 30, 8, 2), 0);
	assert_int_equal(check_bytes((UINT64_C(2) << 30) + 4, 8, 2), -EINVAL);
	/* Only a bin's first counter is used. HP-UX's manual, page 3, permits no bin of several. */
	assert_int_equal(check_bytes(8, 0, 2), 0);
	strict = "";
	assert_int_equal(check_bytes(8, 0, 2), -EINVAL);
	assert_int_equal(check_bytes(4, 0, 2), 0);
	strict = "yes";
	assert_int_equal(check_bytes(8, 0, 2), -EINVAL);
	strict = NULL;
}

/* A region at @offset follows one at @before with @bytes of counters. */
static int follow(uint64_t before, uint64_t bytes, uint32_t scale, uint64_t offset)
{
	static const struct client_call call = {.count = 2, .element = 4};
	const struct call_region first = {.bytes = bytes, .offset = before, .scale = scale},
				 second = {.bytes = 4, .offset = offset, .scale = 0x10000};

	return check_hpux(&call, 1, &second, &first);
}

static void test_dialects__overlap_in_hpux(void **state)
{
	(void)state;
	assert_int_equal(follow(0x1000, 8, 0x10000, 0x1007), 0);
	strict = "1";
	assert_int_equal(follow(0x1000, 8, 0x10000, 0x1007), -EINVAL);
	assert_int_equal(follow(0x1000, 8, 0x10000, 0x1008), 0);
	assert_int_equal(follow(0x1000, 8, 0x10000, 0x10), -EINVAL);
	/*
	 * The first region has 2 2/3 bytes of text, then 21845 1/3. The second must begin at the
	 * next whole byte.
	 */
	assert_int_equal(follow(0x1000, 4, 0x18000, 0x1002), -EINVAL);
	assert_int_equal(follow(0x1000, 4, 0x18000, 0x1003), 0);
	assert_int_equal(follow(0x1000, 1, 3, 0x1000 + 21845), -EINVAL);
	assert_int_equal(follow(0x1000, 1, 3, 0x1000 + 21846), 0);
	assert_int_equal(follow(0x1000, 8, 0, UINT64_C(0x80fff)), -EINVAL); /* same as scale 1 */
	assert_int_equal(follow(0x1000, 8, 0, UINT64_C(0x81000)), 0);
	strict = NULL;
}

static void test_dialects__fast_ticks_may_be_restricted(void **state)
{
	static const char *values[] = {NULL, "", "0", "1", "10"};
	char table[64];

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		int expected = i == 3 ? EACCES : 0;

		restricted = values[i];
		assert_int_equal(error_of(sprofil_native_sprofil, table, 1, UINT | FAST), expected);
		assert_int_equal(error_of(sprofil_irix_sprofil, table, 1, UINT | FAST), expected);
		assert_int_equal(error_of(sprofil_glibc_sprofil, table, 1, GLIBC_FAST), expected);
		assert_int_equal(error_of(sprofil_native_sprofil, table, 1, UINT), 0);
		assert_int_equal(error_of(sprofil_glibc_sprofil, table, 1, 0), 0);
		/* Flags are checked before the table. */
		assert_int_equal(error_of(sprofil_native_sprofil, NULL, 1, UINT | FAST),
			i == 3 ? EACCES : EFAULT);
	}
	restricted = NULL;
}

struct dialect {
	sprofil_call *call;
	enum call_dialect dialect;
	unsigned uint, elements; /* flag of counters of 4 bytes; sum of permitted widths */
};

static const struct dialect dialects[] = {
	{sprofil_native_sprofil, CALL_NATIVE, UINT, 2 | 4 | 8},
	{sprofil_hpux_sprofil, CALL_HPUX, UINT, 2 | 4 | 8},
	{sprofil_irix_sprofil, CALL_IRIX, UINT, 2 | 4},
	{sprofil_glibc_sprofil, CALL_GLIBC, GLIBC_UINT, 2 | 4 | 8},
};

static void test_dialects__counts_of_entries(void **state)
{
	char table[64];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct dialect *d = &dialects[i];

		assert_int_equal(error_of(d->call, table, -1, d->uint), E2BIG);
		assert_int_equal(error_of(d->call, table, CALL_MAX_REGIONS + 1, d->uint), E2BIG);
		assert_int_equal(error_of(d->call, table, CALL_MAX_REGIONS, d->uint), 0);
		assert_int_equal(got.count, CALL_MAX_REGIONS);
		assert_int_equal(error_of(d->call, table, 1, d->uint), 0);
		assert_int_equal(got.count, 1);
		assert_int_equal(error_of(d->call, NULL, 1, d->uint), EFAULT);
		/* "Off" succeeds with any flags, except in IRIX. */
		assert_int_equal(
			error_of(d->call, table, 0, 77), d->dialect == CALL_IRIX ? E2BIG : 0);
		if (d->dialect == CALL_IRIX)
			continue;
		assert_true(got.count == 0 && got.dialect == d->dialect && got.flags == 0);
		assert_true(got.element == 2 && !got.table && !got.tick);
	}
}

static void test_dialects__flags(void **state)
{
	struct timeval tick;
	char table[64];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct dialect *d = &dialects[i];

		for (unsigned flags = 0; flags < 64; flags++) {
			bool glibc = d->dialect == CALL_GLIBC;
			unsigned fast = glibc ? GLIBC_FAST : d->dialect == CALL_HPUX ? 0 : FAST;
			unsigned width = flags & ~fast;
			unsigned element = width == d->uint ? 4
				: width == 8                ? 8
				: width == !glibc           ? 2
							    : 0;

			if (!(element & d->elements)) {
				assert_int_equal(error_of(d->call, table, 2, flags), EINVAL);
				continue;
			}
			assert_int_equal(d->call(table, 2, &tick, flags), 0);
			assert_int_equal(got.dialect, d->dialect);
			assert_int_equal(got.element, element);
			assert_int_equal(got.flags, flags & fast ? CALL_FAST : 0);
			assert_ptr_equal(got.table, table);
			assert_ptr_equal(got.tick, &tick);
			assert_int_equal(got.count, 2);
			assert_true(got.decode == (glibc ? decode_glibc : decode_irix));
			assert_true(got.check ==
				(glibc                                    ? NULL
						: d->dialect == CALL_HPUX ? check_hpux
									  : check_bin_is_last));
		}
	}
	/* Of sprofil_with()'s flags, "off" keeps CALL_THREAD: it says whose table is turned off. */
	assert_int_equal(dialects_native(table, 1, NULL, UINT, CALL_USER | CALL_THREAD), 0);
	assert_int_equal(got.flags, CALL_USER | CALL_THREAD);
	assert_int_equal(dialects_native(table, 0, NULL, UINT, CALL_USER | CALL_THREAD), 0);
	assert_int_equal(got.flags, CALL_THREAD);
}

static void check_profil(enum call_dialect dialect, uint32_t flags)
{
	assert_true(got.dialect == dialect && got.flags == flags && got.element == 2);
	assert_true(got.count == 1 && !got.table && !got.tick && !got.check);
	assert_true(got.one.bytes == 8 && got.one.offset == 0x1000 && got.one.scale == 0x8000);
	assert_true(got.one.limit == 0 && got.one.base != 0);
	memset(&got, 0, sizeof(got));
}

static void test_dialects__profil(void **state)
{
	unsigned short buffer[4] = {0};

	(void)state;
	assert_int_equal(sprofil_native_profil(buffer, 8, 0x1000, 0x8000), 0);
	check_profil(CALL_NATIVE, 0);
	assert_int_equal(sprofil_hpux_profil(buffer, 8, 0x1000, 0x8000), 0);
	check_profil(CALL_HPUX, 0);
	assert_int_equal(sprofil_irix_profil(buffer, 8, 0x1000, 0x8000), 0);
	check_profil(CALL_IRIX, 0);
	sprofil_sysv_profil(buffer, 8, 0x1000, 0x8000);
	check_profil(CALL_SYSV, 0);
	assert_int_equal(sprofil_glibc_profil(buffer, 8, 0x1000, 0x8000), 0);
	check_profil(CALL_GLIBC, CALL_PLAIN);
	/* glibc's profil turns off without a buffer. */
	assert_int_equal(sprofil_glibc_profil(NULL, 8, 0x1000, 0x8000), 0);
	assert_int_equal(got.one.bytes, 0);
	assert_int_equal(sprofil_sysconf(0x5350), CALL_MAX_REGIONS);
	assert_int_equal(sprofil_sysconf(_SC_PAGESIZE), sysconf(_SC_PAGESIZE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dialects__entries),
		cmocka_unit_test(test_dialects__a_bin_is_last),
		cmocka_unit_test(test_dialects__sizes_of_hpux),
		cmocka_unit_test(test_dialects__overlap_in_hpux),
		cmocka_unit_test(test_dialects__fast_ticks_may_be_restricted),
		cmocka_unit_test(test_dialects__counts_of_entries),
		cmocka_unit_test(test_dialects__flags),
		cmocka_unit_test(test_dialects__profil),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
