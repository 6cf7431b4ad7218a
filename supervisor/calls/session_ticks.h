/* SPDX-License-Identifier: MIT */
/* The ticks of sessions: counted in a stop, or kept until one. */
#ifndef SUPERVISOR_CALLS_SESSION_TICKS_H
#define SUPERVISOR_CALLS_SESSION_TICKS_H

#include "supervisor/calls/session.h"

/*
 * Call when an instant of @stream that weighs @weight_ns has found @tracee, stopped at @pc;
 * @in_call: in a system call. Counts the tick in the process's buffers, for the tables that count
 * with @stream. May run in the stop window.
 */
void session_tick(struct sessions *sessions, struct tracee *tracee, unsigned stream, uint64_t pc,
	bool in_call, uint64_t weight_ns);

/*
 * Call when an instant of @stream that weighs @weight_ns has found @tracee, which is not stopped
 * and sleeps at @pc, in a system call. The tick is kept until the next stop, as memory is written
 * only then.
 */
void session_tick_asleep(struct sessions *sessions, struct tracee *tracee, unsigned stream,
	uint64_t pc, uint64_t weight_ns);

/*
 * Counts the time of @tracee off the CPU in tables of elapsed time. The thread is not stopped; at
 * @now_ns it has used @cpu, and is blocked at *@pc, or runs (@pc NULL).
 */
void session_elapse(struct sessions *sessions, struct tracee *tracee, const struct cpu_time *cpu,
	uint64_t now_ns, const uint64_t *pc);
/* Returns the shortest period of the tables of elapsed time for @tracee; 0: no such table. */
uint64_t session_elapsed_period_ns(const struct tracee *tracee);

/*
 * To be called before the answer to a status request of @tracee is sent. If ticks are kept for a
 * stop, requests one: it comes before the thread can see the answer.
 */
void session_ask_stop(struct sessions *sessions, struct tracee *tracee);
/*
 * Writes the ticks kept for @tracee, which is stopped, and for its process. May run in the stop
 * window.
 */
void session_catch_up(struct sessions *sessions, struct tracee *tracee);

/*
 * To be called at sessions->write_at_ns: requests stops of processes for which ticks have been kept
 * for a period of their table, so that these are written.
 */
void session_poll(struct sessions *sessions, uint64_t now_ns);

/* Counts nothing more in @session, for @reason. session_tidy() then ends it. */
void session_turn_off(struct session *session, enum call_reason reason);

#endif
