/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/engine_internal.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/engine/diagnose.h"
#include "supervisor/os/mem.h"
#include "supervisor/target/mend.h"

#define SECOND_NS UINT64_C(1000000000)
#define SPIN_NS   50000
#define IDLE_NS   10000000 /* between looks when nothing has run lately */
/* serve_only: between turning profiling off and letting go, for it may be turned on again. */
#define LINGER_NS                200000000
#define AUDIT_TEXT_BYTES         2048
#define HUNG_STATUS              125
#define SLICE_NS                 100000
#define ROOM_NS                  (10 * SECOND_NS)
#define SCHED_RESET_ON_FORK_FLAG 1

uint64_t engine_clock(int clock)
{
	struct timespec ts = {0};

	(void)clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * SECOND_NS + (uint64_t)ts.tv_nsec;
}

uint64_t engine_now(void)
{
	return engine_clock(CLOCK_MONOTONIC);
}

void engine_say(struct engine *engine, enum engine_note kind, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	engine->options->say(engine->options->context, kind, line);
}

const char *engine_audit_text(struct engine *engine, uint64_t now)
{
	struct audit audit = engine->audit;
	const struct target *target = &engine->target;

	for (size_t i = 0; engine->counting && i < target->tracees; i++) {
		const struct credit *c = &target->tracee[i]->credit;
		const struct wall *wall = &target->tracee[i]->wall;
		struct waiting owed = wall_owes(wall);

		waiting_add(&audit.unattributed, &owed);
		audit.elapsed_ns += wall->begin_ns ? now - wall->begin_ns : 0;
		audit.kernel_ns += c->seen.run_ns - c->start_ns;
		if (c->seen.run_ns > c->paid_ns)
			audit.unattributed_ns += c->seen.run_ns - c->paid_ns;
	}
	for (size_t i = 0; i < target->processes; i++)
		audit.unattributed_ns += target->process[i]->pool_ns;
	for (size_t i = 0; i < target->images; i++) {
		audit.unattributed_ns += target->image[i]->pool_ns + target->image[i]->lost_ns;
		waiting_add(&audit.unattributed, &target->image[i]->waited);
	}
	audit.ended_ns = now;
	if (mem_grow((void **)&engine->text, &engine->text_room, AUDIT_TEXT_BYTES, 1) < 0 ||
		audit_print(&audit, engine_clock(CLOCK_PROCESS_CPUTIME_ID), engine->text,
			engine->text_room) < 0)
		return NULL;
	return engine->text;
}

void engine_begin_times(struct engine *engine)
{
	const struct engine_options *options = engine->options;
	uint64_t begin_ns = engine_now() + options->delay_ns;

	engine->begins_at_ns = options->delay_ns ? begin_ns : 0;
	engine->ends_at_ns = options->duration_ns ? begin_ns + options->duration_ns : 0;
}

void engine_set_wakeups(struct engine *engine)
{
	uint64_t look = session_look_ns(engine);

	if (!engine->options->serve_only && (!look || look > engine->period_ns))
		look = engine->period_ns;
	engine->wakeups.period_ns = look ? look : IDLE_NS;
	/* A shorter period begins at once. */
	if (engine->wakeups.next_ns > engine_now() + engine->wakeups.period_ns)
		engine->wakeups.next_ns = engine_now() + engine->wakeups.period_ns;
}

/* Stops that were asked for and have not come: in D state, or never scheduled. Counted once. */
static void count_missed(struct engine *engine, uint64_t now)
{
	for (size_t i = 0; i < engine->target.hot; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (t->state == TRACEE_ASKED && !t->missed && now > t->asked_ns + SECOND_NS) {
			t->missed = true;
			engine->audit.missed_stops++;
		}
	}
}

/* Children of a command that has ended keep us; the user may wonder. */
static void say_who_is_left(struct engine *engine)
{
	if (!engine->result->command_ended || engine->said_who_is_left)
		return;
	engine->said_who_is_left = true;
	engine_say(engine, ENGINE_NOTE,
		"the command has ended; %zu of its processes live on and are profiled (an "
		"interrupt "
		"lets them go)",
		engine->target.processes);
}

static void once_a_second(struct engine *engine, uint64_t now)
{
	const char *text;

	if (now < engine->audit_again_ns)
		return;
	say_who_is_left(engine);
	engine->audit_again_ns = now + SECOND_NS;
	count_missed(engine, now);
	lifecycle_drain(engine); /* who is gone has left its account there */
	lifecycle_sweep(engine);
	text = engine_audit_text(engine, now);
	if (text)
		(void)emit_audit(&engine->emitter, now, RECORD_AUDIT, text);
}

/* Into how many parts the next period is divided, if a tick takes so long: a quarter of the time at
 * most. */
static unsigned affordable(const struct engine *engine, uint64_t took_ns)
{
	uint64_t most = engine->wakeups.period_ns / (4 * took_ns + 1);

	most = most < engine->parts ? most : engine->parts;
	return most > 1 ? (unsigned)most : 1;
}

/* --max-cpu: how much rarer ticks must be. */
static void keep_pace(struct engine *engine, uint64_t now)
{
	const struct engine_options *options = engine->options;
	uint64_t bound = options->max_cpu_ppm, analyst_ns = 0;
	clockid_t clock;

	if (!bound || !pace_is_due(&engine->pace, now))
		return;
	if (engine->period_ns < options->max_cpu_period_ns)
		bound = bound * options->max_cpu_period_ns / engine->period_ns;
	if (engine->link.pid && clock_getcpuclockid(engine->link.pid, &clock) == 0)
		analyst_ns = engine_clock(clock);
	engine->audit.yielded_ns += pace_see(
		&engine->pace, now, engine_clock(CLOCK_PROCESS_CPUTIME_ID), analyst_ns, bound);
}

/* The time to the next tick. Programs that call sprofil have asked for theirs. */
static uint64_t span(const struct engine *engine, uint64_t now)
{
	uint64_t asked = sampler_span(engine, now), most = 2 * engine->wakeups.period_ns;
	uint64_t rarer = asked * engine->pace.factor / PACE_ONE;

	if (engine->service.sessions)
		return asked;
	return rarer < most ? rarer : asked < most ? most : asked;
}

static void tick(struct engine *engine, uint64_t now)
{
	struct wakeups *wakeups = &engine->wakeups;
	uint64_t last = wakeups->next_ns, after;

	if (!engine->counting && engine->begins_at_ns && now >= engine->begins_at_ns) {
		engine->begins_at_ns = 0;
		engine->audit.began_ns = now;
		account_count(engine, true);
	}
	if (engine->counting || engine->service.sessions)
		sampler_tick(engine, now);
	session_tidy(engine);
	mend_expire(engine, now);
	if (engine->early)
		birth_adopt_orphans(engine, now);
	after = engine_now();
	keep_pace(engine, after);
	wakeups_advance(wakeups, after, span(engine, after),
		engine->at_once ? UINT_MAX : affordable(engine, after - now));
	engine->wants_moment = turns_want_moment(engine, wakeups->next_ns);
	/* At random, too: what begins some time after it fell asleep must not be missed every time.
	 */
	if (!engine->target.hot && after - engine->moved_at_ns > 3 * IDLE_NS) {
		uint64_t idle = last + IDLE_NS / 2 + wakeups_random(wakeups, IDLE_NS);

		if (wakeups->next_ns < idle)
			wakeups->next_ns = idle;
	}
}

static void sleep_until(struct engine *engine, uint64_t until_ns)
{
	struct pollfd fds[3] = {
		{.fd = engine->signal_fd, .events = POLLIN},
		{.fd = engine->link.pid ? engine->link.request_fd : -1, .events = POLLIN},
		{.fd = engine->service.read_fd, .events = POLLIN},
	};
	uint64_t now = engine_now();
	uint64_t left = until_ns > now ? until_ns - now : 0;
	struct timespec timeout = {(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};
	int n;

	watchdog_note(&engine->watchdog, 0);
	n = ppoll(fds, 3, &timeout, NULL);
	/* At once: what it reads is soon overwritten. */
	moment_begin(&engine->moment, n == 0 && engine->wants_moment);
	watchdog_note(&engine->watchdog, engine_now());
	if (n > 0 && fds[0].revents)
		control_signals(engine);
	if (engine->undrained || (n > 0 && fds[0].revents))
		lifecycle_drain(engine);
	if (n <= 0)
		return;
	if (fds[1].revents & POLLIN)
		control_requests(engine);
	if (fds[2].revents & POLLIN)
		service_read(engine);
}

static bool over(struct engine *engine, uint64_t now)
{
	if (engine->ends_at_ns && now >= engine->ends_at_ns)
		engine->stop = true;
	if (engine->options->serve_only && !engine->service.sessions &&
		now - engine->service.idle_since_ns > LINGER_NS)
		engine->stop = true;
	return engine->stop || !engine->target.tracees;
}

/* Ticks may be minutes apart; the end, and the figures of each second, are not. */
static uint64_t next_event(const struct engine *engine)
{
	uint64_t next = engine->wakeups.next_ns;

	if (engine->undrained)
		return 0;
	if (next > engine->audit_again_ns)
		next = engine->audit_again_ns;
	if (engine->ends_at_ns && next > engine->ends_at_ns)
		next = engine->ends_at_ns;
	return next;
}

static void loop(struct engine *engine)
{
	uint64_t now = engine_now();

	while (!over(engine, now)) {
		turns_move_on(engine);
		sleep_until(engine, next_event(engine));
		now = engine_now();
		if (now >= engine->wakeups.next_ns)
			tick(engine, now);
		if (engine->service.waiting_n)
			service_finish(engine, now);
		emit_bell(&engine->emitter, now);
		once_a_second(engine, now);
	}
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
		for (size_t i = 0; i < options->pids_n; i++) {
			if (target_find_process(&engine->target, options->pids[i]))
				continue; /* named twice */
			r = birth_attach(engine, options->pids[i]);
			if (r < 0) {
				result->refused_pid = options->pids[i];
				return r;
			}
		}
		engine_begin_times(engine);
		return 0;
	}
	r = launch_go(&engine->launch, &engine->tracer);
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
	t->state = TRACEE_RUNNING;
	process->announced = true; /* it has no image of interest before its exec */
	return 0;
}

static int prepare(struct engine *engine)
{
	const struct engine_options *options = engine->options;
	sigset_t signals;
	uint64_t seed = 0, now = engine_now();
	int r;

	/* What nothing goes on without comes first: descriptors may be few. */
	engine_signals(&signals);
	engine->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (engine->signal_fd < 0)
		return -errno;
	engine->cpu_source = procfs_cpu_source();
	r = service_open(&engine->service);
	if (r < 0) {
		if (options->serve_only)
			return r;
		engine_say(engine, ENGINE_WARNING, "programs cannot call sprofil: %s%s",
			strerror(-r), fds_way_out(r));
	}
	engine->tracer.follow = options->follow;
	fds_init(engine);
	if (engine->cpu_source == CPU_SOURCE_STAT)
		engine_say(engine, ENGINE_WARNING,
			"this kernel has no /proc/PID/schedstat (CONFIG_SCHED_INFO); CPU time is "
			"taken from stat, in steps of %ld ms",
			1000 / sysconf(_SC_CLK_TCK));
	else if (!procfs_has_tickless_cpus())
		engine->scheduler_tick_ns = procfs_scheduler_tick_ns();
	engine->idle.load_fd = procfs_open_load();
	engine->idle.cpus = procfs_cpus();
	pace_init(&engine->pace);
	follow_init(&engine->follow);
	moment_init(&engine->moment);
	/* With one CPU the target can only stop once we sleep. */
	engine->spin_ns = engine->follow.cpus > 1 ? SPIN_NS : 0;
	engine_say(engine, ENGINE_DETAIL,
		"a tick every %.3f ms of CPU time; CPU time from %s; %u CPUs; scheduler tick %.3f "
		"ms",
		(double)options->period_ns / 1e6,
		engine->cpu_source == CPU_SOURCE_SCHEDSTAT ? "schedstat" : "stat",
		engine->follow.cpus, (double)engine->scheduler_tick_ns / 1e6);
	(void)getrandom(&seed, sizeof(seed), GRND_NONBLOCK);
	if (stack_copy_init(&engine->stack, options->max_stack) < 0)
		return -ENOMEM;
	wakeups_init(&engine->wakeups, options->period_ns, now, seed ^ now);
	engine->audit.period_ns = engine->period_ns = engine->due_ns = options->period_ns;
	engine->audit.began_ns = now;
	engine->audit.wall = options->wall;
	engine->audit_again_ns = now + SECOND_NS;
	engine->service.idle_since_ns = now;
	engine->counting = !options->serve_only && !options->delay_ns;
	return 0;
}

/* The last records must not be lost: lets the analyst make room, if it lives. */
static void await_room(struct engine *engine)
{
	uint64_t until = engine_now() + ROOM_NS;
	struct waiter_result seen;

	while (engine->emitter.open && !ring_is_half_empty(&engine->emitter.ring) &&
		engine_now() < until &&
		!(waiter_peek(engine->link.pid, &seen) == 0 && seen.kind == WAITER_GONE)) {
		struct timespec ms = {0, 1000000};

		(void)nanosleep(&ms, NULL);
	}
}

static void finish(struct engine *engine)
{
	const char *text;
	uint64_t now = engine_now();

	if (engine->begins_at_ns && !engine->result->error)
		engine_say(engine, ENGINE_WARNING,
			"it ended before the delay was over: nothing was profiled");
	if (engine->options->command && !engine->executed && !engine->result->error &&
		!engine->result->exec_error)
		engine_say(engine, ENGINE_WARNING,
			"the command was ended before it ran: no profile was written");
	await_room(engine);
	account_settle(engine);
	text = engine_audit_text(engine, now);
	(void)emit_audit(&engine->emitter, now, RECORD_END, text ? text : "");
	engine->result->analyst_pid = engine->link.pid;
	engine->result->analyst_fd = link_finish(&engine->link);
}

/*
 * The supervisor runs for some microseconds at a time, and while it waits for a CPU stopped threads
 * wait for it. A short time slice makes the scheduler run it at once when it wakes up (Linux 6.12;
 * needs no privilege; elsewhere nothing changes). It is asked for once the command runs, which
 * would inherit the timer slack.
 */
static void ask_for_prompt_wakeups(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime_ns, deadline_ns, period_ns;
	} attributes = {.size = sizeof(attributes),
		.policy = SCHED_OTHER,
		.flags = SCHED_RESET_ON_FORK_FLAG,
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime_ns = SLICE_NS};

	(void)syscall(SYS_sched_setattr, 0, &attributes, 0);
	(void)prctl(PR_SET_TIMERSLACK, 1);
}

/*
 * What the program that started us is told: EBUSY when somebody else traces it, or did just now.
 * That is mostly a helper that another of its threads started, so it looks again.
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
 * The tracing thread. Its end releases whatever is still traced, and comes right after the last
 * repair: an ignored signal that wakes a traced thread between the two ends its call with EINTR.
 */
static void *trace(void *context)
{
	struct engine *engine = context;
	int r;

	watchdog_begin(&engine->watchdog);
	r = prepare(engine);

	if (r == 0) {
		reader_start(engine);
		r = begin(engine);
	}
	if (engine->options->serve_only)
		service_announce(&engine->service, engine->options->ready_fd, refusal(engine, -r));
	if (r == 0) {
		ask_for_prompt_wakeups();
		if (engine->options->dump)
			dump_run(engine);
		else
			loop(engine);
		/* What came while the command lived must not be taken for an order that follows its
		 * end. */
		control_signals(engine);
		account_count(engine, false);
		mend_let_go(engine);
	}
	engine->result->error = r;
	return NULL;
}

void engine_run(const struct engine_options *options, struct engine_result *ret_result)
{
	struct engine engine = {.options = options,
		.result = ret_result,
		.signal_fd = -1,
		.idle.load_fd = -1,
		.moment = {.fd = -1, .other_fd = -1},
		.launch = {.go_fd = -1, .error_fd = -1},
		.link = {.bell_fd = -1, .request_fd = -1},
		.service = {.read_fd = -1, .write_fd = -1, .mark_fd = -1}};
	pthread_t thread;
	int r;

	*ret_result = (struct engine_result){.analyst_fd = -1};
	r = options->command ? launch_begin(options->command, &options->inherited, &engine.launch)
			     : 0;
	if (r == 0)
		r = -pthread_create(&thread, NULL, trace, &engine);
	if (r < 0) {
		launch_abandon(&engine.launch);
		(void)launch_exec_error(&engine.launch);
		ret_result->error = r;
		return;
	}
	if (watchdog_join(&engine.watchdog, thread)) {
		if (options->hangs)
			options->hangs(options->context, ret_result->command_pid, engine.link.pid);
		_exit(HUNG_STATUS);
	}
	launch_abandon(&engine.launch);
	finish(&engine);
	for (size_t i = 0; i < engine.target.processes; i++)
		session_clear(&engine, engine.target.process[i]);
	target_release(&engine.target);
	service_release(&engine.service);
	(void)launch_exec_error(&engine.launch);
	if (engine.signal_fd >= 0)
		(void)close(engine.signal_fd);
	if (engine.idle.load_fd >= 0)
		(void)close(engine.idle.load_fd);
	stack_copy_release(&engine.stack);
	moment_release(&engine.moment);
	free(engine.asked);
	free(engine.ranked);
	free(engine.text);
}
