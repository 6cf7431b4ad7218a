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
 * the weight that was planned: a hit. Otherwise the instant is a miss, and nothing happens. An
 * instant that tells neither is lost, and counted.
 *
 * docs/SAMPLING.md has the reasons and the figures.
 */
#ifndef SUPERVISOR_SAMPLER_H
#define SUPERVISOR_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/sample/sampler_state.h"

/* @numbers: the CPUs to be sampled, @cpus of them. -ENOMEM. */
int sampler_init(struct sampler *sampler, const struct probe *probe, void *context,
	const int *numbers, unsigned cpus, uint64_t seed);
void sampler_release(struct sampler *sampler);

/* A stream's period from now on; 0 ends it. Waiters are to set their plans likewise. */
void sampler_set_period(struct sampler *sampler, unsigned stream, uint64_t period_ns);

/* Begins with a thread, which is likely to be running. -ENOMEM. */
int sampler_add(struct sampler *sampler, struct sample_thread *thread, void *owner);
void sampler_remove(struct sampler *sampler, struct sample_thread *thread);
/* The thread is known to run, by its CPU time or by an event: it is asked early from now on. */
void sampler_heed(struct sampler *sampler, struct sample_thread *thread);
/*
 * The thread has another image. Where another thread has called exec, its CPU time is that one's
 * now, so tables' accounts with it begin anew.
 */
void sampler_renew(struct sample_thread *thread);
/* Tables' accounts with it begin anew: nothing is owed from before a table was put in force. */
void sampler_forget_ticks(struct sampler *sampler, struct sample_thread *thread);

/* The index of CPU @number, negative: not one of ours. */
int sampler_cpu(const struct sampler *sampler, int number);

/* By how much the gaps on CPU @cpu are longer for want of hits, in parts of PLAN_ONE. */
uint64_t sampler_stretch(const struct sampler *sampler, unsigned cpu);

/* Returns the thread to sample, with its hit filled in, or NULL: a miss, or lost. */
struct sample_thread *sampler_instant(
	struct sampler *sampler, const struct sample_instant *instant);

/*
 * Has the thread not run since the instant that hit it? To be asked before its stop is requested.
 * False: the hit is lost, as nobody knows where the thread was.
 */
bool sampler_confirm(struct sampler *sampler, struct sample_thread *thread);

/* The hit of @thread comes to nothing; @unproved: as it may have run since. */
void sampler_lose(struct sampler *sampler, struct sample_thread *thread, bool unproved);

/* Where a thread stands that has been stopped. */
enum sample_place { SAMPLE_IN_PROGRAM, SAMPLE_IN_CALL, SAMPLE_IN_YIELD };

/* The stop of @thread for its hit is there, with @cpu its CPU time. True: it is a sample. */
bool sampler_judge(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *cpu, enum sample_place place);

/* CPU @cpu was taken from whoever ran there, and has been released after @ns. */
void sampler_occupied(struct sampler *sampler, unsigned cpu, uint64_t ns);

/*
 * What a sample cost its thread: the time since its last stop less its CPU time in that, if the
 * thread was uninterrupted, which is to say on its CPU but for us.
 */
struct sample_loss {
	bool measured;
	uint64_t lost_ns, apart_ns; /* of so much wall time */
};
/* The stop of @thread for a sample is over; @cpu is its CPU time in it. */
struct sample_loss sampler_resumed(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *cpu, uint64_t end_ns);

/*
 * To be called every 20 ms or so. Since the last call @busy instants of the profile found the
 * sampler taken by others: they are lost.
 */
void sampler_turn(struct sampler *sampler, uint64_t busy);
/* The profile's gaps are longer than its period by this, for bounds or as we cannot keep up. */
uint64_t sampler_factor(const struct sampler *sampler);

#endif
