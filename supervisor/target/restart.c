/* SPDX-License-Identifier: MIT */
#include "supervisor/target/restart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "proto/call.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/window.h"
#include "supervisor/target/restart_call.h"
#include "supervisor/target/tracee_memory.h"

/*
 * A resume takes less than this. If it seems longer, the excess does not count as part of the stop.
 */
#define RESUME_MOST_NS 20000
/*
 * Maximum CPU time of a thread from the end of a group-stop until it returns to user space,
 * including further stops for signals.
 */
#define GROUP_STOP_RUN_NS 300000
/*
 * When the supervisor ends, watched transfers have this time to complete. Those that have not are
 * then interrupted, and have the same time again to stop.
 */
#define LET_GO_NS 200000000
/*
 * After LET_GO_NS, threads with pending signals have this time to reach the stops that these cause.
 */
#define AWAKE_NS 20000000
/* The kernel's internal restart results: ERESTARTSYS … ERESTART_RESTARTBLOCK. */
enum { RESTART_FIRST = -516, RESTART_LAST = -512 };

bool restart_busy(const struct tracee *t)
{
	return t->restarting;
}

struct activity restart_activity(const struct tracee *t)
{
	const struct restart *m = t->restart;

	return (struct activity){.syscall = m->call->number,
		.pc = m->before.word[arch_native.restart->pc],
		.sp = m->before.word[arch_native.restart->sp]};
}

/* Undoes a restart. Call if another stop comes before that at the call's entry, or in its place. */
static void undo(struct restarter *restarter, struct tracee *t)
{
	struct restart *m = t->restart;

	m->unfinished = true;
	restart_give_back(restarter, t, m->done ? (int64_t)m->done : -EINTR, false);
}

static bool ignores(const struct tracee *t, int signal)
{
	const uint64_t by_default = UINT64_C(1) << (SIGCHLD - 1) | UINT64_C(1) << (SIGWINCH - 1) |
		UINT64_C(1) << (SIGURG - 1) | UINT64_C(1) << (SIGCONT - 1);
	uint64_t bit = UINT64_C(1) << (signal - 1), ignored, caught;

	if (proc_status_read_dispositions(t->tid, &ignored, &caught) < 0)
		return false;
	return ignored & bit || (by_default & bit && !(caught & bit));
}

/* Does the process catch @signal? Also true if the dispositions cannot be read. */
static bool catches(const struct tracee *t, int signal)
{
	uint64_t ignored, caught;

	return proc_status_read_dispositions(t->tid, &ignored, &caught) < 0 ||
		caught & UINT64_C(1) << (signal - 1);
}

/*
 * Notes that a handler is about to interrupt a call. The handler's sigreturn brings the thread back
 * to the call's return address. If the machine keeps a call's result in the register of the first
 * argument, that register then holds another value than at the call. The thread then looks as if a
 * stop had disturbed its call (struct handled_calls).
 */
static void note_handler(struct tracee *t, int signal, const struct arch_snapshot *s)
{
	const struct arch_restart *arch = arch_native.restart;

	if (!signal || !arch || !arch->rewinds || s->syscall < 0)
		return;
	window_leave();
	if (catches(t, signal))
		handled_calls_add(&t->process->handled,
			s->pc + (s->result == ARCH_RESTART ? arch->instruction_bytes : 0));
}

/*
 * Did a group-stop make the call fail with EINTR? The same happens without the supervisor, so EINTR
 * must stay. After the group-stop, signals (also SIGCONT) may stop the thread again before it
 * reaches user space. It is still in the same call if its pc and sp are unchanged and it has used
 * hardly any CPU time since the group-stop.
 */
static bool failed_rightly(
	struct restarter *restarter, struct tracee *t, const struct arch_snapshot *s)
{
	struct restart *m = t->restart;
	struct cpu_time cpu;

	if (!m || !m->stopped)
		return false;
	m->stopped = m->stopped_pc == s->pc && m->stopped_sp == s->sp &&
		procfiles_read_cpu(restarter->files, t, &cpu) == 0 &&
		cpu.run_ns - m->stopped_run_ns < GROUP_STOP_RUN_NS;
	return m->stopped;
}

/*
 * A program can request something by a tgkill() with two extra arguments (CALL_OFF_FIRST in
 * proto/call.h). Returns the second one, which says what; 0: the call is no such request.
 */
static uint64_t said_by_signal(const struct arch_snapshot *s)
{
	bool said = s->syscall == arch_native.tgkill.number && s->machine == arch_native.machine &&
		s->result == 0 && s->reg[arch_native.tgkill.fourth] == CALL_OFF_FIRST;
	uint64_t second = said ? s->reg[arch_native.tgkill.fifth] : 0;

	return second == CALL_OFF_SECOND || second == CALL_ASK_SECOND ? second : 0;
}

/*
 * Answers a request made by tgkill() by setting the call's result. CALL_ASK_SECOND asks whether the
 * thread's memory is accessible. CALL_OFF_SECOND turns profiling off; from then on the memory of
 * the process is not written to, because it may be inaccessible (test: live_off). Ticks that are
 * not yet in the counters of its threads are lost.
 */
static void answer_by_result(
	struct restarter *restarter, struct tracee *t, uint64_t said, uint64_t sp)
{
	const struct remote memory = tracee_memory_of(t->process, t->tid);
	struct arch_raw raw, seen;
	uint64_t word;

	if (tracer_get_raw(t->tid, &raw) < 0)
		return;
	seen = raw;
	if (said == CALL_OFF_SECOND) {
		restarter->events->turn_off(restarter->context, t->process);
		raw.word[arch_native.tgkill.result] = CALL_OFF_DONE;
	} else {
		raw.word[arch_native.tgkill.result] =
			remote_read(&memory, sp, &word, sizeof(word)) == -EPERM ? CALL_ASK_NO
										: CALL_ASK_YES;
	}
	restart_set_registers(t, &seen, &raw);
}

uint64_t restart_resume(struct restarter *restarter, struct tracee *t, int signal,
	const struct arch_snapshot *snapshot)
{
	uint64_t resumed_ns, end_ns;
	const struct arch_call *call = NULL;
	struct arch_snapshot again;
	enum restart_need need;
	uint64_t said;
	bool watch = false;

	if (t->restart) {
		t->restart->known = t->restart->cut || t->restarting;
		t->restart->cut = false;
	}
	said = snapshot && t->process ? said_by_signal(snapshot) : 0;
	if (said) {
		window_leave();
		answer_by_result(restarter, t, said, snapshot->sp);
	}
	if (t->restarting) {
		window_leave();
		undo(restarter, t);
		snapshot = tracer_get_snapshot(t->tid, &again) == 0 ? &again : NULL;
	}
	need = snapshot && t->process
		? restart_need(arch_native.restart, arch_native.machine, snapshot, &call)
		: RESTART_NOTHING;
	if (snapshot && t->process)
		note_handler(t, signal, snapshot);
	if (t->restart && t->restart->over) {
		need = RESTART_NOTHING;
		t->restart->over = signal && tracer_interrupt(t->tid) == 0;
	}
	if (need != RESTART_NOTHING) {
		window_leave();
		if (snapshot->result == -EINTR && failed_rightly(restarter, t, snapshot))
			need = RESTART_NOTHING;
		/* A signal with an effect interrupts the call, as without the supervisor. */
		else if (signal && !ignores(t, signal))
			need = RESTART_NOTHING;
		else if (need == RESTART_FILTERED)
			need = proc_status_is_filtered(t->tid) ? RESTART_BEGIN_AGAIN
							       : RESTART_NOTHING;
	}
	/*
	 * SIGPIPE: the pipe lost its last reader, which cut the transfer short; our stop did not.
	 */
	if (need == RESTART_MAYBE_SHORT && signal == SIGPIPE)
		need = RESTART_NOTHING;
	/* A call that is not restarted at this stop has ended (test: handler_ends_timed_call). */
	if (t->restart && need != RESTART_BEGIN_AGAIN && need != RESTART_MAYBE_EARLY &&
		need != RESTART_MAYBE_SHORT)
		t->restart->unfinished = false;
	if (need == RESTART_LEAVE)
		restarter->unrepaired++;
	else if (need != RESTART_NOTHING)
		watch = restart_call(restarter, t, need, call);
	resumed_ns = clock_now();
	if (watch)
		(void)tracer_resume_to_call(t->tid, signal);
	else
		(void)tracer_resume(t->tid, signal);
	/*
	 * The resumed thread may preempt the supervisor before it reads the clock. Then end_ns may
	 * be milliseconds late, and resumed_ns + RESUME_MOST_NS is returned.
	 */
	end_ns = clock_now();
	return end_ns - resumed_ns < RESUME_MOST_NS ? end_ns : resumed_ns + RESUME_MOST_NS;
}

void restart_deliver(struct restarter *restarter, struct tracee *t, int signal)
{
	struct arch_snapshot snapshot;
	bool known = tracer_get_snapshot(t->tid, &snapshot) == 0;

	(void)restart_resume(restarter, t, signal, known ? &snapshot : NULL);
}

/*
 * Has a signal ended a call on a socket in the last scheduler tick of its time-out? The result is
 * then the same as after a time-out (restart_rule.h). The kernel has restarted the call with its
 * whole time-out, which ends after the deadline. So if the result of a time-out comes before the
 * deadline, the call was woken.
 */
static bool woken_early(const struct restarter *restarter, const struct restart *m, int64_t result)
{
	return !restarter->ending && m->has_deadline && restart_timed_out(m->call, result) &&
		clock_now() < m->deadline_ns;
}

/*
 * Has the rest of a receive failed with an error of the socket, such as ECONNRESET? The call has
 * cleared that error. If it returned the bytes received so far, the program would find an end of
 * the stream next, and take what it has for all. So it returns the error (test:
 * reset_is_not_swallowed).
 */
static bool is_consumed_error(const struct restart *m, int64_t result)
{
	if (m->call->whole != ARCH_WHOLE_WAITALL || result >= 0 || result <= RESTART_LAST)
		return false;
	switch (result) {
	/* not the socket's: the call was interrupted, or the descriptor was closed meanwhile */
	case -EINTR:
	case -EAGAIN:
	case -EFAULT:
	case -EBADF:
	case -ENOTSOCK:
	case -ENOMEM: return false;
	default: return true;
	}
}

/*
 * Evaluates the result of a restarted call. True: *@ret_result is the result that the program gets,
 * and *@ret_cut says whether the call was interrupted again. False: a transfer must continue; @raw
 * has been set for its next piece.
 */
static bool conclude(struct restarter *restarter, struct tracee *t, struct arch_raw *raw,
	int64_t *ret_result, bool *ret_cut)
{
	const struct arch_restart *arch = arch_native.restart;
	struct restart *m = t->restart;
	int64_t result = (int64_t)raw->word[arch->result];
	bool restart = result >= RESTART_FIRST && result <= RESTART_LAST;

	if (!m->done) {
		/*
		 * If the call was interrupted again, its result is EINTR or the bytes transferred.
		 */
		if (result == ARCH_RESTART || (result == RESTART_BLOCK && m->call->block) ||
			woken_early(restarter, m, result))
			result = -EINTR;
		if (m->call->wait == ARCH_WAIT_CONNECT && result == -EALREADY)
			/* the result that the first connect() has at its time-out */
			result = m->timed_out;
		*ret_cut = m->unfinished =
			result == -EINTR || (result > 0 && restart_is_part(m, result));
		*ret_result = result;
		return true;
	}
	if (is_consumed_error(m, result)) {
		*ret_cut = m->unfinished = false;
		*ret_result = result;
		return true;
	}
	if (result > 0)
		m->done += (uint64_t)result;
	if (result > 0 && (uint64_t)result == m->piece && m->done < m->whole &&
		!restarter->ending) {
		*raw = m->before;
		if (restart_advance(restarter, t, raw))
			return false;
	}
	*ret_cut = m->unfinished = result == -EINTR || restart ||
		(result > 0 && (uint64_t)result < m->piece) || woken_early(restarter, m, result);
	*ret_result = (int64_t)m->done;
	return true;
}

void restart_call_stop(struct restarter *restarter, struct tracee *t)
{
	const struct arch_restart *arch = arch_native.restart;
	struct restart *m = t->restart;
	struct arch_raw raw;
	int64_t result;
	bool cut, over;

	if (!t->restarting) {
		(void)tracer_resume(t->tid, 0);
		return;
	}
	if (!m->inside && m->to_entry) {
		t->restarting = false;
		(void)tracer_resume(t->tid, 0);
		return;
	}
	if (!m->inside) {
		m->inside = true;
		restart_await_deadline(restarter, m);
		(void)tracer_resume_to_call(t->tid, 0);
		return;
	}
	if (tracer_get_raw(t->tid, &raw) < 0)
		return; /* The thread was killed. */
	if (!conclude(restarter, t, &raw, &result, &cut)) {
		/* The kernel restarts no call in the stop at its exit, so the pc is moved back. */
		restart_repeat(&raw);
		/* aarch64: the kernel must not take argument 0 in x0 for a result. */
		if (arch->rewinds)
			(void)tracer_forget_call(t->tid);
		m->inside = false;
		restart_set_registers(t, &m->before, &raw);
		restart_await_deadline(restarter, m);
		(void)tracer_resume_to_call(t->tid, 0);
		return;
	}
	over = !cut &&
		restart_timed_out(m->call, m->done ? (int64_t)raw.word[arch->result] : result);
	restart_give_back(restarter, t, result, over);
	/* This stop has used up the stop request. The stop of a new request restarts the call. */
	m->cut = cut && tracer_interrupt(t->tid) == 0;
	(void)tracer_resume(t->tid, 0);
}

void restart_group_stop(struct restarter *restarter, struct tracee *t)
{
	struct arch_snapshot s;
	struct restart *m;

	if (t->restart)
		t->restart->cut = t->restart->over = false;
	if (t->restarting)
		undo(restarter, t);
	if (t->restart)
		t->restart->unfinished = false;
	if (tracer_get_snapshot(t->tid, &s) < 0 || s.syscall < 0 || s.result != -EINTR)
		return;
	if (!restart_of(t))
		return;
	m = t->restart;
	m->stopped_pc = s.pc;
	m->stopped_sp = s.sp;
	m->stopped = true;
}

void restart_group_stop_over(struct restarter *restarter, struct tracee *t)
{
	struct cpu_time cpu;

	if (t->restart && t->restart->stopped && procfiles_read_cpu(restarter->files, t, &cpu) == 0)
		t->restart->stopped_run_ns = cpu.run_ns;
	(void)tracer_resume(t->tid, 0);
}

void restart_expire(struct restarter *restarter, uint64_t now)
{
	if (!restarter->next_ns || now < restarter->next_ns)
		return;
	restarter->next_ns = 0;
	for (size_t i = 0; i < restarter->target->tracees; i++) {
		struct tracee *t = restarter->target->tracee[i];

		if (!t->restarting || !t->restart->has_deadline ||
			t->restart->call->wait < ARCH_WAIT_RECEIVE)
			continue;
		if (now >= t->restart->deadline_ns)
			(void)tracer_interrupt(t->tid);
		else if (!restarter->next_ns || t->restart->deadline_ns < restarter->next_ns)
			restarter->next_ns = t->restart->deadline_ns;
	}
}

/*
 * Returns the number of calls that are watched or about to be restarted. @interrupt_all: also
 * interrupts all watched calls. @first: interrupts the watched calls that have transferred nothing
 * so far; a transfer may still complete.
 */
static size_t still_busy(struct restarter *restarter, bool interrupt_all, bool first)
{
	size_t n = 0;

	for (size_t i = 0; i < restarter->target->tracees; i++) {
		struct tracee *t = restarter->target->tracee[i];

		n += t->restart && t->restart->cut;
		if (!t->restarting)
			continue;
		n++;
		if (interrupt_all || (first && !t->restart->done && !t->restart->to_entry))
			(void)tracer_interrupt(t->tid);
	}
	return n;
}

/*
 * Is a signal pending for any thread? A traced thread's call is interrupted even by an ignored
 * signal, and is restarted in the stop that follows. The thread must stay traced until that stop,
 * which may take milliseconds on a busy machine.
 */
static bool somebody_is_waking(struct restarter *restarter)
{
	for (size_t i = 0; i < restarter->target->tracees; i++) {
		const struct tracee *t = restarter->target->tracee[i];
		uint64_t pending;

		if (t->state != TRACEE_LISTENING &&
			proc_status_read_pending(t->tid, &pending) == 0 && pending)
			return true;
	}
	return false;
}

void restart_end(struct restarter *restarter)
{
	uint64_t began = clock_now(), end = began + LET_GO_NS;
	bool first = true, all = false;

	restarter->ending = true;
	while (still_busy(restarter, all, first) && clock_now() < end + LET_GO_NS) {
		struct pollfd none = {.fd = -1};

		restarter->events->drain(restarter->context);
		(void)poll(&none, 1, 1);
		first = false;
		all = clock_now() >= end;
	}
	end = clock_now() + AWAKE_NS;
	while (somebody_is_waking(restarter) && clock_now() < end)
		restarter->events->drain(restarter->context);
	restarter->events->drain(restarter->context);
}
