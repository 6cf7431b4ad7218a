/* SPDX-License-Identifier: MIT */
/* The arguments and the result of a call that is mended; the stops are mend.c's. */
#ifndef SUPERVISOR_MEND_CALL_H
#define SUPERVISOR_MEND_CALL_H

#include "supervisor/os/tracer.h"
#include "supervisor/target/mender.h"
#include "supervisor/target/procfiles.h"
#include "supervisor/target/repair.h"
#include "supervisor/target/target.h"

/* Parts of a vector that are given to the kernel at once; longer ones go in several calls. */
#define MEND_PARTS         16
#define MEND_SCRATCH_BYTES (64 + MEND_PARTS * sizeof(struct repair_part))

struct mend {
	bool inside;   /* the watched call is between its entry and its exit */
	bool to_entry; /* it is watched up to its entry only: nothing is to be given back */
	bool known;    /* this stop follows one that changed the call: `before` has its arguments */
	const struct arch_call *call;
	struct arch_raw before;      /* registers at the stop */
	uint64_t done, whole, piece; /* bytes: of the transfer so far, all, of this call */
	uint64_t scratch_at;
	size_t scratch_bytes;
	uint8_t scratch[MEND_SCRATCH_BYTES]; /* what was there before */
	/*
	 * The call left with EINTR, and its thread is on the way to the stop at which it is begun
	 * again. Whatever else that stop does with it ends the call (handler_ends_timed_call).
	 */
	bool unfinished;
	bool cut; /* and an interrupt is under way, at whose stop it is begun again */
	/* It is over, and must not look like one that ended early at a further stop. */
	bool over;
	/* The rest of this transfer was refused (EPIPE, EAGAIN): it ended by itself. */
	bool refused;
	uint64_t refused_pc, refused_sp, refused_done;
	bool has_deadline, internet;
	uint64_t deadline_ns;
	int64_t timed_out; /* what the call fails with at its deadline, if we end it */
	/* A group-stop ended this call: where, and the CPU time at the end of that. */
	bool stopped;
	uint64_t stopped_pc, stopped_sp, stopped_run_ns;
};

/* The thread's structure, made if there is none; NULL: out of memory. */
struct mend *mend_of(struct tracee *tracee);

/*
 * Changes the registers of a stopped thread so that its call goes on. True: the call is to be
 * watched, and gets its registers back by mend_give_back().
 */
bool mend_call(struct mender *mender, struct tracee *tracee, enum repair_need need,
	const struct arch_call *call);

/* The arguments in @raw for what is left of the transfer after tracee->mend->done bytes. */
bool mend_advance(struct mender *mender, struct tracee *tracee, struct arch_raw *raw);

/* Sets @raw so that the instruction that enters the kernel is repeated. */
void mend_repeat(struct arch_raw *raw);

/* Registers and scratch memory as they were, with @result. @over: which is final. */
void mend_give_back(struct mender *mender, struct tracee *tracee, int64_t result, bool over);

/* Sets the registers of a stopped thread that was last seen with @seen. */
void mend_set_registers(
	struct tracee *tracee, const struct arch_raw *seen, const struct arch_raw *raw);

#endif
