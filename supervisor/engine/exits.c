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
 * If this many children in a row end without their parent's holding a pidfd of them, the parent
 * counts as holding none for AGAIN_NS: its children do not stop at their exit. A stop takes 70 us;
 * a loop of fork, _exit and wait takes 270 us a child without the stop.
 */
#define PLAIN_EXITS 4
#define AGAIN_NS    CLOCK_SECOND_NS
/* Maximum threads of the parent whose system call is read; each reading takes some 3 us. */
#define ASKED_MOST 256

bool exits_stop(const struct engine *engine, const struct tracee *t)
{
	const struct process *parent;

	if (!t->process || t->tid != t->process->pid || t->tid == engine->launch.pid)
		return false;
	parent = target_find_process(&engine->target, t->process->parent);
	return !parent || parent->plain_exits < PLAIN_EXITS ||
		clock_now() >= parent->exits_again_ns;
}

/* Does a call wait for the end of process @pid, of which the caller has pidfd @fd? */
static bool waits(const struct activity *activity, const uint64_t argument[6], int pid, int fd)
{
	int id = (int)argument[1];

	if (activity->running)
		return false;
	if (activity->syscall == SYS_wait4)
		return (int)argument[0] == pid || (int)argument[0] <= 0;
	if (activity->syscall != SYS_waitid)
		return false;
	return argument[0] == P_PID ? id == pid : argument[0] != P_PIDFD || id == fd;
}

/* Has @parent a thread that sleeps in a wait for process @pid? At most ASKED_MOST are asked. */
static bool is_awaited(struct engine *engine, const struct process *parent, int pid, int fd)
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
			waits(&activity, argument, pid, fd))
			return true;
	}
	return false;
}

bool exits_untraced(struct engine *engine, const struct tracee *t)
{
	struct process *parent;
	int ignored, holder, fd;

	if (!t->process || t->tid != t->process->pid || t->tid == engine->launch.pid ||
		proc_status_read_ids(t->tid, &ignored, &holder) < 0)
		return false;
	parent = target_find_process(&engine->target, holder);
	fd = pidfd_find(parent ? procfiles_reader(parent) : holder, t->tid);
	if (fd == -ESRCH && parent && procfiles_find_reader(&engine->files, parent))
		fd = pidfd_find(procfiles_reader(parent), t->tid);
	if (!parent)
		return fd >= 0;
	parent->plain_exits = fd >= 0 ? 0 : parent->plain_exits + 1;
	parent->exits_again_ns = clock_now() + AGAIN_NS;
	return fd >= 0 && !is_awaited(engine, parent, t->tid, fd);
}
