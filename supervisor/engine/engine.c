/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/calls/histogram.h"
#include "supervisor/engine/connect.h"
#include "supervisor/engine/control.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/diagnose.h"
#include "supervisor/engine/dump.h"
#include "supervisor/engine/engine_loop.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/figures.h"
#include "supervisor/engine/rotate.h"
#include "supervisor/engine/serving.h"
#include "supervisor/engine/signals.h"
#include "supervisor/engine/stops.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/waiter.h"

#define SECOND_NS CLOCK_SECOND_NS
/* The exit status if the tracing thread hangs and the options have no callback for that. */
#define HUNG_STATUS 125
/* How long the end of the run waits for room in the ring. */
#define ROOM_NS (10 * SECOND_NS)
/* How long the end of the run waits for each answer of the examiner (special.h). */
#define EXAMINE_MS 500

/* Returns 0 if it has attached to at least one process and to all of engine_options.pids_given. */
static int attach_all(struct engine *engine)
{
	const struct engine_options *options = engine->options;
	struct engine_result *result = engine->result;
	bool any = false;
	int r = -ESRCH;

	for (size_t i = 0; i < options->pids_n; i++) {
		bool leave_out = i >= options->pids_given;
		int pid = options->pids[i], error = 0;

		/* A process may be named twice. */
		if (!target_find_process(&engine->target, pid))
			error = birth_attach(engine, pid);
		any |= error == 0;
		if (error == 0) {
			sampling_cpus_check(engine, pid);
			continue;
		}
		/* Reports the first -EPERM; -ESRCH only if all the processes have ended. */
		if (!any && (!result->refused_pid || r == -ESRCH)) {
			result->refused_pid = pid;
			r = error;
		}
		if (!leave_out || (error != -ESRCH && error != -EPERM)) {
			result->refused_pid = pid;
			return error;
		}
		if (error == -EPERM)
			say_line(&engine->say, SAY_WARNING,
				"process %d refuses to be traced, and is left out: sprofrun "
				"--diagnose %d tells why",
				pid, pid);
	}
	if (any)
		result->refused_pid = 0;
	return any ? 0 : r;
}

static int begin(struct engine *engine)
{
	const struct engine_options *options = engine->options;
	struct engine_result *result = engine->result;
	struct tracee *t;
	struct process *process;
	struct image *image;
	int r;

	if (!options->command) {
		r = attach_all(engine);
		if (r < 0)
			return r;
		timing_start(&engine->timing, options);
		return 0;
	}
	r = launch_go(&engine->launch, &engine->births.tracer);
	if (r < 0)
		return r;
	result->command_pid = engine->launch.pid;
	engine->audit.processes = engine->audit.threads = 1;
	r = target_image(&engine->target, options->command[0], &image);
	if (r == 0)
		r = target_add_process(
			&engine->target, engine->launch.pid, (int)getpid(), image, &process);
	if (r == 0)
		r = target_add(&engine->target, engine->launch.pid, process, &t);
	if (r < 0)
		return r;
	(void)target_step(t, TRACEE_SEIZED);
	/* Before its exec the process runs our own image, which the analyst must not learn of. */
	process->announced = true;
	return 0;
}

static int prepare(struct engine *engine)
{
	const struct engine_options *options = engine->options;
	sigset_t signals;
	uint64_t now = clock_now();
	int r;

	/* The signal descriptor comes first, as the limit of open files may be low. */
	signals_handled(&signals);
	engine->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (engine->signal_fd < 0)
		return -errno;
	connect_parts(engine);
	r = sampling_init(engine);
	if (r < 0)
		return r;
	r = service_open(&engine->service);
	if (r < 0) {
		if (options->serve_only)
			return r;
		say_line(&engine->say, SAY_WARNING, "programs cannot call sprofil: %s%s",
			strerror(-r), fds_remedy(r));
	}
	if (engine->files.cpu_source == CPU_SOURCE_STAT)
		say_line(&engine->say, SAY_WARNING,
			"this kernel has no /proc/PID/schedstat (CONFIG_SCHED_INFO); CPU time is "
			"taken from stat, in steps of %ld ms",
			1000 / sysconf(_SC_CLK_TCK));
	throttle_init(&engine->bounds.throttle);
	say_line(&engine->say, SAY_DETAIL,
		"an instant every %.3f ms; CPU time from %s; %u CPUs; scheduler tick %.3f "
		"ms",
		(double)options->period_ns / 1e6,
		engine->files.cpu_source == CPU_SOURCE_SCHEDSTAT ? "schedstat" : "stat",
		engine->sampling.sampler.cpus, (double)procfs_scheduler_tick_ns() / 1e6);
	if (stack_copy_init(&engine->stack, options->max_stack) < 0)
		return -ENOMEM;
	engine->stack.whole = options->dump;
	engine->audit.period_ns = engine->period_ns = options->period_ns;
	engine->audit.began_ns = now;
	engine->audit.wall = options->wall;
	engine->audit.chooses = options->choice != NULL;
	engine->timing.audit_again_ns = now + SECOND_NS;
	engine->sessions.idle_since_ns = now;
	serving_begin(&engine->serving, options);
	engine->timing.delayed = options->delay_ns;
	engine->timing.frozen = options->server && options->server->on_demand;
	engine->counting = !options->serve_only && !options->delay_ns && !engine->timing.frozen;
	return 0;
}

static void await_room(struct engine *engine)
{
	uint64_t until = clock_now() + ROOM_NS;
	struct waiter_result seen;

	while (engine->emitter.open && !ring_is_half_empty(&engine->emitter.ring) &&
		clock_now() < until &&
		!(waiter_peek(engine->reader.link.pid, &seen) == 0 && seen.kind == WAITER_GONE)) {
		struct timespec ms = {0, 1000000};

		(void)nanosleep(&ms, NULL);
	}
}

static void report_released(const struct engine *engine)
{
	const struct engine_options *options = engine->options;
	size_t n = 0, room = engine->target.processes;
	int *pids = options->released && !engine->result->error
		? mem_new(room ? room : 1, sizeof(*pids))
		: NULL;

	for (size_t i = 0; pids && i < room; i++) {
		if (!proc_status_is_zombie(engine->target.process[i]->pid))
			pids[n++] = engine->target.process[i]->pid;
	}
	if (pids)
		options->released(options->context, pids, n);
	free(pids);
}

static void finish(struct engine *engine)
{
	char text[FIGURES_BYTES];
	uint64_t now = clock_now();

	if (engine->timing.begins_at_ns && !engine->result->error)
		say_line(&engine->say, SAY_WARNING,
			"it ended before the delay was over: nothing was profiled");
	if (engine->options->command && !engine->life.executed && !engine->result->error &&
		!engine->result->exec_error)
		say_line(&engine->say, SAY_WARNING,
			"the command was ended before it ran: no profile was written");
	if (engine->options->choice && !engine->choice.any && !engine->result->error &&
		!engine->result->exec_error)
		say_line(&engine->say, SAY_WARNING,
			"no thread was chosen: none was seen that --thread-name or --tid means");
	/*
	 * The examiner may wait for a file system that the target serves. The target runs again, so
	 * that file system answers.
	 */
	special_poll(&engine->special, EXAMINE_MS);
	report_released(engine);
	await_room(engine);
	counting_settle(engine);
	(void)figures_print(engine, now, text);
	(void)emit_audit(&engine->emitter, now, RECORD_END, rotate_end_flags(engine), text);
	engine->result->analyst_pid = engine->reader.link.pid;
	engine->result->analyst_fd = link_finish(&engine->reader.link);
	rotate_join(engine);
}

/*
 * Returns the errno value that this helper answers the program. EBUSY: another supervisor traces
 * the program, mostly a helper that another thread of the program has started. The program then
 * looks for that supervisor.
 */
static int refusal(const struct engine *engine, int error)
{
	struct diagnose_facts facts;
	enum diagnose_cause cause;

	if (error != EPERM || diagnose_read(engine->result->refused_pid, &facts) < 0)
		return error;
	cause = diagnose_classify(&facts);
	return cause == DIAGNOSE_TRACED || cause == DIAGNOSE_NONE ? EBUSY : error;
}

/*
 * The tracing thread. Its end detaches all tracees, right after restart_end(): if an ignored signal
 * wakes a tracee in between, the tracee's call fails with EINTR.
 */
static void *trace(void *context)
{
	struct engine *engine = context;
	int r;

	watchdog_begin(&engine->watchdog);
	r = prepare(engine);

	if (r == 0)
		r = rotate_prepare(engine);
	if (r == 0) {
		reader_note_mounts(engine);
		reader_start(engine);
		/*
		 * The file begins with the start record. The time of this record, to the second, is
		 * in the file's name.
		 */
		if (!engine->options->delay_ns)
			rotate_begin(engine, clock_now());
		r = begin(engine);
	}
	if (engine->options->serve_only)
		service_announce(&engine->service, engine->options->ready_fd, refusal(engine, -r));
	if (r == 0) {
		if (engine->options->dump)
			dump_run(engine);
		else
			engine_loop(engine);
		(void)reader_poll(engine, clock_now(), true);
		/* Handled later, signals would count as sent after the command's end. */
		control_signals(engine);
		counting_set(engine, false);
		summons_unpin(&engine->sampling.summons);
		restart_end(&engine->restarter);
	}
	engine->result->error = r;
	return NULL;
}

static void release(struct engine *engine)
{
	for (size_t i = 0; i < engine->target.processes; i++) {
		session_clear(&engine->sessions, engine->target.process[i]);
		histogram_clear(engine->target.process[i]);
	}
	held_pieces_release(&engine->rotation.pieces);
	reader_release(&engine->reader);
	for (size_t i = 0; i < engine->target.tracees; i++)
		sampling_remove(engine, engine->target.tracee[i]);
	target_release(&engine->target);
	service_release(&engine->service);
	(void)launch_exec_error(&engine->launch);
	if (engine->signal_fd >= 0)
		(void)close(engine->signal_fd);
	stack_copy_release(&engine->stack);
	runtime_records_release(engine);
	sampling_release(engine);
	maps_release(&engine->maps);
	special_release(&engine->special);
	couriers_release(&engine->couriers);
}

/* @engine must be zeroed. */
static void run(struct engine *engine, const struct engine_options *options,
	struct engine_result *ret_result)
{
	pthread_t thread;
	int r;

	engine->options = options;
	engine->result = ret_result;
	engine->say = (struct say){options->say, options->context};
	engine->signal_fd = -1;
	engine->sampling.load_fd = engine->sampling.sched_fd = -1;
	engine->sampling.summons.bell_fd = -1;
	engine->launch = (struct launch){.go_fd = -1, .error_fd = -1};
	engine->reader.link = LINK_NONE;
	engine->service.read_fd = engine->service.write_fd = engine->service.mark_fd = -1;
	r = options->command ? launch_begin(options->command, &options->inherited, &engine->launch)
			     : 0;
	if (r == 0)
		r = -pthread_create(&thread, NULL, trace, engine);
	if (r < 0) {
		launch_abandon(&engine->launch);
		(void)launch_exec_error(&engine->launch);
		if (options->serve_only)
			service_announce(&engine->service, options->ready_fd, -r);
		ret_result->error = r;
		return;
	}
	if (watchdog_join(&engine->watchdog, thread)) {
		if (options->hangs)
			options->hangs(
				options->context, ret_result->command_pid, engine->reader.link.pid);
		_exit(HUNG_STATUS);
	}
	launch_abandon(&engine->launch);
	finish(engine);
	release(engine);
}

void engine_run(const struct engine_options *options, struct engine_result *ret_result)
{
	/* The engine is not on the stack, which may be limited to 64 KiB (test_small_stack.sh). */
	struct engine *engine = mem_new(1, sizeof(*engine));

	*ret_result = (struct engine_result){
		.analyst_fd = -1, .command_apart = options->command && options->inherited.user};
	if (engine) {
		run(engine, options, ret_result);
	} else {
		const struct service none = {.write_fd = -1};

		ret_result->error = -ENOMEM;
		if (options->serve_only)
			service_announce(&none, options->ready_fd, ENOMEM);
	}
	free(engine);
}
