/* SPDX-License-Identifier: MIT */
/*
 * Decides what to do about system calls that stops by the supervisor disturb. Pure; restart.h acts.
 *
 * A stop makes some blocked calls fail with EINTR, which a program without handlers never sees
 * otherwise, and cuts some transfers short. docs/PTRACE.md has the list and the test of each.
 */
#ifndef SUPERVISOR_RESTART_RULE_H
#define SUPERVISOR_RESTART_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/arch.h"

/*
 * The result of a call that the kernel resumes through restart_syscall with the remaining time
 * (ERESTART_RESTARTBLOCK). A program that is never stopped needs no restart_syscall and may have a
 * seccomp filter that kills it for that call.
 */
#define RESTART_BLOCK (-516)

/*
 * Return addresses of calls that a handler interrupted, for machines that do not tell whether a
 * thread got there from a call or from the end of the handler. A call that fails with EINTR there
 * may be right to do so, and the program handles it: such a call is left alone.
 */
#define HANDLED_CALLS 6
struct handled_calls {
	uint64_t pc[HANDLED_CALLS];
	unsigned n; /* if more than fit, every address counts as one */
};

void handled_calls_add(struct handled_calls *places, uint64_t pc);
bool handled_calls_has(const struct handled_calls *places, uint64_t pc);

enum restart_need {
	RESTART_NOTHING,
	RESTART_BEGIN_AGAIN, /* EINTR of a call that may be restarted */
	RESTART_FILTERED,    /* to be restarted by its own number where a filter is in force */
	RESTART_MAYBE_SHORT, /* a transfer, whose full length is not known yet */
	RESTART_MAYBE_EARLY, /* ended by its time-out, up to a scheduler tick early */
	RESTART_LEAVE,       /* EINTR of a call that must be left alone; counted */
};

/*
 * What a stopped thread needs. @arch may be NULL. *@ret_call: the call, for BEGIN_AGAIN, FILTERED,
 * MAYBE_SHORT and MAYBE_EARLY. May run in the stop window.
 */
enum restart_need restart_need(const struct arch_restart *arch, uint16_t machine,
	const struct arch_snapshot *snapshot, const struct arch_call **ret_call);

/*
 * Is @result the one with which @call, whose time-out is its socket's, fails when its time-out
 * ends? EAGAIN; for an internet connect EINPROGRESS, or EALREADY if this is not the first connect.
 *
 * The kernel counts these time-outs in whole scheduler ticks, the first of which has already begun.
 * To compensate, its timer fires one tick later. A call that is woken by something else within this
 * last tick finds no time left, and fails as if the timer had fired, less than a tick early.
 */
bool restart_timed_out(const struct arch_call *call, int64_t result);

/*
 * The time-out of a call: {milliseconds, -}, {seconds, nanoseconds} or {seconds, microseconds}.
 * False: none (also if longer than a hundred years). {2, 5000} of ARCH_WAIT_VAL is 2005000000 ns.
 */
bool restart_get_wait(enum arch_wait kind, const int64_t value[2], uint64_t *ret_ns);
/* The inverse, rounded up so that no call ends early. */
void restart_put_wait(enum arch_wait kind, uint64_t ns, int64_t ret_value[2]);

/* struct iovec of the target */
struct restart_part {
	uint64_t base, bytes;
};

/*
 * Copies to @ret_rest, at most @room of them, the parts of @n that remain after the first *@skip
 * bytes. *@skip is reduced by the bytes skipped in these @n. Returns the number of parts; adds
 * their bytes to *@bytes.
 */
size_t restart_rest(const struct restart_part *part, size_t n, uint64_t *skip,
	struct restart_part *ret_rest, size_t room, uint64_t *bytes);

#endif
