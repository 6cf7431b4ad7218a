/* SPDX-License-Identifier: MIT */
/* Profiles of other programs, and what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/table.h"
#include "profile/foreign.h"
#include "profile/pprof.h"
#include "tests/unit/pprof_fixture.h"
#include "tests/unit/profile_fixture.h"

/* A minimal writer of the format, also of invalid files. */
struct pb {
	uint8_t data[4096];
	size_t n;
};

static void pb_varint(struct pb *pb, uint64_t value)
{
	do {
		pb->data[pb->n++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
}

static void pb_number(struct pb *pb, unsigned field, uint64_t value)
{
	pb_varint(pb, field << 3);
	pb_varint(pb, value);
}

static void pb_bytes(struct pb *pb, unsigned field, const void *data, size_t bytes)
{
	pb_varint(pb, field << 3 | 2);
	pb_varint(pb, bytes);
	memcpy(pb->data + pb->n, data, bytes);
	pb->n += bytes;
}

/* Writes a message whose fields 1 to @n are the numbers @value, without those that are 0. */
static void pb_part(struct pb *pb, unsigned field, const uint64_t *value, unsigned n)
{
	struct pb part = {.n = 0};

	for (unsigned i = 0; i < n; i++) {
		if (value[i])
			pb_number(&part, i + 1, value[i]);
	}
	pb_bytes(pb, field, part.data, part.n);
}

#define PB_PART(pb, field, ...)                             \
	pb_part(pb, field, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void pb_strings(struct pb *pb, const char *const *text)
{
	for (; *text; text++)
		pb_bytes(pb, 6, *text, strlen(*text));
}

static int read_pb(const struct pb *pb, struct profile **ret_profile, const char **ret_problem)
{
	return pprof_read(pb->data, pb->n, ret_profile, ret_problem);
}

/* Returns the number by which an odd number must be multiplied for 1. Newton doubles its bits. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t result = odd;

	for (unsigned i = 0; i < 5; i++)
		result *= 2 - odd * result;
	return result;
}

/* The factors of table_mix() and of table_kept(). */
#define OF_HASH  UINT64_C(0xff51afd7ed558ccd)
#define OF_VALUE UINT64_C(0x9e3779b97f4a7c15)
#define OF_KEPT  UINT64_C(0xd6e8feb86659fd93)

/* Returns the value for which table_mix(@hash, value) is @wanted. */
static uint64_t unmix(uint64_t hash, uint64_t wanted)
{
	return (wanted ^ wanted >> 32) * inverse(OF_VALUE) ^ hash * OF_HASH;
}

/*
 * If hashes were the same in each process, all ids, names and addresses of this file would have the
 * same one. Each would be compared with all others, which takes minutes.
 */
static void test_pprof__hashes_cannot_be_foreseen(void **state)
{
	enum { N = 200000, BYTES = 80 };
	static const char *const text[] = {"", "cpu", "nanoseconds", NULL};
	struct profile *profile = NULL;
	const char *problem = NULL;
	struct pb pb = {.n = 0};
	size_t bytes = 0;
	uint8_t *data = malloc((size_t)N * BYTES);

	(void)state;
	assert_non_null(data);
	PB_PART(&pb, 1, 1, 2);
	PB_PART(&pb, 3, 1, 0x1000, 1 << 20);
	pb_strings(&pb, text);
	for (uint64_t i = 0; i < N; i++) {
		/* Of a hash, table_kept() gives the upper half of the product. */
		uint64_t hash = (UINT64_C(7) << 32 | i) * inverse(OF_KEPT);
		uint64_t word[2] = {(i | i << 20) | UINT64_C(0x8080808080808080)};

		word[1] = unmix(table_mix(sizeof(word), word[0]), 7);
		assert_int_equal(table_mix(table_mix(sizeof(word), word[0]), word[1]), 7);
		assert_int_equal(table_kept(table_mix(0, unmix(0, hash))), 7);
		pb_bytes(&pb, 6, word, sizeof(word));
		PB_PART(&pb, 5, unmix(0, hash), i + 3);
		PB_PART(&pb, 4, i + 1, 1, unmix(0, unmix(0, hash) * inverse(OF_HASH)));
		assert_true(bytes + pb.n <= (size_t)N * BYTES);
		memcpy(data + bytes, pb.data, pb.n);
		bytes += pb.n;
		pb.n = 0;
	}
	assert_int_equal(pprof_read(data, bytes, &profile, &problem), 0);
	assert_int_equal(profile_locations(profile), N);
	profile_free(profile);
	free(data);
}

/* A heap profile of Go: no CPU time, unpacked ids, string table last, no mapping. */
static void test_pprof__reads_other_kinds_of_values(void **state)
{
	static const char *const text[] = {
		"", "alloc_space", "bytes", "inuse_space", "run", "run.go", NULL};
	struct profile *profile = NULL, *back;
	struct pb pb = {.n = 0}, sample = {.n = 0}, location = {.n = 0};

	(void)state;
	PB_PART(&pb, 1, 1, 2);
	PB_PART(&pb, 1, 3, 2);
	pb_number(&sample, 1, 77);
	pb_number(&sample, 2, 4096);
	pb_number(&sample, 2, 512);
	pb_bytes(&pb, 2, sample.data, sample.n);
	pb_number(&location, 1, 77);
	pb_number(&location, 3, 0x45f000);
	PB_PART(&location, 4, 5, 12);
	pb_bytes(&pb, 4, location.data, location.n);
	PB_PART(&pb, 5, 5, 4, 0, 5, 10);
	pb_strings(&pb, text);

	assert_int_equal(read_pb(&pb, &profile, NULL), 0);
	assert_int_equal(profile_value_types(profile), 4);
	assert_int_equal(profile_samples(profile), 1);
	assert_int_equal(profile_sample(profile, 0).value[VALUE_CPU_NS], 0);
	assert_int_equal(profile_sample(profile, 0).value[2], 4096);
	assert_int_equal(profile_sample(profile, 0).value[3], 512);
	assert_string_equal(profile_function(profile, 0).name, "run");
	assert_string_equal(profile_function(profile, 0).symbol, "run");
	assert_int_equal(profile_location(profile, 0).line[0].line, 12);
	back = round_trip(profile);
	assert_same(profile, back);
	profile_free(back);
	profile_free(profile);
}

static void pb_minimal(struct pb *pb, const char *type, const char *unit)
{
	static const uint8_t values[] = {1, 3};
	const char *text[] = {"", "samples", "count", type, unit, "pid", "12", "thread_comm", "io",
		"thread_id", NULL};
	struct pb sample = {.n = 0};

	PB_PART(pb, 1, 3, 4);
	PB_PART(pb, 1, 1, 2);
	pb_bytes(&sample, 1, (const uint8_t[]){1}, 1);
	pb_bytes(&sample, 2, values, 2);
	PB_PART(&sample, 3, 5, 6);
	PB_PART(&sample, 3, 7, 8);
	PB_PART(&sample, 3, 9, 0, 34);
	pb_bytes(pb, 2, sample.data, sample.n);
	PB_PART(pb, 4, 1, 0, 0x1234);
	pb_strings(pb, text);
}

/* CPU time in any order and unit, and other tools' labels of tasks. */
static void test_pprof__finds_values_by_type_and_tasks_by_labels(void **state)
{
	struct profile *profile = NULL;
	struct pb pb = {.n = 0};
	struct task task;

	(void)state;
	pb_minimal(&pb, "cpu", "microseconds");
	assert_int_equal(read_pb(&pb, &profile, NULL), 0);
	assert_int_equal(profile_value_types(profile), 2);
	assert_int_equal(profile_sample(profile, 0).value[VALUE_SAMPLES], 3);
	assert_int_equal(profile_sample(profile, 0).value[VALUE_CPU_NS], 1000);
	task = profile_task(profile, 0);
	assert_int_equal(task.pid, 12);
	assert_int_equal(task.tid, 34);
	assert_string_equal(task.thread, "io");
	assert_string_equal(task.process, "");
	profile_free(profile);
}

static void test_pprof__takes_cpu_time_from_the_period(void **state)
{
	struct profile *profile = NULL;
	struct pb pb = {.n = 0};

	(void)state;
	pb_minimal(&pb, "cpu", "milliseconds");
	/* Only the period's type is cpu: CPU time is samples times period. */
	pb.n = 0;
	pb_minimal(&pb, "faults", "x");
	pb_bytes(&pb, 6, "cpu", 3);
	pb_bytes(&pb, 6, "milliseconds", 12);
	PB_PART(&pb, 11, 10, 11);
	pb_number(&pb, 12, 10);
	assert_int_equal(read_pb(&pb, &profile, NULL), 0);
	assert_int_equal(profile_period_ns(profile), 10 * FIXTURE_MS);
	assert_int_equal(profile_sample(profile, 0).value[VALUE_CPU_NS], 30 * FIXTURE_MS);
	assert_int_equal(profile_sample(profile, 0).value[2], 1);
	profile_free(profile);
}

/* Periods that are not CPU time, and fields without a meaning in the model. */
static void test_pprof__keeps_fields_of_other_programs(void **state)
{
	static const struct {
		const char *type, *unit;
		uint64_t period;
		bool is_cpu;
	} periods[] = {{"space", "bytes", 524288, false}, {"cpu", "cycles", 1000, false},
		{"cpu", "nanoseconds", 0, false}, {"cpu", "milliseconds", 10, true}};

	(void)state;
	for (unsigned i = 0; i < sizeof(periods) / sizeof(*periods); i++) {
		struct profile *profile = NULL, *back;
		struct pb pb = {.n = 0};
		struct foreign foreign;

		pb_minimal(&pb, "faults", "x");
		pb_strings(&pb,
			(const char *const[]){periods[i].type, periods[i].unit, "runtime\\..*",
				"main", "https://example.org/", NULL});
		PB_PART(&pb, 11, 10, 11);
		pb_number(&pb, 12, periods[i].period);
		pb_number(&pb, 7, 12);
		pb_number(&pb, 8, 13);
		pb_number(&pb, 15, 14);
		assert_int_equal(read_pb(&pb, &profile, NULL), 0);
		assert_int_equal(
			profile_period_ns(profile), periods[i].is_cpu ? 10 * FIXTURE_MS : 0);
		foreign = foreign_get(profile);
		assert_string_equal(foreign.period_type, periods[i].is_cpu ? "" : periods[i].type);
		assert_string_equal(foreign.period_unit, periods[i].is_cpu ? "" : periods[i].unit);
		assert_int_equal(foreign.period, periods[i].is_cpu ? 0 : periods[i].period);
		assert_string_equal(foreign.drop_frames, "runtime\\..*");
		assert_string_equal(foreign.keep_frames, "main");
		assert_string_equal(foreign.doc_url, "https://example.org/");
		back = round_trip(profile);
		assert_same(profile, back);
		profile_free(back);
		profile_free(profile);
	}
}

static void assert_refused(const struct pb *pb, const char *word)
{
	struct profile *profile = NULL;
	const char *problem = NULL;

	assert_int_equal(read_pb(pb, &profile, &problem), -EBADMSG);
	assert_null(profile);
	assert_non_null(problem);
	assert_non_null(strstr(problem, word));
}

static void test_pprof__refuses_contradictions(void **state)
{
	struct pb pb = {.n = 0}, sample = {.n = 0};

	(void)state;
	assert_refused(&pb, "empty");

	/* The sample's location is missing. */
	pb_bytes(&sample, 1, (const uint8_t[]){9}, 1);
	pb_bytes(&sample, 2, (const uint8_t[]){1}, 1);
	PB_PART(&pb, 1, 1, 2);
	pb_bytes(&pb, 2, sample.data, sample.n);
	pb_strings(&pb, (const char *const[]){"", "samples", "count", NULL});
	assert_refused(&pb, "location");

	pb.n = 0;
	pb_minimal(&pb, "cpu", "nanoseconds");
	PB_PART(&pb, 4, 1, 0, 5);
	assert_refused(&pb, "same id");

	pb.n = 0;
	pb_minimal(&pb, "cpu", "nanoseconds");
	PB_PART(&pb, 1, 99, 2);
	assert_refused(&pb, "string");

	for (unsigned field = 7; field <= 15; field += field == 8 ? 7 : 1) {
		pb.n = 0;
		pb_minimal(&pb, "cpu", "nanoseconds");
		pb_number(&pb, field, 99);
		assert_refused(&pb, "string");
	}

	pb.n = 0;
	pb_minimal(&pb, "cpu", "nanoseconds");
	PB_PART(&pb, 1, 6, 2);
	assert_refused(&pb, "number of values");

	pb.n = 0;
	pb_minimal(&pb, "cpu", "nanoseconds");
	PB_PART(&pb, 4, 2, 8);
	assert_refused(&pb, "mapping");

	pb.n = 0;
	pb_strings(&pb, (const char *const[]){"", "hello", NULL});
	assert_refused(&pb, "not a pprof profile");
}

/*
 * Functions share a name of 100 kB. A hundred are read. A thousand are refused: printing them takes
 * a thousand times the bytes of the file.
 */
static void test_pprof__refuses_long_strings_that_are_used_too_often(void **state)
{
	enum { NAME_BYTES = 100000 };
	static uint8_t file[NAME_BYTES + 65536];

	(void)state;
	for (unsigned functions = 100; functions <= 1000; functions += 900) {
		struct profile *profile = NULL;
		const char *problem = NULL;
		struct pb pb = {.n = 0};
		size_t n;

		PB_PART(&pb, 1, 1, 2);
		pb_strings(&pb, (const char *const[]){"", "samples", "count", NULL});
		pb_varint(&pb, 6 << 3 | 2);
		pb_varint(&pb, NAME_BYTES);
		n = pb.n + NAME_BYTES;
		memcpy(file, pb.data, pb.n);
		memset(file + pb.n, 'x', NAME_BYTES);
		for (unsigned i = 1; i <= functions; i++, n += pb.n) {
			pb.n = 0;
			PB_PART(&pb, 5, i, 3, 0, 0, i);
			memcpy(file + n, pb.data, pb.n);
		}
		if (functions == 100) {
			assert_int_equal(pprof_read(file, n, &profile, &problem), 0);
			assert_int_equal(strlen(profile_function(profile, 99).name), NAME_BYTES);
			profile_free(profile);
			continue;
		}
		assert_int_equal(pprof_read(file, n, &profile, &problem), -EBADMSG);
		assert_non_null(strstr(problem, "too often"));
	}
}

static void test_pprof__names_other_formats(void **state)
{
	struct profile *profile = NULL;
	const char *problem = NULL;

	(void)state;
	assert_int_equal(
		pprof_read((const uint8_t *)"PERFILE2....", 12, &profile, &problem), -EBADMSG);
	assert_non_null(strstr(problem, "perf.data"));
	assert_int_equal(
		pprof_read((const uint8_t *)"\177ELF\2\1\1", 7, &profile, &problem), -EBADMSG);
	assert_non_null(strstr(problem, "program"));
	assert_int_equal(
		pprof_read((const uint8_t *)"\3757zXZ\0....", 10, &profile, &problem), -EBADMSG);
	assert_non_null(strstr(problem, "xz -dc"));
	assert_int_equal(pprof_read((const uint8_t *)"\x28\xb5\x2f\xfd....", 8, &profile, &problem),
		-EBADMSG);
	assert_non_null(strstr(problem, "zstd -dc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pprof__hashes_cannot_be_foreseen),
		cmocka_unit_test(test_pprof__reads_other_kinds_of_values),
		cmocka_unit_test(test_pprof__finds_values_by_type_and_tasks_by_labels),
		cmocka_unit_test(test_pprof__takes_cpu_time_from_the_period),
		cmocka_unit_test(test_pprof__keeps_fields_of_other_programs),
		cmocka_unit_test(test_pprof__refuses_contradictions),
		cmocka_unit_test(test_pprof__refuses_long_strings_that_are_used_too_often),
		cmocka_unit_test(test_pprof__names_other_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
