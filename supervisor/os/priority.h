/* SPDX-License-Identifier: MIT */
/*
 * The scheduling of the sampling threads. With real-time priority (SCHED_FIFO, the lowest priority
 * of that class) they get their CPU at once when they wake up. Processes that they start never
 * inherit it, and a thread that uses a CPU without a pause loses it.
 */
#ifndef SUPERVISOR_PRIORITY_H
#define SUPERVISOR_PRIORITY_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Gives the calling thread real-time priority. 0; -EPERM: that is not permitted (RLIMIT_RTPRIO,
 * CAP_SYS_NICE).
 */
int priority_realtime(void);

/* Would priority_realtime() be permitted? The calling thread is not changed. */
bool priority_may_be_realtime(void);

/* Pins thread @tid (0: the calling thread) to CPU @cpu, which is below CPU_SETSIZE. 0 or -errno. */
int priority_stay(int tid, int cpu);

/* Lets @thread run on all CPUs that its cpuset permits. 0 or -errno. */
int priority_any_cpu(pthread_t thread);

/* Reads the caller's affinity, and all CPUs of its cpuset. An empty set: unknown. */
void priority_cpus(cpu_set_t *ret_started_on, cpu_set_t *ret_all);

/*
 * If the caller has real-time priority, gives @thread the same; new threads do not inherit it. 0 or
 * -errno.
 */
int priority_share(pthread_t thread);

/*
 * Makes a thread without real-time priority run soon after it wakes up. Sets timers without slack,
 * and a short time slice, because the scheduler prefers threads with a short slice (Linux 6.12).
 * @first: also takes the highest priority of the fair class (nice -20), if that is permitted; with
 * it, a thread that has used much of a CPU is still preferred. Processes that the thread starts do
 * not inherit it. Call in that thread. True: it was permitted.
 */
bool priority_prompt(bool first);

/*
 * Call before a process's first priority_realtime(). A thread that is busy with real-time priority
 * for 0.25 s without a pause is then returned to normal scheduling (SCHED_OTHER, the fair class).
 * RLIMIT_RTTIME sends SIGXCPU for that, which threads of priority_realtime() handle; all other
 * threads must block SIGXCPU. 0 or -errno.
 */
int priority_guard(void);

/*
 * Returns the calling thread to normal scheduling (SCHED_OTHER), with the settings of
 * priority_prompt().
 */
void priority_give_up(void);

/* Does the calling thread still have real-time priority? */
bool priority_is_realtime(void);

/*
 * Real-time priority of the tracing thread or, if that is refused, nice -20. The thread gives it up
 * while using most of a CPU.
 */
struct realtime {
	bool had;            /* the thread began with one of the two */
	bool has;            /* the thread has real-time priority now */
	bool first;          /* the thread has nice -20 now */
	int nice;            /* its nice value without that */
	uint64_t checked_ns; /* CLOCK_MONOTONIC: when its CPU time was read; 0: not yet */
	uint64_t cpu_ns;     /* its CPU time at checked_ns */
	unsigned much;       /* checks in a row that found more than 3/4 of a CPU used */
};

/*
 * Takes the priority for the calling thread, if that is @wanted and permitted. The caller has
 * zeroed @realtime.
 */
void realtime_begin(struct realtime *realtime, bool wanted);

/*
 * Gives up or takes back the priority, depending on how much CPU time the calling thread uses.
 * True: realtime->has or realtime->first has changed. Call often.
 */
bool realtime_watch(struct realtime *realtime, uint64_t now_ns);

#endif
