/* SPDX-License-Identifier: MIT */
/*
 * The engine with an analyst: launch, signals, requests, pieces, choice of threads, dump, and the
 * sums.
 */
#include "tests/kernel/races.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/choice_rule.h"
#include "proto/request.h"
#include "supervisor/calls/histogram.h"

#define MS INT64_C(1000000)

static const char *const analyst[] = {"/lib/analyst", NULL};
static char *const command[] = {(char *)"/bin/command", (char *)"-x", NULL};

/* A program that runs and sleeps for about 60 ms, in two threads and a child. */
static const struct step thread_works[] = {RUN(2 * MS), SLEEP(3 * MS), AGAIN(2, 6), EXIT(0)};
static const struct step child_works[] = {RUN(5 * MS), SLEEP(MS), AGAIN(2, 3), EXIT_GROUP(2)};
static const struct step works[] = {CLONE(thread_works), FORK(child_works), RUN(4 * MS),
	SLEEP(2 * MS), AGAIN(2, 8), WAIT, EXIT_GROUP(5)};
static const struct step commanded[] = {EXEC("/bin/command", works)};
static const struct step missing[] = {EXEC_FAILS(ENOENT), EXIT_GROUP(127)};
static const struct step works_for_long[] = {RUN(4 * MS), SLEEP(2 * MS), AGAIN(2, 500), EXIT(0)};

static void nobody(struct kernel *k)
{
	k->cpus = 2;
}

static void worker(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/works", works);
	k->cpus = 2;
}

static void long_worker(struct kernel *k)
{
	(void)kernel_add_process(k, 100, 1, "/bin/works", works_for_long);
}

/* Sampled and unsampled time together are what the kernel charged. */
static void sums_are_whole(struct kernel *k, const struct engine_result *result)
{
	const struct kernel_records *r = &k->records;

	if (result->error)
		kernel_fail(k, "error %d", result->error);
	if (r->n[RECORD_END] < 1 || r->n[RECORD_SAMPLE] < 10 || r->n[RECORD_PROCESS] < 1)
		kernel_fail(k, "%lu ends, %lu samples, %lu processes", r->n[RECORD_END],
			r->n[RECORD_SAMPLE], r->n[RECORD_PROCESS]);
	if (r->cpu_ns < 30 * (uint64_t)MS || r->weight_ns < r->cpu_ns / 2)
		kernel_fail(k, "%llu ns, of them %llu sampled", (unsigned long long)r->cpu_ns,
			(unsigned long long)r->weight_ns);
}

static struct scene profiling(void (*build)(struct kernel *k))
{
	struct scene scene = {.build = build,
		.check = sums_are_whole,
		.options = {.follow = true, .analyst = analyst, .ring_bytes = 1 << 16}};

	if (build == nobody) {
		scene.command = commanded;
		scene.options.command = command;
	}
	return scene;
}

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

/* An old kernel: no schedstat, and no /proc/PID/syscall. */
static void old_kernel(struct kernel *k)
{
	worker(k);
	k->no_schedstat = k->no_syscall_file = true;
}

static void ends_well(struct kernel *k, const struct engine_result *result)
{
	if (result->error || k->records.n[RECORD_END] < 1)
		kernel_fail(k, "error %d", result->error);
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

/* The analyst dies, cannot be started, or does not read. */
static void dying(struct kernel *k)
{
	long_worker(k);
	/* The first analyst dies after the first second, of which it got the CPU time. */
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
	assert_true(scene_said(&scene, "cannot start the analyst"));
	scene = profiling(hanging);
	scene.check = NULL;
	scene.options.ring_bytes = 1 << 16;
	scene.options.max_stack = 8192;
	scene.options.wall = true;
	once(__func__, &scene);
}

/* Signals to the supervisor. */
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

/* Requests of the analyst. */
static void ask(struct kernel *k, uint32_t type, uint64_t value)
{
	const struct request request = {.type = type, .value = value};
	uint8_t message[REQUEST_BYTES];

	request_put(message, &request);
	if (write(k->analyst[k->analysts - 1].request_fd, message, sizeof(message)) < 0)
		kernel_fail(k, "the request pipe is closed");
}

static void requests(struct kernel *k)
{
	static const struct {
		unsigned at_ms;
		uint32_t type;
		uint64_t value;
	} order[] = {{20, REQUEST_PERIOD, 500000}, {30, REQUEST_FREEZE, 1}, {40, REQUEST_FREEZE, 0},
		{50, REQUEST_STOP, 0}};
	uint64_t ms = (k->now_ns - UINT64_C(5000000000)) / MS;
	size_t *next = &k->scratch;

	if (k->analysts && *next < 4 && ms >= order[*next].at_ms) {
		ask(k, order[*next].type, order[*next].value);
		++*next;
	}
}

static void requested(struct kernel *k)
{
	long_worker(k);
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

/* --rotate (one file after the other), and pieces in memory. */
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

/* A client of the profile server that asks for a profile, and goes away. */
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

/* The choice of threads by name (--thread-name) and by tid (--tid). */
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

/* Targets to which the supervisor must not or cannot attach. */
static void refusing(struct kernel *k)
{
	worker(k);
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

static void attach_refused(void **state)
{
	static const int pids[] = {100, 110}, none[] = {120};
	struct scene scene = profiling(refusing);

	(void)state;
	scene.pids = pids;
	scene.pids_n = 2;
	scene.check = was_refused;
	some(__func__, &scene);
	scene.pids = none;
	scene.pids_n = 1;
	scene.check = nobody_there;
	once(__func__, &scene);
}

/* --region; bounds and a delay; few descriptors. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_is_profiled),
		cmocka_unit_test(command_is_missing),
		cmocka_unit_test(attached_is_profiled),
		cmocka_unit_test(kernel_without_schedstat),
		cmocka_unit_test(kernel_with_time_stamps),
		cmocka_unit_test(analyst_killed),
		cmocka_unit_test(analyst_does_nothing),
		cmocka_unit_test(orders_to_command),
		cmocka_unit_test(order_ends_it),
		cmocka_unit_test(hangup_is_ignored),
		cmocka_unit_test(job_is_stopped_and_continued),
		cmocka_unit_test(analyst_requests),
		cmocka_unit_test(files_rotate),
		cmocka_unit_test(server_requests),
		cmocka_unit_test(threads_are_chosen),
		cmocka_unit_test(dump_is_one_stop_each),
		cmocka_unit_test(dump_of_stopped_and_stuck),
		cmocka_unit_test(attach_refused),
		cmocka_unit_test(regions_bounds_and_delay),
		cmocka_unit_test(few_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
