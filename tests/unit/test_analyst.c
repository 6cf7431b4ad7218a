/* SPDX-License-Identifier: MIT */
/* Records written by hand go in; the profile that they must make comes out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyst/analyst.h"
#include "profile/pprof.h"
#include "profile/profile.h"
#include "proto/record.h"

#define S UINT64_C(1000000000)

struct stream {
	struct analyst *analyst;
	uint64_t now;
	int last; /* result of the last analyst_record() */
};

static void begin(struct stream *stream)
{
	const struct analyst_options options = {.size = sizeof(options)};

	*stream = (struct stream){.now = 100 * S};
	assert_int_equal(analyst_new(&options, &stream->analyst), 0);
}

static void put(struct stream *stream, const uint8_t *record, int bytes)
{
	assert_true(bytes > 0);
	stream->last = analyst_record(stream->analyst, record, (size_t)bytes);
	stream->now += S / 10;
}

static void put_start(struct stream *stream)
{
	uint8_t b[256];
	const struct record_start start = {.period_ns = 4000000,
		.realtime_ns = 5 * S,
		.command = "prog\0-x",
		.command_bytes = 7};

	put(stream, b, record_put_start(b, sizeof(b), stream->now, &start));
}

static void put_process(struct stream *stream, uint32_t pid, uint32_t parent, uint16_t flags)
{
	uint8_t b[64];

	put(stream, b, record_put_process(b, sizeof(b), stream->now, flags, pid, parent));
}

static void put_exec(struct stream *stream, uint32_t pid, const char *path, const char *name)
{
	uint8_t b[256];

	put(stream, b, record_put_exec(b, sizeof(b), stream->now, pid, path, name));
}

static void put_maps(
	struct stream *stream, uint32_t pid, uint32_t offset, const char *text, bool last)
{
	uint8_t b[512];
	const struct record_maps maps = {.pid = pid,
		.generation = 1,
		.offset = offset,
		.bytes = (uint32_t)strlen(text),
		.text = text};

	put(stream, b,
		record_put_maps(b, sizeof(b), stream->now, last ? RECORD_MAPS_LAST : 0, &maps));
}

static void put_sample(struct stream *stream, uint32_t pid, uint32_t tid, uint64_t pc, uint64_t ns)
{
	uint8_t b[256];
	const struct record_sample sample = {
		.pid = pid, .tid = tid, .pc = pc, .weight_ns = ns, .syscall = -1, .machine = 62};

	put(stream, b, record_put_sample(b, sizeof(b), stream->now, &sample));
}

static void put_text(struct stream *stream, enum record_type type, const char *text)
{
	uint8_t b[512];

	put(stream, b, record_put_audit(b, sizeof(b), stream->now, type, text));
}

static uint64_t figure(struct stream *stream, const char *key)
{
	uint64_t value = UINT64_MAX;

	(void)profile_audit(analyst_profile(stream->analyst), key, &value);
	return value;
}

/* CPU time of a process's samples in a file. */
static int64_t cpu_ns(struct stream *stream, uint32_t pid, const char *file)
{
	const struct profile *p = analyst_profile(stream->analyst);
	int64_t sum = 0;

	for (size_t i = 0; i < profile_samples(p); i++) {
		struct sample s = profile_sample(p, i);
		struct location l = profile_location(p, s.location[0]);

		if (profile_task(p, s.task).pid == pid &&
			strcmp(profile_mapping(p, l.mapping).file, file) == 0)
			sum += s.value[VALUE_CPU_NS];
	}
	return sum;
}

static const char maps_of_prog[] = "00400000-00500000 r-xp 00000000 00:00 0 \n"
				   "10000000-10100000 r-xp 00000000 fe:00 77 /no/such/lib.so\n";

static void test_analyst__samples_become_stacks_with_weights(void **state)
{
	struct stream stream;
	struct profile *p;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_process(&stream, 7, 1, 0);
	put_exec(&stream, 7, "/no/such/prog", "prog");
	put_maps(&stream, 7, 0, maps_of_prog, true);
	put_sample(&stream, 7, 7, 0x10000010, 4000000);
	put_sample(&stream, 7, 7, 0x10000010, 5000000);
	put_sample(&stream, 7, 8, 0x10000010, 1000000);
	put_sample(&stream, 7, 7, 0xdead0000, 3000000);
	put_text(&stream, RECORD_END, "stops 4\nwall_ns 600000000\nkernel_cpu_ns 13000000\n");
	assert_int_equal(stream.last, 1);
	assert_true(analyst_has_image(stream.analyst));
	assert_int_equal(analyst_first_pid(stream.analyst), 7);
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = analyst_profile(stream.analyst);
	assert_int_equal(profile_samples(p), 3); /* two threads at one place, and the unknown one */
	assert_int_equal(cpu_ns(&stream, 7, "/no/such/lib.so"), 10000000);
	assert_int_equal(cpu_ns(&stream, 7, "[unknown]"), 3000000);
	assert_int_equal(figure(&stream, "samples"), 4);
	assert_int_equal(figure(&stream, "stops"), 4);
	assert_int_equal(figure(&stream, "unresolved_samples"), 4);
	assert_int_equal(profile_period_ns(p), 4000000);
	assert_int_equal(profile_realtime_ns(p), 5 * S);
	assert_int_equal(profile_duration_ns(p), 600000000);
	assert_int_equal(profile_notes(p), 0);
	/* 13^2 / (4^2 + 5^2 + 1 + 3^2) = 3.31 */
	assert_int_equal(figure(&stream, "effective_samples"), 3);
	analyst_free(stream.analyst);
}

static void test_analyst__a_fork_has_its_parents_maps_and_exec_its_own(void **state)
{
	struct stream stream;
	struct profile *back;
	uint8_t *data;
	size_t bytes;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_process(&stream, 7, 1, 0);
	put_exec(&stream, 7, "/no/such/prog", "prog");
	put_maps(&stream, 7, 0, maps_of_prog, true);
	put_process(&stream, 9, 7, RECORD_PROCESS_FORKED);
	put_sample(&stream, 9, 9, 0x10000010, 1000000);
	put_exec(&stream, 9, "/no/such/other", "other");
	put_maps(&stream, 9, 0, "20000000-20100000 r-xp 00000000 fe:00 78 /no/such/other\n", true);
	put_sample(&stream, 9, 9, 0x20000010, 2000000);
	put_sample(&stream, 9, 9, 0x10000010, 4000000);
	put_sample(&stream, 7, 7, 0x10000010, 8000000);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(cpu_ns(&stream, 9, "/no/such/lib.so"), 1000000);
	assert_int_equal(cpu_ns(&stream, 9, "/no/such/other"), 2000000);
	assert_int_equal(cpu_ns(&stream, 9, "[unknown]"), 4000000);
	assert_int_equal(cpu_ns(&stream, 7, "/no/such/lib.so"), 8000000);
	/* What the first process runs is the main program: it comes first in the file. */
	assert_int_equal(pprof_write(analyst_profile(stream.analyst), &data, &bytes), 0);
	assert_int_equal(pprof_read(data, bytes, &back, NULL), 0);
	assert_string_equal(profile_mapping(back, 0).file, "/no/such/prog");
	profile_free(back);
	free(data);
	analyst_free(stream.analyst);
}

static void test_analyst__maps_come_in_pieces(void **state)
{
	struct stream stream;
	char first[41] = "";

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_exec(&stream, 7, "/no/such/prog", "prog");
	memcpy(first, maps_of_prog, 40);
	put_maps(&stream, 7, 0, first, false);
	put_maps(&stream, 7, 40, maps_of_prog + 40, true);
	put_sample(&stream, 7, 7, 0x10000010, 1);
	/* A piece that is missing: what was known stays. */
	put_maps(&stream, 7, 40, "20000000-20100000 r-xp 00000000 fe:00 78 /other\n", true);
	put_sample(&stream, 7, 7, 0x10000010, 1);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(cpu_ns(&stream, 7, "/no/such/lib.so"), 2);
	analyst_free(stream.analyst);
}

static void test_analyst__unsampled_time_is_a_row_of_its_executable(void **state)
{
	struct stream stream;
	const struct profile *p;
	bool found = false;
	uint8_t b[128];

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_exec(&stream, 7, "/no/such/prog", "prog");
	put(&stream, b,
		record_put_unsampled(b, sizeof(b), stream.now,
			&(struct record_unsampled){.cpu_ns = 12345, .path = "/no/such/prog"}));
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = analyst_profile(stream.analyst);
	for (size_t i = 0; i < profile_samples(p); i++) {
		struct sample s = profile_sample(p, i);
		struct location l = profile_location(p, s.location[0]);

		if (l.lines &&
			strcmp(profile_function(p, l.line[0].function).name, PROFILE_UNSAMPLED) ==
				0) {
			found = true;
			assert_int_equal(s.value[VALUE_SAMPLES], 0);
			assert_int_equal(s.value[VALUE_CPU_NS], 12345);
			assert_string_equal(profile_mapping(p, l.mapping).file, "/no/such/prog");
		}
	}
	assert_true(found);
	assert_int_equal(figure(&stream, "unresolved_samples"), 0);
	analyst_free(stream.analyst);
}

static void test_analyst__an_early_end_is_noted(void **state)
{
	struct stream stream;
	const struct profile *p;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_exec(&stream, 7, "/no/such/prog", "prog");
	put_sample(&stream, 7, 7, 0x10, 1000);
	put_text(&stream, RECORD_AUDIT, "stops 1\n");
	assert_int_equal(stream.last, 0);
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = analyst_profile(stream.analyst);
	assert_int_equal(profile_notes(p), 1);
	assert_non_null(strstr(profile_note(p, 0), "ended early"));
	assert_int_equal(figure(&stream, "stops"), 1);
	analyst_free(stream.analyst);
}

static void test_analyst__broken_records_are_counted(void **state)
{
	struct stream stream;
	uint8_t b[64] = {0};

	(void)state;
	begin(&stream);
	put_start(&stream);
	assert_int_equal(analyst_record(stream.analyst, b, 64), -EPROTO);
	assert_int_equal(analyst_record(stream.analyst, b, 3), -EPROTO);
	put_text(&stream, RECORD_END, "not a line\n");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(figure(&stream, "bad_records"), 2);
	assert_false(analyst_has_image(stream.analyst));
	analyst_free(stream.analyst);
}

static void put_wall_start(struct stream *stream, uint16_t flags)
{
	uint8_t b[256];
	const struct record_start start = {.flags = flags, .period_ns = 4000000, .command = ""};

	put(stream, b, record_put_start(b, sizeof(b), stream->now, &start));
}

/* @cpu_ns 0: it was seen blocked at @pc; @pc 0: again. */
static void put_wall(struct stream *stream, uint32_t tid, uint64_t pc, uint64_t cpu_ns,
	uint64_t queue_ns, uint64_t blocked_ns)
{
	uint8_t b[256];
	const struct record_sample sample = {.pid = 7,
		.tid = tid,
		.pc = pc,
		.weight_ns = cpu_ns,
		.queue_ns = queue_ns,
		.blocked_ns = blocked_ns,
		.syscall = pc ? 0 : -1,
		.machine = 62,
		.flags = (uint16_t)(cpu_ns ? 0
				: pc       ? RECORD_SAMPLE_BLOCKED
					   : RECORD_SAMPLE_BLOCKED | RECORD_SAMPLE_AGAIN)};

	put(stream, b, record_put_sample(b, sizeof(b), stream->now, &sample));
}

static int64_t sum_of(struct stream *stream, uint32_t tid, const char *type)
{
	const struct profile *p = analyst_profile(stream->analyst);
	size_t index = profile_find_value_type(p, type);
	int64_t sum = 0;

	assert_true(index < profile_value_types(p));
	for (size_t i = 0; i < profile_samples(p); i++) {
		struct sample s = profile_sample(p, i);

		if (profile_task(p, s.task).tid == tid)
			sum += s.value[index];
	}
	return sum;
}

static void test_analyst__waiting_time_goes_where_it_was_seen(void **state)
{
	struct stream stream;
	const struct profile *p;
	struct sample blocked;

	(void)state;
	begin(&stream);
	put_wall_start(&stream, RECORD_START_WALL);
	put_process(&stream, 7, 1, 0);
	put_exec(&stream, 7, "/no/such/prog", "prog");
	put_maps(&stream, 7, 0, maps_of_prog, true);
	put_wall(&stream, 7, 0x10000010, 0, 1000, 30000000);
	put_wall(&stream, 8, 0x10000020, 0, 0, 50);
	put_wall(&stream, 7, 0, 0, 0, 20000000);
	put_wall(&stream, 7, 0x10000030, 4000000, 7000, 0);
	put_wall(&stream, 7, 0, 0, 0, 5);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = analyst_profile(stream.analyst);
	/* Two places where they waited, one where one ran. */
	assert_int_equal(profile_samples(p), 3);
	assert_int_equal(sum_of(&stream, 7, "blocked"), 50000005);
	assert_int_equal(sum_of(&stream, 7, "runqueue"), 8000);
	assert_int_equal(sum_of(&stream, 7, "cpu"), 4000000);
	assert_int_equal(sum_of(&stream, 7, "wall"), 54008005);
	assert_int_equal(sum_of(&stream, 7, "guessed"), 0);
	assert_int_equal(sum_of(&stream, 8, "wall"), 50);
	/* Ticks are of CPU time. */
	assert_int_equal(sum_of(&stream, 7, "samples"), 1);
	assert_int_equal(figure(&stream, "samples"), 1);
	assert_true(profile_default_value(p) == SIZE_MAX);
	blocked = profile_sample(p, 0);
	assert_int_equal(blocked.n, 2);
	assert_string_equal(
		profile_mapping(p, profile_location(p, blocked.location[0]).mapping).file,
		"[kernel]");
	analyst_free(stream.analyst);
}

static void test_analyst__ticks_of_the_wall_clock_are_its_periods(void **state)
{
	struct stream stream;
	const struct profile *p;

	(void)state;
	begin(&stream);
	put_wall_start(&stream, RECORD_START_WALL | RECORD_START_WALL_FIRST);
	put_process(&stream, 7, 1, 0);
	put_exec(&stream, 7, "/no/such/prog", "prog");
	put_maps(&stream, 7, 0, maps_of_prog, true);
	put_wall(&stream, 7, 0x10000010, 0, 1000000, 5000000); /* 1.5 periods */
	put_wall(&stream, 7, 0, 0, 0, 1000000);                /* 1.75 */
	put_wall(&stream, 7, 0, 0, 0, 1000000);                /* 2 */
	put_wall(&stream, 8, 0x10000010, 0, 0, 3999999);
	put_wall(&stream, 7, 0x10000030, 4000000, 0, 0);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = analyst_profile(stream.analyst);
	assert_int_equal(sum_of(&stream, 7, "samples"), 3);
	assert_int_equal(sum_of(&stream, 8, "samples"), 0);
	assert_int_equal(figure(&stream, "samples"), 3);
	assert_string_equal(profile_value_type(p, profile_default_value(p)).type, "wall");
	analyst_free(stream.analyst);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_analyst__samples_become_stacks_with_weights),
		cmocka_unit_test(test_analyst__a_fork_has_its_parents_maps_and_exec_its_own),
		cmocka_unit_test(test_analyst__maps_come_in_pieces),
		cmocka_unit_test(test_analyst__unsampled_time_is_a_row_of_its_executable),
		cmocka_unit_test(test_analyst__an_early_end_is_noted),
		cmocka_unit_test(test_analyst__broken_records_are_counted),
		cmocka_unit_test(test_analyst__waiting_time_goes_where_it_was_seen),
		cmocka_unit_test(test_analyst__ticks_of_the_wall_clock_are_its_periods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
