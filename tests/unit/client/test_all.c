/* SPDX-License-Identifier: MIT */
/*
 * The table of regions that sprofil_all(3) makes and turns on (client/all.c). Loader, memory
 * allocation, and the call that turns the table on, are this test's.
 */
#include <link.h>

static int fake_iterate(
	int (*callback)(struct dl_phdr_info *info, size_t size, void *context), void *context);
#define dl_iterate_phdr fake_iterate

#include <string.h>
#include <sys/mman.h>
static char *fake_strdup(const char *text);
static void *fake_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
static int fake_munmap(void *at, size_t bytes);
#define strdup fake_strdup
#define mmap   fake_mmap
#define munmap fake_munmap
#include "client/all.c"
#undef strdup
#undef mmap
#undef munmap

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define OBJECTS 60
#define HEADERS 7
#define TEXT    UINT64_C(0x7f0000000000)

static struct object {
	char name[32];
	uint64_t address;
	ElfW(Phdr) header[HEADERS];
	unsigned headers;
	bool loaded;
} object[OBJECTS];
static unsigned long long adds, subs;

/* Copies of paths made, and mappings of counters that exist; true: the next one fails. */
static unsigned paths, mappings;
static bool path_fails, mapping_fails;

static char *fake_strdup(const char *text)
{
	paths += !path_fails;
	return path_fails ? NULL : strdup(text);
}

static void *fake_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	mappings += !mapping_fails;
	return mapping_fails ? MAP_FAILED : mmap(at, bytes, protection, flags, fd, offset);
}

static int fake_munmap(void *at, size_t bytes)
{
	mappings--;
	return munmap(at, bytes);
}

static int fake_iterate(
	int (*callback)(struct dl_phdr_info *info, size_t size, void *context), void *context)
{
	int r = 0;

	for (unsigned i = 0; i < OBJECTS && r == 0; i++) {
		struct dl_phdr_info info = {.dlpi_addr = object[i].address,
			.dlpi_name = i ? object[i].name : NULL,
			.dlpi_phdr = object[i].header,
			.dlpi_phnum = (ElfW(Half))object[i].headers,
			.dlpi_adds = adds,
			.dlpi_subs = subs};

		if (object[i].loaded)
			r = callback(&info, sizeof(info), context);
	}
	return r;
}

/* How often each call was made, the last table, and what the calls return. */
static unsigned ons, offs, flags_of_last;
static struct entry table[OBJECTS + 8];
static int entries, error_of_on, error_of_off;

static int number;

int client_table(void)
{
	return number;
}

int dialects_native(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags, uint32_t more)
{
	int error = profcnt ? error_of_on : error_of_off;

	assert_null(tvp);
	assert_int_equal(more, 0);
	/* The lock is held during the call. */
	assert_int_equal(pthread_mutex_trylock(&lock), EBUSY);
	if (profcnt) {
		assert_in_range(profcnt, 1, OBJECTS + 8);
		entries = profcnt;
		memcpy(table, profp, (size_t)profcnt * sizeof(*table));
		flags_of_last = flags;
		ons++;
	} else {
		assert_int_equal(flags, 0);
		offs++;
	}
	if (error)
		return -error;
	number++;
	return profcnt ? number : 0;
}

int client_result(int r)
{
	assert_int_equal(pthread_mutex_trylock(&lock), 0);
	assert_int_equal(pthread_mutex_unlock(&lock), 0);
	if (r >= 0)
		return 0;
	errno = -r;
	return -1;
}

static ElfW(Phdr) header_of(unsigned type, unsigned flags, uint64_t address, uint64_t bytes)
{
	return (ElfW(Phdr)){.p_type = type, .p_flags = flags, .p_vaddr = address, .p_memsz = bytes};
}

/* The object has one page of text, at an address of its own. */
static void load(unsigned i)
{
	object[i].address = TEXT + i * UINT64_C(0x100000);
	object[i].header[0] = header_of(PT_LOAD, PF_R, 0, 0x1000);
	object[i].header[1] = header_of(PT_LOAD, PF_R | PF_X, 0x1000, 0x1000);
	object[i].headers = 2;
	object[i].loaded = true;
	if (i)
		(void)snprintf(object[i].name, sizeof(object[i].name), "/lib/%u.so", i);
	adds++;
}

static void unload(unsigned i)
{
	object[i].loaded = false;
	memset(object[i].name, 'x', 8); /* as freed memory: the name goes with the object */
	subs++;
}

static int begin_test(void **state)
{
	(void)state;
	for (unsigned i = 0; i < OBJECTS; i++)
		object[i].loaded = false;
	load(0);
	ons = offs = 0;
	error_of_on = error_of_off = 0;
	number = 1;
	own_table = 0;
	paths = mappings = 0;
	return 0;
}

static int end_test(void **state)
{
	(void)state;
	for (size_t i = 0; i < segments; i++) {
		bool last = *segment[i].path;

		for (size_t k = i + 1; k < segments; k++)
			last = last && segment[k].path != segment[i].path;
		if (last)
			free((char *)(uintptr_t)segment[i].path);
		(void)munmap(segment[i].counter, counter_bytes(&segment[i]));
	}
	free(segment);
	segment = NULL;
	segments = room = 0;
	return 0;
}

static void expect(int i, uint64_t offset, unsigned size)
{
	assert_int_equal(table[i].offset, offset);
	assert_int_equal(table[i].size, size);
	assert_int_equal(table[i].scale, 0x10000);
	assert_non_null(table[i].base);
}

/* The last segment is for all other addresses. */
static void expect_rest(void)
{
	assert_int_equal(table[entries - 1].offset, 0);
	assert_int_equal(table[entries - 1].size, 4);
	assert_int_equal(table[entries - 1].scale, 2);
	assert_non_null(table[entries - 1].base);
}

/*
 * Segments have whole counters. Code of an empty or too large segment is counted with all other
 * addresses.
 */
static void test_all__segments(void **state)
{
	struct object *o = &object[0];

	(void)state;
	o->header[0] = header_of(PT_LOAD, PF_X | PF_R, 0x1001, 0xa); /* up to 0x100b */
	o->header[1] = header_of(PT_NOTE, PF_X | PF_R, 0x1800, 0x100);
	o->header[2] = header_of(PT_LOAD, PF_X | PF_R, 0x2005, 0x4); /* up to 0x2009 */
	o->header[3] = header_of(PT_LOAD, PF_X | PF_R, 0x2800, 0);
	o->header[4] = header_of(PT_LOAD, PF_X, 0x3000, 0x1000);
	o->header[5] = header_of(PT_LOAD, PF_X | PF_R, 0x10000, UINT64_C(1) << 32);
	/* beyond @headers: not read */
	o->header[6] = header_of(PT_LOAD, PF_X | PF_R, 0x5000, 0x1000);
	o->headers = 6;
	assert_int_equal(sprofil_all(0), 0);
	assert_int_equal(flags_of_last, NATIVE_UINT);
	assert_int_equal(entries, 4);
	expect(0, TEXT + 0x1000, 0xc);
	expect(1, TEXT + 0x2004, 0x8);
	expect(2, TEXT + 0x3000, 0x1000);
	expect_rest();
	assert_int_equal(sprofil_all(SPROFIL_ALL_FAST), 0);
	assert_int_equal(flags_of_last, NATIVE_UINT | NATIVE_FAST);
	assert_int_equal(entries, 4);
	assert_int_equal(segments, 4);
}

static const struct all_segment *segment_of(uint64_t start, const char *path)
{
	size_t n;
	const struct all_segment *s = all_lock(&n), *found = NULL;

	assert_int_equal(pthread_mutex_trylock(&lock), EBUSY);
	for (size_t i = 0; i < n; i++)
		if (s[i].start == start && !strcmp(s[i].path, path))
			found = &s[i];
	all_unlock();
	assert_int_equal(pthread_mutex_trylock(&lock), 0);
	assert_int_equal(pthread_mutex_unlock(&lock), 0);
	return found;
}

static void loaded(void)
{
	errno = 4711;
	assert_ptr_equal(sprofil_all_loaded(&object), &object);
	assert_int_equal(errno, 4711);
	assert_int_equal(pthread_mutex_trylock(&lock), 0);
	assert_int_equal(pthread_mutex_unlock(&lock), 0);
}

/* Each change makes one new table. An unloaded object keeps its counters and its name. */
static void test_all__libraries_come_and_go(void **state)
{
	const struct all_segment *s;
	uint32_t *counter;

	(void)state;
	assert_int_equal(sprofil_all(0), 0);
	assert_int_equal(entries, 2);
	loaded();
	assert_int_equal(ons, 1);
	load(1);
	loaded();
	assert_int_equal(ons, 2);
	assert_int_equal(entries, 3);
	expect(0, TEXT + 0x1000, 0x1000);
	expect(1, TEXT + 0x101000, 0x1000);
	expect_rest();
	loaded();
	assert_int_equal(ons, 2);
	s = segment_of(TEXT + 0x101000, "/lib/1.so");
	assert_true(s && s->loaded && s->bias == TEXT + 0x100000);
	counter = s->counter;
	assert_ptr_equal(table[1].base, counter);
	*counter = 7;
	unload(1);
	load(2);
	loaded();
	assert_int_equal(ons, 3);
	assert_int_equal(entries, 3);
	expect(1, TEXT + 0x201000, 0x1000);
	expect_rest();
	s = segment_of(TEXT + 0x101000, "/lib/1.so");
	assert_true(s && !s->loaded && s->counter == counter && *counter == 7);
	load(1);
	loaded();
	assert_int_equal(entries, 4);
	s = segment_of(TEXT + 0x101000, "/lib/1.so");
	assert_true(s && s->loaded && s->counter == counter && *counter == 7);
	assert_int_equal(segments, 4);
	/* Off keeps the counts; a new profile begins with zeroes. */
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(offs, 1);
	load(3);
	loaded();
	assert_int_equal(ons, 4);
	assert_int_equal(*counter, 7);
	assert_int_equal(sprofil_all(0), 0);
	assert_int_equal(entries, 5);
	assert_int_equal(*counter, 0);
	assert_int_equal(offs, 1);
}

/* A segment is another one if its file, its start or its end differs. */
static void test_all__others_in_the_same_place(void **state)
{
	(void)state;
	load(1);
	assert_int_equal(sprofil_all(0), 0);
	assert_int_equal(segments, 3);
	(void)snprintf(object[1].name, sizeof(object[1].name), "/lib/other.so");
	adds++;
	loaded();
	assert_int_equal(segments, 4);
	assert_int_equal(entries, 3);
	assert_true(segment_of(TEXT + 0x101000, "/lib/other.so")->loaded);
	assert_false(segment_of(TEXT + 0x101000, "/lib/1.so")->loaded);
	object[1].header[1].p_memsz = 0x2000;
	adds++;
	loaded();
	assert_int_equal(segments, 5);
	assert_int_equal(entries, 3);
	expect(1, TEXT + 0x101000, 0x2000);
	object[1].header[1].p_vaddr = 0x2000;
	object[1].header[1].p_memsz = 0x1000; /* the end is unchanged */
	adds++;
	loaded();
	assert_int_equal(segments, 6);
	assert_int_equal(entries, 3);
	expect(1, TEXT + 0x102000, 0x1000);
}

/* One by one, so that the memory for segments grows now and then. */
static void test_all__many_libraries(void **state)
{
	(void)state;
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (i)
			load(i);
		assert_int_equal(sprofil_all(0), 0);
		adds++;
		loaded();
		assert_int_equal(segments, i + 2);
		assert_int_equal(entries, i + 2);
		for (unsigned k = 0; k <= i; k++)
			expect((int)k, TEXT + k * 0x100000 + 0x1000, 0x1000);
		expect_rest();
	}
}

/* Without memory, an object is counted with all other addresses, and added later. */
static void test_all__without_memory(void **state)
{
	unsigned before;

	(void)state;
	assert_int_equal(sprofil_all(0), 0);
	assert_int_equal(segments, 2);
	before = paths;
	assert_int_equal(mappings, 2);
	load(1);
	mapping_fails = true;
	loaded();
	mapping_fails = false;
	path_fails = true;
	loaded();
	path_fails = false;
	assert_int_equal(segments, 2);
	assert_int_equal(paths, before);
	assert_int_equal(mappings, 2);
	load(2);
	loaded();
	assert_int_equal(segments, 4);
	assert_int_equal(entries, 4);
	assert_int_equal(paths, before + 2);
	assert_int_equal(mappings, 4);
}

static void test_all__what_fails(void **state)
{
	(void)state;
	errno = 0;
	assert_int_equal(sprofil_all(2), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(sprofil_all_off(), 0); /* it is off: no call is made */
	assert_int_equal(ons + offs, 0);
	/* Turning on fails: it stays off. */
	error_of_on = EPERM;
	assert_int_equal(sprofil_all(0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(ons, 1);
	assert_int_equal(offs, 0);
	/* Turning off fails: it stays on, and no new profile begins. */
	error_of_on = 0;
	assert_int_equal(sprofil_all(0), 0);
	error_of_off = EACCES;
	assert_int_equal(sprofil_all_off(), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(sprofil_all(0), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(ons, 2);
	assert_int_equal(offs, 2);
	error_of_off = 0;
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(offs, 3);
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(offs, 3);
}

/*
 * Another call has replaced the table or turned profiling off: libraries loaded later change
 * nothing, and off leaves that call's table in force. The next profile replaces it.
 */
static void test_all__a_table_of_another_call(void **state)
{
	(void)state;
	assert_int_equal(sprofil_all(0), 0);
	number++;
	load(1);
	loaded();
	assert_int_equal(ons, 1);
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(offs, 0);
	assert_int_equal(sprofil_all(0), 0);
	assert_int_equal(ons, 2);
	assert_int_equal(entries, 3);
	load(2);
	loaded();
	assert_int_equal(ons, 3);
	assert_int_equal(sprofil_all_off(), 0);
	assert_int_equal(offs, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all__segments, begin_test, end_test),
		cmocka_unit_test_setup_teardown(
			test_all__libraries_come_and_go, begin_test, end_test),
		cmocka_unit_test_setup_teardown(
			test_all__others_in_the_same_place, begin_test, end_test),
		cmocka_unit_test_setup_teardown(test_all__many_libraries, begin_test, end_test),
		cmocka_unit_test_setup_teardown(test_all__without_memory, begin_test, end_test),
		cmocka_unit_test_setup_teardown(test_all__what_fails, begin_test, end_test),
		cmocka_unit_test_setup_teardown(
			test_all__a_table_of_another_call, begin_test, end_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
