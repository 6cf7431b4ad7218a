/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/exits.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/os/pidfd.h"
#include "supervisor/os/proc_status.h"

/*
 * If a process had no pidfd at all when this many of its children in a row began to exit, its
 * children do not stop at their exits for AGAIN_NS. Such a stop takes 70 us; a loop of fork, _exit
 * and wait takes 270 us a child without it.
 */
#define PLAIN_EXITS 4
#define AGAIN_NS    CLOCK_SECOND_NS
/* Maximum threads of the parent whose system call is read; each reading takes some 3 us. */
#define ASKED_MOST 256

static bool may_stop(const struct engine *engine, const struct tracee *t)
{
	return t->process && t->tid == t->process->pid && t->tid != engine->launch.pid;
}

/* Is another look at the pidfds of this parent due? */
static bool is_due(const struct exit_watch *parent)
{
	return parent->plain < PLAIN_EXITS || clock_now() >= parent->again_ns;
}

bool exits_stop(const struct engine *engine, const struct tracee *t)
{
	const struct process *parent;

	if (!may_stop(engine, t))
		return false;
	parent = target_find_process(&engine->target, t->process->parent);
	return is_due(parent ? &parent->exits : &engine->births.untraced_parent);
}

void exits_set(struct engine *engine, struct tracee *t)
{
	struct tracer_options options = engine->births.tracer;

	options.exits = exits_stop(engine, t);
	if (tracer_set_options(t->tid, &options) == 0)
		t->stops_at_exit = options.exits;
}

/*
 * Does a call wait for the end of @child, of which the caller has pidfd @fd, or another one if @fd
 * is PIDFD_MANY?
 */
static bool waits(const struct activity *activity, const uint64_t argument[6],
	const struct tracee *child, int fd)
{
	int id = (int)argument[activity->syscall == SYS_waitid];

	if (activity->running)
		return false;
	if (activity->syscall == SYS_wait4)
		return id == child->tid || id == -1 || id == -getpgid(child->tid);
	if (activity->syscall != SYS_waitid || !(argument[3] & WEXITED))
		return false;
	switch (argument[0]) {
	case P_ALL: return true;
	case P_PID: return id == child->tid;
	case P_PGID: return id == getpgid(child->tid);
	default: return id == fd || fd == PIDFD_MANY;
	}
}

/* Has @parent a thread that sleeps in a wait for @child? At most ASKED_MOST are asked. */
static bool is_awaited(
	struct engine *engine, const struct process *parent, const struct tracee *child, int fd)
{
	struct activity activity;
	uint64_t argument[6];
	unsigned asked = 0;

	for (size_t i = 0; i < engine->target.tracees && asked < ASKED_MOST; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (t->process != parent)
			continue;
		asked++;
		if (procfiles_read_call(&engine->files, t, &activity, argument) == 0 &&
			waits(&activity, argument, child, fd))
			return true;
	}
	return false;
}

/* Looks for a pidfd of @t in its parent, whose pid is @pid; @parent: NULL if it is not traced. */
static int find(struct engine *engine, const struct tracee *t, int pid, struct process *parent)
{
	int fd = pidfd_find(parent ? procfiles_reader(parent) : pid, t->tid);

	if (fd == -ESRCH && parent && procfiles_find_reader(&engine->files, parent))
		fd = pidfd_find(procfiles_reader(parent), t->tid);
	return fd;
}

bool exits_untraced(struct engine *engine, const struct tracee *t)
{
	struct exit_watch *watch = &engine->births.untraced_parent;
	struct process *parent;
	int ignored, pid, fd;

	if (!may_stop(engine, t) || proc_status_read_ids(t->tid, &ignored, &pid) < 0)
		return false;
	parent = target_find_process(&engine->target, pid);
	if (parent)
		watch = &parent->exits;
	if (!is_due(watch))
		return false;
	fd = find(engine, t, pid, parent);
	watch->again_ns = clock_now() + AGAIN_NS;
	watch->plain = fd == -ENOENT || fd == -EACCES ? watch->plain + 1 : 0;
	return fd >= 0 && !(parent && is_awaited(engine, parent, t, fd));
}
