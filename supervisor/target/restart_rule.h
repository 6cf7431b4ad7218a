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
 * ERESTART_RESTARTBLOCK: the kernel resumes the call by restart_syscall with the remaining time. A
 * program that is never stopped does not call restart_syscall, so its seccomp filter may kill it
 * for that.
 */
#define RESTART_BLOCK (-516)

/*
 * Return addresses of calls that a handler interrupted, for machines whose registers do not show
 * whether a thread came there from the call or from the handler's end. EINTR at such an address may
 * be due to a handler, with which the program copes: the call is left alone.
 */
#define HANDLED_CALLS 6
struct handled_calls {
	uint64_t pc[HANDLED_CALLS];
	unsigned n; /* if it exceeds HANDLED_CALLS, every address counts as one of them */
};

void handled_calls_add(struct handled_calls *places, uint64_t pc);
bool handled_calls_has(const struct handled_calls *places, uint64_t pc);

enum restart_need {
	RESTART_NOTHING,
	RESTART_BEGIN_AGAIN, /* EINTR of a call that may be restarted */
	RESTART_FILTERED,    /* RESTART_BLOCK: begin again if a seccomp filter is in force */
	RESTART_MAYBE_SHORT, /* a transfer, perhaps cut short */
	RESTART_MAYBE_EARLY, /* the result of a time-out, perhaps up to a scheduler tick early */
	RESTART_LEAVE,       /* EINTR of a call that must be left alone; the caller counts it */
};

/* Says what a stopped thread needs. @arch may be NULL. _NOTHING and _LEAVE set no *@ret_call. */
enum restart_need restart_need(const struct arch_restart *arch, uint16_t machine,
	const struct arch_snapshot *snapshot, const struct arch_call **ret_call);

/*
 * Is @result that of a @call on a socket whose time-out (SO_RCVTIMEO, SO_SNDTIMEO) has ended? It is
 * EAGAIN; for an internet connect EINPROGRESS, or EALREADY if it is not the first connect.
 *
 * The kernel counts these time-outs in whole scheduler ticks, the first of which has already begun,
 * so its timer fires one tick later. A call that is woken by something else in this last tick finds
 * no time left, and fails as if the timer had fired, less than a tick early.
 */
bool restart_timed_out(const struct arch_call *call, int64_t result);

/*
 * Converts a time-out argument to ns. By @kind, @value is {ms, -}, {s, ns} or {s, us}. False: no
 * time-out, or more than a hundred years. ARCH_WAIT_VAL, {2, 5000}: 2005000000 ns.
 */
bool restart_get_wait(enum arch_wait kind, const int64_t value[2], uint64_t *ret_ns);
/* The inverse of restart_get_wait(), rounded up so that no call ends early. */
void restart_put_wait(enum arch_wait kind, uint64_t ns, int64_t ret_value[2]);

/* struct iovec of the target */
struct restart_part {
	uint64_t base, bytes;
};

/*
 * Skips *@skip bytes of the @n parts, and copies up to @room of the remaining parts, the first
 * perhaps shortened, to @ret_rest. Reduces *@skip by the bytes skipped, and adds those of the
 * copied parts to *@bytes. Returns the number of copied parts.
 */
size_t restart_rest(const struct restart_part *part, size_t n, uint64_t *skip,
	struct restart_part *ret_rest, size_t room, uint64_t *bytes);

#endif
