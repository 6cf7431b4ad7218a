/* SPDX-License-Identifier: MIT */
/* The ticks of sessions: counted in a stop, or kept until one. */
#ifndef SUPERVISOR_CALLS_SESSION_TICKS_H
#define SUPERVISOR_CALLS_SESSION_TICKS_H

#include "supervisor/calls/session.h"

/*
 * Stop window: @tracee is at @pc, @in_call: in a system call, at an instant of @stream that weighs
 * @weight_ns. Counts the tick in the process's buffers, for the tables with that clock.
 */
void session_tick(struct sessions *sessions, struct tracee *tracee, unsigned stream, uint64_t pc,
	bool in_call, uint64_t weight_ns);

/*
 * Counts a tick of a thread that sleeps at @pc: at the next stop, because memory is written only
 * then. Otherwise as session_tick().
 */
void session_tick_asleep(struct sessions *sessions, struct tracee *tracee, unsigned stream,
	uint64_t pc, uint64_t weight_ns);

/*
 * @tracee, which is not stopped, has used @cpu at @now_ns, and is blocked at *@pc, or runs if @pc
 * is NULL. Tables of elapsed time get its time off the CPU.
 */
void session_elapse(struct sessions *sessions, struct tracee *tracee, const struct cpu_time *cpu,
	uint64_t now_ns, const uint64_t *pc);
/* The shortest period of the tables of elapsed time for @tracee; 0: no such table. */
uint64_t session_elapsed_period_ns(const struct tracee *tracee);

/*
 * @tracee requests its status. If ticks can be counted only in a stop, the thread is interrupted
 * before it can see an answer given after this call.
 */
void session_ask_stop(struct sessions *sessions, struct tracee *tracee);
/* Stop window: @tracee is stopped, so ticks left by sleeping threads of its process are counted. */
void session_catch_up(struct sessions *sessions, struct tracee *tracee);

/*
 * At sessions->write_at_ns: ticks left by sleeping threads for a period are written at a stop that
 * is requested for that.
 */
void session_poll(struct sessions *sessions, uint64_t now_ns);

/* Nothing more is counted: @reason says why. session_tidy() ends the session. */
void session_turn_off(struct session *session, enum call_reason reason);

#endif
