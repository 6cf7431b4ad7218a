/* SPDX-License-Identifier: MIT */
/*
 * The sampler: which thread to sample at an instant, and what the sample weighs. It knows neither
 * ptrace nor records; it reads through a probe (probe.h), and the engine acts.
 *
 *	plan ──► waiter of CPU c ──► which thread was preempted? ──► stop ──► record
 *	plan.h   cpu_waiter.h        observe.h                       stops.h
 *
 * At each instant of a CPU (plan.h) one question is asked: which thread of the target was on this
 * CPU until the supervisor's wake-up preempted it? That thread is sampled where it stands, with
 * the weight that was planned: a hit. If there was none, the instant is a miss, and nothing
 * happens. An instant of which neither is known is lost, and counted as that.
 *
 * docs/SAMPLING.md has the reasons and the figures.
 */
#ifndef SUPERVISOR_SAMPLER_H
#define SUPERVISOR_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/sample/sampler_state.h"

/*
 * @numbers: the numbers of the CPUs to be sampled, @cpus of them; they are copied. 0, or -ENOMEM;
 * sampler_release() is harmless then.
 */
int sampler_init(struct sampler *sampler, const struct probe *probe, void *context,
	const int *numbers, unsigned cpus, uint64_t seed);
void sampler_release(struct sampler *sampler);

/* Sets a stream's period; 0 ends it. The caller sets it in the waiters' plans, too. */
void sampler_set_period(struct sampler *sampler, unsigned stream, uint64_t period_ns);

/*
 * Adds a thread, which is asked early, as a new one probably runs. 0, or -ENOMEM. The caller owns
 * @thread, which stays where it is until sampler_remove(); @owner is for the probe.
 */
int sampler_add(struct sampler *sampler, struct sample_thread *thread, void *owner);
void sampler_remove(struct sampler *sampler, struct sample_thread *thread);
/* The thread is known to run, by its CPU time or by an event: it is asked early from now on. */
void sampler_heed(struct sampler *sampler, struct sample_thread *thread);

/* The index of CPU @number; negative: it is not sampled. */
int sampler_cpu(const struct sampler *sampler, int number);

/* The factor by which gaps on CPU @cpu (index) are longer as it has no hits; PLAN_ONE is 1. */
uint64_t sampler_stretch(const struct sampler *sampler, unsigned cpu);

/* Returns the thread to sample, with its hit filled in, or NULL: a miss, or lost. */
struct sample_thread *sampler_instant(
	struct sampler *sampler, const struct sample_instant *instant);

/*
 * To be called before the stop of a thread that was hit is requested. True: the thread has not run
 * since the instant. False: the hit is lost, as it is unknown where the thread was at the instant.
 */
bool sampler_confirm(struct sampler *sampler, struct sample_thread *thread);

/* The hit of @thread is lost; @unproved: because the thread may have run since the instant. */
void sampler_lose(struct sampler *sampler, struct sample_thread *thread, bool unproved);

/* Where a thread stands that has been stopped. */
enum sample_place { SAMPLE_IN_PROGRAM, SAMPLE_IN_CALL, SAMPLE_IN_YIELD };

/* The stop of @thread for its hit is there, with @cpu its CPU time. True: it is a sample. */
bool sampler_judge(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *cpu, enum sample_place place);

/* The supervisor has occupied CPU @cpu (index) for @ns and released it. */
void sampler_occupied(struct sampler *sampler, unsigned cpu, uint64_t ns);

/*
 * What sampling cost a thread between its last two sample stops. It is measured only if the thread
 * was uninterrupted: nobody but the supervisor took its CPU.
 */
struct sample_loss {
	uint64_t lost_ns;  /* apart_ns less the thread's CPU time in it */
	uint64_t apart_ns; /* wall time between the two stops; 0: not measured */
};
/* The stop of @thread for a sample is over; @cpu is its CPU time in it. */
struct sample_loss sampler_resumed(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *cpu, uint64_t end_ns);

/*
 * To be called every 20 ms or so. @busy: instants of the profile since the last call that were lost
 * because their waiter had to wait too long for the sampler.
 */
void sampler_turn(struct sampler *sampler, uint64_t busy);
/*
 * The factor by which the profile's gaps are longer than its period, PLAN_ONE is 1: to keep bounds,
 * or because one tracing thread cannot keep up.
 */
uint64_t sampler_factor(const struct sampler *sampler);

#endif
