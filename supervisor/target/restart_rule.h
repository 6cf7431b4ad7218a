/* SPDX-License-Identifier: MIT */
/*
 * Decides how to repair a system call that a stop by the supervisor has disturbed. Pure; restart.h
 * does it.
 *
 * A stop makes some blocked calls fail with EINTR, which a program without handlers never sees
 * otherwise, and cuts some transfers short. docs/PTRACE.md lists these calls, with a test for each.
 */
#ifndef SUPERVISOR_RESTART_RULE_H
#define SUPERVISOR_RESTART_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/arch.h"

/*
 * ERESTART_RESTARTBLOCK: the kernel continues the call with the remaining time, by the system call
 * restart_syscall. A program that is never stopped does not call restart_syscall, so a seccomp
 * filter that does not expect it may kill the program.
 */
#define RESTART_BLOCK (-516)

/*
 * Return addresses of calls that a signal handler interrupted. They are needed on machines whose
 * registers do not show whether a thread is at such an address after the call itself or after the
 * handler's end. EINTR at such an address may be due to the handler. A program with handlers
 * expects EINTR, so the call is not restarted.
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
	/* the result of a time-out, perhaps up to a scheduler tick before the time is over */
	RESTART_MAYBE_EARLY,
	/* EINTR of a call that must not be restarted; the caller counts the call as unrepaired */
	RESTART_LEAVE,
};

/*
 * Says how to repair the system call of a stopped thread. @arch: NULL if the machine's calls are
 * not known. *@ret_call is set, except with RESTART_NOTHING and RESTART_LEAVE.
 */
enum restart_need restart_need(const struct arch_restart *arch, uint16_t machine,
	const struct arch_snapshot *snapshot, const struct arch_call **ret_call);

/*
 * Is @result what @call returns on a socket at the end of the socket's time-out (SO_RCVTIMEO,
 * SO_SNDTIMEO)? That is EAGAIN; of a connect to an internet address EINPROGRESS, and EALREADY if
 * the connect was begun by an earlier call.
 *
 * The kernel counts these time-outs in whole scheduler ticks, and adds one tick because the present
 * tick has already begun. So the timer fires up to a tick after the time-out. If something else
 * wakes the call in this last tick, the kernel finds no time left, and the call fails as if the
 * timer had fired.
 */
bool restart_timed_out(const struct arch_call *call, int64_t result);

/*
 * Converts a time-out argument to ns. Depending on @kind, @value is {ms, unused}, {s, ns} or {s,
 * us}. Example: ARCH_WAIT_VAL and {2, 5000} give 2005000000 ns. False: there is no time-out, or it
 * exceeds a hundred years.
 */
bool restart_get_wait(enum arch_wait kind, const int64_t value[2], uint64_t *ret_ns);
/* The inverse of restart_get_wait(), rounded up so that no call ends early. */
void restart_put_wait(enum arch_wait kind, uint64_t ns, int64_t ret_value[2]);

/* struct iovec of the target */
struct restart_part {
	uint64_t base, bytes;
};

/*
 * Skips the first *@skip bytes of the @n parts, and copies the remaining parts to @ret_rest, up to
 * @room of them. The first copied part may be shortened. Subtracts the skipped bytes from *@skip.
 * Adds the bytes of the copied parts to *@bytes. Returns the number of copied parts.
 */
size_t restart_rest(const struct restart_part *part, size_t n, uint64_t *skip,
	struct restart_part *ret_rest, size_t room, uint64_t *bytes);

#endif
