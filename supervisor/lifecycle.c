/* SPDX-License-Identifier: MIT */
/* The life of the target's processes and threads: what ptrace events tell, and its accounts. */
#include "supervisor/engine_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/record.h"
#include "supervisor/mend.h"

/* A thread whose parent's event does not come is taken in without it after this long. */
#define ORPHAN_NS 50000000
/* Most stops and deaths that are acted on before the clock is looked at again. */
#define DRAIN_MOST 256
/* After so many stops of one thread in a row the others are asked one by one. */
#define STREAK_MOST 16
/* Threads whose existence is checked in a second. */
#define SWEEP_MOST 64

static void perform(struct engine *engine, struct tracee *t, enum tracee_event event, int status);

int lifecycle_read_cpu(struct engine *engine, struct tracee *t, struct cpu_time *ret_cpu)
{
	int fd = t->cpu_fd, r;

	if (fd < 0) {
		fd = procfs_open_cpu(engine->cpu_source, t->process->pid, t->tid);
		if (fd < 0)
			return fd;
		/* The stop window needs it open. */
		t->cpu_fd = fd;
	}
	r = procfs_read_cpu(engine->cpu_source, fd, ret_cpu);
	return r;
}

/* An account that begins now. A newborn has used nothing. */
static void begin_account(struct engine *engine, struct tracee *t, bool newborn)
{
	uint64_t period = engine->period_ns;
	struct cpu_time cpu = {0};

	if (!newborn)
		(void)lifecycle_read_cpu(engine, t, &cpu);
	credit_begin(&t->credit, &cpu, engine_now(), period,
		wakeups_random(&engine->wakeups, period));
}

/* The credit of a thread that cannot be sampled any more goes to its process, or its image. */
static void pool_credit(struct tracee *t, uint64_t run_ns)
{
	uint64_t credit = run_ns > t->credit.paid_ns ? run_ns - t->credit.paid_ns : 0;

	if (t->process->image == t->image)
		t->process->pool_ns += credit;
	else
		t->image->pool_ns += credit; /* it ended in an image that was replaced since */
	t->credit.paid_ns = run_ns;
}

/* The account of one thread is closed at what the kernel says now. */
static void close_account(struct engine *engine, struct tracee *t)
{
	struct cpu_time cpu = t->credit.seen;

	if (!t->process)
		return;
	(void)lifecycle_read_cpu(engine, t, &cpu);
	if (!engine->counting)
		return;
	engine->audit.kernel_ns += cpu.run_ns - t->credit.start_ns;
	pool_credit(t, cpu.run_ns);
	t->credit.start_ns = cpu.run_ns;
}

void lifecycle_count(struct engine *engine, bool counting)
{
	if (engine->counting == counting)
		return;
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (counting && t->process)
			begin_account(engine, t, false);
		else
			close_account(engine, t);
	}
	engine->counting = counting;
}

void lifecycle_settle(struct engine *engine)
{
	struct target *target = &engine->target;

	lifecycle_count(engine, false);
	for (size_t i = 0; i < target->processes; i++) {
		struct process *p = target->process[i];

		p->image->pool_ns += p->pool_ns;
		p->pool_ns = 0;
	}
	for (size_t i = 0; i < target->images; i++) {
		struct image *image = target->image[i];
		uint64_t rest = image->pool_ns + image->lost_ns;

		engine->audit.unattributed_ns += rest;
		if (rest)
			(void)emit_unsampled(
				&engine->emitter, engine_now(), image->path, rest);
		image->pool_ns = image->lost_ns = 0;
	}
}

/* The executable of a process. When it cannot be read, its name in brackets stands for it. */
static struct image *read_image(struct engine *engine, int pid)
{
	char path[PATH_MAX], name[PROCFS_NAME_BYTES];
	struct image *image;

	procfs_read_exe(pid, path, sizeof(path));
	if (!path[0]) {
		procfs_read_name(pid, pid, name);
		path[0] = '[';
		memcpy(path + 1, name, strlen(name));
		strcpy(path + 1 + strlen(name), "]");
	}
	return target_image(&engine->target, path, &image) < 0 ? NULL : image;
}

/* A forked child lies in memory as its parent did. */
static void inherit(struct engine *engine, struct process *from, struct process *process)
{
	session_fork(engine, from, process);
	if (from->histogram)
		process->histogram = region_table_ref(from->histogram);
}

static struct process *new_process(struct engine *engine, int pid, int parent, unsigned flags)
{
	struct process *process, *from = target_find_process(&engine->target, parent);
	struct image *image = from && flags == RECORD_PROCESS_FORKED ? from->image
								      : read_image(engine, pid);

	if (!image || target_add_process(&engine->target, pid, parent, image, &process) < 0)
		return NULL;
	process->flags = flags;
	engine->audit.processes++;
	if (from && flags == RECORD_PROCESS_FORKED)
		inherit(engine, from, process);
	return process;
}

static void out_of_memory(struct engine *engine, int tid)
{
	engine_say(engine, ENGINE_WARNING,
		"out of memory: thread %d goes on without being profiled", tid);
	(void)tracer_detach(tid);
}

static void end_process(struct engine *engine, struct process *process, uint32_t status)
{
	process->image->pool_ns += process->pool_ns;
	engine_say(engine, ENGINE_DETAIL, "process %d (%s) is gone, wait status 0x%x", process->pid,
		process->image->path, status);
	(void)emit_process(&engine->emitter, engine_now(), process);
	(void)emit_exit(&engine->emitter, engine_now(), process, status);
	session_clear(engine, process);
	target_remove_process(&engine->target, process);
}

/* A thread leaves the tables, and its process with it if it was the last. */
static void drop(struct engine *engine, struct tracee *t, uint32_t status)
{
	struct process *process = t->process;

	sampler_forget(engine, t);
	if (t->state == TRACEE_EARLY)
		engine->early--;
	target_remove(&engine->target, t);
	if (process && process->threads == 0)
		end_process(engine, process, status);
}

/* A zombie: its last figure is read before it is reaped. */
static void reap(struct engine *engine, struct tracee *t, int status)
{
	int tid = t->tid;

	close_account(engine, t);
	session_thread_ended(engine, t);
	(void)waiter_take(tid);
	if (tid == engine->launch.pid) {
		engine->result->command_ended = true;
		engine->result->command_status = status;
		engine->result->exec_error = launch_exec_error(&engine->launch);
	}
	drop(engine, t, (uint32_t)status);
}

/*
 * --no-follow: the kernel offers no way to trace new threads but not processes that clone() makes
 * with flags of its own. Such a one is let go at its first stop.
 */
static void let_child_go(struct engine *engine, int tid, struct tracee *t)
{
	if (t) {
		engine->early--;
		target_remove(&engine->target, t);
		(void)tracer_detach(tid);
	} else if (target_add(&engine->target, tid, NULL, &t) == 0) {
		t->state = TRACEE_EXPECTED;
		t->let_go = true;
	}
}

/*
 * A fork, vfork or clone: the child is either still to stop for the first time, or has done so
 * before this event and waits (race: newborn_stops_before_clone_event).
 */
static void adopt(struct engine *engine, struct tracee *parent)
{
	struct process *process = parent->process;
	int pid = 0, ignored;
	struct waiter_result seen;
	uint64_t message;
	struct tracee *t;

	if (tracer_get_message(parent->tid, &message) < 0 || !process)
		return;
	t = target_find(&engine->target, (int)message);
	if (t && t->state != TRACEE_EARLY)
		return; /* an orphan that was taken in already */
	/*
	 * Killed, and reaped as somebody unknown, before this event was seen: nothing more will be
	 * heard of it, though its parent may keep its zombie (race: newborn_dies_before_clone_event).
	 */
	if (!t && waiter_peek((int)message, &seen) == -ECHILD) {
		engine->audit.threads++;
		return;
	}
	if (procfs_read_ids((int)message, &pid, &ignored) < 0)
		pid = (int)message;
	if (pid != process->pid && !engine->tracer.follow) {
		let_child_go(engine, (int)message, t);
		return;
	}
	if (pid != process->pid) {
		process = target_find_process(&engine->target, pid);
		if (!process)
			process = new_process(engine, pid, parent->process->pid,
				RECORD_PROCESS_FORKED);
	}
	if (!process) {
		out_of_memory(engine, (int)message);
		return;
	}
	engine->audit.threads++;
	if (t) {
		target_place(t, process);
		engine->early--;
		begin_account(engine, t, true);
		t->state = TRACEE_EARLY;
		perform(engine, t, TRACEE_BORN, 0);
	} else if (target_add(&engine->target, (int)message, process, &t) == 0) {
		t->state = TRACEE_EXPECTED;
		begin_account(engine, t, true);
	} else {
		out_of_memory(engine, (int)message);
	}
}

/*
 * A new image. When another thread than the leader called exec, it goes by the leader's tid from
 * now on, and the old leader is gone without a word (race: exec_from_other_thread).
 */
static struct tracee *new_image(struct engine *engine, struct tracee *t)
{
	uint64_t former = 0;
	struct process *process;
	struct cpu_time cpu;
	struct tracee *caller;
	int tid = t->tid;

	(void)tracer_get_message(tid, &former);
	caller = former && (int)former != tid ? target_find(&engine->target, (int)former) : NULL;
	if (caller && caller->process == t->process) {
		process = t->process;
		process->threads++; /* the process lives on while its leader changes */
		t->credit.seen.run_ns = t->credit.seen.run_ns > t->credit.start_ns
			? t->credit.seen.run_ns
			: t->credit.start_ns;
		if (engine->counting) {
			engine->audit.kernel_ns += t->credit.seen.run_ns - t->credit.start_ns;
			pool_credit(t, t->credit.seen.run_ns);
		}
		drop(engine, t, 0);
		target_rename(&engine->target, caller, tid);
		process->threads--;
		t = caller;
		t->state = TRACEE_RUNNING;
		t->asked_ns = 0;
	}
	process = t->process;
	if (tid == engine->launch.pid && engine->launch.error_fd >= 0) {
		/* The command's first instruction is ahead; what came before was ours. */
		(void)launch_exec_error(&engine->launch);
		begin_account(engine, t, false);
	} else if (lifecycle_read_cpu(engine, t, &cpu) == 0) {
		if (engine->counting)
			pool_credit(t, cpu.run_ns);
		(void)credit_settle(&t->credit, &cpu, engine_now());
	}
	process->image->pool_ns += process->pool_ns;
	process->pool_ns = 0;
	session_clear(engine, process);
	process->image = read_image(engine, process->pid);
	if (!process->image)
		process->image = t->image;
	t->image = process->image;
	t->name[0] = '\0';
	t->name_again_ns = 0;
	process->announced = false;
	process->maps_read = false;
	process->maps_reads = 0;
	if (process->maps_fd >= 0)
		(void)close(process->maps_fd);
	process->maps_fd = -1;
	process->ranges = process->stacks.n = 0;
	t->home = (struct stack_home){0};
	if (engine->options->serve_only)
		return t;
	(void)emit_process(&engine->emitter, engine_now(), process);
	maps_read(engine, process, engine_now());
	engine_say(engine, ENGINE_DETAIL, "process %d runs %s", process->pid, process->image->path);
	return t;
}

/* exec has turned profiling off: a helper has no business with the new image. */
static void let_go(struct engine *engine, struct tracee *t)
{
	(void)tracer_detach(t->tid);
	drop(engine, t, RECORD_EXIT_DETACHED);
}

/* ^Z: when the command lets itself be stopped, so do we, and the shell sees its job stopped. */
static void stop_with_command(struct engine *engine, const struct tracee *t)
{
	if (t->tid != engine->launch.pid || !engine->stop_pending)
		return;
	engine->stop_pending = false;
	(void)raise(SIGSTOP);
}

static void perform(struct engine *engine, struct tracee *t, enum tracee_event event, int status)
{
	struct tracee_step step = tracee_step(t->state, event);
	int signal = status & 0xff;

	if (t->state == TRACEE_ASKED && step.state != TRACEE_ASKED)
		sampler_forget(engine, t);
	t->state = step.state;
	switch (step.action) {
	case TRACEE_TICK: sampler_stop(engine, t, 0); break;
	case TRACEE_TICK_SIGNAL: sampler_stop(engine, t, signal); break;
	case TRACEE_DELIVER: mend_deliver(engine, t, signal); break;
	case TRACEE_MEND:
		t->asked_ns = 0;
		mend_call_stop(engine, t);
		break;
	case TRACEE_LISTEN:
		t->asked_ns = 0;
		mend_group_stop(engine, t);
		(void)tracer_listen(t->tid);
		stop_with_command(engine, t);
		break;
	case TRACEE_ADOPT:
		t->asked_ns = 0;
		adopt(engine, t);
		(void)tracer_resume(t->tid, 0);
		break;
	case TRACEE_NEW_IMAGE:
		t->asked_ns = 0;
		t = new_image(engine, t);
		if (engine->options->serve_only)
			let_go(engine, t);
		else
			(void)tracer_resume(t->tid, 0);
		break;
	case TRACEE_RELEASE:
	case TRACEE_RESUME:
		t->asked_ns = 0;
		mend_group_stop_over(engine, t);
		break;
	case TRACEE_HOLD: (void)waiter_take_stop(t->tid); break;
	case TRACEE_REAP: reap(engine, t, status); break;
	default: break;
	}
}

/* A stop of a thread that nobody told us of yet. */
static void meet_stranger(struct engine *engine, const struct waiter_result *seen)
{
	struct tracee *t;

	if (target_add(&engine->target, seen->tid, NULL, &t) < 0) {
		out_of_memory(engine, seen->tid);
		return;
	}
	t->state = TRACEE_EARLY;
	t->early_since_ns = engine_now();
	engine->early++;
	/*
	 * Its first stop carries no signal, so it can be taken and kept. Anything else (SIGKILL is on
	 * its way) must not be held.
	 */
	if (tracee_classify(seen->status) == TRACEE_TRAP)
		(void)waiter_take_stop(seen->tid);
	else
		(void)tracer_resume(seen->tid, 0);
}

static void analyst_died(struct engine *engine, int status);

void lifecycle_handle(struct engine *engine, const struct waiter_result *seen)
{
	struct tracee *t = target_find(&engine->target, seen->tid);

	if (seen->kind == WAITER_FOREIGN || (seen->kind == WAITER_GONE && !t)) {
		(void)waiter_take(seen->tid);
		if (seen->kind == WAITER_GONE && seen->tid == engine->link.pid)
			analyst_died(engine, seen->status);
		return;
	}
	/*
	 * After an exec by another thread than the leader the kernel (5.12) refuses every operation
	 * with ESRCH until the event was waited for, lest one that was meant for the old leader hit
	 * the new image. It carries no signal: nothing is lost if we die here (test:
	 * exec_from_other_thread).
	 */
	if (seen->kind == WAITER_STOP && tracee_classify(seen->status) == TRACEE_EXEC)
		(void)waiter_take_stop(seen->tid);
	if (!t) {
		meet_stranger(engine, seen);
		return;
	}
	if (seen->kind == WAITER_GONE) {
		perform(engine, t, TRACEE_DEATH, seen->status);
	} else if (t->let_go) {
		target_remove(&engine->target, t);
		(void)tracer_detach(seen->tid);
	} else if (t->state == TRACEE_EARLY && !t->process) {
		(void)tracer_resume(t->tid, 0); /* SIGKILL took it out of the hold */
	} else {
		perform(engine, t, tracee_classify(seen->status), seen->status);
	}
}

/* Everybody in turn, so that one thread with a storm of events cannot starve the others. */
static void ask_each(struct engine *engine)
{
	for (size_t i = engine->target.tracees; i-- > 0;) {
		struct waiter_result seen;

		if (i < engine->target.tracees &&
			waiter_peek(engine->target.tracee[i]->tid, &seen) == 0 &&
			seen.kind != WAITER_NOTHING)
			lifecycle_handle(engine, &seen);
	}
}

void lifecycle_drain(struct engine *engine)
{
	unsigned streak = 0;
	int last = 0;

	for (unsigned i = 0; i < DRAIN_MOST; i++) {
		struct waiter_result seen;

		if (waiter_peek(0, &seen) < 0 || seen.kind == WAITER_NOTHING)
			return;
		streak = seen.tid == last ? streak + 1 : 0;
		last = seen.tid;
		lifecycle_handle(engine, &seen);
		if (streak >= STREAK_MOST) {
			ask_each(engine);
			streak = 0;
		}
	}
}

/*
 * A held newborn whose parent was killed before its event could be seen would wait for ever. It is
 * taken in by what /proc says of it.
 */
void lifecycle_adopt_orphans(struct engine *engine, uint64_t now)
{
	for (size_t i = engine->target.tracees; engine->early && i-- > 0;) {
		struct tracee *t = engine->target.tracee[i];
		struct process *process;
		int pid, parent;

		if (t->state != TRACEE_EARLY || now - t->early_since_ns < ORPHAN_NS)
			continue;
		if (procfs_read_ids(t->tid, &pid, &parent) < 0)
			continue; /* dead; the wait will tell */
		process = target_find_process(&engine->target, pid);
		if (!process && !engine->tracer.follow) {
			let_child_go(engine, t->tid, t);
			continue;
		}
		if (!process)
			process = new_process(engine, pid, parent, RECORD_PROCESS_FORKED);
		engine->early--;
		if (!process) {
			out_of_memory(engine, t->tid);
			target_remove(&engine->target, t);
			continue;
		}
		engine->audit.threads++;
		target_place(t, process);
		begin_account(engine, t, true);
		perform(engine, t, TRACEE_BORN, 0);
	}
}

void lifecycle_sweep(struct engine *engine)
{
	struct target *target = &engine->target;

	for (unsigned i = 0; i < SWEEP_MOST && i < target->tracees; i++) {
		struct tracee *t;
		int pid, parent, r;

		if (target->sweep_cursor >= target->tracees)
			target->sweep_cursor = 0;
		t = target->tracee[target->sweep_cursor++];
		r = procfs_read_ids(t->tid, &pid, &parent);
		if (r == -ENOENT || r == -ESRCH)
			drop(engine, t, 0);
	}
}

/*
 * Attaches to every thread; new ones may be born meanwhile: those of a thread that is seized
 * already come by its events, the others are found by looking again until nothing new is there.
 */
int lifecycle_attach(struct engine *engine, int pid)
{
	struct process *process = new_process(engine, pid, 0, RECORD_PROCESS_ATTACHED);
	size_t n, room = 0, found = 0;
	int *tids = NULL, r;
	bool more;

	if (!process)
		return -ENOMEM;
	do {
		more = false;
		n = 0;
		r = procfs_read_threads(pid, &tids, &n, &room);
		for (size_t i = 0; r == 0 && i < n; i++) {
			struct tracee *t;

			if (target_find(&engine->target, tids[i]))
				continue;
			r = tracer_seize(tids[i], &engine->tracer);
			if (r == -ESRCH || (r == -EPERM && (found || procfs_is_zombie(tids[i])))) {
				/* It died, or a thread that we trace made it: its event will tell. */
				r = 0;
				continue;
			}
			if (r == 0)
				r = target_add(&engine->target, tids[i], process, &t);
			if (r == 0) {
				t->state = TRACEE_RUNNING;
				begin_account(engine, t, false);
				engine->audit.threads++;
				found++;
				more = true;
			}
		}
	} while (r == 0 && more);
	free(tids);
	if (r == 0 && found)
		engine_say(engine, ENGINE_DETAIL, "attached to process %d, %zu threads, %s", pid,
			found, process->image->path);
	if (r == -ENOENT || (r == 0 && !found))
		r = -ESRCH;
	if (r < 0 && !found)
		target_remove_process(&engine->target, process);
	return r;
}

/* The analyst took its samples with it: what they stood for becomes unattributed. */
static void analyst_died(struct engine *engine, int status)
{
	char path[RING_WORKING_ON_BYTES];
	struct target *target = &engine->target;
	uint64_t lost_ns = 0;

	ring_read_note(&engine->link.ring, path);
	engine_say(engine, ENGINE_WARNING,
		"the analyst (pid %d) %s %d%s%s; %llu samples are lost, a fresh one goes on",
		engine->link.pid, status & 0x7f ? "was killed by signal" : "ended with status",
		status & 0x7f ? status & 0x7f : status >> 8, path[0] ? " while it read " : "", path,
		(unsigned long long)(engine->audit.ticks));
	if (path[0] && engine->skips < sizeof(engine->skip) / sizeof(*engine->skip))
		memcpy(engine->skip[engine->skips++], path, sizeof(path));
	link_release(&engine->link);
	engine->emitter.open = false;
	for (size_t i = 0; i < target->images; i++) {
		lost_ns += target->image[i]->sent_ns;
		target->image[i]->lost_ns += target->image[i]->sent_ns;
		target->image[i]->sent_ns = 0;
	}
	engine->audit.lost_samples += engine->audit.ticks;
	engine->audit.ticks = 0;
	engine->audit.profiled_ns -= lost_ns;
	engine->audit.analyst_restarts++;
	for (size_t i = 0; i < target->processes; i++) {
		target->process[i]->announced = false;
		target->process[i]->maps_announced = false;
	}
	for (size_t i = 0; i < target->tracees; i++) {
		target->tracee[i]->name[0] = '\0';
		target->tracee[i]->name_again_ns = 0;
	}
	engine_start_analyst(engine);
}
