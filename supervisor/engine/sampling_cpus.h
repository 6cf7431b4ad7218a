/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs are sampled: all that our cpuset permits. Each has a waiter. CPUs may come and go
 * during a run: they are put online and taken offline, and cpusets are written. Called by the
 * tracing thread in its turn (cpu_waiter.h), except for sampling_cpus_release().
 */
#ifndef SUPERVISOR_SAMPLING_CPUS_H
#define SUPERVISOR_SAMPLING_CPUS_H

#include <stdint.h>

struct arrival;
struct engine;
struct sampling;

/*
 * Finds the CPUs, and adds them to the sampler, which is initialized. @wake: the callback of their
 * waiters (struct cpu_waiter), whose context is the struct sampled_cpu. -ENOMEM.
 */
int sampling_cpus_init(struct sampling *sampling,
	uint64_t (*wake)(
		void *context, uint64_t woke_ns, const struct arrival *arrival, int error));
/* Stops the waiters and forgets the CPUs. To be called once the tracing thread has ended. */
void sampling_cpus_release(struct sampling *sampling);

/* Starts the waiters, or restarts them with the priority that is in force. */
void sampling_cpus_start(struct sampling *sampling);
/* Lets each CPU plan its next instant anew, as something that its plan depends on has changed. */
void sampling_cpus_renew(struct sampling *sampling);

/*
 * Looks which CPUs there are: new ones are sampled, too, and one that is gone has no instants until
 * it is back. If a waiter has woken up on another CPU than its own, all are pinned again. Checks
 * the next process as sampling_cpus_check() does, until the user has been warned. To be called
 * about once a second, and when a waiter has strayed. Costs some microseconds.
 */
void sampling_cpus_review(struct engine *engine);

/* Warns the user if the process @pid may run on CPUs that are not sampled. */
void sampling_cpus_check(struct engine *engine, int pid);

#endif
