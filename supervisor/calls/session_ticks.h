/* SPDX-License-Identifier: MIT */
/* The ticks of sessions: counted in a stop, or kept until one. */
#ifndef SUPERVISOR_CALLS_SESSION_TICKS_H
#define SUPERVISOR_CALLS_SESSION_TICKS_H

#include "supervisor/calls/session.h"

/*
 * Counts a hit in the tables that use @stream: at an instant of @stream, @tracee was on a CPU, and
 * is now stopped at @pc (@in_call: in a system call). May run in the stop window.
 */
void session_tick(struct sessions *sessions, struct tracee *tracee, unsigned stream, uint64_t pc,
	bool in_call, uint64_t weight_ns);

/*
 * Counts an instant of @stream that has found @tracee asleep at @pc in a system call, not stopped.
 * The tick is kept until the next stop, because memory is written only in a stop.
 */
void session_tick_asleep(struct sessions *sessions, struct tracee *tracee, unsigned stream,
	uint64_t pc, uint64_t weight_ns);

/* Counts an instant of @stream as lost: @tracee has called exec, or ended, since the instant. */
void session_tick_lost(
	struct sessions *sessions, struct tracee *tracee, unsigned stream, uint64_t weight_ns);

/*
 * Counts the time of @tracee off the CPU in tables of elapsed time. At @now_ns the thread has used
 * @cpu, and is blocked (not stopped) at *@pc; if @pc is NULL, it runs.
 */
void session_elapse(struct sessions *sessions, struct tracee *tracee, const struct cpu_time *cpu,
	uint64_t now_ns, const uint64_t *pc);
/* Returns the shortest period of the tables of elapsed time for @tracee; 0: no such table. */
uint64_t session_elapsed_period_ns(const struct tracee *tracee);

/*
 * Requests a stop of @tracee if ticks are kept for one. Call it before the answer to a status
 * request is sent: the stop comes before the thread can see the answer.
 */
void session_ask_stop(struct sessions *sessions, struct tracee *tracee);
/* Writes the ticks kept for the stopped @tracee and its process. May run in the stop window. */
void session_catch_up(struct sessions *sessions, struct tracee *tracee);

/* From sessions->write_at_ns on, has threads stopped, so that kept ticks can be written. */
void session_poll(struct sessions *sessions, uint64_t now_ns);

/* Stops counting in @session. session_tidy() then ends it. */
void session_turn_off(struct session *session, enum call_reason reason);

#endif
