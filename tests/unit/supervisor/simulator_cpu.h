/* SPDX-License-Identifier: MIT */
/* A CPU and its queue. A change of its work needs sim_cpu_schedule() or sim_cpu_refresh(). */
#ifndef TESTS_SIMULATOR_CPU_H
#define TESTS_SIMULATOR_CPU_H

#include "tests/unit/supervisor/simulator.h"

/* CPU time of a wake-up, in which the thread cannot be preempted. */
#define SIM_WAKE_UP_NS 1000
/* From the wake-up of a supervisor's thread to its reading of the clock. */
#define SIM_CLOCK_NS 1500

/* Threads of the supervisor: index of sim_cpu.arrives_ns. */
enum { SIM_WAITER_COMES, SIM_TRACER_COMES };

/* Delay in a virtual machine from an interrupt to the thread that it wakes. */
uint64_t sim_slowness(struct sim *sim);
/* Can the thread not be preempted at present? */
bool sim_is_atomic(const struct sim_thread *thread);
/* Does a thread of the supervisor want the CPU by now? */
bool sim_cpu_is_called(const struct sim *sim, const struct sim_cpu *c);

/* Accounts the running thread's time, up to now. */
void sim_cpu_account(struct sim *sim, struct sim_cpu *c);
/* Recomputes when the CPU's next event is due. */
void sim_cpu_refresh(struct sim *sim, struct sim_cpu *c);
/* Schedules the CPU if nothing runs there. */
void sim_cpu_schedule(struct sim *sim, unsigned cpu);

/* The current thread leaves the CPU: into @state, into a requested stop, back into the queue. */
void sim_cpu_leave(struct sim *sim, struct sim_cpu *c, enum sim_state state);
void sim_cpu_stop(struct sim *sim, struct sim_cpu *c);
void sim_cpu_requeue(struct sim *sim, struct sim_cpu *c);

/* @thread has become runnable. */
void sim_enqueue(struct sim *sim, struct sim_thread *thread);
/* Migrates a thread to a CPU with less to do, as the load balancer does. */
void sim_cpu_push_away(struct sim *sim, unsigned cpu);

/* Thread @who of the supervisor gets the CPU, or must wait in the fair class. */
void sim_cpu_come(struct sim *sim, unsigned cpu, unsigned who);
bool sim_cpu_must_wait(struct sim *sim, struct sim_cpu *c, unsigned who);

/*
 * Both wake the tracing thread; sim_tell_tracer() also reports @thread. @from: CPU of the cause;
 * unless it is the tracing thread's own, the wake-up takes longer.
 */
void sim_call_tracer(struct sim *sim, const struct sim_cpu *from);
void sim_tell_tracer(struct sim *sim, struct sim_thread *thread, const struct sim_cpu *from);

#endif
