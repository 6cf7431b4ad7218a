/* SPDX-License-Identifier: MIT */
/*
 * The sampler: whom to sample at an instant, and what the sample weighs. It knows neither ptrace
 * nor records; the world comes through a probe (probe.h), and the engine acts.
 *
 *	plan ──► instant ──► observe (probe) ──► order ──► stop, by the engine ──► judge ──► weight
 *
 * At each instant of a CPU (plan.h) one question is asked: which thread of the target was on this
 * CPU until the supervisor's wake-up took it? That thread is sampled where it stands, with the
 * weight that was planned. If it was nobody of the target, nothing happens: nobody owes a sample.
 * An instant that cannot be used leaves its weight to the next one of its CPU.
 *
 * docs/SAMPLING.md has the reasons and the figures.
 */
#ifndef SUPERVISOR_SAMPLER_H
#define SUPERVISOR_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/sample/sampler_state.h"

/* @numbers: the CPUs that may be looked at, @cpus of them. -ENOMEM. */
int sampler_init(struct sampler *sampler, const struct probe *probe, void *context,
	const int *numbers, unsigned cpus, uint64_t seed);
void sampler_release(struct sampler *sampler);

/* A stream's period from now on; 0 ends it. Stream 0 is the profile's. */
void sampler_set_period(
	struct sampler *sampler, unsigned stream, uint64_t period_ns, uint64_t now_ns);

/* Begins with a thread, which is likely to be running. -ENOMEM. */
int sampler_add(struct sampler *sampler, struct sample_thread *thread, void *owner);
void sampler_remove(struct sampler *sampler, struct sample_thread *thread);
/*
 * The thread is known to be at work, by its CPU time or by an event: from now on it is asked with
 * the threads that were met last.
 */
void sampler_heed(struct sampler *sampler, struct sample_thread *thread);
/*
 * The thread has another image: what is known of its calls is void, and so are the tables' accounts
 * with it, for where another thread has called exec, its CPU time is that one's now.
 */
void sampler_renew(struct sample_thread *thread);
/* Tables' accounts with it begin anew: nothing is owed from before a table was put in force. */
void sampler_forget_ticks(struct sampler *sampler, struct sample_thread *thread);

/* The index of CPU @number, negative: not one of ours. */
int sampler_cpu(const struct sampler *sampler, int number);

/* When CPU @cpu is to be looked at next, CLOCK_MONOTONIC; PLAN_NEVER. */
uint64_t sampler_next(const struct sampler *sampler, unsigned cpu);

/*
 * The instant of a CPU that was planned for @planned_ns. The CPU was called for it at @called_ns,
 * which is the same but for a keeper that was late, and is ours since @woke_ns. Returns the thread
 * to sample, with its order filled in, or NULL. The next instant is planned.
 */
struct sample_thread *sampler_instant(struct sampler *sampler, unsigned cpu, uint64_t planned_ns,
	uint64_t called_ns, uint64_t woke_ns);
/* The instant cannot be used: nobody held the CPU, or a bound forbids a stop. */
void sampler_miss(struct sampler *sampler, unsigned cpu, uint64_t now_ns, bool throttled);

/* Does its next instant need no time stamps, as far as one can tell? */
bool sampler_is_steady(const struct sampler *sampler, unsigned cpu);

/* CPU @cpu was the supervisor's for @ns: no instant falls into that. */
void sampler_had(struct sampler *sampler, unsigned cpu, uint64_t ns);

/* The supervisor sleeps, and whoever was on CPU @cpu goes on. */
void sampler_let_go(struct sampler *sampler, unsigned cpu);

/*
 * The interrupt of @thread is sent, from its own CPU or (@from_afar) from another one, which has
 * nothing to do while the thread is stopped. What the sample takes from it is nobody's time: it is
 * left out of all plans, as an estimate first.
 */
void sampler_asked(struct sampler *sampler, struct sample_thread *thread, bool from_afar);

/*
 * The stop of @thread is over, and lasted @stop_ns; @cpu is its CPU time in it. A thread that was
 * not scheduled in more often since its last stop than the samples explain has run all the time
 * that they left it: then what they took is known, and the estimate is put right. True: it was so,
 * and sampler->loss is set.
 */
bool sampler_resumed(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *cpu, uint64_t end_ns, uint64_t stop_ns);

/* The thread cannot be stopped, or nobody knows where it was: its weight goes to the next instant.
 */
void sampler_lose(struct sampler *sampler, struct sample_thread *thread);

/* Where a thread stands that has been stopped. */
enum sample_place { SAMPLE_IN_PROGRAM, SAMPLE_IN_CALL, SAMPLE_IN_YIELD };

/*
 * The stop of @thread is there, with @after its CPU time, and @place. The interrupt had been sent
 * at @asked_ns. Was it on the CPU, and there, at the instant? Otherwise it is no sample.
 */
bool sampler_judge(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *after, enum sample_place place, uint64_t asked_ns);
/* Its sample was taken, @in_call or in the program's own code. */
void sampler_note(struct sample_thread *thread, bool in_call);

/*
 * @thread has been let go on while the keeper's CPU was idle, and was taken over by CPU @cpu: the
 * ways are decided anew.
 */
void sampler_moved(struct sampler *sampler, struct sample_thread *thread, unsigned cpu);

/*
 * The tracing thread did not get the CPU of the host, as somebody of higher priority keeps it: for
 * ten seconds another CPU is the host.
 */
void sampler_bar(struct sampler *sampler, uint64_t now_ns);

/*
 * Decides the way of each CPU anew. Returns the index of the CPU where the tracing thread is to be,
 * whose instants it takes itself.
 */
unsigned sampler_ways(struct sampler *sampler, uint64_t now_ns);

#endif
