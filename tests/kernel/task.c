/* SPDX-License-Identifier: MIT */
/* What tasks do by themselves: the steps of their programs, signals, stops. */
#include "tests/kernel/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENT_STOP 128
enum { X64_ORIG_RAX = 15 };

void kernel_tell_tracer(struct kernel *k)
{
	k->child_pending = true;
}

void kernel_stop(struct kernel *k, struct task *t, enum stop_kind kind, int status)
{
	t->state = TASK_TRACED;
	t->stop_kind = kind;
	t->stop_status = t->stop_code = status;
	t->stop_signal = kind == STOP_SIGNAL ? status : 0;
	t->waitable = true;
	t->stopped_ns = k->now_ns;
	t->listening = false;
	t->trap_pending = false;
	if (status >> 8 == EVENT_STOP)
		t->notify_pending = false;
	t->born = true;
	t->stops++;
	kernel_note(k, "task %d stops, 0x%x", t->tid, (unsigned)status);
	kernel_tell_tracer(k);
}

static bool stops_by_default(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static bool ignored_by_default(int signal)
{
	return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
}

static bool has_signal(const struct task *t)
{
	if (!t->group->any_pending && !t->any_pending)
		return false;
	for (int s = 1; s < 65; s++)
		if (t->pending[s] || t->group->pending[s])
			return true;
	return false;
}

bool kernel_has_work(const struct task *t)
{
	return t->killed || t->exits || t->phase == PHASE_EXIT || t->stop_pending ||
		t->trap_pending || t->notify_pending || has_signal(t);
}

static void begin_group_stop(struct kernel *k, struct group *g, int signal)
{
	g->stop_signal = signal;
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *t = &k->task[i];

		if (t->state == TASK_NONE || t->state == TASK_ZOMBIE || t->group != g)
			continue;
		t->stop_pending = true;
		kernel_interrupt_call(t);
	}
}

static void deliver(struct kernel *k, struct task *t, int signal)
{
	struct group *g = t->group;
	enum disposition d = g->handler[signal];

	kernel_note(k, "task %d gets signal %d", t->tid, signal);
	if (d == DISPOSITION_HANDLER) {
		g->delivered[signal]++;
		kernel_return(k, t, true);
	} else if (d == DISPOSITION_DEFAULT && stops_by_default(signal)) {
		begin_group_stop(k, g, signal);
	} else if (d == DISPOSITION_DEFAULT && !ignored_by_default(signal)) {
		kernel_end_group(k, g, signal);
	}
}

/* Takes the next signal of a task; 0: none. */
static int take_signal(struct task *t)
{
	for (int s = 1; s < 65; s++) {
		unsigned *from = t->pending[s] ? &t->pending[s]
			: t->group->pending[s] ? &t->group->pending[s]
					       : NULL;

		if (!from)
			continue;
		--*from;
		return s;
	}
	t->any_pending = false;
	for (int s = 1; s < 65 && t->group->any_pending; s++)
		if (t->group->pending[s])
			return 0;
	t->group->any_pending = false;
	return 0;
}

/*
 * What Linux does on a thread's way back to its program: handles death, signals and stops, one at a
 * time.
 */
static void see_to_work(struct kernel *k, struct task *t)
{
	int signal;

	if (t->killed || t->exits) {
		kernel_exit(k, t, t->group->status);
	} else if (t->phase == PHASE_EXIT) {
		kernel_stop(k, t, STOP_CALL, SIGTRAP | 0x80);
	} else if (t->stop_pending) {
		t->stop_pending = false;
		t->group_stopped = true;
		if (t->traced)
			kernel_stop(k, t, STOP_GROUP, t->group->stop_signal | EVENT_STOP << 8);
		else
			t->state = TASK_STOPPED;
	} else if (t->trap_pending || t->notify_pending) {
		if (t->group->stop_signal && t->group_stopped)
			kernel_stop(k, t, STOP_GROUP, t->group->stop_signal | EVENT_STOP << 8);
		else
			kernel_stop(k, t, STOP_TRAP, SIGTRAP | EVENT_STOP << 8);
	} else {
		signal = take_signal(t);
		if (signal && t->traced)
			kernel_stop(k, t, STOP_SIGNAL, signal);
		else if (signal)
			deliver(k, t, signal);
	}
	if (t->state == TASK_RUNS && !kernel_has_work(t))
		kernel_return(k, t, false);
}

void kernel_resumed(struct kernel *k, struct task *t, int signal)
{
	t->state = TASK_RUNS;
	t->waitable = false;
	t->listening = false;
	t->resumes++;
	/* A task that is not traced any more stays in its group-stop. */
	if (!t->traced && t->group_stopped && t->group->stop_signal) {
		t->state = TASK_STOPPED;
		return;
	}
	if (t->killed || t->exits)
		return;
	if (!t->call)
		t->word[X64_ORIG_RAX] = UINT64_MAX;
	if (t->stop_kind == STOP_CALL && kernel_call_goes_on(k, t)) {
		if (kernel_has_work(t))
			kernel_interrupt_call(t);
		return;
	}
	for (size_t i = 0; i < k->tasks; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].vfork_of == t)
			t->state = TASK_DEEP;
	if (signal)
		deliver(k, t, signal);
	t->clean = t->state == TASK_RUNS && !kernel_has_work(t);
	if (t->clean)
		kernel_return(k, t, false);
}

static void continue_group(struct kernel *k, struct group *g)
{
	static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

	for (size_t i = 0; i < 4; i++)
		g->pending[stops[i]] = 0;
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *t = &k->task[i];

		if (t->state == TASK_NONE || t->state == TASK_ZOMBIE || t->group != g)
			continue;
		for (size_t s = 0; s < 4; s++)
			t->pending[stops[s]] = 0;
		t->stop_pending = t->group_stopped = false;
		if (t->traced)
			t->notify_pending = true;
		if (t->state == TASK_STOPPED || (t->state == TASK_TRACED && t->listening))
			t->state = TASK_RUNS;
		else if (t->traced)
			kernel_interrupt_call(t);
	}
	g->stop_signal = 0;
}

void kernel_send(struct kernel *k, struct task *to, bool to_group, int signal)
{
	struct group *g = to->group;

	kernel_note(k, "signal %d to %d", signal, to->tid);
	if (signal == SIGKILL) {
		kernel_end_group(k, g, SIGKILL);
		return;
	}
	if (signal == SIGCONT)
		continue_group(k, g);
	if (stops_by_default(signal))
		g->pending[SIGCONT] = to->pending[SIGCONT] = 0;
	if (!to->traced &&
		(g->handler[signal] == DISPOSITION_IGNORE ||
			(g->handler[signal] == DISPOSITION_DEFAULT && ignored_by_default(signal))))
		return;
	/* A signal below the real-time ones is pending at most once. */
	if (to_group)
		g->pending[signal] = signal < 34 ? 1 : g->pending[signal] + 1;
	else
		to->pending[signal] = signal < 34 ? 1 : to->pending[signal] + 1;
	to->any_pending = g->any_pending = true;
	if (to->state == TASK_SLEEPS) {
		kernel_interrupt_call(to);
	} else if (to_group && to->state != TASK_RUNS) {
		for (size_t i = 0; i < k->tasks; i++)
			if (k->task[i].state == TASK_SLEEPS && k->task[i].group == g) {
				kernel_interrupt_call(&k->task[i]);
				break;
			}
	}
}

/*
 * -516 is ERESTART_RESTARTBLOCK: the kernel restarts the sleep with the remaining time. -512 is
 * ERESTARTSYS.
 */
static const struct blocking any_sleep = {
	.number = SYS_clock_nanosleep, .interrupted = -516, .lenient = true};
static const struct blocking any_wait = {.number = SYS_wait4, .interrupted = -512, .lenient = true};
static const struct blocking any_poll = {.number = SYS_poll, .interrupted = -516, .lenient = true};

static struct task *dead_child(struct kernel *k, const struct task *t)
{
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *child = &k->task[i];

		if (child->state == TASK_ZOMBIE && child->group->parent == t->group->pid &&
			child->tid == child->group->pid && !child->traced &&
			kernel_is_alone(k, child))
			return child;
	}
	return NULL;
}

static void reap_child(struct kernel *k, struct task *t)
{
	struct task *child = dead_child(k, t);

	child->group->reaped = true;
	kernel_reap(k, child);
	if (t->call)
		kernel_wake(k, t, child->tid);
	else
		t->at++;
}

/* The child of @t whose pidfd @t has. NULL: none. */
static struct task *watched_child(struct kernel *k, const struct task *t)
{
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *child = &k->task[i];

		if (child->state != TASK_NONE && child->group->parent == t->group->pid &&
			child->tid == child->group->pid && child->group->watched)
			return child;
	}
	return NULL;
}

/* Is a pidfd of @t ready? It is so when all threads of the child have ended. */
static bool is_ready(struct kernel *k, const struct task *t)
{
	const struct task *child = watched_child(k, t);

	return child && child->group->ended;
}

/* Collects the child whose pidfd is ready with WNOHANG. */
static void collect(struct kernel *k, struct task *t)
{
	struct task *child = watched_child(k, t);

	if (child->traced) {
		kernel_fail(
			k, "the pidfd of %d is ready, but its parent does not find it", child->tid);
		return;
	}
	child->group->watched = false;
	child->group->reaped = true;
	kernel_reap(k, child);
	if (t->call)
		kernel_wake(k, t, 1);
	else
		t->at++;
}

static void give_birth(struct kernel *k, struct task *t, const struct step *s)
{
	static const int event[] = {PTRACE_EVENT_CLONE, PTRACE_EVENT_FORK, PTRACE_EVENT_VFORK};
	static const unsigned long option[] = {
		PTRACE_O_TRACECLONE, PTRACE_O_TRACEFORK, PTRACE_O_TRACEVFORK};
	static const int number[] = {SYS_clone, SYS_clone, SYS_vfork};
	unsigned kind = s->b ? 0 : (unsigned)(s->op - OP_CLONE);
	struct task *child = kernel_born(k, t, s->op == OP_CLONE, s->program);

	kernel_note(k, "task %d makes %d", t->tid, child->tid);
	child->group->watched |= s->op == OP_FORK && s->a;
	t->at++;
	if (s->op == OP_VFORK) {
		child->vfork_of = t;
		t->state = TASK_DEEP;
	}
	if (!t->traced || !(t->options & option[kind]))
		return;
	child->traced = true;
	child->options = t->options;
	child->trap_pending = true;
	child->born = false;
	t->message = (uint64_t)child->tid;
	t->word[X64_ORIG_RAX] = (uint64_t)number[kind];
	kernel_stop(k, t, STOP_EVENT, SIGTRAP | event[kind] << 8);
}

static void send_step(struct kernel *k, struct task *t, const struct step *s)
{
	struct task *to = s->a ? kernel_find(k, (int)s->a) : t;
	struct group *g = s->op == OP_KILL && s->a ? kernel_group(k, (int)s->a) : NULL;

	t->at++;
	for (size_t i = 0; (!to || to->state == TASK_ZOMBIE) && g && i < k->tasks; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].state != TASK_ZOMBIE &&
			k->task[i].group == g)
			to = &k->task[i];
	if (to && to->state != TASK_ZOMBIE)
		kernel_send(k, to, s->op == OP_KILL, (int)s->b);
}

static void program_step(struct kernel *k, struct task *t)
{
	const struct step *s = t->at;

	switch (s->op) {
	case OP_SLEEP:
		kernel_begin_call(k, t, &any_sleep);
		t->until_ns = t->call_ends_ns = k->now_ns + (uint64_t)s->a;
		break;
	case OP_CALL:
		kernel_begin_call(k, t, s->call);
		if (kernel_has_work(t))
			kernel_interrupt_call(t);
		break;
	case OP_CLONE:
	case OP_FORK:
	case OP_VFORK: give_birth(k, t, s); break;
	case OP_EXEC: kernel_exec(k, t); break;
	case OP_EXEC_FAILS: {
		int error = (int)s->a;

		if (t->end[3] && write(t->end[3], &error, sizeof(error)) < 0)
			kernel_fail(k, "no pipe for the errno");
		t->at++;
		break;
	}
	case OP_EXIT: kernel_exit(k, t, (int)s->a << 8); break;
	case OP_EXIT_GROUP: kernel_end_group(k, t->group, (int)s->a << 8); break;
	case OP_KILL:
	case OP_TKILL: send_step(k, t, s); break;
	case OP_WAIT:
		if (dead_child(k, t))
			reap_child(k, t);
		else
			kernel_begin_call(k, t, &any_wait);
		break;
	case OP_POLL:
		if (is_ready(k, t))
			collect(k, t);
		else
			kernel_begin_call(k, t, &any_poll);
		break;
	case OP_MARK:
		t->group->marks++;
		t->at++;
		break;
	case OP_AGAIN:
		if (s->b && ++t->rounds >= s->b) {
			t->rounds = 0;
			t->at++;
		} else {
			t->at -= s->a;
		}
		break;
	case OP_HANDLE:
		t->group->handler[s->a] = (enum disposition)s->b;
		t->at++;
		break;
	case OP_STORE:
		memcpy(t->space->data + (s->a - (int64_t)KERNEL_DATA), &s->b, sizeof(s->b));
		t->at++;
		break;
	case OP_DO:
		t->at++;
		s->act(k, t);
		break;
	default: break;
	}
}

/*
 * May the task begin its call although a signal is pending? Linux checks for signals only on the
 * way back to the program, so a signal may come just before a call begins.
 */
static bool may_have_begun(const struct task *t)
{
	switch (t->at->op) {
	case OP_CALL:
	case OP_CLONE:
	case OP_FORK:
	case OP_VFORK:
	case OP_EXEC:
	case OP_EXIT:
	case OP_EXIT_GROUP:
	case OP_KILL:
	case OP_TKILL: return t->clean && t->born && !t->killed;
	default: return false;
	}
}

enum { CAN_NOTHING, CAN_WORK = 1, CAN_STEP = 2, CAN_FINISH = 4 };

static unsigned abilities(struct kernel *k, struct task *t)
{
	bool timed;

	switch (t->state) {
	case TASK_NONE:
	case TASK_ZOMBIE: return CAN_NOTHING;
	case TASK_RUNS:
		if (kernel_has_work(t))
			return may_have_begun(t) && t->word[X64_ORIG_RAX] == UINT64_MAX
				? CAN_WORK | CAN_STEP
				: CAN_WORK;
		if (t->call) /* Another thread has taken the signal that ended its call. */
			return CAN_WORK;
		timed = t->at->op == OP_RUN || t->at->op == OP_END;
		return timed ? CAN_NOTHING : CAN_STEP;
	case TASK_SLEEPS:
		return (t->call == &any_wait && dead_child(k, t)) ||
				(t->call == &any_poll && is_ready(k, t))
			? CAN_FINISH
			: CAN_NOTHING;
	case TASK_DEEP:
		if (t->killed)
			return CAN_WORK;
		return t->former && t->until_ns <= k->now_ns && kernel_has_process(k, t)
			? CAN_FINISH
			: CAN_NOTHING;
	default: return CAN_NOTHING;
	}
}

static void perform(struct kernel *k, struct task *t, unsigned what)
{
	k->events++;
	if (k->events > 200000) {
		kernel_fail(k, "the tasks do not end");
		return;
	}
	if (what == CAN_WORK)
		see_to_work(k, t);
	else if (what == CAN_STEP)
		program_step(k, t);
	else if (t->state == TASK_DEEP)
		kernel_exec(k, t);
	else if (t->call == &any_poll)
		collect(k, t);
	else
		reap_child(k, t);
	t->clean = t->state == TASK_RUNS && !kernel_has_work(t);
	if (k->each && !k->broken)
		k->each(k);
}

unsigned kernel_enabled(struct kernel *k)
{
	unsigned n = 0;

	for (size_t i = 0; i < k->tasks; i++)
		for (unsigned can = abilities(k, &k->task[i]); can; can &= can - 1)
			n++;
	return n;
}

void kernel_step(struct kernel *k, unsigned index)
{
	for (size_t i = 0; i < k->tasks; i++) {
		unsigned can = abilities(k, &k->task[i]);

		for (unsigned what = CAN_WORK; what <= CAN_FINISH; what <<= 1)
			if (can & what && !index--) {
				perform(k, &k->task[i], what);
				return;
			}
	}
}

void kernel_point(struct kernel *k)
{
	unsigned n;

	k->calls++;
	if (k->calls > 2000000)
		kernel_fail(k, "the supervisor does not end");
	kernel_tick(k);
	if (k->dies_at && k->calls >= k->dies_at && k->tracing) {
		kernel_note(k, "the supervisor is killed");
		kernel_tracer_ends(k);
		k->dead = true;
		/*
		 * The code of the supervisor goes on, although it counts as killed: a signal makes
		 * the engine end.
		 */
		kernel_signal(k, SIGTERM, SI_USER, 1, 0);
	}
	while (!k->broken && (n = kernel_enabled(k)) > 0) {
		unsigned chosen = kernel_choose(k, n + 1, 1);

		if (!chosen)
			return;
		kernel_step(k, chosen - 1);
	}
}
