/* SPDX-License-Identifier: MIT */
/* The CPU times of threads are distributed over their samples in proportion to weights. */
#include "tests/unit/stream_fixture.h"

#include <fcntl.h>
#include <unistd.h>

#include "analyst/input.h"
#include "analyst/processes.h"

enum { MS = 1000000 };

static void put_samples(struct stream *stream, uint32_t pid, uint32_t tid, uint64_t pc, unsigned n)
{
	while (n--)
		put_sample(stream, pid, tid, pc, 4 * MS);
}

/* CPU time of a thread's samples at @pc; [unsampled] rows have pc 0. */
static int64_t cpu_at(const struct profile *p, const char *thread, uint64_t pc)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile_samples(p); i++) {
		struct sample s = profile_sample(p, i);

		if (strcmp(profile_task(p, s.task).thread, thread) == 0 &&
			(profile_location(p, s.location[0]).address & 0xff) == pc)
			sum += s.value[VALUE_CPU_NS];
	}
	return sum;
}

static void test_times__a_renamed_thread_is_one_account(void **state)
{
	struct stream stream;
	const struct profile *p;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_thread(&stream, 7, 8, "early");
	put_samples(&stream, 7, 8, 0x10000010, 15);
	put_thread(&stream, 7, 8, "late");
	put_samples(&stream, 7, 8, 0x10000010, 15);
	put_samples(&stream, 7, 7, 0x10000020, 30);
	put_cpu(&stream, 7, 8, 100 * MS, true);
	put_cpu(&stream, 7, 7, 200 * MS + 1, true);
	put_exit(&stream, 7, 300 * MS + 1);
	put_text(&stream, RECORD_END, "kernel_cpu_ns 300000001\nfound_ns 240000000\n");
	p = stream.analyst->profile;
	/* Until CPU times are known, values are the weights. */
	assert_int_equal(cpu_at(p, "early", 0x10), 60 * MS);
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(cpu_at(p, "early", 0x10), 50 * MS);
	assert_int_equal(cpu_at(p, "late", 0x10), 50 * MS);
	assert_int_equal(cpu_at(p, "prog", 0x20), 200 * MS + 1);
	assert_int_equal(figure(&stream, "profiled_cpu_ns"), 300 * MS + 1);
	assert_int_equal(figure(&stream, "unattributed_cpu_ns"), 0);
	assert_int_equal(figure(&stream, "effective_samples"), 60);
	analyst_free(stream.analyst);
}

/* A task's CPU time as the kernel has it; -1: unknown. */
static int64_t task_cpu(const struct profile *p, const char *thread)
{
	uint64_t cpu_ns;

	for (size_t i = 0; i < profile_tasks(p); i++) {
		if (!strcmp(profile_task(p, i).thread, thread) && profile_task_cpu(p, i, &cpu_ns))
			return (int64_t)cpu_ns;
	}
	return -1;
}

/*
 * Samples of many threads share their CPU time. A task's own time is what the kernel charged to
 * that thread, also after writing and reading, merging and splitting a profile.
 */
static void test_times__each_thread_has_its_own_time(void **state)
{
	struct profile *again, *merged, *part;
	const struct profile *p;
	struct stream stream;
	const char *problem;
	uint8_t *data;
	size_t bytes;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_cpu(&stream, 7, 8, 20 * MS, false); /* before its first sample */
	put_thread(&stream, 7, 8, "first");
	put_thread(&stream, 7, 9, "second");
	put_samples(&stream, 7, 8, 0x10000010, 1);
	put_samples(&stream, 7, 9, 0x10000010, 1);
	p = stream.analyst->profile;
	assert_int_equal(task_cpu(p, "first"), 20 * MS); /* shown by a live view */
	assert_int_equal(task_cpu(p, "second"), -1);
	put_thread(&stream, 7, 9, "renamed");
	put_samples(&stream, 7, 9, 0x10000010, 1);
	put_cpu(&stream, 7, 8, 1 * MS, false);
	put_cpu(&stream, 7, 8, 49 * MS, true);
	put_cpu(&stream, 7, 9, 3 * MS, true);
	for (uint32_t tid = 20; tid < 40; tid++)
		put_cpu(&stream, 7, tid, 70 * MS, true);
	/* another thread with a used tid, without a sample */
	put_cpu(&stream, 7, 8, 5 * MS, true);
	put_exit(&stream, 7, 1478 * MS);
	put_text(&stream, RECORD_END, "kernel_cpu_ns 1478000000\n");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(cpu_at(p, "first", 0x10), 1478 * MS / 3);
	assert_int_equal(task_cpu(p, "first"), 70 * MS);
	assert_int_equal(task_cpu(p, "second"), -1);
	assert_int_equal(task_cpu(p, "renamed"), 3 * MS);

	assert_int_equal(pprof_write(p, &data, &bytes), 0);
	assert_int_equal(pprof_read(data, bytes, &again, &problem), 0);
	free(data);
	assert_int_equal(profile_tasks(again), profile_tasks(p));
	assert_int_equal(task_cpu(again, "first"), 70 * MS);
	assert_int_equal(task_cpu(again, "second"), -1);
	assert_int_equal(profile_new(&merged), 0);
	assert_int_equal(profile_merge(merged, again), 0);
	assert_int_equal(profile_merge(merged, again), 0);
	assert_int_equal(task_cpu(merged, "first"), 140 * MS);
	assert_int_equal(profile_split(merged, 7, &part), 0);
	assert_int_equal(task_cpu(part, "renamed"), 6 * MS);
	profile_free(part);
	profile_free(merged);
	profile_free(again);
	analyst_free(stream.analyst);
}

static void test_times__what_was_never_met_is_a_row_of_its_executable(void **state)
{
	struct stream stream;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_samples(&stream, 7, 7, 0x10000010, 30);
	for (uint32_t pid = 20; pid < 25; pid++) {
		put_image(&stream, pid, "/no/such/short", "short");
		put_cpu(&stream, pid, pid, 1 * MS, true);
		put_exit(&stream, pid, 1 * MS);
	}
	put_cpu(&stream, 7, 7, 100 * MS, false);
	put_text(&stream, RECORD_END, "kernel_cpu_ns 105000000\n");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(cpu_ns(&stream, 7, "/no/such/lib.so"), 100 * MS);
	assert_int_equal(cpu_ns(&stream, 0, "/no/such/short"), 5 * MS);
	assert_int_equal(figure(&stream, "profiled_cpu_ns"), 100 * MS);
	assert_int_equal(figure(&stream, "unattributed_cpu_ns"), 5 * MS);
	analyst_free(stream.analyst);
}

static void test_times__per_process_they_have_books_of_their_own(void **state)
{
	struct stream stream;
	const struct processes *all;
	struct profile *merged;
	uint64_t value;

	(void)state;
	assert_int_equal(profile_new(&merged), 0);
	begin_with(&stream, (struct analyst_options){.per_process = true});
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_image(&stream, 9, "/no/such/prog", "quick");
	put_samples(&stream, 7, 7, 0x10000010, 5);
	put_cpu(&stream, 7, 7, 30 * MS, true);
	put_exit(&stream, 7, 30 * MS);
	put_cpu(&stream, 9, 9, 1 * MS, true);
	put_cpu(&stream, 9, 10, 2 * MS, true);
	put_exit(&stream, 9, 3 * MS);
	put_text(&stream, RECORD_END, "kernel_cpu_ns 33000000\nrealtime 1\nlost_samples 0\n");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(cpu_at(stream.analyst->profile, "quick", 0), 3 * MS);
	all = &stream.analyst->processes;
	assert_int_equal(all->n, 2);
	for (size_t i = 0; i < 2; i++) {
		struct profile *one;
		const uint64_t expected[] = {i ? 0 : 30 * MS, i ? 3 * MS : 0, i ? 3 * MS : 30 * MS,
			i ? 0 : 20 * MS, 1, i ? 2 : 1};
		static const char *const keys[] = {"profiled_cpu_ns", "unattributed_cpu_ns",
			"kernel_cpu_ns", "found_ns", "realtime", "threads"};

		assert_int_equal(
			processes_profile(&all->list[i], stream.analyst->profile, &one), 0);
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			assert_true(profile_audit(one, keys[k], &value));
			assert_int_equal(value, expected[k]);
		}
		assert_int_equal(profile_merge(merged, one), 0);
		profile_free(one);
	}
	/* Also the process without a sample has its threads in the merged profile. */
	assert_true(profile_audit(merged, "threads", &value));
	assert_int_equal(value, 3);
	profile_free(merged);
	analyst_free(stream.analyst);
}

/* 30 ticks in user mode and 90 in calls of one process, 20 in user mode of another. */
static void put_calls(struct stream *stream)
{
	put_start(stream);
	put_image(stream, 7, "/no/such/prog", "prog");
	put_image(stream, 9, "/no/such/prog", "other");
	for (unsigned i = 0; i < 30; i++) {
		put_sample(stream, 7, 7, 0x10000010, 4 * MS);
		for (unsigned j = 0; j < 3; j++)
			put_sample_in(stream, 7, 7, 0x10000020, 4 * MS, 0);
	}
	put_samples(stream, 9, 9, 0x10000010, 20);
	put_cpu(stream, 7, 7, 400 * MS + 3, true);
	put_exit(stream, 7, 400 * MS + 3);
	put_cpu(stream, 9, 9, 70 * MS, true);
	put_exit(stream, 9, 70 * MS);
	put_text(stream, RECORD_END, "kernel_cpu_ns 470000003\nfound_ns 560000000\n");
	assert_int_equal(analyst_finish(stream->analyst), 0);
}

static void test_times__what_is_left_out_keeps_its_part(void **state)
{
	struct stream stream;
	const struct profile *p;

	(void)state;
	begin_with(&stream, (struct analyst_options){.user_only = true});
	put_calls(&stream);
	p = stream.analyst->profile;
	assert_int_equal(cpu_at(p, "prog", 0x10), 100 * MS);
	assert_int_equal(cpu_at(p, "prog", 0x20), 0);
	assert_int_equal(cpu_at(p, "other", 0x10), 70 * MS);
	assert_int_equal(figure(&stream, "samples"), 50);
	assert_int_equal(figure(&stream, "effective_samples"), 50);
	assert_int_equal(figure(&stream, "syscall_cpu_ns"), 300 * MS + 3);
	assert_int_equal(figure(&stream, "unattributed_cpu_ns"), 300 * MS + 3);
	assert_int_equal(figure(&stream, "profiled_cpu_ns"), 170 * MS);
	analyst_free(stream.analyst);
}

static void test_times__what_is_left_out_is_told_of_each_process(void **state)
{
	static const char *const keys[] = {"profiled_cpu_ns", "unattributed_cpu_ns",
		"syscall_cpu_ns", "kernel_cpu_ns", "found_ns", "effective_samples"};
	static const uint64_t expected[2][6] = {
		{100 * MS, 300 * MS + 3, 300 * MS + 3, 400 * MS + 3, 480 * MS, 30},
		{70 * MS, 0, 0, 70 * MS, 80 * MS, 20}};
	struct stream stream;
	const struct processes *all;
	uint64_t value;

	(void)state;
	begin_with(&stream, (struct analyst_options){.user_only = true, .per_process = true});
	put_calls(&stream);
	all = &stream.analyst->processes;
	assert_int_equal(all->n, 2);
	for (size_t i = 0; i < 2; i++) {
		struct profile *one;

		assert_int_equal(
			processes_profile(&all->list[i], stream.analyst->profile, &one), 0);
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			assert_true(profile_audit(one, keys[k], &value));
			assert_int_equal(value, expected[i][k]);
		}
		profile_free(one);
	}
	analyst_free(stream.analyst);
}

static void test_times__cut_off_the_weights_stand(void **state)
{
	struct stream stream;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_samples(&stream, 7, 7, 0x10000010, 30);
	put_samples(&stream, 7, 8, 0x10, 2);
	put_cpu(&stream, 7, 7, 100 * MS, false);
	assert_int_equal(analyst_finish(stream.analyst), 0);
	assert_int_equal(cpu_ns(&stream, 7, "/no/such/lib.so"), 100 * MS);
	assert_int_equal(figure(&stream, "profiled_cpu_ns"), 108 * MS);
	analyst_free(stream.analyst);
}

static void test_times__the_wall_clock_has_the_kernels_time_too(void **state)
{
	struct stream stream;
	uint8_t b[256];
	const struct record_start start = {
		.flags = RECORD_START_WALL, .period_ns = 4 * MS, .command = ""};
	const struct record_sample sample = {.pid = 7,
		.tid = 7,
		.pc = 0x10000010,
		.weight_ns = 4 * MS,
		.queue_ns = 1 * MS,
		.syscall = -1,
		.machine = 62};
	const struct profile *p;
	size_t wall;

	(void)state;
	begin(&stream);
	put(&stream, b, record_put_start(b, sizeof(b), stream.now, &start));
	put_image(&stream, 7, "/no/such/prog", "prog");
	put(&stream, b, record_put_sample(b, sizeof(b), stream.now, &sample));
	put_cpu(&stream, 7, 7, 9 * MS, true);
	put_text(&stream, RECORD_END, "");
	assert_int_equal(analyst_finish(stream.analyst), 0);
	p = stream.analyst->profile;
	wall = profile_find_value_type(p, "wall");
	assert_int_equal(profile_sample(p, 0).value[VALUE_CPU_NS], 9 * MS);
	assert_int_equal(profile_sample(p, 0).value[wall], 10 * MS);
	analyst_free(stream.analyst);
}

static void test_times__a_view_gets_factors_and_the_profile_stays(void **state)
{
	struct stream stream;
	const float *factor;
	size_t stacks;

	(void)state;
	begin(&stream);
	put_start(&stream);
	put_image(&stream, 7, "/no/such/prog", "prog");
	put_samples(&stream, 7, 7, 0x10000010, 30);
	put_samples(&stream, 7, 8, 0x10000020, 30);
	put_cpu(&stream, 7, 7, 60 * MS, false);
	assert_int_equal(analyst_factors(stream.analyst, &factor, &stacks), 0);
	assert_int_equal(stacks, 2);
	assert_true(factor[0] == 0.5F && factor[1] == 1);
	assert_int_equal(cpu_ns(&stream, 7, "/no/such/lib.so"), 240 * MS);
	analyst_free(stream.analyst);
}

static void feed(struct stream *stream)
{
	put_start(stream);
	put_image(stream, 7, "/no/such/prog", "prog");
	for (unsigned i = 0; i < 50; i++) {
		put_sample(stream, 7, 7 + i % 3, 0x10000010 + i % 7, 4 * MS + i);
		if (i % 10 == 9)
			put_cpu(stream, 7, 7 + i % 3, 11 * MS + i, i == 49);
	}
	put_exit(stream, 7, 0);
	put_text(stream, RECORD_END, "stops 50\nkernel_cpu_ns 55000145\n");
}

static void test_times__a_capture_gives_the_same_profile(void **state)
{
	char name[] = "/tmp/test_times_XXXXXX";
	struct stream live, replayed;
	const struct profile *p, *q;
	int fd;

	(void)state;
	begin(&live);
	live.capture = fdopen(mkstemp(name), "w");
	assert_non_null(live.capture);
	assert_int_equal(
		fwrite(CAPTURE_MAGIC, 1, CAPTURE_MAGIC_BYTES, live.capture), CAPTURE_MAGIC_BYTES);
	feed(&live);
	assert_int_equal(fclose(live.capture), 0);
	begin(&replayed);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	assert_int_equal(input_capture(replayed.analyst, fd), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(analyst_finish(live.analyst), 0);
	assert_int_equal(analyst_finish(replayed.analyst), 0);
	p = live.analyst->profile;
	q = replayed.analyst->profile;
	assert_int_equal(figure(&live, "profiled_cpu_ns"), 55 * MS + 145);
	assert_int_equal(profile_samples(p), profile_samples(q));
	for (size_t i = 0; i < profile_samples(p); i++)
		assert_memory_equal(profile_sample(p, i).value, profile_sample(q, i).value,
			profile_value_types(p) * sizeof(int64_t));
	analyst_free(live.analyst);
	analyst_free(replayed.analyst);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times__a_renamed_thread_is_one_account),
		cmocka_unit_test(test_times__each_thread_has_its_own_time),
		cmocka_unit_test(test_times__what_was_never_met_is_a_row_of_its_executable),
		cmocka_unit_test(test_times__per_process_they_have_books_of_their_own),
		cmocka_unit_test(test_times__what_is_left_out_keeps_its_part),
		cmocka_unit_test(test_times__what_is_left_out_is_told_of_each_process),
		cmocka_unit_test(test_times__cut_off_the_weights_stand),
		cmocka_unit_test(test_times__the_wall_clock_has_the_kernels_time_too),
		cmocka_unit_test(test_times__a_view_gets_factors_and_the_profile_stays),
		cmocka_unit_test(test_times__a_capture_gives_the_same_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
