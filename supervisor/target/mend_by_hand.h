/* SPDX-License-Identifier: MIT */
/*
 * Calls that are begun again by hand (arch_repair.by_hand): the kernel has decided about them
 * before the stop, so what it would do after it is done here. The first argument of a call lies in
 * its place in arch_raw when tracer_get_first_argument() has put it there.
 */
#ifndef SUPERVISOR_MEND_BY_HAND_H
#define SUPERVISOR_MEND_BY_HAND_H

#include "supervisor/target/mend_call.h"

/*
 * Sets @raw back to the instruction of its call, for all machines. It is entered with the first
 * argument as it was: the kernel keeps that one. by_hand_enter(), at the stop where a watched call
 * is entered, gives it the one that was in @raw.
 */
void by_hand_set_back(struct mend *mend, struct arch_raw *raw);
void by_hand_enter(struct tracee *tracee);

/* Notes how the call of a stopped thread is left. */
void by_hand_note(struct mender *mender, struct tracee *tracee, struct mend_end *end,
	const struct arch_raw *raw);

/* Did the call end as it was to: behind a handler, or by a time-out that we gave? */
bool by_hand_is_over(struct mender *mender, struct tracee *tracee, const struct arch_raw *raw);

/*
 * A signal with a handler comes to a thread that is in a call. One that was set back and has not
 * been entered yet fails with EINTR behind the handler, as the kernel would have it.
 */
void by_hand_meets_handler(struct mender *mender, struct tracee *tracee);

#endif
