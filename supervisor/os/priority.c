/* SPDX-License-Identifier: MIT */
#include "supervisor/os/priority.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* The time slice of priority_prompt(), and the highest priority of the fair class. */
#define SLICE_NS   100000
#define NICE_FIRST (-20)
/* RLIMIT_RTTIME of priority_guard(): SIGXCPU after BUSY_US, SIGKILL after BUSY_KILLED_US. */
#define BUSY_US        250000
#define BUSY_KILLED_US 4000000
/* SCHED_FLAG_RESET_ON_FORK of sched_setattr(2). */
#define RESET_ON_FORK 1
/*
 * The thread gives up real-time priority, or nice -20, if it uses more than MOST_PART of a CPU over
 * SPAN_NS, SPANS times in a row, because other programs hardly run on its CPU then. One such span
 * does not suffice, as it may be due to a hypervisor that takes the CPU away. The thread takes the
 * priority back if it then uses less than RETURN_PART of a CPU over AWAY_NS: the load was
 * temporary, as when thousands of threads begin.
 */
#define SPAN_NS     UINT64_C(100000000)
#define SPANS       2
#define AWAY_NS     UINT64_C(500000000)
#define MOST_PART   3 / 4
#define RETURN_PART 1 / 2

/* The layout of sched_setattr(2) since Linux 3.14. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

int priority_realtime(void)
{
	const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
	sigset_t busy;

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) < 0)
		return -errno;
	(void)sigemptyset(&busy);
	(void)sigaddset(&busy, SIGXCPU);
	(void)pthread_sigmask(SIG_UNBLOCK, &busy, NULL);
	return 0;
}

bool priority_may_be_realtime(void)
{
	const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
	int before = sched_getscheduler(0);
	struct sched_param own;

	if (before < 0 || sched_getparam(0, &own) < 0 ||
		sched_setscheduler(0, SCHED_FIFO, &lowest) < 0)
		return false;
	(void)sched_setscheduler(0, before, &own);
	return true;
}

int priority_stay(int tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) < 0 ? -errno : 0;
}

int priority_any_cpu(pthread_t thread)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	return -pthread_setaffinity_np(thread, sizeof(all), &all);
}

void priority_cpus(cpu_set_t *ret_started_on, cpu_set_t *ret_all)
{
	CPU_ZERO(ret_started_on);
	(void)sched_getaffinity(0, sizeof(*ret_started_on), ret_started_on);
	*ret_all = *ret_started_on;
	if (priority_any_cpu(pthread_self()) == 0) {
		(void)sched_getaffinity(0, sizeof(*ret_all), ret_all);
		(void)sched_setaffinity(0, sizeof(*ret_started_on), ret_started_on);
	}
}

bool priority_prompt(bool first)
{
	struct attributes wanted = {.size = sizeof(wanted),
		.policy = SCHED_OTHER,
		.flags = RESET_ON_FORK,
		.nice = first ? NICE_FIRST : getpriority(PRIO_PROCESS, 0),
		.runtime_ns = SLICE_NS};

	(void)prctl(PR_SET_TIMERSLACK, 1);
	if (syscall(SYS_sched_setattr, 0, &wanted, 0) == 0)
		return first;
	return first && priority_prompt(false);
}

bool priority_is_realtime(void)
{
	int policy = sched_getscheduler(0);

	return policy >= 0 && (policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
}

int priority_share(pthread_t thread)
{
	const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};

	if (!priority_is_realtime())
		return 0;
	return -pthread_setschedparam(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest);
}

void priority_give_up(void)
{
	const struct sched_param none = {0};

	(void)sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
	(void)priority_prompt(false);
}

/*
 * Handles SIGXCPU. If the signal is delivered to another thread than the busy one, it does no harm:
 * the kernel repeats the signal until the busy thread has got one.
 */
static void back_to_fair(int signal)
{
	const struct sched_param none = {0};
	int error = errno;

	(void)signal;
	(void)sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
	errno = error;
}

int priority_guard(void)
{
	const struct sigaction action = {.sa_handler = back_to_fair, .sa_flags = SA_RESTART};
	struct rlimit limit;

	if (sigaction(SIGXCPU, &action, NULL) < 0 || getrlimit(RLIMIT_RTTIME, &limit) < 0)
		return -errno;
	if (limit.rlim_max > BUSY_KILLED_US)
		limit.rlim_max = BUSY_KILLED_US;
	limit.rlim_cur = limit.rlim_max < BUSY_US ? limit.rlim_max : BUSY_US;
	return setrlimit(RLIMIT_RTTIME, &limit) < 0 ? -errno : 0;
}

static bool take(struct realtime *r)
{
	r->has = priority_guard() == 0 && priority_realtime() == 0;
	r->first = !r->has && priority_prompt(true);
	return r->has || r->first;
}

void realtime_begin(struct realtime *r, bool wanted)
{
	r->nice = getpriority(PRIO_PROCESS, 0);
	r->had = wanted && take(r);
	if (!r->had)
		(void)priority_prompt(false);
}

bool realtime_watch(struct realtime *r, uint64_t now)
{
	uint64_t span = now - r->checked_ns, used;
	bool began = !r->checked_ns, prior = r->has || r->first;

	if (!r->had || span < (prior ? SPAN_NS : AWAY_NS))
		return false;
	used = clock_read(CLOCK_THREAD_CPUTIME_ID) - r->cpu_ns;
	r->checked_ns = now;
	r->cpu_ns += used;
	if (began)
		return false;
	if (!prior)
		return used < span * RETURN_PART && take(r);
	r->much = used > span * MOST_PART ? r->much + 1 : 0;
	if ((r->first || priority_is_realtime()) && r->much < SPANS)
		return false;
	r->has = r->first = false;
	r->much = 0;
	(void)setpriority(PRIO_PROCESS, 0, r->nice);
	priority_give_up();
	return true;
}
