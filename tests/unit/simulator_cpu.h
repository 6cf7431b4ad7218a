/* SPDX-License-Identifier: MIT */
/*
 * A CPU of the simulator and its queue, for the events in simulator.c. Who changes what is to be
 * done on a CPU calls sim_cpu_schedule() or sim_cpu_refresh() afterwards.
 */
#ifndef TESTS_SIMULATOR_CPU_H
#define TESTS_SIMULATOR_CPU_H

#include "tests/unit/simulator.h"

/* The way from sleep, with interrupts off or without preemption. */
#define SIM_WAKE_UP_NS 1000
/* Awake, ours reads the clock so much later. */
#define SIM_CLOCK_NS 1500

/* Of ours, by whom sim_cpu.arrives_ns is indexed. */
enum { SIM_WAITER_COMES, SIM_TRACER_COMES };

/* What passes in a virtual machine from an interrupt to what it wakes up. */
uint64_t sim_slowness(struct sim *sim);
/* It cannot be preempted where it is. */
bool sim_is_atomic(const struct sim_thread *thread);
/* One of ours wants the CPU by now. */
bool sim_cpu_is_called(const struct sim *sim, const struct sim_cpu *c);

/* Books the time of the thread that runs, up to now. */
void sim_cpu_account(struct sim *sim, struct sim_cpu *c);
/* Finds out anew when something happens here next. */
void sim_cpu_refresh(struct sim *sim, struct sim_cpu *c);
/* The CPU takes up what is to be done, if it has nothing on it. */
void sim_cpu_schedule(struct sim *sim, unsigned cpu);

/* The current thread goes: into @state; as asked to stop; back to the queue. */
void sim_cpu_leave(struct sim *sim, struct sim_cpu *c, enum sim_state state);
void sim_cpu_stop(struct sim *sim, struct sim_cpu *c);
void sim_cpu_requeue(struct sim *sim, struct sim_cpu *c);

/* @thread has become runnable. */
void sim_enqueue(struct sim *sim, struct sim_thread *thread);
/* One goes to a CPU with less to do, as the balancer does now and then. */
void sim_cpu_push_away(struct sim *sim, unsigned cpu);

/* Ours, @who, gets the CPU; not yet, in the fair class. */
void sim_cpu_come(struct sim *sim, unsigned cpu, unsigned who);
bool sim_cpu_must_wait(struct sim *sim, struct sim_cpu *c, unsigned who);

/* The tracing thread is woken up, from its own CPU, @from, or from another one; to see @thread. */
void sim_call_tracer(struct sim *sim, const struct sim_cpu *from);
void sim_tell_tracer(struct sim *sim, struct sim_thread *thread, const struct sim_cpu *from);

#endif
