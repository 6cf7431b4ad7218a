/* SPDX-License-Identifier: MIT */
/* Records written by hand, and the profile that the analyst must make of them. */
#include "analyst/analyst.h"
#include "analyst/titles.h"
#include "tests/unit/stream_fixture.h"

static void test_analyst__samples_become_stacks_with_weights(void **state)
{
	struct stream stream;
	struct profile *p;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_sample(&stream, 7, 7, 0x10000010, 4000000);
	put_sample(&stream, 7, 7, 0x10000010, 5000000);
	put_sample(&stream, 7, 8, 0x10000010, 1000000);
	put_sample(&stream, 7, 7, 0xdead0000, 3000000);
	put_text(&stream, RECORD_END, "stops 4\nwall_ns 600000000\nkernel_cpu_ns 13000000\n");
	assert_int_equal(stream.last, 1);
	assert_true(analyst_has_image(stream.analyst));
	assert_int_equal(stream.analyst->first_pid, 7);
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = stream.analyst->profile;
	/* One stack of each of two threads at one location, and one of an unknown thread. */
	assert_int_equal(profile_samples(p), 3);
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

enum { CLONE = 56, GETPPID = 110, CLONE3 = 435 };

static void put_in_call(struct stream *stream, uint32_t tid, int32_t syscall, uint64_t result)
{
	static const uint8_t zeros[64];
	uint8_t b[512];
	struct record_sample sample = {.pid = 7,
		.tid = tid,
		.pc = 0x10000010,
		.sp = 0x7000,
		.weight_ns = 1000000,
		.syscall = syscall,
		.machine = 62,
		.registers = 17,
		.stack_base = 0x7000,
		.stack = zeros,
		.stack_bytes = sizeof(zeros)};

	sample.reg[0] = result;
	sample.reg[7] = sample.sp;
	sample.reg[16] = sample.pc;
	put(stream, b, record_put_sample(b, sizeof(b), stream->now, &sample));
}

/* The stack of a thread that has not returned from the clone() that made it is complete. */
static void test_analyst__a_newborn_has_no_caller(void **state)
{
	struct stream stream;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_in_call(&stream, 8, CLONE, 0);
	put_in_call(&stream, 8, CLONE3, 0);
	put_text(&stream, RECORD_END, "stops 2\n");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(figure(&stream, "incomplete_stacks"), 0);
	assert_int_equal(figure(&stream, "guessed_frames"), 0);
	analyst_free(stream.analyst);

	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_in_call(&stream, 8, CLONE3, 8); /* the parent: clone3() returns a pid */
	put_in_call(&stream, 8, GETPPID, 0);
	put_text(&stream, RECORD_END, "stops 2\n");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(figure(&stream, "incomplete_stacks"), 2);
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
	put_image(&stream, 7, "/no/such/prog", "prog");
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
	/* The first process's image is the main program, whose mapping comes first in the file. */
	assert_int_equal(pprof_write(stream.analyst->profile, &data, &bytes), 0);
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
	/* The first 40 bytes of these maps are missing: the previous maps stay. */
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
	p = stream.analyst->profile;
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
	p = stream.analyst->profile;
	assert_int_equal(profile_notes(p), 1);
	assert_non_null(strstr(profile_note(p, 0), "ended early"));
	assert_int_equal(figure(&stream, "stops"), 1);
	analyst_free(stream.analyst);
}

static void test_analyst__samples_after_the_last_report_stand_for_their_weights(void **state)
{
	struct stream stream;
	const struct profile *p;
	int64_t cpu_ns = 0;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_exec(&stream, 7, "/no/such/prog", "prog");
	put_sample(&stream, 7, 7, 0x10, 1000);
	put_cpu(&stream, 7, 7, 1200, false);
	for (unsigned i = 0; i < 9; i++)
		put_sample(&stream, 7, 7, 0x10, 1000);
	assert_int_equal(stream.last, 0);
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = stream.analyst->profile;
	for (size_t i = 0; i < profile_samples(p); i++)
		cpu_ns += profile_sample(p, i).value[VALUE_CPU_NS];
	assert_int_equal(cpu_ns, 1200 + 9 * 1000);
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
	/* Lines after one that makes no sense are read. */
	put_text(&stream, RECORD_END,
		"not a line\nstops 4\n\nlooks\n5 6 7\nlost_looks 3 \nkey_without_value \n"
		"a_key_that_is_longer_than_any_of_the_figures_which_are_in_a_profile 1\n"
		"wall_ns 600\ninstants 9");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(figure(&stream, "bad_records"), 2 + 7);
	assert_int_equal(figure(&stream, "stops"), 4);
	assert_int_equal(figure(&stream, "wall_ns"), 600);
	assert_int_equal(figure(&stream, "instants"), 9);
	assert_false(analyst_has_image(stream.analyst));
	analyst_free(stream.analyst);
}

static void test_analyst__a_threads_last_report_ends_its_entry(void **state)
{
	enum { ENDED = 600 };
	struct stream stream;
	const struct image_space *image;
	const struct profile *p;
	uint64_t cpu;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	image = spaces_get(&stream.analyst->spaces, 7);
	put_thread(&stream, 7, 1000, "lasting");
	put_in_call(&stream, 1000, GETPPID, 0);
	for (uint32_t i = 0; i < ENDED; i++) {
		uint32_t tid = i % 2 ? 1000 + i : 1000 - i - 1;

		put_thread(&stream, 7, tid, "short");
		put_in_call(&stream, tid, GETPPID, 0);
		put_in_call(&stream, 1000, GETPPID, 0);
		assert_int_equal(image->threads, 2);
		put_cpu(&stream, 7, tid, 3000000, true);
		assert_int_equal(image->threads, 1);
	}
	put_cpu(&stream, 7, 1000, 5000000, true);
	put_cpu(&stream, 7, 1000, 0, true); /* a thread without an entry */
	assert_int_equal(image->threads, 0);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = stream.analyst->profile;
	assert_int_equal(profile_tasks(p), 1 + ENDED);
	for (size_t i = 0; i < profile_tasks(p); i++) {
		bool lasting = profile_task(p, i).tid == 1000;

		assert_string_equal(profile_task(p, i).thread, lasting ? "lasting" : "short");
		assert_true(profile_task_cpu(p, i, &cpu));
		assert_int_equal(cpu, lasting ? 5000000 : 3000000);
	}
	analyst_free(stream.analyst);
}

static void test_analyst__threads_come_in_any_order(void **state)
{
	static const uint32_t tids[] = {40, 10, 30, 50, 20};
	struct stream stream;
	struct image_space *image;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	image = spaces_get(&stream.analyst->spaces, 7);
	for (unsigned i = 0; i < 10; i++)
		put_in_call(&stream, tids[i % 5], GETPPID, 0);
	assert_int_equal(image->threads, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(spaces_find_thread(image, tids[i])->tid, tids[i]);
	put_cpu(&stream, 7, 30, 0, true);
	assert_null(spaces_known_thread(&stream.analyst->spaces, 7, 30));
	assert_non_null(spaces_known_thread(&stream.analyst->spaces, 7, 50));
	put_exec(&stream, 7, "/no/such/other", "other");
	assert_int_equal(image->threads, 0);
	analyst_free(stream.analyst);
}

/* The name is sent again when the thread is profiled again. */
static void test_analyst__after_a_pause_a_thread_has_its_task_again(void **state)
{
	struct stream stream;
	const struct profile *p;
	uint64_t cpu;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_thread(&stream, 7, 8, "worker");
	put_sample(&stream, 7, 8, 0x10000010, 3000000);
	put_cpu(&stream, 7, 8, 3000000, true);
	put_thread(&stream, 7, 8, "worker");
	put_sample(&stream, 7, 8, 0x10000010, 4000000);
	put_cpu(&stream, 7, 8, 4000000, false);
	put_cpu(&stream, 7, 8, 1000000, true);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = stream.analyst->profile;
	assert_int_equal(profile_tasks(p), 1);
	assert_string_equal(profile_task(p, 0).thread, "worker");
	assert_true(profile_task_cpu(p, 0, &cpu));
	assert_int_equal(cpu, 8000000);
	analyst_free(stream.analyst);
}

static void put_wall_start(struct stream *stream, uint16_t flags)
{
	uint8_t b[256];
	const struct record_start start = {.flags = flags, .period_ns = 4000000, .command = ""};

	put(stream, b, record_put_start(b, sizeof(b), stream->now, &start));
}

/* @cpu_ns 0: the thread was blocked at @pc; @pc 0: where it was blocked before. */
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
	const struct profile *p = stream->analyst->profile;
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
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_wall(&stream, 7, 0x10000010, 0, 1000, 30000000);
	put_wall(&stream, 8, 0x10000020, 0, 0, 50);
	put_wall(&stream, 7, 0, 0, 0, 20000000);
	put_wall(&stream, 7, 0x10000030, 4000000, 7000, 0);
	put_wall(&stream, 7, 0, 0, 0, 5);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = stream.analyst->profile;
	assert_int_equal(profile_samples(p), 3);
	assert_int_equal(sum_of(&stream, 7, "blocked"), 50000005);
	assert_int_equal(sum_of(&stream, 7, "runqueue"), 8000);
	assert_int_equal(sum_of(&stream, 7, "cpu"), 4000000);
	assert_int_equal(sum_of(&stream, 7, "wall"), 54008005);
	assert_int_equal(sum_of(&stream, 7, "guessed"), 0);
	assert_int_equal(sum_of(&stream, 8, "wall"), 50);
	/* Only samples of CPU time are counted. */
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
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_wall(&stream, 7, 0x10000010, 0, 1000000, 5000000); /* 1.5 periods */
	put_wall(&stream, 7, 0, 0, 0, 1000000);                /* 1.75 periods */
	put_wall(&stream, 7, 0, 0, 0, 1000000);                /* 2 periods */
	put_wall(&stream, 8, 0x10000010, 0, 0, 3999999);
	put_wall(&stream, 7, 0x10000030, 4000000, 0, 0);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = stream.analyst->profile;
	assert_int_equal(sum_of(&stream, 7, "samples"), 3);
	assert_int_equal(sum_of(&stream, 8, "samples"), 0);
	assert_int_equal(figure(&stream, "samples"), 3);
	assert_string_equal(profile_value_type(p, profile_default_value(p)).type, "wall");
	analyst_free(stream.analyst);
}

static void test_analyst__titles_are_what_a_process_says_of_itself(void **state)
{
	static const struct {
		const char *argument, *title;
	} cases[] = {
		{"nginx: worker process", "nginx: worker process"},
		{"postgres: checkpointer   ", "postgres: checkpointer"},
		{"redis-server *:6379", "redis-server *:6379"},
		{"sshd: user@pts/0", "sshd: user@pts/0"},
		{"./my program", NULL},
		{"/opt/chrome/chrome --type=renderer", NULL},
		{"sleep", NULL},
		{"sleep   ", NULL},
		{" x", NULL},
		{"", NULL},
	};
	char title[TITLE_BYTES], longer[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(title_parse(cases[i].argument, title), cases[i].title != NULL);
		if (cases[i].title)
			assert_string_equal(title, cases[i].title);
	}
	/* The cut is before a character that does not fit. */
	(void)snprintf(longer, sizeof(longer), "a %0*d\xc3\xa4\xc3\xa4", TITLE_BYTES - 4, 0);
	assert_true(title_parse(longer, title));
	assert_int_equal(strlen(title), TITLE_BYTES - 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_analyst__samples_become_stacks_with_weights),
		cmocka_unit_test(test_analyst__a_newborn_has_no_caller),
		cmocka_unit_test(test_analyst__a_fork_has_its_parents_maps_and_exec_its_own),
		cmocka_unit_test(test_analyst__maps_come_in_pieces),
		cmocka_unit_test(test_analyst__unsampled_time_is_a_row_of_its_executable),
		cmocka_unit_test(test_analyst__an_early_end_is_noted),
		cmocka_unit_test(
			test_analyst__samples_after_the_last_report_stand_for_their_weights),
		cmocka_unit_test(test_analyst__broken_records_are_counted),
		cmocka_unit_test(test_analyst__a_threads_last_report_ends_its_entry),
		cmocka_unit_test(test_analyst__threads_come_in_any_order),
		cmocka_unit_test(test_analyst__after_a_pause_a_thread_has_its_task_again),
		cmocka_unit_test(test_analyst__waiting_time_goes_where_it_was_seen),
		cmocka_unit_test(test_analyst__ticks_of_the_wall_clock_are_its_periods),
		cmocka_unit_test(test_analyst__titles_are_what_a_process_says_of_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
