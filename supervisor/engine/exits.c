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
 * If a parent had no pidfd of its child at PLAIN_EXITS exits of children, its children do not stop
 * at their exits for AGAIN_NS. Such a stop takes 70 us. That is much for a loop of fork, _exit and
 * wait, which takes 270 us a child if children do not stop.
 */
#define PLAIN_EXITS 4
#define AGAIN_NS    CLOCK_SECOND_NS
/*
 * A search among all descriptors of a parent takes more than this CPU time, in ns, if there are 400
 * or so. After such a search, none is made for REST times as long as it took.
 */
#define LONG_NS UINT64_C(1000000)
#define REST    20
/* Maximum threads of the parent whose system call is read; each reading takes some 3 us. */
#define ASKED_MOST 256

static bool may_stop(const struct engine *engine, const struct tracee *t)
{
	return t->process && t->tid == t->process->pid && t->tid != engine->launch.pid;
}

/* May the parent have pidfds? */
static bool is_due(const struct exit_watch *parent, uint64_t now)
{
	return parent->uses_pidfds || parent->plain < PLAIN_EXITS || now >= parent->again_ns;
}

bool exits_stop(const struct engine *engine, const struct tracee *t)
{
	const struct process *parent;

	if (!may_stop(engine, t))
		return false;
	parent = target_find_process(&engine->target, t->process->parent);
	return !parent || is_due(&parent->exits, clock_now());
}

void exits_set(struct engine *engine, struct tracee *t)
{
	struct tracer_options options = engine->births.tracer;

	options.exits = exits_stop(engine, t);
	if (tracer_set_options(t->tid, &options) == 0)
		t->stops_at_exit = options.exits;
}

/* Is @group the process group of @child? 0 stands for the process group of @caller. */
static bool is_group(int group, const struct tracee *caller, const struct tracee *child)
{
	return (group ? group : getpgid(caller->tid)) == getpgid(child->tid);
}

/* Does @caller, which sleeps in this call, wait for the end of @child? */
static bool waits(const struct activity *activity, const uint64_t argument[6],
	const struct tracee *caller, const struct tracee *child)
{
	int id = (int)argument[activity->syscall == SYS_waitid];

	if (activity->running)
		return false;
	if (activity->syscall == SYS_wait4)
		return id == child->tid || id == -1 || (id <= 0 && is_group(-id, caller, child));
	if (activity->syscall != SYS_waitid || !(argument[3] & WEXITED))
		return false;
	switch (argument[0]) {
	case P_ALL: return true;
	case P_PID: return id == child->tid;
	case P_PGID: return is_group(id, caller, child);
	default: return pidfd_is_of(caller->tid, id, child->tid);
	}
}

/* Has @parent a thread that sleeps in a wait for @child? At most ASKED_MOST are asked. */
static bool is_awaited(
	struct engine *engine, const struct process *parent, const struct tracee *child)
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
			waits(&activity, argument, t, child))
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

/* Returns what is known of the parent with @pid; @parent: NULL if it is not traced. */
static struct exit_watch *watch_of(struct births *births, int pid, struct process *parent)
{
	if (parent)
		return &parent->exits;
	if (births->untraced_parent != pid)
		births->untraced = (struct exit_watch){0};
	births->untraced_parent = pid;
	return &births->untraced;
}

/* Has the parent a pidfd of @t? Looks first where the last child's was, then at all descriptors. */
static bool is_watched(
	struct engine *engine, const struct tracee *t, int pid, struct process *parent)
{
	struct exit_watch *watch = watch_of(&engine->births, pid, parent);
	uint64_t now = clock_now(), began_ns, took_ns;
	int fd;

	if (watch->uses_pidfds &&
		pidfd_is_of(parent ? procfiles_reader(parent) : pid, watch->last_fd, t->tid))
		return true;
	if (!is_due(watch, now) || now < watch->rest_ns)
		return false;
	began_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
	fd = find(engine, t, pid, parent);
	took_ns = clock_read(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	now = clock_now();
	watch->again_ns = now + AGAIN_NS;
	watch->rest_ns = took_ns > LONG_NS ? now + REST * took_ns : 0;
	watch->plain += fd == -ENOENT || fd == -EACCES;
	watch->uses_pidfds |= fd >= 0 || fd == -ENXIO;
	if (fd >= 0)
		watch->last_fd = fd;
	return fd >= 0;
}

bool exits_untraced(struct engine *engine, const struct tracee *t)
{
	struct process *parent;
	int ignored, pid;

	if (!may_stop(engine, t) || proc_status_read_ids(t->tid, &ignored, &pid) < 0 ||
		pid == getpid())
		return false;
	parent = target_find_process(&engine->target, pid);
	return is_watched(engine, t, pid, parent) && !(parent && is_awaited(engine, parent, t));
}
