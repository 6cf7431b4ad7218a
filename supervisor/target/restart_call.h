/* SPDX-License-Identifier: MIT */
/* The arguments and the result of a call that is restarted. restart.c handles the stops. */
#ifndef SUPERVISOR_RESTART_CALL_H
#define SUPERVISOR_RESTART_CALL_H

#include "supervisor/os/tracer.h"
#include "supervisor/target/procfiles.h"
#include "supervisor/target/restart_rule.h"
#include "supervisor/target/restarter.h"
#include "supervisor/target/target.h"

/* Parts of a vector passed to the kernel at once; longer vectors take several calls. */
#define RESTART_PARTS         16
#define RESTART_SCRATCH_BYTES (64 + RESTART_PARTS * sizeof(struct restart_part))

struct restart {
	bool inside;   /* the thread is between entry and exit of the watched call */
	bool to_entry; /* the call is watched up to its entry only: nothing to restore */
	bool known;    /* the last stop changed this call: @before has its arguments */
	const struct arch_call *call;
	struct arch_raw before; /* registers at the stop that disturbed the call */
	/*
	 * Bytes. done: transferred so far; whole: of the whole transfer; piece: requested by the
	 * restarted call.
	 */
	uint64_t done, whole, piece;
	/* Memory of the target below its stack that we have overwritten; 0 bytes: none. */
	uint64_t scratch_at;
	size_t scratch_bytes;
	uint8_t scratch[RESTART_SCRATCH_BYTES]; /* what that memory contained before */
	/*
	 * The call's result was set to EINTR, or to what a transfer has done so far, and the
	 * thread's next stop restarts the call. If that stop does anything else, the call is over
	 * (test: handler_ends_timed_call).
	 */
	bool unfinished;
	bool cut; /* an interrupt was sent whose stop will restart the call */
	/* The supervisor ended the call at its deadline: no further stop restarts it. */
	bool over;
	bool has_deadline;
	bool internet;        /* the call's socket is an internet socket */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	int64_t timed_out;    /* the result at the deadline if the supervisor ends the call */
	/*
	 * When the deadline was last found: @done, and the time (ns) for which the thread had been
	 * on a CPU or had waited for one; 0: unknown.
	 */
	uint64_t deadline_done, deadline_busy_ns;
	/*
	 * A group-stop ended the call, at stopped_pc and stopped_sp. stopped_run_ns: the thread's
	 * CPU time at the end of the group-stop.
	 */
	bool stopped;
	uint64_t stopped_pc, stopped_sp, stopped_run_ns;
};

/* Returns the thread's structure, allocated at the first call; NULL: out of memory. */
struct restart *restart_of(struct tracee *tracee);

/*
 * Changes the registers of a stopped thread so that its call continues. True: the call must be
 * watched, so the thread is to be resumed up to the call's entry; restart_give_back() restores its
 * registers later.
 */
bool restart_call(struct restarter *restarter, struct tracee *tracee, enum restart_need need,
	const struct arch_call *call);

/*
 * Sets the arguments in @raw to the part of the transfer after tracee->restart->done bytes. False:
 * nothing remains, or the arguments cannot be read or written.
 */
bool restart_advance(struct restarter *restarter, struct tracee *tracee, struct arch_raw *raw);

/*
 * Makes sure that the watched call is ended at its deadline, if that is the supervisor's task. Call
 * at each stop of the watched call: such a stop takes the place of one that restart_expire() has
 * requested, which must then be requested again.
 */
void restart_await_deadline(struct restarter *restarter, const struct restart *restart);

/*
 * Is @result, greater than 0, that of a watched receive with a deadline and MSG_WAITALL that may
 * have been cut short?
 */
bool restart_is_part(const struct restart *restart, int64_t result);

/* Sets @raw so that the instruction that enters the kernel is repeated. */
void restart_repeat(struct arch_raw *raw);

/*
 * Restores registers and scratch memory, with @result as the call's result. @over: the call is
 * over, and no further stop may take @result for the result of a disturbed call.
 */
void restart_give_back(
	struct restarter *restarter, struct tracee *tracee, int64_t result, bool over);

/*
 * Sets the registers of a stopped thread, which were last read as @seen. Does nothing if the tid
 * may by now be that of a new image (tracee_memory.h).
 */
void restart_set_registers(
	struct tracee *tracee, const struct arch_raw *seen, const struct arch_raw *raw);

#endif
