/* SPDX-License-Identifier: MIT */
/*
 * Where one thread of the target is alone at work, the tracing thread waits on that thread's CPU.
 * Whoever is let go on by a thread on the same CPU is taken over by another CPU if that is idle. So
 * on a machine of two CPUs the other one's waiter keeps that CPU awake during the stop: it is the
 * keeper. It rings for the instant, too: to be called by another CPU takes less from a thread than
 * a timer on its own, which has to be set and to run out.
 */
#ifndef SUPERVISOR_KEEPER_H
#define SUPERVISOR_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct sampling;
struct tracee;

/* The tracing thread is about to sleep: the keeper rings at the host's next instant. */
void keeper_order(struct sampling *sampling);
/*
 * When the tracing thread wakes up by itself if it is to for @at_ns: late, as the keeper rings. A
 * timer beyond the scheduler's next tick need not be set.
 */
uint64_t keeper_or_timer(const struct sampling *sampling, uint64_t at_ns, uint64_t now_ns);
/* When the host was called for the instant that was planned for @planned_ns. */
uint64_t keeper_called(const struct sampling *sampling, uint64_t planned_ns);
/* The stop of the host's thread has been asked for: it comes as soon as the tracing thread sleeps.
 */
bool keeper_stops(const struct sampling *sampling);

/* In the stop window: returns when the keeper is awake, or false after 50 us. True: none is used.
 */
bool keeper_await(struct sampling *sampling);
/* It was not, and @tracee has been let go on. */
void keeper_missed(struct engine *engine, struct tracee *tracee);

#endif
