/* SPDX-License-Identifier: MIT */
/* The engine is told what to do: by signals, by its analyst, by a server, by --rotate. */
#include "tests/kernel/working.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/request.h"

/* A snapshot is requested, the terminal's signals come, and SIGUSR1 is passed on to the command. */
static void signalled(struct kernel *k)
{
	kernel_signal(k, SIGUSR2, SI_USER, 1, 20 * MS);
	kernel_signal(k, SIGINT, SI_KERNEL, 0, 25 * MS);
	kernel_signal(k, SIGTSTP, SI_KERNEL, 0, 30 * MS);
	kernel_signal(k, SIGCONT, SI_USER, 1, 35 * MS);
	kernel_signal(k, SIGUSR1, SI_USER, 1, 40 * MS);
	k->cpus = 2;
}

static void signal_was_passed_on(struct kernel *k, const struct engine_result *result)
{
	if (!result->command_ended || WTERMSIG(result->command_status) != SIGUSR1)
		kernel_fail(k, "status 0x%x", (unsigned)result->command_status);
	if (k->records.n[RECORD_SNAPSHOT] != 1)
		kernel_fail(k, "%lu snapshots", k->records.n[RECORD_SNAPSHOT]);
}

static void orders_to_command(void **state)
{
	struct scene scene = profiling(nobody);

	(void)state;
	scene.build = signalled;
	scene.check = signal_was_passed_on;
	scene.options.snapshots = true;
	some(__func__, &scene);
}

static void hung_up(struct kernel *k)
{
	kernel_signal(k, SIGHUP, SI_USER, 1, 30 * MS);
	k->cpus = 2;
}

static void stopped_by_terminal(struct kernel *k)
{
	struct group *g;

	hung_up(k);
	(void)kernel_add_process(k, 100, 1, "/bin/works", works_for_long);
	g = kernel_group(k, 100);
	g->handler[SIGHUP] = DISPOSITION_HANDLER;
}

static void ended_by_order(struct kernel *k, const struct engine_result *result)
{
	if (result->stopped_by != SIGHUP || k->records.n[RECORD_END] != 1)
		kernel_fail(k, "stopped by %d", result->stopped_by);
}

static void order_ends_it(void **state)
{
	struct scene scene = profiling(stopped_by_terminal);

	(void)state;
	scene.check = ended_by_order;
	some(__func__, &scene);
}

static void without_hangup(struct kernel *k)
{
	stopped_by_terminal(k);
	k->hangup_ignored = true;
}

static void ended_by_itself(struct kernel *k, const struct engine_result *result)
{
	if (result->stopped_by || k->records.n[RECORD_END] != 1)
		kernel_fail(k, "stopped by %d", result->stopped_by);
}

static void hangup_is_ignored(void **state)
{
	struct scene scene = profiling(without_hangup);

	(void)state;
	scene.check = ended_by_itself;
	some(__func__, &scene);
}

/* ^Z: the command is stopped, and the supervisor with it; then both are continued. */
static const struct step suspends[] = {RUN(20 * MS), KILL(0, SIGTSTP), RUN(20 * MS), EXIT_GROUP(5)};
static const struct step suspended_command[] = {EXEC("/bin/command", suspends)};

static void job_control(struct kernel *k)
{
	kernel_signal(k, SIGTSTP, SI_KERNEL, 0, 22 * MS);
	kernel_signal(k, SIGCONT, SI_USER, 1, 40 * MS);
}

static void supervisor_stopped(struct kernel *k, const struct engine_result *result)
{
	if (k->raised != SIGSTOP && k->raised != SIGTSTP)
		kernel_fail(k, "the supervisor does not stop");
	if (!result->command_ended || WEXITSTATUS(result->command_status) != 5)
		kernel_fail(k, "status 0x%x", (unsigned)result->command_status);
}

static void job_is_stopped_and_continued(void **state)
{
	struct scene scene = profiling(nobody);

	(void)state;
	scene.build = job_control;
	scene.command = suspended_command;
	scene.check = supervisor_stopped;
	once(__func__, &scene);
}

/*
 * ^Z to a command that handles it, and then stops itself by SIGSTOP: the supervisor stops with it.
 * If the command ignores ^Z, and is stopped a minute later, the supervisor goes on.
 */
static const struct step stops_in_handler[] = {HANDLE(SIGTSTP, DISPOSITION_HANDLER), RUN(20 * MS),
	SLEEP(1000 * MS), KILL(0, SIGSTOP), RUN(20 * MS), EXIT_GROUP(5)};
static const struct step handler_command[] = {EXEC("/bin/command", stops_in_handler)};
static const struct step stops_later[] = {HANDLE(SIGTSTP, DISPOSITION_IGNORE), RUN(20 * MS),
	SLEEP(60000 * MS), KILL(0, SIGSTOP), RUN(20 * MS), EXIT_GROUP(5)};
static const struct step later_command[] = {EXEC("/bin/command", stops_later)};

static void key_and_later(struct kernel *k)
{
	kernel_signal(k, SIGTSTP, SI_KERNEL, 0, 22 * MS);
	kernel_signal(k, SIGCONT, SI_USER, 1, 70000 * MS);
}

static void only_command_stopped(struct kernel *k, const struct engine_result *result)
{
	if (k->raised)
		kernel_fail(k, "the supervisor stops by %d", k->raised);
	if (!result->command_ended || WEXITSTATUS(result->command_status) != 5)
		kernel_fail(k, "status 0x%x", (unsigned)result->command_status);
}

static void ignored_key_is_forgotten(void **state)
{
	struct scene scene = profiling(nobody);

	(void)state;
	scene.build = key_and_later;
	scene.options.period_ns = 100 * (uint64_t)MS;
	scene.options.duration_ns = 80000 * (uint64_t)MS;
	scene.command = handler_command;
	scene.check = supervisor_stopped;
	once(__func__, &scene);
	scene.command = later_command;
	scene.check = only_command_stopped;
	once(__func__, &scene);
}

/* Sends the supervisor a request, as its newest analyst would. */
static void ask(struct kernel *k, uint32_t type, uint64_t value)
{
	const struct request request = {.type = type, .value = value};
	uint8_t message[REQUEST_BYTES];

	request_put(message, &request);
	if (write(k->analyst[k->analysts - 1].request_fd, message, sizeof(message)) < 0)
		kernel_fail(k, "the request pipe is closed");
}

/* While frozen, the supervisor sleeps for a second. */
static void requests(struct kernel *k)
{
	static const struct {
		unsigned at_ms;
		uint32_t type;
		uint64_t value;
	} order[] = {{20, REQUEST_PERIOD, 500000}, {30, REQUEST_FREEZE, 1}, {40, REQUEST_FREEZE, 0},
		{1050, REQUEST_STOP, 0}};
	uint64_t ms = (k->now_ns - UINT64_C(5000000000)) / MS;
	size_t *next = &k->scratch;

	if (k->analysts && *next < 4 && ms >= order[*next].at_ms) {
		ask(k, order[*next].type, order[*next].value);
		++*next;
	}
}

/* Does the analyst know the thread's name? It forgets it with the last report of CPU time. */
static bool has_name;

static void follow_name(struct kernel *k, const struct record *r)
{
	if (r->header.type == RECORD_THREAD)
		has_name = true;
	else if (r->header.type == RECORD_CPU && r->header.flags & RECORD_CPU_LAST)
		has_name = false;
	else if (r->header.type == RECORD_SAMPLE && !has_name)
		kernel_fail(k, "a sample of a thread without a name");
}

static void requested(struct kernel *k)
{
	long_worker(k);
	has_name = false;
	k->record = follow_name;
	k->asleep = requests;
}

static void stopped_by_request(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (k->scratch != 4 || k->ended_ns > UINT64_C(6500000000))
		kernel_fail(k, "%zu requests", k->scratch);
}

static void analyst_requests(void **state)
{
	struct scene scene = profiling(requested);

	(void)state;
	scene.check = stopped_by_request;
	some(__func__, &scene);
}

/* With --rotate, also in memory (@ring), each file has an analyst of its own: 3 in 700 ms. */
static void rotated(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (k->analysts < 3)
		kernel_fail(k, "%zu files", k->analysts);
}

static void files_rotate(void **state)
{
	struct scene scene = profiling(long_worker);

	(void)state;
	scene.options.rotate_ns = 200 * (uint64_t)MS;
	scene.options.duration_ns = 700 * (uint64_t)MS;
	scene.check = rotated;
	once(__func__, &scene);
	scene.options.ring = true;
	once(__func__, &scene);
}

/*
 * The second analyst cannot be started at once. Until it is, no thread is stopped, and CPU time is
 * counted as unsampled. Then files change again, a second later at first.
 */
static void second_start_fails(struct kernel *k)
{
	long_worker(k);
	k->failing_from = 2;
	k->failing_starts = 1;
	k->asking = must_have_analyst;
}

static void rotated_on(struct kernel *k, const struct engine_result *result)
{
	const struct kernel_records *r = &k->records;

	ends_well(k, result);
	if (k->analysts < 4 || k->analyst_starts != k->analysts + 1)
		kernel_fail(k, "%zu files, %u starts", k->analysts, k->analyst_starts);
	/*
	 * The task of long_worker() computes for two thirds of the 2.8 s. One second of these was
	 * without an analyst.
	 */
	if (r->cpu_ns + r->unsampled_ns < 1700 * (uint64_t)MS ||
		r->unsampled_ns < 600 * (uint64_t)MS)
		kernel_fail(k, "%llu ns of CPU time, and %llu unsampled",
			(unsigned long long)r->cpu_ns, (unsigned long long)r->unsampled_ns);
}

static void rotation_outlives_failed_start(void **state)
{
	struct scene scene = profiling(second_start_fails);

	(void)state;
	scene.options.rotate_ns = 200 * (uint64_t)MS;
	scene.options.duration_ns = 2800 * (uint64_t)MS;
	scene.check = rotated_on;
	once(__func__, &scene);
	assert_int_equal(scene_says(&scene, "cannot start the analyst"), 1);
	scene.options.ring = true;
	once(__func__, &scene);
}

/*
 * The analyst dies while sampling pauses for a change of files, because a thread that is to stop
 * does not: it is in uninterruptible sleep until its analyst has been replaced.
 */
static uint64_t run_ms(const struct kernel *k)
{
	return (k->now_ns - UINT64_C(5000000000)) / MS;
}

static void does_not_stop(struct kernel *k, struct task *t)
{
	if (run_ms(k) >= 190 && !k->scratch) {
		t->state = TASK_STUCK;
		k->scratch = 1;
	}
}

static void die_in_pause(struct kernel *k)
{
	struct analyst *a = &k->analyst[0];

	if (k->scratch == 1 && run_ms(k) >= 215) {
		a->ended = true;
		a->status = SIGSEGV;
		kernel_tell_tracer(k);
		k->scratch = 2;
	} else if (k->scratch == 2 && run_ms(k) >= 400) {
		kernel_find(k, 100)->state = TASK_RUNS;
		k->scratch = 3;
	}
}

static void dies_in_pause(struct kernel *k)
{
	long_worker(k);
	k->asking = does_not_stop;
	k->asleep = die_in_pause;
}

/* Each analyst but the first is told to end, and awaited; the caller waits for the last one. */
static void all_are_joined(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (k->scratch != 3 || k->analysts < 4 || k->records.n[RECORD_END] != k->analysts - 1)
		kernel_fail(k, "%zu analysts, %lu ends", k->analysts, k->records.n[RECORD_END]);
	for (size_t i = 0; i + 1 < k->analysts; i++)
		if (!k->analyst[i].reaped)
			kernel_fail(k, "the analyst %d is not awaited", k->analyst[i].pid);
	if (result->analyst_pid != k->analyst[k->analysts - 1].pid)
		kernel_fail(k, "the last analyst is %d", result->analyst_pid);
}

static void analyst_dies_in_pause(void **state)
{
	struct scene scene = profiling(dies_in_pause);

	(void)state;
	scene.options.rotate_ns = 200 * (uint64_t)MS;
	scene.options.duration_ns = 1800 * (uint64_t)MS;
	scene.check = all_are_joined;
	once(__func__, &scene);
	assert_int_equal(scene_says(&scene, "was killed by signal 11"), 1);
	scene.options.ring = true;
	once(__func__, &scene);
}

/*
 * The pipe from the profile server to the supervisor. serve_requests() plays the server with one
 * client: it sends REQUEST_FREEZE 0, which begins the sampling, then REQUEST_SERVE, and closes the
 * pipe, which ends the run.
 */
static int server_fds[2];

static void serve_requests(struct kernel *k)
{
	uint64_t ms = (k->now_ns - UINT64_C(5000000000)) / MS;
	const struct request request[] = {
		{.type = REQUEST_FREEZE, .value = 0}, {.type = REQUEST_SERVE}};
	uint8_t message[REQUEST_BYTES];

	if (k->scratch < 2 && ms > 20 * (k->scratch + 1)) {
		request_put(message, &request[k->scratch++]);
		if (write(server_fds[1], message, sizeof(message)) < 0)
			kernel_fail(k, "the server's pipe is closed");
	} else if (k->scratch == 2 && ms > 80) {
		(void)close(server_fds[1]);
		k->scratch++;
	}
}

static void served(struct kernel *k)
{
	long_worker(k);
	k->asleep = serve_requests;
}

static void was_served(struct kernel *k, const struct engine_result *result)
{
	ends_well(k, result);
	if (k->records.n[RECORD_SERVE] != 1)
		kernel_fail(k, "%lu profiles served", k->records.n[RECORD_SERVE]);
}

static void server_requests(void **state)
{
	struct engine_server server = {.pieces_fd = 1, .on_demand = true};
	struct scene scene = profiling(served);

	(void)state;
	assert_int_equal(pipe2(server_fds, O_NONBLOCK | O_CLOEXEC), 0);
	server.request_fd = server_fds[0];
	scene.options.server = &server;
	scene.check = was_served;
	once(__func__, &scene);
	assert_true(scene_said(&scene, "the server has ended"));
	(void)close(server_fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_to_command),
		cmocka_unit_test(order_ends_it),
		cmocka_unit_test(hangup_is_ignored),
		cmocka_unit_test(job_is_stopped_and_continued),
		cmocka_unit_test(ignored_key_is_forgotten),
		cmocka_unit_test(analyst_requests),
		cmocka_unit_test(files_rotate),
		cmocka_unit_test(rotation_outlives_failed_start),
		cmocka_unit_test(analyst_dies_in_pause),
		cmocka_unit_test(server_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
