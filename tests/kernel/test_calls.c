/* SPDX-License-Identifier: MIT */
/*
 * Programs that call sprofil: requests through the pipe, counters in their memory, answers. The
 * supervisor must not write to the new image after an exec, nor after "off".
 */
#include "tests/kernel/calling.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>

/* A helper of sprofil (serve_only) traces the process, and detaches when no table is left. */
static const struct step counts[] = {DO(on), RUN(24 * MS), DO(is_counted), RUN(12 * MS), DO(status),
	RUN(12 * MS), DO(off), RUN(2 * MS), DO(is_counted), RUN(10 * MS), DO(is_not_counted),
	EXIT_GROUP(0)};
static void counts_build(struct kernel *k)
{
	build(k, counts);
}

static void all_is_told(struct kernel *k, const struct engine_result *result)
{
	unsigned n = count_answers(0);

	if (result->error || n != 3)
		kernel_fail(k, "%u answers, error %d", n, result->error);
}

static void ticks_are_counted(void **state)
{
	struct scene scene = calling(counts_build);

	(void)state;
	scene.check = all_is_told;
	once(__func__, &scene);
	/* Counts are right, too, while sprofrun profiles the process. */
	scene.options.serve_only = false;
	once(__func__, &scene);
}

/* The supervisor must not count in the new image after an exec. */
static const struct step after_exec[] = {RUN(5 * MS), DO(is_not_counted), EXIT_GROUP(0)};
static const struct step exec_counts[] = {DO(on), RUN(3 * MS), EXEC("/bin/next", after_exec)};
static const struct step thread_execs[] = {RUN(3 * MS), EXEC("/bin/next", after_exec)};
static const struct step exec_of_thread[] = {
	DO(on), CLONE(thread_execs), RUN(2 * MS), SLEEP(MS), AGAIN(2, 50), EXIT(0)};

static void exec_build(struct kernel *k)
{
	build(k, exec_counts);
}

static void exec_thread_build(struct kernel *k)
{
	build(k, exec_of_thread);
	k->cpus = 3;
}

static void exec_never_receives_counts(void **state)
{
	struct scene scene = calling(exec_build);

	(void)state;
	race(__func__, &scene);
	scene.build = exec_thread_build;
	race(__func__, &scene);
	scene.options.serve_only = false;
	/*
	 * To reach the write that an exec makes dangerous, an order needs three early choices: the
	 * exec begins, the leader ends, and the caller of exec gets the leader's tid.
	 */
	play_orders(__func__, &scene, 3, 4000, 2000);
	while (count_answers(0))
		;
}

/*
 * An exec by another thread takes place between the leader's stop and the write of its tick: the
 * new image then has the leader's tid.
 */
static const struct step execs_when_told[] = {RUN(1000 * MS), EXEC("/bin/next", after_exec)};
static const struct step meets_exec[] = {DO(on), CLONE(execs_when_told), RUN(50 * MS), EXIT(0)};
static unsigned meeting; /* number of the write before which the exec comes */

static void exec_before_write(struct kernel *k)
{
	if (++k->scratch != meeting)
		return;
	for (size_t i = 0; i < k->tasks; i++) {
		if (k->task[i].state == TASK_RUNS && k->task[i].at == execs_when_told)
			k->task[i].at++;
		/* As a child of a parent without pidfds: the exec does not wait for the leader. */
		k->task[i].options &= ~(unsigned long)PTRACE_O_TRACEEXIT;
	}
	while (kernel_enabled(k))
		kernel_step(k, 0);
}

static void meeting_build(struct kernel *k)
{
	build(k, meets_exec);
	k->writing = exec_before_write;
	k->cpus = 3;
}

static void has_new_image(struct kernel *k, const struct engine_result *result)
{
	(void)result;
	if (!kernel_group(k, 100)->execs)
		kernel_fail(k, "no write is met");
}

static void exec_meets_write(void **state)
{
	struct scene scene = calling(meeting_build);

	(void)state;
	scene.check = has_new_image;
	for (meeting = 1; meeting < 12; meeting++)
		once(__func__, &scene);
	scene.options.serve_only = false;
	for (meeting = 1; meeting < 12; meeting++)
		once(__func__, &scene);
	while (count_answers(0))
		;
}

/*
 * A program calls exec after a stop was requested of it for a tick of its table alone (the profile
 * has no instant yet). The tick is lost, and counted so.
 */
static const struct step execs_asked[] = {DO(on), RUN(1000 * MS), EXEC("/bin/next", after_exec)};
static const char *const analyst[] = {"/lib/analyst", NULL};

static void execs_when_asked(struct kernel *k, struct task *t)
{
	if (t->at != &execs_asked[1] || !counter(t))
		return;
	t->at++;
	kernel_exec(k, t);
}

static void lost_build(struct kernel *k)
{
	build(k, execs_asked);
	k->asking = execs_when_asked;
}

static void tick_is_lost(struct kernel *k, const struct engine_result *result)
{
	unsigned long lost = scene_figure(k, "sprofil_lost");

	if (result->error || !kernel_group(k, 100)->execs || lost < 1 || lost > 2)
		kernel_fail(k, "%lu ticks are lost, error %d", lost, result->error);
}

static void exec_meets_tick(void **state)
{
	struct scene scene = calling(lost_build);

	(void)state;
	scene.check = tick_is_lost;
	scene.options.serve_only = false;
	scene.options.period_ns = UINT64_C(100000000000);
	scene.options.analyst = analyst;
	scene.options.ring_bytes = 1 << 16;
	once(__func__, &scene);
	(void)count_answers(0);
}

/* A child shares the table, and has its own copy of the counters. */
static const struct step fork_child[] = {RUN(24 * MS), DO(is_counted), EXIT_GROUP(0)};
static const struct step fork_counts[] = {DO(on), RUN(24 * MS), FORK(fork_child), DO(is_counted),
	WAIT, DO(off), RUN(MS), EXIT_GROUP(0)};

static void fork_build(struct kernel *k)
{
	build(k, fork_counts);
}

static void fork_copies_the_table(void **state)
{
	struct scene scene = calling(fork_build);

	(void)state;
	once(__func__, &scene);
	(void)count_answers(0);
}

/*
 * Three programs: with a table of one thread, with a table of elapsed time, and with a buffer that
 * becomes read-only, after which nothing is counted.
 */
static const struct step thread_counts[] = {DO(on_thread), RUN(240 * MS), DO(is_counted),
	DO(off_thread), RUN(MS), SLEEP(2 * MS), EXIT(0)};
static const struct step of_thread[] = {CLONE(thread_counts), SLEEP(300 * MS), EXIT(0)};
static const struct step wall_counts[] = {DO(on_wall), RUN(2 * MS), SLEEP(9 * MS), RUN(2 * MS),
	SLEEP(5 * MS), DO(status), RUN(3 * MS), DO(is_counted), DO(off), RUN(2 * MS),
	EXIT_GROUP(0)};
static const struct step loses_buffer[] = {DO(on), RUN(24 * MS), DO(is_counted), DO(protect),
	RUN(5 * MS), DO(status), RUN(2 * MS), DO(is_not_counted), DO(off), EXIT_GROUP(0)};

static void thread_build(struct kernel *k)
{
	build(k, of_thread);
}

static void wall_build(struct kernel *k)
{
	build(k, wall_counts);
}

static void buffer_build(struct kernel *k)
{
	build(k, loses_buffer);
}

static void namespace_build(struct kernel *k)
{
	build(k, of_thread);
	kernel_group(k, 100)->outer = 90;
}

static void tables_of_other_kinds(void **state)
{
	struct scene scene = calling(thread_build);

	(void)state;
	once("of one thread", &scene);
	scene.build = namespace_build;
	once("of one thread, in another pid namespace", &scene);
	scene.build = wall_build;
	once("of elapsed time", &scene);
	scene.build = buffer_build;
	once("whose buffer is gone", &scene);
	(void)count_answers(0);
}

/* A sender without the right seal gets no answer; one that must not be traced gets an error. */
static const struct step forges[] = {DO(forged), RUN(5 * MS), DO(is_not_counted), EXIT_GROUP(0)};
static const struct step is_refused[] = {DO(on), RUN(5 * MS), DO(is_not_counted), EXIT_GROUP(0)};

static void forged_build(struct kernel *k)
{
	build(k, forges);
}

static void refused_build(struct kernel *k)
{
	build(k, is_refused);
}

static void requests_are_refused(void **state)
{
	struct scene scene = calling(forged_build);

	(void)state;
	once("forged", &scene);
	assert_int_equal(count_answers(0), 0);
	scene = calling(refused_build);
	scene.options.restrict_fast = true;
	once("restricted", &scene);
	assert_int_equal(count_answers(EACCES), 1);
}

/* The helper reports whether it could attach. */
static void attaches_build(struct kernel *k)
{
	build(k, counts);
	kernel_group(k, 100)->refuses = true;
}

static void helper_is_refused(void **state)
{
	struct scene scene = calling(attaches_build);
	struct call_answer answer;
	uint8_t data[CALL_ANSWER_BYTES];

	(void)state;
	scene.options.ready_fd = dup(answers[1]);
	once(__func__, &scene);
	assert_int_equal(scene.result.error, -EPERM);
	assert_int_equal(read(answers[0], data, sizeof(data)), sizeof(data));
	assert_int_equal(call_get_answer(data, sizeof(data), &answer), 0);
	assert_int_not_equal(answer.error, 0);
}

/*
 * "Off" without a pipe: the program makes tgkill(2) with arguments that mean "off", and the
 * supervisor sees them at the thread's next stop.
 */
static const struct blocking off_call = {.number = SYS_tgkill,
	.argument = {100, 100, 0, CALL_OFF_FIRST, CALL_OFF_SECOND},
	.interrupted = 0,
	.wake_ns = MS,
	.lenient = true};
static const struct step off_by_call[] = {DO(on), RUN(24 * MS), DO(is_counted), CALL(&off_call),
	RUN(1 * MS), CALL(&off_call), EXIT_GROUP(0)};

static void off_build(struct kernel *k)
{
	static const struct step winch[] = {RUN(24 * MS + MS / 2), KILL(100, SIGWINCH), RUN(MS / 4),
		AGAIN(2, 20), EXIT_GROUP(0)};

	build(k, off_by_call);
	(void)kernel_add_process(k, 50, 1, "/bin/sends", winch);
}

static void off_is_off(void **state)
{
	struct scene scene = calling(off_build);

	(void)state;
	race(__func__, &scene);
	while (count_answers(0))
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ticks_are_counted, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(
			exec_never_receives_counts, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(exec_meets_write, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(exec_meets_tick, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(fork_copies_the_table, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(tables_of_other_kinds, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(requests_are_refused, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(helper_is_refused, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(off_is_off, open_answers, close_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
