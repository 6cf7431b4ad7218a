/* SPDX-License-Identifier: MIT */
/* The engine with an analyst: launch, attach, sums, choice of threads, bounds, --dump. */
#include "tests/kernel/working.h"

#include <regex.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/choice_rule.h"
#include "proto/request.h"
#include "supervisor/calls/histogram.h"

static void command_ended(struct kernel *k, const struct engine_result *result)
{
	sums_are_whole(k, result);
	if (!result->command_ended || WEXITSTATUS(result->command_status) != 5)
		kernel_fail(k, "status 0x%x", (unsigned)result->command_status);
}

static void command_is_profiled(void **state)
{
	struct scene scene = profiling(nobody);

	(void)state;
	scene.check = command_ended;
	scene.options.max_stack = 8192;
	some(__func__, &scene);
	scene.options.wall = true;
	scene.options.per_process = true;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "an instant every"));
}

static void nothing_ran(struct kernel *k, const struct engine_result *result)
{
	if (result->exec_error != ENOENT || k->records.n[RECORD_SAMPLE])
		kernel_fail(k, "exec error %d", result->exec_error);
}

static void command_is_missing(void **state)
{
	struct scene scene = profiling(nobody);

	(void)state;
	scene.command = missing;
	scene.check = nothing_ran;
	some(__func__, &scene);
}

static void attached_is_profiled(void **state)
{
	struct scene scene = profiling(worker);

	(void)state;
	scene.options.max_stack = 4096;
	some(__func__, &scene);
	scene.options.wall = scene.options.wall_first = true;
	once(__func__, &scene);
}

/* Makes a kernel without schedstat and /proc/PID/syscall: the engine says so, and profiles. */
static void old_kernel(struct kernel *k)
{
	worker(k);
	k->no_schedstat = k->no_syscall_file = true;
}

static void kernel_without_schedstat(void **state)
{
	struct scene scene = profiling(old_kernel);

	(void)state;
	scene.options.wall = true;
	scene.check = ends_well;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "no /proc/PID/schedstat"));
}

static void stamped_kernel(struct kernel *k)
{
	worker(k);
	k->has_sched = true;
}

static void kernel_with_time_stamps(void **state)
{
	struct scene scene = profiling(stamped_kernel);

	(void)state;
	scene.check = ends_well;
	some(__func__, &scene);
}

/* If the analyst dies, another one is started, and the time without one is reported. */
static void dying(struct kernel *k)
{
	long_worker(k);
	/*
	 * The first analyst dies after 1000 samples, which take a second. By then, the CPU time of
	 * that second has been sent to it.
	 */
	k->analyst_dies_after = 1000;
}

static void restarted(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (k->analysts != 2 || k->records.unsampled_ns < 10 * (uint64_t)MS)
		kernel_fail(k, "%zu analysts, %lu times %llu ns unsampled", k->analysts,
			k->records.n[RECORD_UNSAMPLED],
			(unsigned long long)k->records.unsampled_ns);
}

static void analyst_killed(void **state)
{
	struct scene scene = profiling(dying);

	(void)state;
	scene.check = restarted;
	scene.options.wall = true;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "was killed by signal 11"));
}

static void without_analyst(struct kernel *k)
{
	worker(k);
	k->analyst_fails = true;
	k->asking = must_have_analyst;
}

/* If a start fails, it is tried again after 1, 4, 16, 64 and 256 s. */
static const struct step sleeps_long[] = {RUN(MS), SLEEP(1000 * MS), AGAIN(2, 400), EXIT(0)};

static void without_analyst_for_long(struct kernel *k)
{
	without_analyst(k);
	(void)kernel_add_process(k, 110, 1, "/bin/sleeps", sleeps_long);
}

static void was_tried(struct kernel *k, const struct engine_result *result)
{
	if (result->error || k->analyst_starts != 6)
		kernel_fail(k, "error %d, %u starts", result->error, k->analyst_starts);
}

static void start_is_tried_again(void **state)
{
	static const int pids[] = {110};
	struct scene scene = profiling(without_analyst_for_long);

	(void)state;
	scene.pids = pids;
	scene.pids_n = 1;
	scene.options.duration_ns = 350000 * (uint64_t)MS;
	scene.check = was_tried;
	once(__func__, &scene);
	assert_int_equal(scene_says(&scene, "cannot start the analyst"), 2);
	assert_int_equal(scene_says(&scene, "until a later try succeeds"), 1);
	assert_int_equal(scene_says(&scene, "there will be no profile"), 1);
}

/* The fresh analyst cannot be started at first: the CPU time until then is not sampled. */
static void dying_and_failing(struct kernel *k)
{
	long_worker(k);
	k->analyst_dies_after = 400;
	k->failing_from = 2;
	k->failing_starts = 1;
	k->asking = must_have_analyst;
}

static void replaced_later(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (k->analysts != 2 || k->analyst_starts != 3 || !k->analyst[1].samples)
		kernel_fail(k, "%zu analysts, %u starts", k->analysts, k->analyst_starts);
}

static void fresh_analyst_fails_to_start(void **state)
{
	struct scene scene = profiling(dying_and_failing);

	(void)state;
	scene.options.duration_ns = 2500 * (uint64_t)MS;
	scene.check = replaced_later;
	once(__func__, &scene);
	assert_int_equal(scene_says(&scene, "cannot start the analyst"), 1);
}

static void hanging(struct kernel *k)
{
	long_worker(k);
	k->analyst_hangs = true;
}

static void analyst_does_nothing(void **state)
{
	struct scene scene = profiling(without_analyst);

	(void)state;
	scene.check = NULL;
	once(__func__, &scene);
	assert_int_equal(scene_says(&scene, "cannot start the analyst"), 2);
	assert_int_equal(scene_says(&scene, "there will be no profile"), 1);
	scene = profiling(hanging);
	scene.check = NULL;
	scene.options.ring_bytes = 1 << 16;
	scene.options.max_stack = 8192;
	scene.options.wall = true;
	once(__func__, &scene);
}

/* The thread gets a name that --thread-name chooses, while it is profiled. */
static void renames(struct kernel *k, struct task *t)
{
	(void)k;
	(void)snprintf(t->name, sizeof(t->name), "worker");
}

static const struct step is_worker[] = {
	RUN(3 * MS), DO(renames), RUN(10 * MS), SLEEP(2 * MS), EXEC("/bin/other", works_for_long)};

static void named(struct kernel *k)
{
	struct task *t = kernel_add_process(k, 100, 1, "/bin/works", works_for_long);

	(void)kernel_add_thread(k, t, 101, works_for_long);
	(void)kernel_add_process(k, 110, 1, "/bin/renamed", is_worker);
	k->cpus = 2;
}

static void threads_are_chosen(void **state)
{
	static const int tids[] = {101}, pids[] = {100, 110, 100};
	struct choice_rule rule = {.tid = tids, .tids = 1};
	struct scene scene = profiling(named);
	regex_t name;

	(void)state;
	assert_int_equal(regcomp(&name, "^worker$", REG_EXTENDED), 0);
	rule.name = &name;
	scene.pids = pids;
	scene.pids_n = 3;
	scene.options.choice = &rule;
	scene.options.wall = true;
	scene.options.duration_ns = 100 * (uint64_t)MS;
	scene.check = ends_well;
	once(__func__, &scene);
	regfree(&name);
	assert_int_equal(regcomp(&name, "^nobody$", REG_EXTENDED), 0);
	rule.tids = 0;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "no thread was chosen"));
	regfree(&name);
}

/* --dump: one stack of each thread that sleeps, runs, or is stopped. */
static const struct blocking delicate = {.number = SYS_epoll_wait,
	.argument = {4, 0, 8, 500},
	.wait = WAIT_MS,
	.wait_argument = 3,
	.most_ns = 500 * MS,
	.interrupted = -EINTR,
	.lenient = true};
static const struct blocking simple = {
	.number = SYS_futex, .argument = {KERNEL_DATA}, .interrupted = -512, .lenient = true};
static const struct step waits[] = {CALL(&delicate), END};
static const struct step waits_simply[] = {CALL(&simple), END};
static const struct step dumped_main[] = {
	CLONE(waits), CLONE(waits_simply), CLONE(works_for_long), RUN(50 * MS), END};

static void dumped(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/dumped", dumped_main);
	while (kernel_enabled(k))
		kernel_step(k, 0);
}

static void all_dumped(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (k->records.n[RECORD_SAMPLE] != 4)
		kernel_fail(k, "%lu stacks", k->records.n[RECORD_SAMPLE]);
}

static unsigned examined;

static void examine(void *context, int pid, int tid, const struct arch_snapshot *snapshot,
	const struct stack_copy *stack, bool stopped)
{
	(void)context;
	(void)pid;
	(void)tid;
	(void)snapshot;
	(void)stack;
	examined += stopped;
}

static void dump_is_one_stop_each(void **state)
{
	struct scene scene = profiling(dumped);

	(void)state;
	scene.options.dump = true;
	scene.options.max_stack = 4096;
	scene.options.examine = examine;
	scene.check = all_dumped;
	some(__func__, &scene);
	assert_true(examined > 0);
}

/* Asks for memory of the process, and checks the answer. */
static void ask(struct kernel *k, const struct record *r, bool now)
{
	uint8_t bytes[REQUEST_BYTES];

	if (r->header.type == RECORD_MEMORY && r->as.memory.bytes != 16)
		kernel_fail(k, "%u bytes", r->as.memory.bytes);
	if (!now)
		return;
	request_put(bytes,
		&(struct request){.type = REQUEST_MEMORY,
			.index = 100,
			.value = KERNEL_DATA | UINT64_C(16) << 48});
	if (write(k->analyst[0].request_fd, bytes, sizeof(bytes)) != sizeof(bytes))
		kernel_fail(k, "the request pipe is closed");
}

/* Asks before any thread is stopped. */
static void ask_early(struct kernel *k, const struct record *r)
{
	ask(k, r, r->header.type == RECORD_MAPS && k->records.n[RECORD_MAPS] == 1);
}

/* Asks when the analyst, which was slow, has the last stack. */
static void ask_late(struct kernel *k, const struct record *r)
{
	ask(k, r, r->header.type == RECORD_SAMPLE && k->records.n[RECORD_SAMPLE] == 4);
}

static void dumped_with_early_request(struct kernel *k)
{
	dumped(k);
	k->record = ask_early;
}

static void dumped_with_late_request(struct kernel *k)
{
	dumped(k);
	k->record = ask_late;
}

static void all_answered(struct kernel *k, const struct engine_result *result)
{
	all_dumped(k, result);
	if (k->records.n[RECORD_MEMORY] != 1)
		kernel_fail(k, "%lu answers", k->records.n[RECORD_MEMORY]);
}

/* A dump answers the analyst from the beginning to the end. */
static void dump_answers(void **state)
{
	struct scene early = profiling(dumped_with_early_request),
		     late = profiling(dumped_with_late_request);

	(void)state;
	early.options.dump = late.options.dump = true;
	early.options.max_stack = late.options.max_stack = 4096;
	early.check = late.check = all_answered;
	some("dump_answers, early", &early);
	some("dump_answers, late", &late);
}

static void dumped_stopped(struct kernel *k)
{
	struct task *t = kernel_add_process(k, 100, 1, "/bin/stopped", works_for_long);

	t->state = TASK_STOPPED;
	t->group_stopped = true;
	t->group->stop_signal = SIGSTOP;
	(void)kernel_add_thread(k, t, 101, works_for_long);
	k->task[1].state = TASK_STUCK;
}

static void one_is_left_out(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (k->records.n[RECORD_SAMPLE] != 1)
		kernel_fail(k, "%lu stacks", k->records.n[RECORD_SAMPLE]);
}

static void dump_of_stopped_and_stuck(void **state)
{
	struct scene scene = profiling(dumped_stopped);

	(void)state;
	scene.options.dump = true;
	scene.options.max_stack = 4096;
	scene.check = one_is_left_out;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "did not stop within a second"));
}

static void dumped_beside_hanging_analyst(struct kernel *k)
{
	dumped_stopped(k);
	k->analyst_hangs = true;
}

/* A dump waits only some seconds for an analyst that does not answer, and tells the user. */
static void dump_without_answer(void **state)
{
	struct scene scene = profiling(dumped_beside_hanging_analyst);

	(void)state;
	scene.options.dump = true;
	scene.options.max_stack = 4096;
	scene.check = NULL;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "did not read all records within 20 seconds"));
	assert_true(scene_said(&scene, "did not stop within a second"));
}

/* Ends the second thread when the dump, which has asked it already, asks the third one. */
static void end_second(struct kernel *k, struct task *t)
{
	struct task *second = kernel_find(k, 101);

	if (t->tid == 102 && second && second->state != TASK_ZOMBIE)
		kernel_end_task(k, second, 0);
}

/* Notes whose stack was taken: bit 0 for thread 100, and so on. */
static void note_stack(struct kernel *k, const struct record *r)
{
	size_t bit = r->header.type == RECORD_SAMPLE ? (size_t)1 << (r->as.sample.tid - 100) : 0;

	if (k->scratch & bit)
		kernel_fail(k, "two stacks of thread %u", r->as.sample.tid);
	k->scratch |= bit;
}

static void dumped_in_a_row(struct kernel *k)
{
	struct task *t = kernel_add_process(k, 100, 1, "/bin/row", works_for_long);

	for (int tid = 101; tid < 106; tid++)
		(void)kernel_add_thread(k, t, tid, works_for_long);
	k->asking = end_second;
	k->record = note_stack;
}

static void all_in_a_row(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if ((k->scratch | 2) != 0x3f)
		kernel_fail(k, "stacks 0x%zx", k->scratch);
}

/* The last thread of the table moves into the slot of one that has ended, and is still visited. */
static void dump_visits_whom_a_death_moves(void **state)
{
	struct scene scene = profiling(dumped_in_a_row);

	(void)state;
	scene.options.dump = true;
	scene.options.max_stack = 4096;
	scene.check = all_in_a_row;
	some(__func__, &scene);
}

static const struct step ends_soon[] = {RUN(100 * MS), EXIT(0)};

static void dumped_with_stuck(struct kernel *k)
{
	struct task *t = kernel_add_process(k, 100, 1, "/bin/stuck", works_for_long);

	(void)kernel_add_thread(k, t, 101, ends_soon);
	kernel_add_thread(k, t, 102, works_for_long)->state = TASK_STUCK;
	kernel_add_thread(k, t, 103, works_for_long)->state = TASK_STUCK;
}

/* Each thread that does not stop is named, also if another one ends while it is awaited. */
static void dump_names_all_who_do_not_stop(void **state)
{
	struct scene scene = profiling(dumped_with_stuck);

	(void)state;
	scene.options.dump = true;
	scene.options.max_stack = 4096;
	scene.check = ends_well;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "thread 102 did not stop within a second"));
	assert_true(scene_said(&scene, "thread 103 did not stop within a second"));
}

/* Adds a process to which the supervisor must not attach: the run then fails, and names it. */
static void refusing(struct kernel *k)
{
	worker(k);
	(void)kernel_add_process(k, 110, 1, "/bin/refuses", works);
	kernel_group(k, 110)->refuses = true;
}

/* One process computes, and makes none; the other one is as in refusing(). */
static void refusing_another(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/works", works_for_long);
	(void)kernel_add_process(k, 110, 1, "/bin/refuses", works);
	kernel_group(k, 110)->refuses = true;
}

static void was_refused(struct kernel *k, const struct engine_result *result)
{
	if (result->error != -EPERM || result->refused_pid != 110)
		kernel_fail(k, "error %d of %d", result->error, result->refused_pid);
}

static void nobody_there(struct kernel *k, const struct engine_result *result)
{
	if (result->error != -ESRCH || result->refused_pid != 120)
		kernel_fail(k, "error %d of %d", result->error, result->refused_pid);
}

static void one_is_profiled(struct kernel *k, const struct engine_result *result)
{
	unsigned long processes = scene_figure(k, "processes");

	if (result->error || processes != 1)
		kernel_fail(k, "error %d, %lu processes", result->error, processes);
}

static void attach_refused(void **state)
{
	static const int pids[] = {100, 110}, none[] = {120};
	struct scene scene = profiling(refusing);

	(void)state;
	scene.pids = pids;
	scene.pids_n = 2;
	scene.check = was_refused;
	some(__func__, &scene);
	scene.build = refusing_another;
	scene.pids_found = 1;
	scene.check = one_is_profiled;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "process 110 refuses to be traced, and is left out"));
	scene.build = refusing;
	scene.pids_found = 0;
	scene.pids = none;
	scene.pids_n = 1;
	scene.check = nobody_there;
	once(__func__, &scene);
}

static void counted(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
}

static void regions_bounds_and_delay(void **state)
{
	struct histogram histogram = {0};
	struct scene scene = profiling(long_worker);

	(void)state;
	assert_int_equal(histogram_add(&histogram, "abs:0x400000-0x402000:0x10000"), 0);
	assert_int_equal(histogram_begin(&histogram), 0);
	scene.options.histogram = &histogram;
	scene.options.max_cost_ppm = 1000;
	scene.options.max_cpu_ppm = 1000;
	scene.options.max_cpu_period_ns = 2000000;
	scene.options.delay_ns = 30 * (uint64_t)MS;
	scene.options.duration_ns = 800 * (uint64_t)MS;
	scene.check = counted;
	once(__func__, &scene);
	histogram_release(&histogram);
	scene.options.histogram = NULL;
	scene.options.delay_ns = 5000 * (uint64_t)MS;
	scene.options.duration_ns = 1;
	once(__func__, &scene);
}

static const struct step sleeps_a_little[] = {RUN(MS), SLEEP(2 * MS), AGAIN(2, 20), EXIT(0)};
static const struct step makes_many[] = {
	CLONE(sleeps_a_little), AGAIN(1, 20), RUN(60 * MS), EXIT(0)};

static void crowd(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/many", makes_many);
	k->files_most = 24;
	k->file_limit = 1000 + 32 + 16;
}

static void few_descriptors(void **state)
{
	struct scene scene = profiling(crowd);

	(void)state;
	scene.check = counted;
	scene.options.wall = true;
	once(__func__, &scene);
}

/* The second CPU comes and goes; the thread that is cloned runs there. */
static void second_cpu_comes(struct kernel *k, struct task *t)
{
	(void)t;
	k->cpus = 2;
}

static void second_cpu_goes(struct kernel *k, struct task *t)
{
	(void)t;
	k->cpus = 1;
}

static const struct step on_second[] = {RUN(9000 * MS), EXIT(0)};
static const struct step with_second[] = {RUN(200 * MS), DO(second_cpu_comes), CLONE(on_second),
	SLEEP(1900 * MS), DO(second_cpu_goes), RUN(1200 * MS), DO(second_cpu_comes), RUN(1200 * MS),
	EXIT_GROUP(0)};

static void count_second(struct kernel *k, const struct record *r)
{
	const struct task *t =
		r->header.type == RECORD_SAMPLE ? kernel_find(k, (int)r->as.sample.tid) : NULL;

	k->scratch += t && t->cpu == 1;
}

static void with_second_cpu(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/cpus", with_second);
	k->record = count_second;
}

static void second_is_sampled(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (!k->scratch)
		kernel_fail(k, "nothing is sampled on the second CPU");
}

static void cpus_come_and_go(void **state)
{
	struct scene scene = profiling(with_second_cpu);

	(void)state;
	scene.options.duration_ns = 6000 * (uint64_t)MS;
	scene.check = second_is_sampled;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "CPU 1 is new, and sampled from now on"));
	assert_true(scene_said(&scene, "CPU 1 is gone (offline, or not in the cpuset any more)"));
	assert_true(scene_said(&scene, "CPU 1 is back"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_is_profiled),
		cmocka_unit_test(command_is_missing),
		cmocka_unit_test(attached_is_profiled),
		cmocka_unit_test(kernel_without_schedstat),
		cmocka_unit_test(kernel_with_time_stamps),
		cmocka_unit_test(analyst_killed),
		cmocka_unit_test(start_is_tried_again),
		cmocka_unit_test(fresh_analyst_fails_to_start),
		cmocka_unit_test(analyst_does_nothing),
		cmocka_unit_test(threads_are_chosen),
		cmocka_unit_test(dump_is_one_stop_each),
		cmocka_unit_test(dump_answers),
		cmocka_unit_test(dump_of_stopped_and_stuck),
		cmocka_unit_test(dump_without_answer),
		cmocka_unit_test(dump_visits_whom_a_death_moves),
		cmocka_unit_test(dump_names_all_who_do_not_stop),
		cmocka_unit_test(attach_refused),
		cmocka_unit_test(regions_bounds_and_delay),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(cpus_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
