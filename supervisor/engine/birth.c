/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/birth.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "proto/record.h"
#include "supervisor/calls/histogram.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/exits.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/waiter.h"

/*
 * A new thread that stopped before its parent's fork, vfork or clone event waits this long for the
 * event.
 */
#define ORPHAN_NS 50000000

struct image *birth_image(struct engine *engine, int pid)
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

/* A forked child has a copy of its parent's address space. */
static void inherit(struct engine *engine, struct process *from, struct process *process)
{
	session_fork(&engine->sessions, from, process);
	histogram_fork(from, process);
	process->handled = from->handled;
	process->exits = from->exits;
	runtime_records_fork(from, process);
}

static struct process *birth_process(struct engine *engine, int pid, int parent, unsigned flags)
{
	struct process *process, *from = target_find_process(&engine->target, parent);
	struct image *image =
		from && flags == RECORD_PROCESS_FORKED ? from->image : birth_image(engine, pid);

	if (!image || target_add_process(&engine->target, pid, parent, image, &process) < 0)
		return NULL;
	process->flags = flags;
	engine->audit.processes++;
	if (from && flags == RECORD_PROCESS_FORKED)
		inherit(engine, from, process);
	return process;
}

static int birth_thread(
	struct engine *engine, int tid, struct process *process, struct tracee **ret_tracee)
{
	int r = target_add(&engine->target, tid, process, ret_tracee);

	if (r == 0 && choice_add(engine, *ret_tracee) < 0) {
		target_remove(&engine->target, *ret_tracee);
		r = -ENOMEM;
	}
	return r;
}

static void no_memory(struct engine *engine, int tid)
{
	engine->audit.unwatched_threads++;
	if (!engine->births.said_no_memory)
		say_line(&engine->say, SAY_WARNING,
			"out of memory: thread %d goes on without being profiled, and perhaps "
			"others",
			tid);
	engine->births.said_no_memory = true;
	(void)tracer_detach(tid);
}

void birth_end_hold(struct engine *engine, struct tracee *t)
{
	if (t->early_since_ns)
		engine->births.early--;
	t->early_since_ns = 0;
}

/* Lets a new thread run that was held until its parent's event, or stay in its group-stop. */
static void release(struct engine *engine, struct tracee *t)
{
	exits_set(engine, t);
	switch (target_step(t, TRACEE_BORN)) {
	case TRACEE_RELEASE:
		t->stop_requested_ns = 0;
		restart_group_stop_over(&engine->restarter, t);
		break;
	case TRACEE_LISTEN: (void)tracer_listen(t->tid); break;
	default: break;
	}
}

/*
 * --no-follow: PTRACE_O_TRACECLONE also traces child processes that clone(2) makes with an exit
 * signal other than SIGCHLD. Such a child is detached at its first stop. @t is the child, or NULL
 * if it has not stopped yet.
 */
static void let_child_go(struct engine *engine, int tid, struct tracee *t)
{
	if (t) {
		birth_end_hold(engine, t);
		target_remove(&engine->target, t);
		(void)tracer_detach(tid);
	} else if (target_add(&engine->target, tid, NULL, &t) == 0) {
		t->detach_at_stop = true;
	}
}

/*
 * At a fork, vfork or clone event the child has not stopped yet, or stopped before the event and is
 * held (race: newborn_stops_before_clone_event).
 */
void birth_adopt(struct engine *engine, struct tracee *parent)
{
	struct process *process = parent->process;
	int pid = 0, ignored;
	struct waiter_result seen;
	uint64_t message;
	struct tracee *t;

	if (tracer_get_message(parent->tid, &message) < 0 || !process)
		return;
	/*
	 * A parent that has just made a child was on a CPU, and probably still is: at the next
	 * instants the sampler asks it early.
	 */
	if (parent->sample)
		sampler_heed(&engine->sampling.sampler, parent->sample);
	engine->births.last[0] = parent->tid;
	engine->births.last[1] = (int)message;
	t = target_find(&engine->target, (int)message);
	if (t && !t->early_since_ns)
		return; /* The child was adopted before this event came. */
	/*
	 * The child was killed, and reaped as a thread that is in no table, before this event was
	 * seen. No wait will report the child any more, even if it stays a zombie of its parent
	 * (race: newborn_dies_before_clone_event).
	 */
	if (!t && waiter_peek((int)message, &seen) == -ECHILD) {
		engine->audit.threads++;
		return;
	}
	if (proc_status_read_ids((int)message, &pid, &ignored) < 0)
		pid = (int)message;
	if (pid != process->pid && !engine->births.tracer.follow) {
		let_child_go(engine, (int)message, t);
		return;
	}
	if (pid != process->pid) {
		if (!engine->options->serve_only)
			special_see_child(&engine->special, process);
		process = target_find_process(&engine->target, pid);
		if (!process)
			process = birth_process(
				engine, pid, parent->process->pid, RECORD_PROCESS_FORKED);
	}
	if (!process) {
		no_memory(engine, (int)message);
		return;
	}
	engine->audit.threads++;
	if (t) {
		target_place(t, process);
		/* On -ENOMEM the thread is not sampled, but its CPU time is counted. */
		(void)choice_add(engine, t);
		birth_end_hold(engine, t);
		counting_begin(engine, t, true);
		release(engine, t);
	} else if (birth_thread(engine, (int)message, process, &t) == 0) {
		counting_begin(engine, t, true);
	} else {
		no_memory(engine, (int)message);
	}
}

void birth_early_stop(struct engine *engine, struct tracee *t, const struct waiter_result *seen)
{
	enum tracee_event event = tracee_classify(seen->status);

	if (!t) {
		if (target_add(&engine->target, seen->tid, NULL, &t) < 0) {
			no_memory(engine, seen->tid);
			return;
		}
		(void)target_step(t, TRACEE_UNANNOUNCED);
		t->early_since_ns = clock_now();
		engine->births.early++;
	}
	/*
	 * The stop that holds a thread carries no signal. So no signal is lost if its wait status
	 * is taken now and the supervisor then dies. Until the thread is resumed, only SIGKILL can
	 * end this stop: no further stop comes.
	 */
	if (target_step(t, event) == TRACEE_HOLD)
		(void)waiter_take_stop(seen->tid);
	else
		(void)tracer_resume(seen->tid, event == TRACEE_SIGNAL ? seen->status : 0);
}

/* A held newborn whose parent was killed before the event was seen would wait forever. */
void birth_adopt_orphans(struct engine *engine, uint64_t now)
{
	for (size_t i = engine->target.tracees; engine->births.early && i-- > 0;) {
		struct tracee *t = engine->target.tracee[i];
		struct process *process;
		int pid, parent;

		if (!t->early_since_ns || now - t->early_since_ns < ORPHAN_NS)
			continue;
		if (proc_status_read_ids(t->tid, &pid, &parent) < 0)
			continue; /* The thread is dead; the wait will report it. */
		process = target_find_process(&engine->target, pid);
		if (!process && !engine->births.tracer.follow) {
			let_child_go(engine, t->tid, t);
			continue;
		}
		if (!process)
			process = birth_process(engine, pid, parent, RECORD_PROCESS_FORKED);
		birth_end_hold(engine, t);
		if (!process) {
			no_memory(engine, t->tid);
			target_remove(&engine->target, t);
			continue;
		}
		engine->audit.threads++;
		target_place(t, process);
		(void)choice_add(engine, t);
		counting_begin(engine, t, true);
		release(engine, t);
	}
}

/*
 * Lists the threads until none is new: a thread that is not seized yet may make further ones, which
 * no event announces.
 */
int birth_attach(struct engine *engine, int pid)
{
	struct process *process = birth_process(engine, pid, 0, RECORD_PROCESS_ATTACHED);
	struct tracer_options options = engine->births.tracer;
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
			options.exits = tids[i] == pid;
			r = tracer_seize(tids[i], &options);
			if (r == -ESRCH ||
				(r == -EPERM &&
					(found || proc_status_is_zombie(tids[i]) ||
						!tracer_lives(tids[i])))) {
				/*
				 * The thread has died, or it is traced from its birth on, as the
				 * thread that made it was seized before: an event of that thread
				 * announces it.
				 */
				r = 0;
				continue;
			}
			if (r == 0)
				r = birth_thread(engine, tids[i], process, &t);
			if (r == 0) {
				(void)target_step(t, TRACEE_SEIZED);
				t->stops_at_exit = options.exits;
				counting_begin(engine, t, false);
				engine->audit.threads++;
				found++;
				more = true;
			}
		}
	} while (r == 0 && more);
	free(tids);
	if (r == 0 && found)
		say_line(&engine->say, SAY_DETAIL, "attached to process %d, %zu threads, %s", pid,
			found, process->image->path);
	if (r == -ENOENT || (r == 0 && !found))
		r = -ESRCH;
	if (r < 0 && !found) {
		target_remove_process(&engine->target, process);
		engine->audit.processes--;
	} else {
		/* The user named this process, so it is in the profile even if it does nothing. */
		(void)emit_process(&engine->emitter, clock_now(), process);
	}
	return r;
}
