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
enum { X64_RAX = 10, X64_ORIG_RAX = 15, X64_RIP = 16 };
static const uint8_t argument_word[6] = {14, 13, 12, 7, 9, 8};

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
	for (int s = 1; s < 65; s++)
		if (t->pending[s] || t->group->pending[s])
			return true;
	return false;
}

static bool has_work(const struct task *t)
{
	return t->killed || t->stop_pending || t->trap_pending || t->notify_pending ||
		has_signal(t);
}

/* A call that blocks is over; the registers show its result at the return to the program. */
static void leave_call(struct task *t, int64_t result)
{
	t->state = TASK_RUNS;
	t->until_ns = 0;
	t->word[X64_RAX] = (uint64_t)result;
}

/* Something has come for a task that sleeps: its call ends, for now. */
static void interrupt_call(struct task *t)
{
	if (t->state == TASK_SLEEPS)
		leave_call(t, t->call ? t->call->interrupted : -EINTR);
}

/* The return to user space from a call: the kernel restarts it, or the program sees the result. */
static void return_to_program(struct kernel *k, struct task *t, bool handler)
{
	int64_t result = (int64_t)t->word[X64_RAX];
	bool in_call = (int64_t)t->word[X64_ORIG_RAX] >= 0;

	if (!in_call || t->state != TASK_RUNS || !t->call)
		return;
	if (result <= -512 && result >= -516 &&
		!(handler && (result == -514 || result == -516 || result == -512))) {
		/* It begins again, with what its registers have now. */
		bool afresh = result != -516;

		t->state = TASK_SLEEPS;
		if (afresh)
			t->call_began_ns = k->now_ns;
		t->until_ns = t->call->most_ns ? t->call_began_ns + t->call->most_ns : 0;
		if (t->call->wake_ns && !t->until_ns)
			t->until_ns = t->call_began_ns + t->call->wake_ns;
		t->word[X64_RAX] = t->word[X64_ORIG_RAX];
		kernel_note(k, "task %d is in its call again", t->tid);
		return;
	}
	if (result <= -512 && result >= -516)
		result = -EINTR;
	if (result == -EINTR)
		t->interrupted_calls++;
	kernel_note(k, "task %d: its call gives %lld", t->tid, (long long)result);
	t->word[X64_RAX] = (uint64_t)result;
	t->word[X64_ORIG_RAX] = UINT64_MAX;
	t->call = NULL;
	t->at++;
}

void kernel_wake(struct kernel *k, struct task *t, int64_t result)
{
	if (t->state != TASK_SLEEPS)
		return;
	leave_call(t, result);
	if (!has_work(t))
		return_to_program(k, t, false);
}

static void begin_group_stop(struct kernel *k, struct group *g, int signal)
{
	g->stop_signal = signal;
	for (size_t i = 0; i < KERNEL_TASKS; i++) {
		struct task *t = &k->task[i];

		if (t->state == TASK_NONE || t->state == TASK_ZOMBIE || t->group != g)
			continue;
		t->stop_pending = true;
		interrupt_call(t);
	}
}

static void deliver(struct kernel *k, struct task *t, int signal)
{
	struct group *g = t->group;
	enum disposition d = g->handler[signal];

	kernel_note(k, "task %d gets signal %d", t->tid, signal);
	if (d == DISPOSITION_HANDLER) {
		g->delivered[signal]++;
		return_to_program(k, t, true);
	} else if (d == DISPOSITION_DEFAULT && stops_by_default(signal)) {
		begin_group_stop(k, g, signal);
	} else if (d == DISPOSITION_DEFAULT && !ignored_by_default(signal)) {
		kernel_end_group(k, g, signal);
	}
}

/* The next signal of a task; 0: none. */
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
	return 0;
}

/* On the way to the program: what has come is seen to, one thing at a time. */
static void see_to_work(struct kernel *k, struct task *t)
{
	int signal;

	if (t->killed) {
		kernel_end_task(k, t, t->group->status);
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
	if (t->state == TASK_RUNS && !has_work(t))
		return_to_program(k, t, false);
}

void kernel_resumed(struct kernel *k, struct task *t, int signal)
{
	t->state = TASK_RUNS;
	t->waitable = false;
	t->listening = false;
	t->resumes++;
	/* What is not traced any more stays in its group-stop. */
	if (!t->traced && t->group_stopped && t->group->stop_signal) {
		t->state = TASK_STOPPED;
		return;
	}
	if (t->killed)
		return;
	if (!t->call)
		t->word[X64_ORIG_RAX] = UINT64_MAX;
	for (size_t i = 0; i < KERNEL_TASKS; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].vfork_of == t)
			t->state = TASK_DEEP;
	if (signal)
		deliver(k, t, signal);
	if (t->state == TASK_RUNS && !has_work(t))
		return_to_program(k, t, false);
}

static void continue_group(struct kernel *k, struct group *g)
{
	static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

	for (size_t i = 0; i < 4; i++)
		g->pending[stops[i]] = 0;
	for (size_t i = 0; i < KERNEL_TASKS; i++) {
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
			interrupt_call(t);
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
	/* Signals below the real-time ones are pending once. */
	if (to_group)
		g->pending[signal] = signal < 34 ? 1 : g->pending[signal] + 1;
	else
		to->pending[signal] = signal < 34 ? 1 : to->pending[signal] + 1;
	if (to->state == TASK_SLEEPS) {
		interrupt_call(to);
	} else if (to_group && to->state != TASK_RUNS) {
		for (size_t i = 0; i < KERNEL_TASKS; i++)
			if (k->task[i].state == TASK_SLEEPS && k->task[i].group == g) {
				interrupt_call(&k->task[i]);
				break;
			}
	}
}

static void begin_call(struct kernel *k, struct task *t, const struct blocking *call)
{
	t->call = call;
	t->call_began_ns = k->now_ns;
	t->state = TASK_SLEEPS;
	t->until_ns = call->wake_ns ? k->now_ns + call->wake_ns
		: call->most_ns     ? k->now_ns + call->most_ns
				    : 0;
	t->word[X64_ORIG_RAX] = (uint64_t)call->number;
	t->word[X64_RAX] = (uint64_t)-ENOSYS;
	for (size_t i = 0; i < 6; i++)
		t->word[argument_word[i]] = call->argument[i];
}

/* clock_nanosleep: the kernel goes on with what is left of it (ERESTART_RESTARTBLOCK). */
static const struct blocking any_sleep = {.number = SYS_clock_nanosleep, .interrupted = -516};
static const struct blocking any_wait = {.number = SYS_wait4, .interrupted = -512};

static struct task *dead_child(struct kernel *k, const struct task *t)
{
	for (size_t i = 0; i < KERNEL_TASKS; i++) {
		struct task *child = &k->task[i];

		if (child->state == TASK_ZOMBIE && child->group->parent == t->group->pid &&
			child->tid == child->group->pid && !child->traced &&
			kernel_is_alone(k, child))
			return child;
	}
	return NULL;
}

static void give_birth(struct kernel *k, struct task *t, const struct step *s)
{
	static const int event[] = {PTRACE_EVENT_CLONE, PTRACE_EVENT_FORK, PTRACE_EVENT_VFORK};
	static const unsigned long option[] = {
		PTRACE_O_TRACECLONE, PTRACE_O_TRACEFORK, PTRACE_O_TRACEVFORK};
	static const int number[] = {SYS_clone, SYS_clone, SYS_vfork};
	unsigned kind = (unsigned)(s->op - OP_CLONE);
	struct task *child = kernel_born(k, t, s->op == OP_CLONE, s->program);

	kernel_note(k, "task %d makes %d", t->tid, child->tid);
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
	for (size_t i = 0; (!to || to->state == TASK_ZOMBIE) && g && i < KERNEL_TASKS; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].state != TASK_ZOMBIE &&
			k->task[i].group == g)
			to = &k->task[i];
	if (to && to->state != TASK_ZOMBIE)
		kernel_send(k, to, s->op == OP_KILL, (int)s->b);
}

static void program_step(struct kernel *k, struct task *t)
{
	const struct step *s = t->at;
	struct task *child;

	switch (s->op) {
	case OP_SLEEP:
		begin_call(k, t, &any_sleep);
		t->until_ns = k->now_ns + (uint64_t)s->a;
		break;
	case OP_CALL: begin_call(k, t, s->call); break;
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
	case OP_EXIT: kernel_end_task(k, t, (int)s->a << 8); break;
	case OP_EXIT_GROUP: kernel_end_group(k, t->group, (int)s->a << 8); break;
	case OP_KILL:
	case OP_TKILL: send_step(k, t, s); break;
	case OP_WAIT:
		child = dead_child(k, t);
		if (child) {
			child->group->reaped = true;
			kernel_reap(k, child);
			t->at++;
		} else {
			begin_call(k, t, &any_wait);
		}
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

/* It may have begun before what is pending came: the kernel looks only on the way back. */
static bool may_have_begun(const struct task *t)
{
	switch (t->at->op) {
	case OP_CLONE:
	case OP_FORK:
	case OP_VFORK:
	case OP_EXEC:
	case OP_EXIT:
	case OP_EXIT_GROUP:
	case OP_KILL:
	case OP_TKILL: return t->born && !t->killed;
	default: return false;
	}
}

enum { CAN_NOTHING, CAN_WORK = 1, CAN_STEP = 2, CAN_FINISH = 4 };

static unsigned abilities(struct kernel *k, struct task *t)
{
	bool timed;

	switch (t->state) {
	case TASK_RUNS:
		if (has_work(t))
			return may_have_begun(t) && t->word[X64_ORIG_RAX] == UINT64_MAX
				? CAN_WORK | CAN_STEP
				: CAN_WORK;
		timed = t->at->op == OP_RUN || t->at->op == OP_END;
		return timed ? CAN_NOTHING : CAN_STEP;
	case TASK_SLEEPS:
		return t->call == &any_wait && dead_child(k, t) ? CAN_FINISH : CAN_NOTHING;
	case TASK_DEEP:
		if (t->killed)
			return CAN_WORK;
		return t->former && kernel_has_process(k, t) ? CAN_FINISH : CAN_NOTHING;
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
	else
		kernel_wake(k, t, -512); /* it looks again */
	if (k->each && !k->broken)
		k->each(k);
}

unsigned kernel_enabled(struct kernel *k)
{
	unsigned n = 0;

	for (size_t i = 0; i < KERNEL_TASKS; i++)
		n += (unsigned)__builtin_popcount(abilities(k, &k->task[i]));
	return n;
}

void kernel_step(struct kernel *k, unsigned index)
{
	for (size_t i = 0; i < KERNEL_TASKS; i++) {
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
	while (!k->broken && (n = kernel_enabled(k)) > 0) {
		unsigned chosen = kernel_choose(k, n + 1, 1);

		if (!chosen)
			return;
		kernel_step(k, chosen - 1);
	}
}
