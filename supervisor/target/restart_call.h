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
	bool inside; /* the thread is between entry and exit of the watched call */
	/*
	 * the call is watched up to its entry only, as no registers have to be restored at its exit
	 */
	bool to_entry;
	/*
	 * @before has the arguments of the thread's present call, which the last stop has changed
	 */
	bool known;
	const struct arch_call *call;
	struct arch_raw before; /* registers at the stop that disturbed the call */
	/*
	 * Numbers of bytes: @done were transferred so far, of @whole that the program requested.
	 * The restarted call requests @piece.
	 */
	uint64_t done, whole, piece;
	/*
	 * Memory below the target's stack that we have overwritten: its address, and its size in
	 * bytes (0: nothing was overwritten).
	 */
	uint64_t scratch_at;
	size_t scratch_bytes;
	uint8_t scratch[RESTART_SCRATCH_BYTES]; /* what that memory contained before */
	/*
	 * The call's result was set to EINTR or to the number of bytes so far, and the next stop is
	 * to restart the call. If the next stop does not restart it, the call has ended for the
	 * program (test: handler_ends_timed_call).
	 */
	bool unfinished;
	bool cut; /* an interrupt was sent; in the stop that it causes, the call is restarted */
	/* The supervisor ended the call at its deadline: no further stop restarts it. */
	bool over;
	bool has_deadline;
	bool internet;        /* the call's socket is an internet socket */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	int64_t timed_out;    /* the result at the deadline if the supervisor ends the call */
	/*
	 * Values at the time when the deadline was last set: @done; and the thread's time on a CPU
	 * or in the run queue in ns (0: unknown).
	 */
	uint64_t deadline_done, deadline_busy_ns;
	/*
	 * @stopped: a group-stop made the call fail with EINTR; the pc and sp in that stop.
	 * @stopped_run_ns: the thread's CPU time when the group-stop ended.
	 */
	bool stopped;
	uint64_t stopped_pc, stopped_sp, stopped_run_ns;
};

/* Returns the thread's structure, allocated at the first call; NULL: out of memory. */
struct restart *restart_of(struct tracee *tracee);

/*
 * Changes the registers of a stopped thread so that its call continues. True: the call must be
 * watched; resume the thread up to the call's entry. restart_give_back() restores the registers
 * later. False: resume the thread normally.
 */
bool restart_call(struct restarter *restarter, struct tracee *tracee, enum restart_need need,
	const struct arch_call *call);

/*
 * Sets the arguments in @raw to the part of the transfer after tracee->restart->done bytes. False:
 * nothing remains, or the arguments cannot be read or written.
 */
bool restart_advance(struct restarter *restarter, struct tracee *tracee, struct arch_raw *raw);

/*
 * Arranges that restart_expire() ends the watched call at its deadline. Does nothing if the call
 * has its time-out in an argument, as the kernel then ends it. Call again at each stop of the call:
 * the stop may have taken the place of the one that restart_expire() requested.
 */
void restart_await_deadline(struct restarter *restarter, const struct restart *restart);

/*
 * Has a watched receive with MSG_WAITALL and a deadline received less than requested (@result > 0)?
 */
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
 * Sets the registers of a stopped thread to @raw; @seen has the registers as last read. Does
 * nothing if the tid may meanwhile belong to a new image (tracee_memory.h).
 */
void restart_set_registers(
	struct tracee *tracee, const struct arch_raw *seen, const struct arch_raw *raw);

#endif
