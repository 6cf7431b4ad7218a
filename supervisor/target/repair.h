/* SPDX-License-Identifier: MIT */
/*
 * System calls that our stops disturb: what is to be done about one. Pure; mend.h acts.
 *
 * A stop makes some blocked calls fail with EINTR, where a program without handlers never sees one,
 * and ends some transfers early. docs/PTRACE.md has the list and the tests that show each.
 */
#ifndef SUPERVISOR_REPAIR_H
#define SUPERVISOR_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/arch.h"
#include "supervisor/target/account.h"

/*
 * Result of a call that the kernel resumes by restart_syscall, with the time that is left: its
 * ERESTART_RESTARTBLOCK. A program that is never stopped needs no restart_syscall, and may have a
 * seccomp filter that kills for it.
 */
#define REPAIR_BLOCK (-516)

/*
 * Where calls that a handler has interrupted return to, for machines that do not tell whether a
 * call, or the end of the handler, has brought a thread there. What fails there with EINTR may do
 * so rightly, and the program knows how to go on: it is left alone.
 */
#define REPAIR_PLACES 6
struct repair_places {
	uint64_t pc[REPAIR_PLACES];
	unsigned n; /* more than fit: every place counts as one */
};

void repair_note_place(struct repair_places *places, uint64_t pc);
bool repair_has_place(const struct repair_places *places, uint64_t pc);

enum repair_need {
	REPAIR_NOTHING,
	REPAIR_BEGIN_AGAIN, /* EINTR of a call that may be begun again */
	REPAIR_FILTERED,    /* to be begun again by its own number where a filter is in force */
	REPAIR_MAYBE_SHORT, /* a transfer, of unknown length yet */
	REPAIR_MAYBE_EARLY, /* its time-out is over, but for a part of a scheduler tick */
	REPAIR_LEAVE,       /* EINTR of a call that must be left alone: it is counted */
};

/*
 * What a stopped thread needs. @arch may be NULL. @ret_call is the call with BEGIN_AGAIN,
 * FILTERED, MAYBE_SHORT and MAYBE_EARLY. May run in the stop window.
 */
enum repair_need repair_need(const struct arch_repair *arch, uint16_t machine,
	const struct arch_snapshot *snapshot, const struct arch_call **ret_call);

/*
 * For how long a stopped thread has surely been asleep in its call, in ns; 0: not known. It was off
 * its CPU when it was last looked at (its readings had not moved for longer than a scheduler tick,
 * @tick_ns), and has been put on one just once since, by what stopped it.
 */
uint64_t repair_asleep_ns(const struct account *account, const struct cpu_time *cpu,
	uint64_t now_ns, uint64_t tick_ns);

/*
 * Is @result what @call, which takes its time-out from its socket, fails with at the end of it?
 * EAGAIN; of an internet connect EINPROGRESS, or EALREADY if that is not its first.
 *
 * The kernel counts these time-outs in whole scheduler ticks, of which the first had begun already.
 * To make up for that its timer fires one tick later, and a call that anything else wakes within
 * this last tick finds no time left: it fails as if the timer had fired, less than a tick early.
 */
bool repair_timed_out(const struct arch_call *call, int64_t result);

/*
 * The time-out of a call: {milliseconds, -}, {seconds, nanoseconds} or {seconds, microseconds}.
 * False: for ever (also what is longer than a hundred years). {2, 5000} of ARCH_WAIT_VAL is
 * 2005000000 ns.
 */
bool repair_get_wait(enum arch_wait kind, const int64_t value[2], uint64_t *ret_ns);
/* The inverse, rounded up: no call ends early. */
void repair_put_wait(enum arch_wait kind, uint64_t ns, int64_t ret_value[2]);

/* struct iovec of the target. */
struct repair_part {
	uint64_t base, bytes;
};

/*
 * What is left of @n parts after their first *@skip bytes, at most @room parts; *@skip is lowered
 * by what lay in these @n. Returns the number of parts; their bytes are added to *@bytes.
 */
size_t repair_rest(const struct repair_part *part, size_t n, uint64_t *skip,
	struct repair_part *ret_rest, size_t room, uint64_t *bytes);

#endif
