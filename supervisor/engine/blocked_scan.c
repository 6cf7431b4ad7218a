/* SPDX-License-Identifier: MIT */
/*
 * How a blocked thread is observed, with the proof that it did not run meanwhile:
 *
 *	has the thread run since its last observation? ──no──► its time goes to the same stack
 *	      │ yes
 *	read time slices ──► read pc, sp ──► copy stack ──► read time slices: equal? ──► record
 */
#include "supervisor/engine/blocked_scan.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "supervisor/calls/histogram.h"
#include "supervisor/calls/session_ticks.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/handover.h"
#include "supervisor/target/tracee_memory.h"

/* The waiting time of a thread that stays blocked is sent this often. */
#define SAY_NS UINT64_C(1000000000)
/*
 * The observations of one blocked_scan_tick() take at most 1/SHARE_OF_TICK of the time since the
 * previous call. If more than LONG_TICK_NS has passed, it counts as LONG_TICK_NS. At least one
 * observation is made.
 */
#define SHARE_OF_TICK 8
#define LONG_TICK_NS  10000000
/* The clock is read once per this many observations. */
#define LOOKS_A_CLOCK 8
/* A name younger than this is read at each observation, as threads set it soon after birth. */
#define NAME_YOUNG_NS 100000000

static bool is_refusal(int r)
{
	return r == -EACCES || r == -EPERM || r == -ENOENT || r == -ENOSYS;
}

static int read_state(
	struct engine *engine, struct tracee *t, int why, struct activity *ret_activity)
{
	char state;
	int r = procfiles_read_state(&engine->files, t, &state);

	if (r < 0 || state == 'Z' || state == 'X')
		return r < 0 ? r : -ESRCH;
	if (engine->options->wall && !engine->blocked_scan.said_no_activity) {
		engine->blocked_scan.said_no_activity = true;
		say_line(&engine->say, SAY_WARNING,
			"/proc/%d/task/%d/syscall cannot be read (%s): where its blocked threads "
			"wait "
			"is not known, only for how long",
			t->process->pid, t->tid, strerror(why));
	}
	*ret_activity = (struct activity){.running = state == 'R', .syscall = -1};
	return 1;
}

int blocked_scan_read_activity(
	struct engine *engine, struct tracee *t, struct activity *ret_activity)
{
	int r = procfiles_read_activity(&engine->files, t, ret_activity);

	return is_refusal(r) ? read_state(engine, t, -r, ret_activity) : r;
}

static void take_stack(struct engine *engine, struct tracee *t, const struct activity *activity,
	struct record_sample *sample)
{
	const struct arch_snapshot snapshot = {
		.machine = sample->machine, .pc = activity->pc, .sp = activity->sp};
	struct remote memory;

	if (!engine->stack.most || !activity->sp)
		return;
	memory = tracee_memory_of(t->process, t->tid);
	procfiles_open_memory(&engine->files, t->process, t->tid);
	stack_copy_take(&engine->stack, &memory, &snapshot, &t->process->stacks, &t->home);
	runtime_records_copy(engine, t, &snapshot);
	emit_describe_stack(&engine->stack, &snapshot, sample);
}

/*
 * With schedstat, cpu_time.slices grows when a thread is scheduled in. Without schedstat, it is the
 * number of context switches, and grows when a thread is scheduled out. So a thread that has begun
 * to run may not show there: it must also still be blocked at the same address.
 */
static bool did_not_run(struct engine *engine, struct tracee *t, const struct activity *activity,
	const struct cpu_time *before, const struct cpu_time *after)
{
	struct activity again;

	if (before->slices != after->slices)
		return false;
	return blocked_scan_read_activity(engine, t, &again) >= 0 && !again.running &&
		again.sp == activity->sp && again.pc == activity->pc;
}

/* If the analyst takes the sample, its waiting time counts as reported. */
static bool hand_over(struct engine *engine, struct tracee *t, struct record_sample *sample,
	const struct waiting *owed, uint64_t now)
{
	sample->pid = (uint32_t)t->process->pid;
	sample->tid = (uint32_t)t->tid;
	sample->queue_ns = owed->queue_ns;
	sample->blocked_ns = owed->blocked_ns;
	/* A sample without a stack leaves the copy to that of the stop in which it was made. */
	if (!(sample->flags & RECORD_SAMPLE_AGAIN))
		runtime_records_hand_over(engine, t, now);
	if (!emit_sample(&engine->emitter, now, sample)) {
		engine->audit.lost_looks++;
		return false;
	}
	handover_paid(engine, t, owed);
	return true;
}

/* The record has no stack: the analyst uses that of the thread's last blocked sample. */
static void say_again(
	struct engine *engine, struct tracee *t, const struct waiting *owed, uint64_t now)
{
	struct record_sample sample = {
		.flags = RECORD_SAMPLE_BLOCKED | RECORD_SAMPLE_AGAIN, .syscall = -1};

	if ((owed->blocked_ns || owed->queue_ns) && hand_over(engine, t, &sample, owed, now))
		t->wall.said_ns = now;
}

/*
 * The thread has run since it was last observed. Its waiting time up to then goes to the stack of
 * that observation.
 */
static void leave_place(struct engine *engine, struct tracee *t, uint64_t now)
{
	const struct waiting here = {.blocked_ns = wall_owes_here(&t->wall)};

	if (t->wall.seen)
		say_again(engine, t, &here, now);
	t->wall.seen = false;
	t->wall.here_ns = 0;
}

/*
 * Is the thread off CPU because of our stop? Outside of system calls threads hardly ever block. So
 * a stop has begun (state t), or the thread was just resumed and is being woken (TASK_WAKING: state
 * R, though /proc/…/syscall does not say "running").
 */
static bool is_in_a_stop(struct engine *engine, struct tracee *t)
{
	char state;

	return procfiles_read_state(&engine->files, t, &state) == 0 &&
		(state == 'R' || (state == 't' && t->state != TRACEE_LISTENING));
}

/* Reads where a blocked thread stands, and its CPU time. False: it runs, or ran meanwhile. */
static bool take_place(struct engine *engine, struct tracee *t, uint64_t now,
	struct record_sample *sample, struct cpu_time *ret_cpu)
{
	struct activity activity;
	struct cpu_time before;
	int r = procfiles_read_runs(&engine->files, t, &before);

	if (r == 0)
		r = blocked_scan_read_activity(engine, t, &activity);
	/* A thread that has ended but is not reaped yet shows address 0. */
	if (r < 0 || activity.running || (r == 0 && !activity.pc))
		return false;
	if (r == 0 && activity.syscall < 0 && is_in_a_stop(engine, t))
		return false;
	if (!t->process->maps_read)
		handover_announce(engine, t, activity.pc, now); /* reads the mappings */
	maps_cover_stack(&engine->maps, t->process, activity.sp, now);
	sample->machine = t->machine ? t->machine : arch_native.machine;
	take_stack(engine, t, &activity, sample);
	if (procfiles_read_runs(&engine->files, t, ret_cpu) < 0 ||
		!cpu_account_owns(engine, t, ret_cpu)) {
		runtime_records_forget(engine);
		return false;
	}
	if (!did_not_run(engine, t, &activity, &before, ret_cpu)) {
		runtime_records_forget(engine);
		engine->audit.unsure_looks++;
		return false;
	}
	/*
	 * Name and mappings are read after the stack was copied, as this takes long, and the thread
	 * may wake up.
	 */
	if (now - t->name_since_ns < NAME_YOUNG_NS)
		t->name_again_ns = 0;
	handover_announce(engine, t, activity.pc, now);
	if (activity.syscall >= 0 && activity.syscall == arch_native.restart_syscall)
		activity.syscall = t->syscall;
	t->syscall = activity.syscall;
	sample->syscall = activity.syscall;
	sample->pc = activity.pc;
	sample->sp = activity.sp;
	return true;
}

void blocked_scan_take_tick(struct engine *engine, struct tracee *t)
{
	const struct sample_hit *hit = &t->sample->hit;
	struct record_sample sample = {.flags = RECORD_SAMPLE_ASLEEP | RECORD_SAMPLE_KERNEL};
	uint64_t unsure = engine->audit.unsure_looks + (engine->stack.most > 0);
	struct cpu_time cpu;

	for (unsigned i = 1; i < PLAN_STREAMS; i++)
		if (hit->due.streams & 1u << i)
			session_tick_asleep(
				&engine->sessions, t, i, hit->activity.pc, hit->due.weight_ns[i]);
	if (engine->counting && hit->due.streams & 1u << SAMPLING_HISTOGRAM)
		histogram_tick(engine->options->histogram, t->process, engine->period_ns,
			hit->activity.pc, hit->due.weight_ns[SAMPLING_HISTOGRAM]);
	if (!engine->counting || !(hit->due.streams & 1))
		return;
	if (take_place(engine, t, clock_now(), &sample, &cpu)) {
		(void)cpu_account_update(engine, t, &cpu, clock_now());
	} else {
		/*
		 * The thread was woken before or while its stack was copied. Its address is known
		 * from the instant, its stack is not. But if its system call is being restarted,
		 * the thread is still in that call, and its stack is that of the instant.
		 */
		sample.pc = hit->activity.pc;
		sample.sp = hit->activity.sp;
		sample.syscall = hit->activity.syscall;
		sample.machine = t->machine ? t->machine : arch_native.machine;
		sample.stack_bytes = sample.outer_bytes = 0;
		sample.registers = 0;
		if (restart_busy(t))
			take_stack(engine, t, &hit->activity, &sample);
		else
			engine->audit.unsure_looks = unsure;
		handover_announce(engine, t, sample.pc, clock_now());
	}
	handover_sample(engine, t, &sample, hit->due.weight_ns[0], clock_now());
}

static void observe(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct record_sample sample = {.flags = RECORD_SAMPLE_BLOCKED};
	struct cpu_time after;
	struct waiting owed;

	if (!take_place(engine, t, now, &sample, &after))
		return;
	now = clock_now();
	wall_settle(&t->wall, &after, now);
	if (t->state == TRACEE_LISTENING)
		sample.flags |= RECORD_SAMPLE_STOPPED;
	owed = wall_owes(&t->wall);
	if (!hand_over(engine, t, &sample, &owed, now))
		return;
	wall_see(&t->wall, after.slices, now);
	engine->audit.looks++;
}

/* Examines the thread anew only if it has run since its last scan. */
static void scan_thread(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct cpu_time cpu;
	struct waiting owed = {0};

	if (!t->process || !t->wall.begin_ns ||
		(t->state != TRACEE_RUNNING && t->state != TRACEE_LISTENING))
		return;
	if (t->wall.seen) {
		if (procfiles_read_runs(&engine->files, t, &cpu) < 0 ||
			!cpu_account_owns(engine, t, &cpu))
			return;
		if (wall_stays(&t->wall, &cpu)) {
			wall_stay(&t->wall, &cpu, now);
			owed.blocked_ns = wall_owes_here(&t->wall);
			if (now - t->wall.said_ns >= SAY_NS)
				say_again(engine, t, &owed, now);
			return;
		}
		leave_place(engine, t, now);
	}
	observe(engine, t, now);
}

void blocked_scan_tick(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;
	uint64_t span = now - engine->blocked_scan.tick_ns, began;
	int64_t left;

	if (!engine->counting || !engine->options->wall || engine->reader.missing ||
		span < engine->period_ns)
		return;
	engine->blocked_scan.tick_ns = now;
	began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	left = (int64_t)((span < LONG_TICK_NS ? span : LONG_TICK_NS) / SHARE_OF_TICK);
	for (size_t i = 0; i < target->tracees && left > 0; i++) {
		if (target->blocked_cursor >= target->tracees)
			target->blocked_cursor = 0;
		scan_thread(engine, target->tracee[target->blocked_cursor++], now);
		if (i % LOOKS_A_CLOCK == 0)
			left -= (int64_t)(clock_read(CLOCK_THREAD_CPUTIME_ID) - began);
		if (i % LOOKS_A_CLOCK == 0)
			began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	}
}

void blocked_scan_stopped(struct engine *engine, struct tracee *t, const struct cpu_time *cpu,
	uint64_t stop_ns, uint64_t end_ns)
{
	if (!engine->counting || !engine->options->wall)
		return;
	leave_place(engine, t, end_ns);
	t->wall.stopped_ns += stop_ns;
	wall_settle(&t->wall, cpu, end_ns);
}

void blocked_scan_begin(
	struct engine *engine, struct tracee *t, const struct cpu_time *cpu, uint64_t now)
{
	if (engine->options->wall)
		wall_begin(&t->wall, cpu, now);
}

void blocked_scan_close(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct waiting owed;
	struct cpu_time at;

	if (!engine->options->wall || !t->wall.begin_ns)
		return;
	wall_settle(&t->wall, &t->account.seen, now);
	owed = wall_owes(&t->wall);
	/* The thread's last known stack gets the time up to now. */
	if (t->wall.seen)
		say_again(engine, t, &owed, now);
	owed = wall_owes(&t->wall);
	waiting_add(&t->image->waited, &owed);
	engine->audit.elapsed_ns += now - t->wall.begin_ns;
	at = t->wall.at;
	wall_begin(&t->wall, &at, now);
}

void blocked_scan_forget_analyst(struct engine *engine)
{
	struct target *target = &engine->target;

	for (size_t i = 0; i < target->tracees; i++) {
		target->tracee[i]->wall.seen = false;
		target->tracee[i]->wall.here_ns = 0;
	}
	for (size_t i = 0; i < target->images; i++) {
		struct image *image = target->image[i];

		waiting_add(&image->waited, &image->sent);
		engine->audit.waited.queue_ns -= image->sent.queue_ns;
		engine->audit.waited.blocked_ns -= image->sent.blocked_ns;
		image->sent = (struct waiting){0};
	}
}
