/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/lifecycle.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "proto/record.h"
#include "supervisor/calls/histogram.h"
#include "supervisor/calls/session_ticks.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/exits.h"
#include "supervisor/engine/signals.h"
#include "supervisor/engine/stops.h"
#include "supervisor/os/suspend.h"
#include "supervisor/os/waiter.h"
#include "supervisor/sample/ticks.h"
#include "supervisor/target/restart.h"

/* Maximum stops and deaths handled before the clock is read again. */
#define DRAIN_MOST 256
/* After this many stops of one thread in a row, the other threads are examined one by one. */
#define STREAK_MOST 16
/* With more threads than this, a search among all of them may take 0.1 ms or more. */
#define SEARCH_THREADS 512
/* The pause after a search is this many times as long as the search took. */
#define SEARCH_REST 3
/* The longest pause: a search may seem long only because another thread had our CPU. */
#define SEARCH_REST_MOST_NS UINT64_C(1000000)
/*
 * If a command has not stopped this long after a stop signal, it has ignored or handled the signal:
 * a later stop has another cause. The signal of the later stop is no evidence of its cause, as a
 * handler of SIGTSTP may stop its process by SIGSTOP.
 */
#define STOP_WITHIN_NS (10 * CLOCK_SECOND_NS)
/* Threads whose existence is checked per second. */
#define SWEEP_MOST 64

static void end_process(struct engine *engine, struct process *process, uint32_t status)
{
	say_line(&engine->say, SAY_DETAIL, "process %d (%s) is gone, wait status 0x%x",
		process->pid, process->image->path, status);
	(void)emit_process(&engine->emitter, clock_now(), process);
	cpu_account_end(engine, process, status);
	rotate_process_ended(engine, process->pid, status);
	engine->result->target_status = (int)status;
	session_clear(&engine->sessions, process);
	histogram_clear(process);
	target_remove_process(&engine->target, process);
}

static void overtake(struct engine *engine, struct tracee *t, int32_t syscall)
{
	if (t->stop_requested_ns)
		engine->life.stops->overtaken(engine, t, syscall);
}

static void drop(struct engine *engine, struct tracee *t, uint32_t status)
{
	struct process *process = t->process;

	sampling_remove(engine, t);
	session_thread_ended(t);
	session_clear_thread(&engine->sessions, t);
	birth_end_hold(engine, t);
	target_remove(&engine->target, t);
	if (process && process->threads == 0)
		end_process(engine, process, status);
}

/*
 * Returns the system call in which a thread that died with @status was since its stop request;
 * negative: unknown. The request makes a thread stop before it returns to user mode or enters
 * another call. So if the only thread of a process exited instead, it was in exit_group. If there
 * are others, the exit_group of another thread may have ended it in any place.
 */
static int32_t last_call(const struct tracee *t, int status)
{
	return t->was_alone && (status & 0x7f) == 0 ? SYS_exit_group : -1;
}

/*
 * Reads what cannot be read later: the final CPU time and, for a sample, the name. Others wait
 * meanwhile: the parent of a zombie cannot collect it, and a thread that is stopped as it begins to
 * exit stands still.
 */
static void read_last(struct engine *engine, struct tracee *t, int status)
{
	if (stops_awaits_sample(t) && !t->name[0])
		overtake(engine, t, last_call(t, status));
	procfiles_read_final(&engine->files, t);
}

/* Closes the accounts of a thread that is traced no more. */
static void finish(struct engine *engine, struct tracee *t, int status)
{
	overtake(engine, t, last_call(t, status));
	counting_close(engine, t);
	if (t->tid == engine->launch.pid) {
		engine->result->command_ended = true;
		engine->result->command_status = status;
		engine->result->exec_error = launch_exec_error(&engine->launch);
		/*
		 * After a hang-up of the terminal, the run ends with the command. The supervisor
		 * leads the session: when it ends, the terminal's other processes get the hang-up.
		 */
		engine->timing.stop |= engine->life.hung_up;
	}
	drop(engine, t, (uint32_t)status);
}

static void reap(struct engine *engine, struct tracee *t, int status)
{
	read_last(engine, t, status);
	(void)waiter_take(t->tid);
	finish(engine, t, status);
}

/* Handles the stop of a thread that begins to exit. */
static void begin_exit(struct engine *engine, struct tracee *t)
{
	uint64_t status;

	if (!exits_untraced(engine, t) || tracer_get_message(t->tid, &status) < 0) {
		(void)tracer_resume(t->tid, 0);
		return;
	}
	read_last(engine, t, (int)status);
	if (tracer_detach(t->tid) < 0) {
		t->reaped = false; /* SIGKILL has ended the stop: the thread's death follows. */
		return;
	}
	engine->audit.untraced_exits++;
	finish(engine, t, (int)status);
}

static void close_at_last(struct engine *engine, struct tracee *t)
{
	if (!engine->counting)
		return;
	blocked_scan_close(engine, t, clock_now());
	cpu_account_close(engine, t);
}

/* Closes the accounts of what @t did under the tid @former, until its exec made it the leader. */
static void close_former(struct engine *engine, struct tracee *t, int former)
{
	struct cpu_time cpu;
	int tid = t->tid;

	/* The kernel shows @t's CPU time under its new tid; it belongs to @former's accounts. */
	if (procfiles_read_cpu(&engine->files, t, &cpu) == 0)
		(void)cpu_account_update(engine, t, &cpu, clock_now());
	t->tid = former;
	if (stops_awaits_sample(t))
		overtake(engine, t, SYS_execve);
	close_at_last(engine, t);
	t->tid = tid;
}

/*
 * @t has called exec and got its leader's tid. The old leader is gone without an event (race:
 * exec_from_other_thread).
 */
static void take_tid_of_leader(struct engine *engine, struct tracee *t)
{
	int former = t->tid, tid = t->process->pid;
	struct tracee *leader = target_find(&engine->target, tid);

	if (leader && leader->process)
		close_at_last(engine, leader);
	if (leader)
		drop(engine, leader, 0);
	target_rename(&engine->target, t, tid);
	(void)target_step(t, TRACEE_RENAMED);
	close_former(engine, t, former);
}

/* Returns the thread that has called exec, which is reported under its leader's tid @tid. */
static struct tracee *caller_of_exec(struct engine *engine, int tid)
{
	uint64_t former = 0;
	struct tracee *t;

	(void)tracer_get_message(tid, &former);
	t = target_find(&engine->target, (int)former);
	if (!t || (int)former == tid || !t->process || t->process->pid != tid)
		return target_find(&engine->target, tid);
	take_tid_of_leader(engine, t);
	return t;
}

/*
 * Returns the thread that died under the tid of @t. A leader's death is reported last: if another
 * thread is left, that one called exec, got the leader's tid, and was killed before the event.
 */
static struct tracee *dead_thread(struct engine *engine, struct tracee *t)
{
	struct tracee *other = target_find_other(&engine->target, t);

	if (!other || t->tid != t->process->pid)
		return t;
	take_tid_of_leader(engine, other);
	return other;
}

/* Handles the new image of the process of @t, its only thread. */
static void new_image(struct engine *engine, struct tracee *t)
{
	struct process *process = t->process;
	struct cpu_time cpu;

	overtake(engine, t, SYS_execve);
	if (launch_is_before_exec(&engine->launch, t->tid)) {
		/*
		 * The command is about to run; our own code, which ran before, is not sampled. If
		 * choice_add() fails, the thread is not sampled, but its CPU time is counted.
		 */
		(void)launch_exec_error(&engine->launch);
		(void)choice_add(engine, t);
		engine->life.executed = true;
		timing_start(&engine->timing, engine->options);
		counting_begin(engine, t, false);
		sampling_set_periods(engine);
	} else if (procfiles_read_cpu(&engine->files, t, &cpu) == 0 &&
		cpu_account_update(engine, t, &cpu, clock_now()) && engine->counting) {
		blocked_scan_close(engine, t, clock_now());
		cpu_account_report(engine, t, true);
	}
	session_clear(&engine->sessions, process);
	process->image = birth_image(engine, process->pid);
	if (!process->image)
		process->image = t->image;
	t->image = process->image;
	t->name[0] = '\0';
	t->name_again_ns = 0;
	process->announced = false;
	process->handled = (struct handled_calls){0};
	process->exits = (struct exit_watch){0};
	runtime_records_drop(process);
	maps_forget(process);
	/*
	 * Begins the accounts of ticks anew. They may be those of the old leader, if another thread
	 * has called exec and taken the leader's tid: that thread has another CPU time.
	 */
	if (t->sample)
		ticks_forget_all(t->sample, 0);
	t->home = (struct stack_home){0};
	runtime_thread_release(&t->runtime);
	choice_renew(engine, t, clock_now());
	if (engine->options->serve_only)
		return;
	special_see_exec(&engine->special, process);
	(void)emit_process(&engine->emitter, clock_now(), process);
	maps_read(&engine->maps, process, clock_now());
	say_line(
		&engine->say, SAY_DETAIL, "process %d runs %s", process->pid, process->image->path);
}

/* The exec has turned profiling off: a helper must not touch the new image. */
static void detach_at_stop(struct engine *engine, struct tracee *t)
{
	(void)tracer_detach(t->tid);
	drop(engine, t, RECORD_EXIT_DETACHED);
}

/* Called at the supervisor's stop signal and at the command's stop: either may come first. */
static void stop_with_command(struct engine *engine)
{
	const struct tracee *t = target_find(&engine->target, engine->launch.pid);
	int signal = engine->life.stop_signal;

	if (!signal || !t || t->state != TRACEE_LISTENING)
		return;
	engine->life.stop_signal = 0;
	if (clock_now() - engine->life.stop_signal_ns > STOP_WITHIN_NS)
		return;
	if (engine->options->stops)
		engine->options->stops(engine->options->context);
	suspend(signal);
}

void lifecycle_stop_with_command(struct engine *engine, int signal)
{
	engine->life.stop_signal = signal;
	engine->life.stop_signal_ns = clock_now();
	stop_with_command(engine);
}

void lifecycle_continue_command(struct engine *engine, uint64_t now)
{
	const struct tracee *t;

	if (!engine->life.continues_at_ns || now < engine->life.continues_at_ns)
		return;
	engine->life.continues_at_ns = 0;
	t = target_find(&engine->target, engine->launch.pid);
	if (t && t->state == TRACEE_LISTENING)
		(void)kill(engine->result->command_apart ? -t->tid : t->tid, SIGCONT);
}

static void act(struct engine *engine, struct tracee *t, enum tracee_event event, int status)
{
	const struct lifecycle_stops *stops = engine->life.stops;
	bool newborn = t->state == TRACEE_EXPECTED;
	enum tracee_action action = target_step(t, event);
	int signal = status & 0xff;

	switch (action) {
	case TRACEE_TICK:
	case TRACEE_TICK_SIGNAL:
		if (!t->stops_at_exit && exits_stop(engine, t))
			exits_set(engine, t);
		stops->tick(engine, t, action == TRACEE_TICK ? 0 : signal);
		break;
	case TRACEE_DELIVER: restart_deliver(&engine->restarter, t, signal); break;
	case TRACEE_RESTART:
		overtake(engine, t, -1);
		/*
		 * The kept ticks of the process are written in this stop. No stop is requested for
		 * that while the system call is being restarted (restart.h).
		 */
		session_catch_up(&engine->sessions, t);
		restart_call_stop(&engine->restarter, t);
		break;
	case TRACEE_LISTEN:
		if (newborn)
			exits_set(engine, t);
		if (stops->group)
			stops->group(engine, t);
		overtake(engine, t, -1);
		restart_group_stop(&engine->restarter, t);
		(void)tracer_listen(t->tid);
		/*
		 * If the command has its own terminal, this process has not got the stop signal of
		 * that terminal. It stops as if it had.
		 */
		if (engine->options->stops && t->tid == engine->launch.pid &&
			signals_is_stop(signal))
			lifecycle_stop_with_command(engine, signal);
		else
			stop_with_command(engine);
		break;
	case TRACEE_ADOPT:
		birth_adopt(engine, t);
		/* The requested stop would find the thread in this call, too: it is sampled now. */
		if (t->stop_requested_ns)
			stops->tick(engine, t, 0);
		else
			(void)tracer_resume(t->tid, 0);
		break;
	case TRACEE_NEW_IMAGE:
		new_image(engine, t);
		if (engine->options->serve_only) {
			detach_at_stop(engine, t);
			break;
		}
		exits_set(engine, t);
		(void)tracer_resume(t->tid, 0);
		break;
	case TRACEE_RELEASE: exits_set(engine, t); __attribute__((fallthrough));
	case TRACEE_RESUME:
		overtake(engine, t, -1);
		restart_group_stop_over(&engine->restarter, t);
		break;
	case TRACEE_END: begin_exit(engine, t); break;
	case TRACEE_REAP: reap(engine, t, status); break;
	default: break;
	}
}

/*
 * Returns the thread that has died under its leader's tid, if the leader was detached. The thread
 * called exec, got the leader's tid, and was killed before its exec event. NULL: no thread of the
 * target has died.
 */
static struct tracee *heir_of_leader(struct engine *engine, int tid)
{
	struct process *process = target_find_process(&engine->target, tid);
	struct tracee *t = process && process->threads == 1
		? target_find(&engine->target, process->tids)
		: NULL;

	if (t)
		take_tid_of_leader(engine, t);
	return t;
}

static void handle(struct engine *engine, const struct waiter_result *seen)
{
	struct tracee *t = target_find(&engine->target, seen->tid);

	if (!t && seen->kind == WAITER_GONE)
		t = heir_of_leader(engine, seen->tid);
	if (seen->kind == WAITER_FOREIGN || (seen->kind == WAITER_GONE && !t)) {
		(void)waiter_take(seen->tid);
		if (seen->kind == WAITER_GONE && seen->tid == engine->reader.link.pid)
			reader_died(engine, seen->status);
		else if (seen->kind == WAITER_GONE)
			rotate_forget(&engine->rotation, seen->tid);
		return;
	}
	/*
	 * After an exec by another thread than the leader, the kernel (since 5.12) refuses every
	 * ptrace operation with ESRCH until the exec event is waited for: the tracer might mean the
	 * old leader, which had the same tid. This stop carries no signal: nothing is lost if the
	 * supervisor dies here (test: exec_from_other_thread).
	 */
	if (seen->kind == WAITER_STOP && tracee_classify(seen->status) == TRACEE_EXEC) {
		(void)waiter_take_stop(seen->tid);
		t = caller_of_exec(engine, seen->tid);
	}
	if (!t || (seen->kind == WAITER_STOP && t->early_since_ns)) {
		birth_early_stop(engine, t, seen);
		return;
	}
	if (seen->kind == WAITER_GONE) {
		act(engine, dead_thread(engine, t), TRACEE_DEATH, seen->status);
	} else if (t->detach_at_stop) {
		sampling_remove(engine, t);
		session_thread_ended(t);
		session_clear_thread(&engine->sessions, t);
		target_remove(&engine->target, t);
		(void)tracer_detach(seen->tid);
	} else {
		act(engine, t, tracee_classify(seen->status), seen->status);
	}
}

/* Examines each thread in turn, so that one with very many events cannot starve the others. */
static void ask_each(struct engine *engine)
{
	for (size_t i = engine->target.tracees; i-- > 0;) {
		struct waiter_result seen;

		if (i < engine->target.tracees &&
			waiter_peek(engine->target.tracee[i]->tid, &seen) == 0 &&
			seen.kind != WAITER_NOTHING)
			handle(engine, &seen);
	}
}

/* Handles one event of thread @tid, if one is pending. False: none is. */
static bool ask(struct engine *engine, int tid)
{
	struct waiter_result seen;

	if (!tid || waiter_peek(tid, &seen) < 0 || seen.kind == WAITER_NOTHING)
		return false;
	handle(engine, &seen);
	return true;
}

/*
 * Finds a thread that has stopped or ended. False: none has; sets when the next search may begin.
 */
static bool search(struct engine *engine, struct waiter_result *ret_seen)
{
	bool many = engine->target.tracees > SEARCH_THREADS;
	uint64_t began = many ? clock_now() : 0, now, rest;

	if (waiter_peek(0, ret_seen) == 0 && ret_seen->kind != WAITER_NOTHING)
		return true;
	now = many ? clock_now() : 0;
	engine->life.search_ns = now - began;
	rest = SEARCH_REST * engine->life.search_ns;
	engine->life.search_at_ns = now + (rest < SEARCH_REST_MOST_NS ? rest : SEARCH_REST_MOST_NS);
	engine->life.search_due = false;
	return false;
}

void lifecycle_notice(struct engine *engine, uint64_t now)
{
	const int *last = engine->births.last;
	unsigned asked = 0;

	if (engine->life.search_ns)
		while (asked++ < STREAK_MOST && (ask(engine, last[0]) || ask(engine, last[1])))
			;
	engine->life.search_due = now < engine->life.search_at_ns;
	if (!engine->life.search_due)
		lifecycle_drain(engine);
}

void lifecycle_drain(struct engine *engine)
{
	unsigned streak = 0;
	int last = 0;

	engine->life.undrained = false;
	for (unsigned i = 0; i < DRAIN_MOST; i++) {
		struct waiter_result seen;

		if (!search(engine, &seen))
			return;
		streak = seen.tid == last ? streak + 1 : 0;
		last = seen.tid;
		handle(engine, &seen);
		if (streak >= STREAK_MOST) {
			ask_each(engine);
			streak = 0;
		}
	}
	engine->life.undrained = true;
}

/*
 * Is a thread gone without an event? A thread that has called exec lives on under the leader's tid,
 * even before the exec event (race: exec_from_other_thread).
 */
static bool is_gone(const struct tracee *t)
{
	return !tracer_lives(t->tid) && !(t->process && tracer_lives(t->process->pid));
}

void lifecycle_sweep(struct engine *engine)
{
	struct target *target = &engine->target;

	for (unsigned i = 0; i < SWEEP_MOST && i < target->tracees; i++) {
		struct tracee *t;

		if (target->sweep_cursor >= target->tracees)
			target->sweep_cursor = 0;
		t = target->tracee[target->sweep_cursor++];
		if (!is_gone(t))
			continue;
		counting_close(engine, t);
		drop(engine, t, 0);
	}
}
