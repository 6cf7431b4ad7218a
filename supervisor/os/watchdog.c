/* SPDX-License-Identifier: MIT */
#include "supervisor/os/watchdog.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "supervisor/os/priority.h"
#include "supervisor/os/procfs.h"

/* Interval between two checks of the thread. */
#define LOOK_NS 50000000L
/* A thread that was runnable but did not run at this many checks in a row may use all CPUs. */
#define R_LOOKS_MOST 3
/*
 * Longest time in state D, and longest time asleep, that one piece of work may have, in ns of
 * watchdog_share().
 */
#define D_NS_MOST UINT64_C(3000000000)
#define S_NS_MOST UINT64_C(10000000000)
/*
 * watchdog_share() counts at least this part (1/16) of the time. So a page that never comes is
 * found to be a hang on any machine, however many threads are runnable there.
 */
#define SHARE_LEAST 16
/* CPU time that one piece of work may take. */
#define BUSY_NS   UINT64_C(3000000000)
#define SECOND_NS 1000000000L

void watchdog_begin(struct watchdog *watchdog)
{
	atomic_store(&watchdog->tid, gettid());
}

static struct timespec next_look(void)
{
	struct timespec at;

	(void)clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += LOOK_NS;
	at.tv_sec += at.tv_nsec / SECOND_NS;
	at.tv_nsec %= SECOND_NS;
	return at;
}

/* Returns the state in /proc; 'D': a wait that no signal ends, or only a fatal one. 0: unknown. */
static char state_of(int tid)
{
	char text[PROCFS_STAT_BYTES], state = '\0';

	(void)proc_file_read(text, sizeof(text), "/proc/%d/task/%d/stat", getpid(), tid);
	(void)procfs_parse_state(text, &state);
	return state;
}

/* Returns the CPU time of @thread; 0: unknown. */
static uint64_t cpu_ns(pthread_t thread)
{
	struct timespec used;
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &used) < 0)
		return 0;
	return (uint64_t)used.tv_sec * SECOND_NS + (uint64_t)used.tv_nsec;
}

uint64_t watchdog_share(uint64_t ns, int runnable, int cpus, int nice)
{
	uint64_t share = ns;

	if (cpus < 1 || runnable <= cpus)
		return ns;
	/* Each step of nice is worth a factor of 1.25 (sched(7)). */
	for (; nice > 0; nice--)
		share = share * 4 / 5;
	share = share * (uint64_t)cpus / (uint64_t)runnable;
	return share > ns / SHARE_LEAST ? share : ns / SHARE_LEAST;
}

static uint64_t share_of_look(const struct watchdog *watchdog)
{
	/*
	 * /proc/loadavg is not kept open, as the tracing thread may need the last free descriptor.
	 */
	int fd = watchdog->unloaded ? -1 : procfs_open_load();
	int runnable = fd < 0 ? -1 : procfs_read_runnable(fd);

	if (fd >= 0)
		(void)close(fd);
	/* This thread is one of the runnable ones. */
	return watchdog_share(LOOK_NS, runnable - 1, (int)sysconf(_SC_NPROCESSORS_ONLN),
		getpriority(PRIO_PROCESS, 0));
}

bool watchdog_judge(struct watchdog_case *c, const struct watchdog_look *look)
{
	if (!look->awake_ns || look->awake_ns != c->awake_ns) { /* another piece of work, or none */
		*c = (struct watchdog_case){look->awake_ns, look->cpu_ns, 0, 0};
		return false;
	}
	c->d_ns = look->state == 'D' ? c->d_ns + look->share_ns : 0;
	c->s_ns = look->state == 'S' ? c->s_ns + look->share_ns : 0;
	return c->d_ns >= D_NS_MOST || c->s_ns >= S_NS_MOST ||
		look->cpu_ns - c->began_cpu_ns >= BUSY_NS;
}

bool watchdog_join(struct watchdog *watchdog, pthread_t thread)
{
	struct watchdog_case work = {0};
	struct watchdog_look look = {0};
	unsigned looks_r = 0;

	do {
		struct timespec at = next_look();
		uint64_t used_before = look.cpu_ns;

		if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &at) != ETIMEDOUT)
			return false;
		look = (struct watchdog_look){atomic_load(&watchdog->awake_ns), cpu_ns(thread), 0,
			state_of(watchdog->tid)};
		if (look.awake_ns && (look.state == 'D' || look.state == 'S'))
			look.share_ns = share_of_look(watchdog);
		/* Runnable, and it has not run since the last check. */
		looks_r = look.cpu_ns == used_before && look.state == 'R' ? looks_r + 1 : 0;
		if (looks_r == R_LOOKS_MOST && priority_any_cpu(thread) == 0)
			atomic_store(&watchdog->moved, true);
	} while (!watchdog_judge(&work, &look));
	return true;
}
