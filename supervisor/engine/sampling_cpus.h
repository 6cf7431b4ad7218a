/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs are sampled: all that our cpuset permits, each with a waiter. CPUs come and go during
 * a run (offline, cpusets). Called by the tracing thread in its turn (cpu_waiter.h), except
 * sampling_cpus_release().
 */
#ifndef SUPERVISOR_SAMPLING_CPUS_H
#define SUPERVISOR_SAMPLING_CPUS_H

#include <stdint.h>

struct arrival;
struct engine;
struct sampling;

/*
 * Adds the CPUs to an initialized sampler. @wake is the callback of their waiters (struct
 * cpu_waiter); its context is the struct sampled_cpu. Returns 0 or -ENOMEM.
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
 * Call once a second, and when a waiter has strayed; takes microseconds. Samples new CPUs, and
 * gives CPUs that are gone no instants until they are back. Pins all waiters again if one has
 * strayed. Calls sampling_cpus_check() for the next process until the user has been warned.
 */
void sampling_cpus_review(struct engine *engine);

/* Warns the user if the process @pid may run on CPUs that are not sampled. */
void sampling_cpus_check(struct engine *engine, int pid);

#endif
