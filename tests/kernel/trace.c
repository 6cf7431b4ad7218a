/* SPDX-License-Identifier: MIT */
/*
 * ptrace(2) and waitid(2). A request that would harm the target fails the run at once: one that
 * drops or invents a signal, lets a thread out of a group-stop, or resumes a stop for a signal that
 * a wait has consumed already.
 */
#include "tests/kernel/kernel.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define EVENT_STOP   128
#define STOP_MOST_NS UINT64_C(80000000)

/*
 * Since Linux 5.12, ptrace refuses a task (ESRCH) whose tid has changed by its exec, until the
 * exec's event was waited for.
 */
static bool is_spurious(const struct task *t)
{
	return t->stop_code == (SIGTRAP | PTRACE_EVENT_EXEC << 8) && t->message != (uint64_t)t->tid;
}

/* The tracee that a request names; NULL: it is not in a ptrace-stop that allows requests. */
static struct task *stopped(struct kernel *k, int tid)
{
	struct task *t = kernel_find(k, tid);

	return t && t->traced && t->state == TASK_TRACED && !t->listening && !is_spurious(t) ? t
											     : NULL;
}

static int seize(struct kernel *k, int tid, unsigned long options)
{
	struct task *t = kernel_find(k, tid);

	if (!t)
		return -ESRCH;
	if (t->traced || t->state == TASK_ZOMBIE || t->group->refuses)
		return -EPERM;
	t->traced = true;
	t->options = options;
	/* A task in a group-stop enters the stop of a tracee. */
	if (t->state == TASK_STOPPED) {
		t->state = TASK_RUNS;
		t->trap_pending = true;
	}
	return 0;
}

static int interrupt(struct kernel *k, int tid)
{
	struct task *t = kernel_find(k, tid);

	if (!t || !t->traced)
		return -ESRCH;
	if (k->asking)
		k->asking(k, t);
	if (t->state == TASK_ZOMBIE || t->killed || t->exits)
		return 0;
	t->trap_pending = true;
	t->interrupts++;
	if (t->state == TASK_SLEEPS)
		kernel_interrupt_call(t);
	else if (t->state == TASK_TRACED && t->listening)
		t->state = TASK_RUNS;
	return 0;
}

/* Fails the run if a stop is too long. A newborn is held for 50 ms at most. */
static void check_length(struct kernel *k, const struct task *t)
{
	if (!t->listening && k->now_ns - t->stopped_ns > k->longest_stop_ns)
		k->longest_stop_ns = k->now_ns - t->stopped_ns;
	if (!t->listening && k->now_ns - t->stopped_ns > STOP_MOST_NS)
		kernel_fail(k, "task %d stands in its stop 0x%x for %llu ms", t->tid,
			(unsigned)t->stop_status,
			(unsigned long long)(k->now_ns - t->stopped_ns) / 1000000);
}

static int resume(struct kernel *k, struct task *t, int signal, bool to_call)
{
	if (!t)
		return -ESRCH;
	if (t->stop_kind == STOP_SIGNAL && signal != t->stop_signal)
		kernel_fail(k, "task %d: signal %d becomes %d", t->tid, t->stop_signal, signal);
	else if (t->stop_kind == STOP_SIGNAL && !t->stop_code)
		kernel_fail(k, "task %d: the stop for signal %d was consumed", t->tid, signal);
	else if (t->stop_kind != STOP_SIGNAL && signal &&
		!t->exits) /* An exiting task gets none. */
		kernel_fail(k, "task %d: signal %d is made up", t->tid, signal);
	else if (t->stop_kind == STOP_GROUP && t->group->stop_signal)
		kernel_fail(k, "task %d is let out of its group-stop", t->tid);
	else
		check_length(k, t);
	if (k->broken)
		return -ESRCH;
	t->to_call = to_call;
	kernel_resumed(k, t, signal);
	return 0;
}

static int listen(struct kernel *k, struct task *t)
{
	if (!t)
		return -ESRCH;
	if (t->stop_status >> 8 != EVENT_STOP)
		return -EIO;
	(void)k;
	t->listening = true;
	t->waitable = false;
	t->resumes++;
	/* A trap that became pending meanwhile stops the task again. */
	if (t->notify_pending || t->trap_pending)
		t->state = TASK_RUNS;
	return 0;
}

static int registers(struct task *t, struct iovec *io, bool set)
{
	size_t n = io->iov_len < sizeof(t->word) ? io->iov_len : sizeof(t->word);

	if (!t)
		return -ESRCH;
	if (set)
		memcpy(t->word, io->iov_base, n);
	else
		memcpy(io->iov_base, t->word, n);
	io->iov_len = n;
	return 0;
}

static int detach(struct kernel *k, struct task *t, int signal)
{
	if (!t)
		return -ESRCH;
	if (t->stop_kind == STOP_SIGNAL && signal != t->stop_signal)
		kernel_fail(k, "task %d: signal %d is lost at its detach", t->tid, t->stop_signal);
	check_length(k, t);
	t->traced = false;
	t->trap_pending = t->notify_pending = false;
	kernel_resumed(k, t, signal);
	return 0;
}

static const char *name_of(int request)
{
	switch (request) {
	case PTRACE_SEIZE: return "SEIZE";
	case PTRACE_INTERRUPT: return "INTERRUPT";
	case PTRACE_CONT: return "CONT";
	case PTRACE_SYSCALL: return "SYSCALL";
	case PTRACE_LISTEN: return "LISTEN";
	case PTRACE_DETACH: return "DETACH";
	case PTRACE_GETREGSET: return "GETREGSET";
	case PTRACE_SETREGSET: return "SETREGSET";
	case PTRACE_GETEVENTMSG: return "GETEVENTMSG";
	case PTRACE_SETOPTIONS: return "SETOPTIONS";
	default: return "?";
	}
}

static int request_of(struct kernel *k, int request, int tid, uintptr_t data)
{
	struct task *t = stopped(k, tid);

	switch (request) {
	case PTRACE_SEIZE: return seize(k, tid, data);
	case PTRACE_INTERRUPT: return interrupt(k, tid);
	case PTRACE_CONT: return resume(k, t, (int)data, false);
	case PTRACE_SYSCALL: return resume(k, t, (int)data, true);
	case PTRACE_LISTEN: return listen(k, t);
	case PTRACE_GETREGSET:
	case PTRACE_SETREGSET:
		return t ? registers(t, (struct iovec *)data, request == PTRACE_SETREGSET) : -ESRCH;
	case PTRACE_GETEVENTMSG:
		if (t)
			*(unsigned long *)data = t->message;
		return t ? 0 : -ESRCH;
	case PTRACE_SETOPTIONS:
		if (t)
			t->options = data;
		return t ? 0 : -ESRCH;
	case PTRACE_DETACH: return detach(k, t, (int)data);
	default: return -EIO;
	}
}

long kernel_ptrace(struct kernel *k, int request, int tid, uintptr_t address, uintptr_t data)
{
	int r;

	(void)address;
	kernel_point(k);
	r = k->broken || k->dead ? -ESRCH : request_of(k, request, tid, data);
	kernel_note(k, "  ptrace %s %d %s= %d", name_of(request), tid,
		data && data < 65 && request != PTRACE_SEIZE && request != PTRACE_SETOPTIONS
			? "with a signal "
			: "",
		r);
	k->requests_refused += r < 0;
	return r;
}

/* Has @t an event that waitid() reports to the supervisor? */
static bool is_waitable(struct kernel *k, const struct task *t, int options)
{
	bool child = t->tid == t->group->pid && t->group->parent == k->supervisor;

	if (t->state == TASK_NONE || !(t->traced || child))
		return false;
	if (t->state == TASK_ZOMBIE)
		return options & WEXITED && (t->tid != t->group->pid || kernel_is_alone(k, t));
	return options & WSTOPPED && t->state == TASK_TRACED && t->waitable && t->stop_code;
}

static bool is_eligible(struct kernel *k, const struct task *t)
{
	return t->state != TASK_NONE &&
		(t->traced || (t->tid == t->group->pid && t->group->parent == k->supervisor));
}

static void describe(struct task *t, siginfo_t *info)
{
	int status = t->exit_status;

	info->si_pid = t->tid;
	if (t->state != TASK_ZOMBIE) {
		info->si_code = CLD_TRAPPED;
		info->si_status = t->stop_status;
	} else if (status & 0x7f) {
		info->si_code = status & 0x80 ? CLD_DUMPED : CLD_KILLED;
		info->si_status = status & 0x7f;
	} else {
		info->si_code = CLD_EXITED;
		info->si_status = status >> 8;
	}
}

static void consume(struct kernel *k, struct task *t)
{
	if (t->state == TASK_ZOMBIE) {
		if (t->tid == t->group->pid && t->group->parent == k->supervisor)
			t->group->reaped = true;
		kernel_reap(k, t);
		return;
	}
	if (t->stop_kind == STOP_SIGNAL)
		kernel_fail(
			k, "task %d: the stop for signal %d is consumed", t->tid, t->stop_signal);
	t->waitable = false;
	t->stop_code = 0;
}

int kernel_wait(struct kernel *k, int id, int options, siginfo_t *ret_info)
{
	struct task *found[KERNEL_TASKS], *t;
	bool any = false;
	unsigned n = 0;

	kernel_point(k);
	*ret_info = (siginfo_t){.si_pid = 0};
	if (k->dead)
		return -ECHILD;
	for (size_t i = 0; i < k->analysts; i++) {
		struct analyst *a = &k->analyst[i];

		if (a->reaped || (id && id != a->pid))
			continue;
		any = true;
		if (a->ended && options & WEXITED) {
			ret_info->si_pid = a->pid;
			ret_info->si_code = a->status ? CLD_KILLED : CLD_EXITED;
			ret_info->si_status = a->status;
			a->reaped = !(options & WNOWAIT);
			return 0;
		}
	}
	for (size_t i = 0; i < k->tasks; i++) {
		if (id && k->task[i].tid != id)
			continue;
		any |= is_eligible(k, &k->task[i]);
		if (is_waitable(k, &k->task[i], options))
			found[n++] = &k->task[i];
	}
	if (!any)
		return -ECHILD;
	if (!n)
		return 0;
	t = found[kernel_choose(k, n, 1)];
	describe(t, ret_info);
	kernel_note(k, "  wait %d%s: %d %s 0x%x", id, options & WNOWAIT ? "" : " takes", t->tid,
		t->state == TASK_ZOMBIE ? "ended" : "stopped", (unsigned)ret_info->si_status);
	if (!(options & WNOWAIT))
		consume(k, t);
	return 0;
}

void kernel_tracer_ends(struct kernel *k)
{
	if (k->dead)
		return;
	k->tracing = false;
	k->ended_ns = k->now_ns;
	kernel_note(k, "the tracing thread ends");
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *t = &k->task[i];
		int signal = t->stop_kind == STOP_SIGNAL ? t->stop_code : 0;

		if (t->state == TASK_NONE || !t->traced)
			continue;
		if (t->state == TASK_TRACED)
			check_length(k, t);
		t->traced = t->trap_pending = t->notify_pending = false;
		if (t->state == TASK_TRACED)
			kernel_resumed(k, t, signal);
		else if (t->state == TASK_ZOMBIE && t->tid != t->group->pid)
			kernel_reap(k, t);
	}
	for (size_t i = 0; i < k->groups; i++)
		if (k->group[i]->dies_with_tracer)
			kernel_end_group(k, k->group[i], SIGKILL);
	kernel_settle(k);
}
