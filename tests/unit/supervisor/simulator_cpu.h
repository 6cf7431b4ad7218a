/* SPDX-License-Identifier: MIT */
/*
 * A CPU of the simulator and its queue, for the events in simulator.c. After a change of the work
 * of a CPU, call sim_cpu_schedule() or sim_cpu_refresh().
 */
#ifndef TESTS_SIMULATOR_CPU_H
#define TESTS_SIMULATOR_CPU_H

#include "tests/unit/supervisor/simulator.h"

/* CPU time of a wake-up, in which the thread cannot be preempted. */
#define SIM_WAKE_UP_NS 1000
/* After its wake-up, a thread of the supervisor reads the clock this much later. */
#define SIM_CLOCK_NS 1500

/* Index of sim_cpu.arrives_ns: a thread of the supervisor. */
enum { SIM_WAITER_COMES, SIM_TRACER_COMES };

/* Delay in a virtual machine from an interrupt to the thread that it wakes. */
uint64_t sim_slowness(struct sim *sim);
/* Can the thread not be preempted at present? */
bool sim_is_atomic(const struct sim_thread *thread);
/* Does a thread of the supervisor want the CPU by now? */
bool sim_cpu_is_called(const struct sim *sim, const struct sim_cpu *c);

/* Accounts the time of the thread that runs, up to now. */
void sim_cpu_account(struct sim *sim, struct sim_cpu *c);
/* Recomputes when the next event of the CPU is due. */
void sim_cpu_refresh(struct sim *sim, struct sim_cpu *c);
/* Schedules the CPU, if nothing runs on it. */
void sim_cpu_schedule(struct sim *sim, unsigned cpu);

/*
 * The current thread leaves the CPU: sim_cpu_leave() puts it into @state, sim_cpu_stop() into its
 * stop if one is requested, sim_cpu_requeue() back into the queue.
 */
void sim_cpu_leave(struct sim *sim, struct sim_cpu *c, enum sim_state state);
void sim_cpu_stop(struct sim *sim, struct sim_cpu *c);
void sim_cpu_requeue(struct sim *sim, struct sim_cpu *c);

/* Puts @thread, which has become runnable, into a queue. */
void sim_enqueue(struct sim *sim, struct sim_thread *thread);
/* Migrates a thread to a CPU with less to do, as the load balancer does from time to time. */
void sim_cpu_push_away(struct sim *sim, unsigned cpu);

/* Thread @who of the supervisor gets the CPU, or has to wait for it in the fair class. */
void sim_cpu_come(struct sim *sim, unsigned cpu, unsigned who);
bool sim_cpu_must_wait(struct sim *sim, struct sim_cpu *c, unsigned who);

/*
 * Both wake the tracing thread; sim_tell_tracer() also reports @thread to it. @from: the CPU on
 * which the cause occurred. If that is not the tracing thread's own CPU, the wake-up takes longer.
 */
void sim_call_tracer(struct sim *sim, const struct sim_cpu *from);
void sim_tell_tracer(struct sim *sim, struct sim_thread *thread, const struct sim_cpu *from);

#endif
