/* SPDX-License-Identifier: MIT */
/*
 * Where one thread of the target is alone at work, the tracing thread waits on that thread's CPU.
 * The scheduler migrates a thread that is resumed by a thread on its own CPU if another CPU is
 * idle. So, with two CPUs, the waiter of the other CPU stays awake during the stop: it is the
 * keeper. If the lone thread makes no system calls, the keeper also calls the tracing thread at the
 * instant: a call from another CPU takes less of the lone thread's time than a timer on its CPU.
 */
#ifndef SUPERVISOR_KEEPER_H
#define SUPERVISOR_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct sampling;
struct tracee;

/* The tracing thread is about to sleep: the keeper is told the host's next instant. */
void keeper_order(struct sampling *sampling);
/*
 * Until when the tracing thread may sleep if its next instant is at @at_ns. If the keeper calls it,
 * that is later than the scheduler's next tick, so that no timer is set.
 */
uint64_t keeper_or_timer(const struct sampling *sampling, uint64_t at_ns, uint64_t now_ns);
/* When the host was called for the instant planned for @planned_ns; that time itself: by a timer.
 */
uint64_t keeper_called(const struct sampling *sampling, uint64_t planned_ns);
/* The stop of the host's thread has been asked for: it comes as soon as the tracing thread sleeps.
 */
bool keeper_stops(const struct sampling *sampling);

/* In the stop window: waits until the keeper is awake, for 50 us at most. False: it is not. */
bool keeper_await(struct sampling *sampling);
/* It was not, and @tracee has been resumed: it may have migrated. */
void keeper_missed(struct engine *engine, struct tracee *tracee);

#endif
