/* SPDX-License-Identifier: MIT */
/* The arguments and the result of a call that is restarted. restart.c handles the stops. */
#ifndef SUPERVISOR_RESTART_CALL_H
#define SUPERVISOR_RESTART_CALL_H

#include "supervisor/os/tracer.h"
#include "supervisor/target/procfiles.h"
#include "supervisor/target/restart.h"
#include "supervisor/target/restart_rule.h"
#include "supervisor/target/target.h"

/* Parts of a vector passed to the kernel at once; longer vectors take several calls. */
#define RESTART_PARTS         16
#define RESTART_SCRATCH_BYTES (64 + RESTART_PARTS * sizeof(struct restart_part))

struct restart {
	bool inside;   /* the thread is between entry and exit of the watched call */
	bool to_entry; /* the call is watched up to its entry only, as nothing must be restored */
	bool known;    /* the last stop changed this call: @before has its arguments */
	const struct arch_call *call;
	struct arch_raw before; /* registers at the stop that disturbed the call */
	/*
	 * Numbers of bytes: transferred so far; to be transferred in all; requested by this
	 * restart.
	 */
	uint64_t done, whole, piece;
	/* Memory of the target below its stack that we have overwritten; 0 bytes: none. */
	uint64_t scratch_at;
	size_t scratch_bytes;
	uint8_t scratch[RESTART_SCRATCH_BYTES]; /* what that memory contained before */
	/*
	 * The call's result was set to EINTR, or to the bytes so far, and the next stop restarts
	 * the call. If that stop does not, the call is over (test: handler_ends_timed_call).
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
	 * Values from when the deadline was last set: of @done, and of the thread's time on a CPU
	 * or in the run queue (0: unknown).
	 */
	uint64_t deadline_done, deadline_busy_ns;
	/* A group-stop made the call fail at this pc and sp; the CPU time when that stop ended. */
	bool stopped;
	uint64_t stopped_pc, stopped_sp, stopped_run_ns;
};

/* Returns the thread's structure, allocated at the first call; NULL: out of memory. */
struct restart *restart_of(struct tracee *tracee);

/*
 * Changes the registers of a stopped thread so that its call continues. True: the call must be
 * watched: the thread is to be resumed up to its entry; restart_give_back() restores the registers.
 */
bool restart_call(struct restarter *restarter, struct tracee *tracee, enum restart_need need,
	const struct arch_call *call);

/*
 * Sets the arguments in @raw to the part of the transfer after tracee->restart->done bytes. False:
 * nothing remains, or the arguments cannot be read or written.
 */
bool restart_advance(struct restarter *restarter, struct tracee *tracee, struct arch_raw *raw);

/*
 * Arranges that restart_expire() ends the watched call at its deadline, if no argument has the
 * time-out. Call at each stop of the call: it may have come in place of a stop that
 * restart_expire() requested.
 */
void restart_await_deadline(struct restarter *restarter, const struct restart *restart);

/* Is @result (> 0) of a watched receive with MSG_WAITALL and deadline less than requested? */
bool restart_is_part(const struct restart *restart, int64_t result);

/* Sets @raw so that the instruction that enters the kernel is repeated. */
void restart_repeat(struct arch_raw *raw);

/*
 * Restores registers and scratch memory, and makes @result the call's result. @over: the call has
 * ended, so a later stop that finds @result must not restart it.
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
