/* SPDX-License-Identifier: MIT */
#include "supervisor/target/mend.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "proto/call.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/remote.h"
#include "supervisor/os/window.h"
#include "supervisor/target/mend_call.h"

/* A resume takes less than this; time beyond does not belong to the stop. */
#define RESUME_MOST_NS 20000
/* CPU time from the end of a group-stop to the return to user space, through stops for signals. */
#define GROUP_STOP_RUN_NS 300000
/* At the end: time for transfers to complete, and again for those that are interrupted. */
#define LET_GO_NS 200000000
/* Then, time for threads woken by signals to reach their stops. */
#define AWAKE_NS 20000000
/* The kernel's internal restart results: ERESTARTSYS … ERESTART_RESTARTBLOCK. */
enum { RESTART_FIRST = -516, RESTART_LAST = -512 };

bool mend_busy(const struct tracee *t)
{
	return t->mending;
}

struct activity mend_activity(const struct tracee *t)
{
	const struct mend *m = t->mend;

	return (struct activity){.syscall = m->call->number,
		.pc = m->before.word[arch_native.repair->pc],
		.sp = m->before.word[arch_native.repair->sp]};
}

/* Another stop came between the repair and the call's second entry, or instead of that entry. */
static void undo(struct mender *mender, struct tracee *t)
{
	struct mend *m = t->mend;

	m->unfinished = !m->done;
	mend_give_back(mender, t, m->done ? (int64_t)m->done : -EINTR, false);
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

/* True also if the dispositions cannot be read. */
static bool catches(const struct tracee *t, int signal)
{
	uint64_t ignored, caught;

	return proc_status_read_dispositions(t->tid, &ignored, &caught) < 0 ||
		caught & UINT64_C(1) << (signal - 1);
}

/*
 * A handler is about to run on top of a call. The handler's sigreturn brings the thread back to the
 * call's return address and leaves another value in the first argument's register. On machines
 * where the result overwrites that register, the thread then looks as if its call had been
 * disturbed (repair_places).
 */
static void note_handler(struct tracee *t, int signal, const struct arch_snapshot *s)
{
	const struct arch_repair *arch = arch_native.repair;

	if (!signal || !arch || !arch->rewinds || s->syscall < 0)
		return;
	window_leave();
	if (catches(t, signal))
		repair_note_place(&t->process->handled,
			s->pc + (s->result == ARCH_RESTART ? arch->instruction_bytes : 0));
}

/*
 * Did the call fail with EINTR because of a group-stop, as it would without us? SIGCONT and other
 * signals may each stop the thread again before it returns to user space; it needs almost no CPU
 * time for that.
 */
static bool failed_rightly(struct mender *mender, struct tracee *t, const struct arch_snapshot *s)
{
	struct mend *m = t->mend;
	struct cpu_time cpu;

	if (!m || !m->stopped)
		return false;
	m->stopped = m->stopped_pc == s->pc && m->stopped_sp == s->sp &&
		procfiles_read_cpu(mender->files, t, &cpu) == 0 &&
		cpu.run_ns - m->stopped_run_ns < GROUP_STOP_RUN_NS;
	return m->stopped;
}

/* A request made without the pipe (proto/call.h, CALL_OFF_FIRST): its second word, 0 if none. */
static uint64_t said_by_signal(const struct arch_snapshot *s)
{
	bool said = s->syscall == arch_native.tgkill.number && s->machine == arch_native.machine &&
		s->result == 0 && s->reg[arch_native.tgkill.fourth] == CALL_OFF_FIRST;
	uint64_t second = said ? s->reg[arch_native.tgkill.fifth] : 0;

	return second == CALL_OFF_SECOND || second == CALL_ASK_SECOND ? second : 0;
}

/*
 * Answers such a request through the result of tgkill(): whether the thread's memory is accessible,
 * or "off": then nothing is written to the memory of its process any more (test: live_off), and
 * ticks that its threads owe are lost, because their memory may be out of reach. A signal that has
 * got a handler meanwhile is left to the program.
 */
static void answer_by_result(struct mender *mender, struct tracee *t, uint64_t said, uint64_t sp)
{
	struct arch_raw raw, seen;
	uint64_t word;

	if (tracer_get_raw(t->tid, &raw) < 0)
		return;
	seen = raw;
	if (said == CALL_OFF_SECOND) {
		mender->events->turn_off(mender->context, t->process);
		raw.word[arch_native.tgkill.result] = CALL_OFF_DONE;
	} else {
		raw.word[arch_native.tgkill.result] =
			remote_read(t->tid, sp, &word, sizeof(word)) == -EPERM ? CALL_ASK_NO
									       : CALL_ASK_YES;
	}
	mend_set_registers(t, &seen, &raw);
}

uint64_t mend_resume(
	struct mender *mender, struct tracee *t, int signal, const struct arch_snapshot *snapshot)
{
	uint64_t resumed_ns, end_ns;
	const struct arch_call *call = NULL;
	struct arch_snapshot again;
	enum repair_need need;
	uint64_t said;
	bool watch = false;

	if (t->mend) {
		t->mend->known = t->mend->cut || t->mending;
		t->mend->cut = false;
	}
	said = snapshot && t->process ? said_by_signal(snapshot) : 0;
	if (said) {
		window_leave();
		answer_by_result(mender, t, said, snapshot->sp);
	}
	if (t->mending) {
		window_leave();
		undo(mender, t);
		snapshot = tracer_get_snapshot(t->tid, &again) == 0 ? &again : NULL;
	}
	need = snapshot && t->process
		? repair_need(arch_native.repair, arch_native.machine, snapshot, &call)
		: REPAIR_NOTHING;
	if (snapshot && t->process)
		note_handler(t, signal, snapshot);
	if (t->mend && t->mend->over) {
		need = REPAIR_NOTHING;
		t->mend->over = signal && tracer_interrupt(t->tid) == 0;
	}
	if (need != REPAIR_NOTHING) {
		window_leave();
		if (snapshot->result == -EINTR && failed_rightly(mender, t, snapshot))
			need = REPAIR_NOTHING;
		/* A signal that has an effect interrupts the call, as it would without us. */
		else if (signal && !ignores(t, signal))
			need = REPAIR_NOTHING;
		else if (need == REPAIR_FILTERED)
			need = proc_status_is_filtered(t->tid) ? REPAIR_BEGIN_AGAIN
							       : REPAIR_NOTHING;
	}
	/* SIGPIPE: the reader is gone. That, not our stop, cut the transfer short. */
	if (need == REPAIR_MAYBE_SHORT && signal == SIGPIPE)
		need = REPAIR_NOTHING;
	/*
	 * A call that is not restarted at this stop is over, and so is its deadline (test:
	 * handler_ends_timed_call).
	 */
	if (t->mend && need != REPAIR_BEGIN_AGAIN && need != REPAIR_MAYBE_EARLY)
		t->mend->unfinished = false;
	if (need == REPAIR_LEAVE)
		mender->unrepaired++;
	else if (need != REPAIR_NOTHING)
		watch = mend_call(mender, t, need, call);
	resumed_ns = clock_now();
	if (watch)
		(void)tracer_resume_to_call(t->tid, signal);
	else
		(void)tracer_resume(t->tid, signal);
	/*
	 * If the thread preempts the supervisor on this CPU, the clock is read milliseconds later.
	 */
	end_ns = clock_now();
	return end_ns - resumed_ns < RESUME_MOST_NS ? end_ns : resumed_ns + RESUME_MOST_NS;
}

void mend_deliver(struct mender *mender, struct tracee *t, int signal)
{
	struct arch_snapshot snapshot;
	bool known = tracer_get_snapshot(t->tid, &snapshot) == 0;

	(void)mend_resume(mender, t, signal, known ? &snapshot : NULL);
}

/*
 * A wake-up by a signal in the last scheduler tick of a socket's time-out looks like the time-out
 * (repair.h). A restarted call with its whole time-out ends after the deadline, so a time-out
 * result before the deadline is such a wake-up.
 */
static bool woken_early(const struct mender *mender, const struct mend *m, int64_t result)
{
	return !mender->letting_go && repair_timed_out(m->call, result) &&
		clock_now() < m->deadline_ns;
}

/*
 * Evaluates the result of a call that was restarted. @ret_cut: it was interrupted again. False: the
 * transfer continues with its next piece.
 */
static bool conclude(struct mender *mender, struct tracee *t, struct arch_raw *raw,
	int64_t *ret_result, bool *ret_cut)
{
	const struct arch_repair *arch = arch_native.repair;
	struct mend *m = t->mend;
	int64_t result = (int64_t)raw->word[arch->result];
	bool restart = result >= RESTART_FIRST && result <= RESTART_LAST;

	if (!m->done) {
		/* Restore the original time-out; the next stop restarts the call. */
		if (result == ARCH_RESTART || (result == REPAIR_BLOCK && m->call->block) ||
			woken_early(mender, m, result))
			result = -EINTR;
		if (m->call->wait == ARCH_WAIT_CONNECT && result == -EALREADY)
			result = m->timed_out; /* the result of the first connect's time-out */
		*ret_cut = m->unfinished = result == -EINTR;
		*ret_result = result;
		return true;
	}
	m->refused = result <= 0 && result != -EINTR && !restart;
	m->refused_pc = m->before.word[arch->pc];
	m->refused_sp = m->before.word[arch->sp];
	m->refused_done = m->done;
	if (result > 0)
		m->done += (uint64_t)result;
	if (result > 0 && (uint64_t)result == m->piece && m->done < m->whole &&
		!mender->letting_go) {
		*raw = m->before;
		if (mend_advance(mender, t, raw))
			return false;
	}
	*ret_cut = result == -EINTR || restart || (result > 0 && (uint64_t)result < m->piece);
	*ret_result = (int64_t)m->done;
	return true;
}

void mend_call_stop(struct mender *mender, struct tracee *t)
{
	const struct arch_repair *arch = arch_native.repair;
	struct mend *m = t->mend;
	struct arch_raw raw;
	int64_t result;
	bool cut;

	if (!t->mending) {
		(void)tracer_resume(t->tid, 0);
		return;
	}
	if (!m->inside && m->to_entry) {
		t->mending = false;
		(void)tracer_resume(t->tid, 0);
		return;
	}
	if (!m->inside) {
		m->inside = true;
		(void)tracer_resume_to_call(t->tid, 0);
		return;
	}
	if (tracer_get_raw(t->tid, &raw) < 0)
		return; /* killed */
	if (!conclude(mender, t, &raw, &result, &cut)) {
		/*
		 * No signal can be injected at this stop, so the entry instruction is repeated by
		 * hand.
		 */
		mend_repeat(&raw);
		if (arch->rewinds) /* otherwise the first argument could be taken for a result */
			(void)tracer_forget_call(t->tid);
		m->inside = false;
		mend_set_registers(t, &m->before, &raw);
		(void)tracer_resume_to_call(t->tid, 0);
		return;
	}
	mend_give_back(mender, t, result, !m->done && repair_timed_out(m->call, result));
	/*
	 * This stop consumed a pending interrupt; a new one leads to the stop that repairs the
	 * call.
	 */
	m->cut = cut && tracer_interrupt(t->tid) == 0;
	(void)tracer_resume(t->tid, 0);
}

void mend_group_stop(struct mender *mender, struct tracee *t)
{
	struct arch_snapshot s;
	struct mend *m;

	if (t->mend)
		t->mend->cut = t->mend->over = false;
	if (t->mending)
		undo(mender, t);
	if (tracer_get_snapshot(t->tid, &s) < 0 || s.syscall < 0 || s.result != -EINTR)
		return;
	if (!mend_of(t))
		return;
	m = t->mend;
	m->stopped_pc = s.pc;
	m->stopped_sp = s.sp;
	m->stopped = true;
	m->unfinished = false;
}

void mend_group_stop_over(struct mender *mender, struct tracee *t)
{
	struct cpu_time cpu;

	if (t->mend && t->mend->stopped && procfiles_read_cpu(mender->files, t, &cpu) == 0)
		t->mend->stopped_run_ns = cpu.run_ns;
	(void)tracer_resume(t->tid, 0);
}

void mend_expire(struct mender *mender, uint64_t now)
{
	if (!mender->next_ns || now < mender->next_ns)
		return;
	mender->next_ns = 0;
	for (size_t i = 0; i < mender->target->tracees; i++) {
		struct tracee *t = mender->target->tracee[i];

		if (!t->mending || t->mend->done || t->mend->to_entry ||
			t->mend->call->wait < ARCH_WAIT_RECEIVE)
			continue;
		if (now >= t->mend->deadline_ns)
			(void)tracer_interrupt(t->tid);
		else if (!mender->next_ns || t->mend->deadline_ns < mender->next_ns)
			mender->next_ns = t->mend->deadline_ns;
	}
}

/*
 * Returns the number of calls that are watched or about to be restarted. Interrupts all of them, or
 * at @first those that wait and do not transfer.
 */
static size_t still_busy(struct mender *mender, bool interrupt_all, bool first)
{
	size_t n = 0;

	for (size_t i = 0; i < mender->target->tracees; i++) {
		struct tracee *t = mender->target->tracee[i];

		n += t->mend && t->mend->cut;
		if (!t->mending)
			continue;
		n++;
		if (interrupt_all || (first && !t->mend->done && !t->mend->to_entry))
			(void)tracer_interrupt(t->tid);
	}
	return n;
}

/*
 * An ignored signal interrupts a blocked call of a traced thread. The thread must stay traced until
 * its stop, where the call is repaired; on a busy machine this takes milliseconds.
 */
static bool somebody_is_waking(struct mender *mender)
{
	for (size_t i = 0; i < mender->target->tracees; i++) {
		const struct tracee *t = mender->target->tracee[i];
		uint64_t pending;

		if (t->state != TRACEE_LISTENING &&
			proc_status_read_pending(t->tid, &pending) == 0 && pending)
			return true;
	}
	return false;
}

void mend_let_go(struct mender *mender)
{
	uint64_t began = clock_now(), end = began + LET_GO_NS;
	bool first = true, all = false;

	mender->letting_go = true;
	while (still_busy(mender, all, first) && clock_now() < end + LET_GO_NS) {
		struct pollfd none = {.fd = -1};

		mender->events->drain(mender->context);
		(void)poll(&none, 1, 1);
		first = false;
		all = clock_now() >= end;
	}
	end = clock_now() + AWAKE_NS;
	while (somebody_is_waking(mender) && clock_now() < end)
		mender->events->drain(mender->context);
	mender->events->drain(mender->context);
}
