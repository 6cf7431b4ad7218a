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
	bool to_entry; /* watched only up to the entry: nothing to restore */
	bool known;    /* this stop follows one that changed the call: `before` has its arguments */
	const struct arch_call *call;
	struct arch_raw before; /* registers at the stop */
	/* bytes: transferred so far, of the whole transfer, of this call */
	uint64_t done, whole, piece;
	uint64_t scratch_at;
	size_t scratch_bytes;
	uint8_t scratch[RESTART_SCRATCH_BYTES]; /* what the target's memory contained before */
	/*
	 * The call was set to EINTR, and the thread is about to reach the stop that restarts it.
	 * Any other outcome of that stop ends the call (test: handler_ends_timed_call).
	 */
	bool unfinished;
	bool cut; /* also, an interrupt is pending whose stop restarts the call */
	/* The call is over; a further stop must not take it for one that ended early. */
	bool over;
	bool has_deadline, internet;
	uint64_t deadline_ns;
	int64_t timed_out; /* result at the deadline if the supervisor ends the call */
	/* A group-stop ended this call: where, and the CPU time at the end of the group-stop. */
	bool stopped;
	uint64_t stopped_pc, stopped_sp, stopped_run_ns;
};

/* Returns the thread's structure, allocated at the first call; NULL: out of memory. */
struct restart *restart_of(struct tracee *tracee);

/*
 * Changes the registers of a stopped thread so that its call continues. True: the call must be
 * watched, and restart_give_back() restores its registers.
 */
bool restart_call(struct restarter *restarter, struct tracee *tracee, enum restart_need need,
	const struct arch_call *call);

/* Sets the arguments in @raw to the part of the transfer after tracee->restart->done bytes. */
bool restart_advance(struct restarter *restarter, struct tracee *tracee, struct arch_raw *raw);

/* Sets @raw so that the instruction that enters the kernel is repeated. */
void restart_repeat(struct arch_raw *raw);

/* Restores registers and scratch memory, with @result. @over: the result is final. */
void restart_give_back(
	struct restarter *restarter, struct tracee *tracee, int64_t result, bool over);

/*
 * Sets the registers of a stopped thread whose registers were last read as @seen; not if its tid
 * may name another image by now.
 */
void restart_set_registers(
	struct tracee *tracee, const struct arch_raw *seen, const struct arch_raw *raw);

#endif
