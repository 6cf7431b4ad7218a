/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/dump.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "supervisor/engine/control.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/stops.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/window.h"
#include "supervisor/target/restart.h"
#include "supervisor/target/tracee_memory.h"

/* How long one thread's stop is awaited before the next thread is interrupted. */
#define PATIENCE_NS 2000000
/* How long the stops of all threads are awaited. */
#define WAIT_NS UINT64_C(1000000000)
/*
 * How long the analyst may take to read all records on a busy machine, in seconds. Meanwhile no
 * thread is stopped.
 */
#define ANALYST_S 20
/* How long a request of the analyst is awaited before the ring is looked at again. */
#define REQUEST_MS 5

static void hand_over(struct engine *engine, struct tracee *t, const struct arch_snapshot *snapshot,
	uint64_t stop_ns, uint16_t flags)
{
	struct record_sample sample = {
		.flags = RECORD_SAMPLE_DUMP | flags,
		.pid = (uint32_t)t->process->pid,
		.tid = (uint32_t)t->tid,
		.pc = snapshot->pc,
		.sp = snapshot->sp,
		.fp = snapshot->fp,
		.weight_ns = stop_ns,
		.syscall = snapshot->syscall,
		.machine = snapshot->machine,
	};
	uint64_t now;

	procfs_read_name(t->process->pid, t->tid, t->name);
	(void)emit_thread(&engine->emitter, clock_now(), t);
	if (engine->stack.most)
		emit_describe_stack(&engine->stack, snapshot, &sample);
	now = clock_now();
	runtime_records_hand_over(engine, t, now);
	if (emit_sample(&engine->emitter, now, &sample))
		engine->audit.ticks++;
	else
		engine->audit.lost_samples++;
}

static int copy_state(struct engine *engine, struct tracee *t, struct arch_snapshot *snapshot)
{
	const struct remote memory = tracee_memory_of(t->process, t->tid);
	int r = tracer_get_snapshot(t->tid, snapshot);

	if (r == 0 && engine->stack.most)
		stack_copy_take(&engine->stack, &memory, snapshot, &t->process->stacks, &t->home);
	if (r == 0)
		runtime_records_copy(engine, t, snapshot);
	return r;
}

static void examine(struct engine *engine, const struct tracee *t,
	const struct arch_snapshot *snapshot, bool stopped)
{
	const struct engine_options *options = engine->options;

	if (options->examine)
		options->examine(options->context, t->process->pid, t->tid, snapshot,
			snapshot ? &engine->stack : NULL, stopped);
}

void dump_stop(struct engine *engine, struct tracee *t, int signal)
{
	struct arch_snapshot snapshot;
	uint64_t seen = clock_now(), end, stop_ns = 0;
	struct cpu_time cpu = t->stop_requested_cpu;
	int r;

	if (!t->stop_requested_ns) {
		restart_deliver(&engine->restarter, t, signal);
		return;
	}
	window_enter();
	r = copy_state(engine, t, &snapshot);
	(void)procfiles_read_open_cpu(&engine->files, t, &cpu);
	window_leave();
	if (r == 0)
		examine(engine, t, &snapshot, true);
	window_enter();
	end = restart_resume(&engine->restarter, t, signal, r == 0 ? &snapshot : NULL);
	window_leave();
	if (r == 0)
		stop_ns = stops_time(t, &cpu, snapshot.syscall >= 0, seen, end);
	t->stop_requested_ns = 0;
	if (r == 0) {
		examine(engine, t, &snapshot, false);
		hand_over(engine, t, &snapshot, stop_ns, 0);
	}
}

void dump_group_stop(struct engine *engine, struct tracee *t)
{
	struct arch_snapshot snapshot;

	if (t->stop_requested_ns && copy_state(engine, t, &snapshot) == 0) {
		examine(engine, t, &snapshot, true);
		examine(engine, t, &snapshot, false);
		hand_over(engine, t, &snapshot, 0, RECORD_SAMPLE_STOPPED);
	}
	t->stop_requested_ns = 0;
}

static bool request_stop(struct engine *engine, struct tracee *t)
{
	procfiles_open_memory(&engine->files, t->process, t->tid);
	if (tracer_interrupt(t->tid) < 0)
		return false;
	(void)target_step(t, TRACEE_REQUEST_STOP);
	return true;
}

void dump_again(struct engine *engine, struct tracee *t, int32_t syscall)
{
	(void)syscall;
	if (!request_stop(engine, t))
		t->stop_requested_ns = 0;
}

/* Is the thread asleep in a call with a time-out that would begin anew after a stop? */
static bool is_delicate(
	const struct tracee *t, const struct activity *activity, const uint64_t argument[6])
{
	const struct arch_restart *restart = arch_native.restart;

	for (size_t i = 0; restart && i < restart->calls; i++) {
		const struct arch_call *call = &restart->call[i];

		if (call->number != activity->syscall || !call->restart)
			continue;
		if (call->block && !proc_status_is_filtered(t->tid))
			return false;
		switch (call->wait) {
		case ARCH_WAIT_NONE: return false;
		case ARCH_WAIT_MS: return (int32_t)argument[call->wait_argument] >= 0;
		case ARCH_WAIT_SPEC:
		case ARCH_WAIT_FUTEX:
		case ARCH_WAIT_VAL: return argument[call->wait_argument] != 0;
		default: return true;
		}
	}
	return false;
}

/* Examines a blocked thread without a stop. False: it must be stopped. */
static bool examine_blocked(struct engine *engine, struct tracee *t)
{
	struct arch_snapshot snapshot = {.machine = arch_native.machine};
	const struct remote memory = tracee_memory_of(t->process, t->tid);
	struct activity activity;
	struct cpu_time before, after;
	uint64_t argument[6];

	/* Without schedstat, nothing tells whether the thread ran meanwhile: it must be stopped. */
	if (engine->files.cpu_source != CPU_SOURCE_SCHEDSTAT)
		return false;
	if (procfiles_read_cpu(&engine->files, t, &before) < 0 ||
		procfiles_read_call(&engine->files, t, &activity, argument) < 0 ||
		activity.running || !is_delicate(t, &activity, argument))
		return false;
	procfiles_open_memory(&engine->files, t->process, t->tid);
	snapshot.pc = activity.pc;
	snapshot.sp = activity.sp;
	snapshot.syscall = activity.syscall;
	if (engine->stack.most)
		stack_copy_take(&engine->stack, &memory, &snapshot, &t->process->stacks, &t->home);
	runtime_records_copy(engine, t, &snapshot);
	/* The thread was scheduled in meanwhile: the copy may be inconsistent. */
	if (procfiles_read_cpu(&engine->files, t, &after) < 0 || after.slices != before.slices)
		return false;
	examine(engine, t, NULL, false);
	hand_over(engine, t, &snapshot, 0, RECORD_SAMPLE_BLOCKED);
	return true;
}

/* Waits for the stop, PATIENCE_NS at most. The thread may end meanwhile. */
static void await_stop(struct engine *engine, int tid)
{
	uint64_t until = clock_now() + PATIENCE_NS;

	while (clock_now() < until) {
		struct tracee *still = target_find(&engine->target, tid);

		if (!still || !still->stop_requested_ns)
			return;
		still->not_stopped_ns = clock_now();
		lifecycle_drain(engine);
	}
}

/*
 * Threads that end change the slots of others: target.visited tells which are still to be visited.
 * Threads that begin meanwhile are left out: a program could make new ones for ever.
 */
static void visit_each(struct engine *engine)
{
	struct target *target = &engine->target;

	for (size_t i = 0; i < target->tracees; i++)
		target->tracee[i]->to_dump = true;
	target->visited = 0;
	while (target->visited < target->tracees) {
		struct tracee *t = target->tracee[target->visited++];

		if (!t->to_dump || !t->process || t->left_out || examine_blocked(engine, t))
			continue;
		(void)procfiles_read_cpu(&engine->files, t, &t->stop_requested_cpu);
		if (!request_stop(engine, t))
			continue;
		t->stop_requested_ns = t->not_stopped_ns = clock_now();
		await_stop(engine, t->tid);
	}
}

static bool any_is_awaited(const struct target *target)
{
	for (size_t i = 0; i < target->tracees; i++)
		if (target->tracee[i]->stop_requested_ns)
			return true;
	return false;
}

static void await_stops(struct engine *engine, uint64_t until_ns)
{
	struct pollfd none = {.fd = -1};

	while (any_is_awaited(&engine->target) && clock_now() < until_ns) {
		(void)poll(&none, 1, 1);
		lifecycle_drain(engine);
	}
	for (size_t i = 0; i < engine->target.tracees; i++) {
		const struct tracee *t = engine->target.tracee[i];

		if (!t->stop_requested_ns)
			continue;
		engine->audit.missed_stops++;
		say_line(&engine->say, SAY_WARNING,
			"thread %d did not stop within a second (it is in the kernel, frozen by "
			"its cgroup, or gets no CPU): left out",
			t->tid);
	}
}

/* Waits until the analyst has read all records; serves its requests. False: it took too long. */
static bool await_analyst(struct engine *engine)
{
	struct pollfd request = {.fd = engine->reader.link.request_fd, .events = POLLIN};
	uint64_t now = clock_now(), end = now + ANALYST_S * UINT64_C(1000000000);
	bool caught_up = false;

	/* The analyst writes requests before it sleeps, so all are in the pipe once it sleeps. */
	while (engine->emitter.open && request.fd >= 0 && now < end && !engine->timing.stop) {
		control_signals(engine);
		emit_bell(&engine->emitter, now);
		caught_up = ring_is_drained(&engine->emitter.ring);
		if (poll(&request, 1, caught_up ? 0 : REQUEST_MS) > 0) {
			if (!(request.revents & POLLIN))
				return true;
			control_requests(engine);
		} else if (caught_up) {
			return true;
		}
		lifecycle_drain(engine);
		now = clock_now();
	}
	if (now < end)
		return true;
	say_line(&engine->say, SAY_WARNING,
		"the analyst did not read all records within %d seconds (it gets no CPU, or a file "
		"system does not answer): frames of Python, Java and Go may be missing",
		ANALYST_S);
	return false;
}

void dump_run(struct engine *engine)
{
	struct target *target = &engine->target;
	uint64_t began = clock_now();
	bool answers;

	for (size_t i = 0; i < target->processes; i++) {
		(void)emit_process(&engine->emitter, began, target->process[i]);
		maps_read(&engine->maps, target->process[i], began);
	}
	answers = await_analyst(engine);
	if (engine->timing.stop)
		return;
	began = clock_now();
	visit_each(engine);
	await_stops(engine, began + WAIT_NS);
	/* The analyst may now request memory for the stacks, unless it was late before. */
	if (answers)
		(void)await_analyst(engine);
}
