/* SPDX-License-Identifier: MIT */
#include "supervisor/target/fds.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/target/target.h"

/* Descriptors left free for short-lived opens and for starting another analyst. */
#define RESERVE 32
/* If a search finds no descriptor to close, the next search begins at least this much later. */
#define AGAIN_NS 100000000
/* A thread that has not run for this long counts as idle. */
#define IDLE_NS 100000000
/* fds_steal() examines at most this many threads. */
#define CANDIDATES 16

void fds_init(struct fds *fds, struct target *target)
{
	struct rlimit limit = {1024, 1024};

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	*fds = (struct fds){.target = target};
	fds->most = limit.rlim_cur > INT32_MAX ? INT32_MAX : (int)limit.rlim_cur;
	fds->most -= fds->most > 2 * RESERVE ? RESERVE : fds->most / 2;
}

const char *fds_remedy(int error)
{
	return error == -EMFILE ? " (the limit of open files is too low; raise it: ulimit -n)" : "";
}

static size_t close_fd(int *fd)
{
	if (*fd < 0)
		return 0;
	(void)close(*fd);
	*fd = -1;
	return 1;
}

static size_t close_all(int *fd, size_t n)
{
	size_t closed = 0;

	for (size_t i = 0; i < n; i++)
		closed += close_fd(&fd[i]);
	return closed;
}

/*
 * Marks the processes in which a stop is requested. Their descriptors stay open: the stop window
 * reads their memory through them, and must not open files.
 */
static void find_awaited(struct target *target)
{
	for (size_t i = 0; i < target->processes; i++)
		target->process[i]->awaited = false;
	for (size_t i = 0; i < target->tracees; i++) {
		const struct tracee *t = target->tracee[i];

		if (t->process && (t->stop_requested_ns || t->restarting))
			t->process->awaited = true;
	}
}

static void evict(struct fds *fds, const struct process *but)
{
	struct target *target = fds->target;
	uint64_t now = clock_now();
	size_t closed = 0;

	if (now < fds->again_ns)
		return;
	find_awaited(target);
	for (size_t i = 0; i < target->processes; i++) {
		struct process *process = target->process[i];

		if (process != but && !process->awaited)
			closed += close_all(process->fd, PROCESS_FILES);
	}
	for (size_t i = 0; i < target->tracees; i++) {
		struct tracee *t = target->tracee[i];

		if (now - t->account.moved_at_ns < IDLE_NS || t->stop_requested_ns)
			continue;
		closed += close_all(t->fd, THREAD_FILES);
	}
	if (!closed)
		fds->again_ns = now + AGAIN_NS;
}

/*
 * May the descriptor *@fd stay open? Its number may be above the limit only because lower ones were
 * taken: after others were closed, *@fd is replaced by a lower duplicate.
 */
static bool fit(struct fds *fds, const struct process *process, int *fd)
{
	int low;

	if (*fd >= 0 && *fd < fds->most)
		return true;
	evict(fds, process);
	if (*fd < 0)
		return false;
	low = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (low >= 0 && low < fds->most) {
		(void)close(*fd);
		*fd = low;
		return true;
	}
	if (low >= 0)
		(void)close(low);
	return false;
}

int fds_keep(struct fds *fds, const struct process *process, int fd)
{
	if (fd >= 0 && fit(fds, process, &fd))
		return fd;
	if (fd >= 0)
		(void)close(fd);
	else if (fd == -EMFILE || fd == -ENFILE)
		(void)fit(fds, process, &fd);
	return fd < 0 ? fd : -EMFILE;
}

static bool has_open(const struct tracee *t)
{
	for (size_t i = 0; i < THREAD_FILES; i++)
		if (t->fd[i] >= 0)
			return true;
	return false;
}

bool fds_steal(struct fds *fds, bool *ret_any)
{
	struct target *target = fds->target;
	struct tracee *victim = NULL;
	unsigned seen = 0;

	*ret_any = false;
	for (size_t i = 0; i < target->tracees && seen < CANDIDATES; i++) {
		struct tracee *t = target->tracee[fds->cursor++ % target->tracees];

		if (!has_open(t))
			continue;
		*ret_any = true;
		if (t->state != TRACEE_RUNNING || t->restarting)
			continue;
		seen++;
		if (!victim || t->account.moved_at_ns < victim->account.moved_at_ns)
			victim = t;
	}
	if (!victim)
		return false;
	(void)close_all(victim->fd, THREAD_FILES);
	return true;
}
