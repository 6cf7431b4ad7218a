/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of /proc files. They are kept open for speed; when the limit comes near, those of
 * idle threads and of processes are closed. Only a thread that is to be stopped cannot do without:
 * it takes one from a thread that is not. Where even that fails it is not sampled; its CPU time is
 * counted, and becomes unattributed.
 */
#include "supervisor/engine/engine_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "supervisor/target/mend.h"

/* For what is opened for a moment, and for a fresh analyst. */
#define RESERVE 32
/* A vain search for some to close is not repeated sooner. */
#define AGAIN_NS 100000000
/* A thread that has not run for so long is idle. */
#define IDLE_NS 100000000
/* Looked at when descriptors are to be taken from a thread. */
#define CANDIDATES 16

void fds_init(struct engine *engine)
{
	struct rlimit limit = {1024, 1024};

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	engine->fds_most = limit.rlim_cur > INT32_MAX ? INT32_MAX : (int)limit.rlim_cur;
	engine->fds_most -= engine->fds_most > 2 * RESERVE ? RESERVE : engine->fds_most / 2;
}

const char *fds_way_out(int error)
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

static void evict(struct engine *engine, const struct process *but)
{
	struct target *target = &engine->target;
	uint64_t now = engine_now();
	size_t closed = 0;

	if (now < engine->fds_again_ns)
		return;
	for (size_t i = 0; i < target->processes; i++) {
		struct process *process = target->process[i];

		if (process != but)
			closed += close_fd(&process->maps_fd) + close_fd(&process->statm_fd) +
				close_fd(&process->pid_fd);
	}
	for (size_t i = 0; i < target->tracees; i++) {
		struct tracee *t = target->tracee[i];

		if (now - t->account.moved_at_ns < IDLE_NS || t->asked_ns)
			continue;
		closed += close_fd(&t->cpu_fd) + close_fd(&t->activity_fd) +
			close_fd(&t->stat_fd) + close_fd(&t->switched_fd);
	}
	if (!closed)
		engine->fds_again_ns = now + AGAIN_NS;
}

bool fds_fit(struct engine *engine, const struct process *process, int *fd)
{
	int low;

	if (*fd >= 0 && *fd < engine->fds_most)
		return true;
	evict(engine, process);
	if (*fd < 0)
		return false;
	low = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (low >= 0 && low < engine->fds_most) {
		(void)close(*fd);
		*fd = low;
		return true;
	}
	if (low >= 0)
		(void)close(low);
	engine->fds_scarce = true;
	return false;
}

int fds_keep(struct engine *engine, const struct process *process, int fd)
{
	if (fd >= 0 && fds_fit(engine, process, &fd))
		return fd;
	if (fd >= 0)
		(void)close(fd);
	else if (fd == -EMFILE || fd == -ENFILE)
		(void)fds_fit(engine, process, &fd);
	return fd < 0 ? fd : -EMFILE;
}

/*
 * Of some threads whose stop is not awaited, the one that ran longest ago gives up its descriptors.
 * *@ret_any: somebody has some, and will give them up when its stop is over.
 */
static bool steal(struct engine *engine, bool *ret_any)
{
	struct target *target = &engine->target;
	struct tracee *victim = NULL;
	unsigned seen = 0;

	*ret_any = false;
	for (size_t i = 0; i < target->tracees && seen < CANDIDATES; i++) {
		struct tracee *t = target->tracee[engine->fds_cursor++ % target->tracees];

		if (t->cpu_fd < 0)
			continue;
		*ret_any = true;
		if (t->state != TRACEE_RUNNING || mend_busy(t))
			continue;
		seen++;
		if (!victim || t->account.moved_at_ns < victim->account.moved_at_ns)
			victim = t;
	}
	if (!victim)
		return false;
	(void)close_fd(&victim->cpu_fd);
	(void)close_fd(&victim->activity_fd);
	(void)close_fd(&victim->stat_fd);
	(void)close_fd(&victim->switched_fd);
	return true;
}

bool fds_claim(struct engine *engine, struct tracee *t)
{
	struct cpu_time cpu;
	bool any;

	if (t->cpu_fd >= 0)
		return true;
	engine->fds_scarce = true;
	if (steal(engine, &any) && account_read_cpu(engine, t, &cpu) == 0 && t->cpu_fd >= 0)
		return true;
	if (any)
		return false; /* next time */
	if (!t->unwatched)
		engine->audit.unwatched_threads++;
	t->unwatched = true;
	if (!engine->said_no_fds)
		engine_say(engine, ENGINE_WARNING,
			"the limit of open files is too low: some threads are not sampled, and "
			"their CPU "
			"time is unattributed; raise it (ulimit -n)");
	engine->said_no_fds = true;
	return false;
}
