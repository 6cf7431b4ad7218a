/* SPDX-License-Identifier: MIT */
/* How tasks and processes end, and exec(2) in a process of several threads. */
#include "tests/kernel/kernel.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

static void close_ends(struct task *t)
{
	for (size_t i = 0; i < 4; i++) {
		if (t->end[i])
			(void)close(t->end[i]);
		t->end[i] = 0;
	}
}

/* Frees a task that is gone. Its files of /proc that are open stay open, and give ESRCH. */
static void release(struct kernel *k, struct task *t)
{
	if (t->id->task == t)
		t->id->task = NULL;
	t->state = TASK_NONE;
	if (k->tid_reused_at_once)
		k->next_tid = t->tid;
	kernel_note(k, "task %d is gone", t->tid);
}

static struct task *parent_of(struct kernel *k, const struct task *t)
{
	for (size_t i = 0; i < k->tasks; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].state != TASK_ZOMBIE &&
			k->task[i].group->pid == t->group->parent)
			return &k->task[i];
	return NULL;
}

static void tell_parent(struct kernel *k, struct task *t)
{
	t->group->told = true;
	kernel_send(k, parent_of(k, t), true, SIGCHLD);
}

/*
 * Reports the death of each leader that is the last task of its group, as Linux delays it until
 * then.
 */
void kernel_settle(struct kernel *k)
{
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *t = &k->task[i];

		if (t->state != TASK_ZOMBIE || t->tid != t->group->pid || !kernel_is_alone(k, t))
			continue;
		t->group->ended = true;
		if (t->traced || t->group->parent == k->supervisor)
			kernel_tell_tracer(k);
		else if (!parent_of(k, t))
			release(k, t); /* init reaps it. */
		else if (!t->group->told)
			tell_parent(k, t);
	}
}

void kernel_reap(struct kernel *k, struct task *t)
{
	bool thread = t->tid != t->group->pid;

	t->traced = false;
	if (thread || t->group->reaped || t->group->parent == k->supervisor)
		release(k, t);
	kernel_settle(k);
}

void kernel_end_task(struct kernel *k, struct task *t, int status)
{
	struct group *g = t->group;
	bool last = true;

	if (t->vfork_of) {
		t->vfork_of->state = TASK_RUNS;
		t->vfork_of = NULL;
	}
	close_ends(t);
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *other = &k->task[i];

		if (other != t && other->state != TASK_NONE && other->state != TASK_ZOMBIE &&
			other->group == g)
			last = false;
		if (other->vfork_of == t)
			other->vfork_of = NULL;
	}
	/*
	 * The status of the process is that of its last thread, unless exit_group() or a signal
	 * ended it.
	 */
	if (!g->exiting && (last || t->tid == g->pid))
		g->status = status;
	t->exit_status = g->exiting ? g->status : status;
	t->state = TASK_ZOMBIE;
	t->waitable = t->listening = false;
	kernel_note(k, "task %d ends, 0x%x", t->tid, (unsigned)t->exit_status);
	if (t->traced)
		kernel_tell_tracer(k);
	else if (t->tid != g->pid)
		release(k, t);
	kernel_settle(k);
}

/* Is the task in the stop of its exit, and does SIGKILL not end it? All of its process exits. */
static bool stays_in_exit_stop(const struct task *t, bool exiting)
{
	return t->exits && t->state == TASK_TRACED && exiting;
}

void kernel_exit(struct kernel *k, struct task *t, int status)
{
	bool first = !t->exits;

	t->exits = true;
	if (first)
		t->exit_status = status;
	if (!first || !t->traced || !(t->options & PTRACE_O_TRACEEXIT)) {
		kernel_end_task(k, t, t->exit_status);
		return;
	}
	t->message = (uint64_t)t->exit_status;
	kernel_stop(k, t, STOP_EVENT, SIGTRAP | PTRACE_EVENT_EXIT << 8);
}

void kernel_end_group(struct kernel *k, struct group *g, int status)
{
	bool exiting = g->exiting;

	if (!exiting) {
		g->exiting = true;
		g->status = status;
	}
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *t = &k->task[i];

		if (t->state == TASK_NONE || t->state == TASK_ZOMBIE || t->group != g)
			continue;
		t->killed = true;
		if (stays_in_exit_stop(t, exiting))
			continue;
		t->waitable = t->listening = false;
		if (t->state != TASK_STUCK)
			t->state = TASK_RUNS;
	}
}

static void kill_others(struct kernel *k, struct task *t)
{
	for (size_t i = 0; i < k->tasks; i++) {
		struct task *other = &k->task[i];

		if (other == t || other->state == TASK_NONE || other->state == TASK_ZOMBIE ||
			other->group != t->group)
			continue;
		other->killed = true;
		if (stays_in_exit_stop(other, t->group->exiting))
			continue;
		other->waitable = other->listening = false;
		other->state = TASK_RUNS;
	}
}

/* Is @t alone in its process? A leader that is not @t may still be there as a zombie. */
bool kernel_has_process(struct kernel *k, const struct task *t)
{
	for (size_t i = 0; i < k->tasks; i++) {
		const struct task *other = &k->task[i];

		if (other == t || other->state == TASK_NONE || other->group != t->group)
			continue;
		if (other->state != TASK_ZOMBIE || other->tid != t->group->pid)
			return false;
	}
	return true;
}

/*
 * The leader's struct pid becomes that of @t, the caller of exec; the leader is gone without an
 * event. False: @t is the leader.
 */
static bool take_over(struct kernel *k, struct task *t)
{
	struct task *leader = kernel_find(k, t->group->pid);

	if (!leader || leader == t)
		return false;
	t->id->task = NULL;
	t->id = leader->id;
	t->id->task = t;
	t->tid = leader->tid;
	leader->state = TASK_NONE;
	leader->traced = false;
	kernel_note(k, "task %d is now %d", t->former, t->tid);
	return true;
}

void kernel_exec(struct kernel *k, struct task *t)
{
	const struct step *s = t->at;
	struct group *g = t->group;
	struct space *space;
	const char *slash = strrchr(s->name, '/');

	if (!t->former) {
		t->former = t->tid;
		kill_others(k, t);
	}
	if (!kernel_has_process(k, t)) {
		t->state = TASK_DEEP;
		return;
	}
	/* The event of the exec comes when the image is loaded (de_thread() in fs/exec.c). */
	if (take_over(k, t)) {
		t->state = TASK_DEEP;
		t->until_ns = k->now_ns + k->load_ns;
		return;
	}
	t->state = TASK_RUNS;
	if (t->vfork_of)
		t->vfork_of->state = TASK_RUNS;
	t->vfork_of = NULL;
	close_ends(t);
	space = calloc(1, sizeof(*space));
	if (!space)
		abort();
	space->users = 1;
	space->code[0x100] = 0x0f;
	space->code[0x101] = 0x05;
	if (!--t->space->users)
		free(t->space);
	t->space = space;
	for (int i = 1; i < 65; i++)
		if (g->handler[i] == DISPOSITION_HANDLER)
			g->handler[i] = DISPOSITION_DEFAULT;
	g->exe = s->name;
	g->execs++;
	(void)snprintf(t->name, sizeof(t->name), "%s", slash ? slash + 1 : s->name);
	t->at = s->program;
	t->rounds = 0;
	t->call = NULL;
	t->phase = PHASE_NONE;
	memset(t->word, 0, sizeof(t->word));
	t->word[15] = 59; /* execve: registers are those at its return. */
	t->word[16] = KERNEL_CODE + 0x102;
	t->word[19] = KERNEL_STACK + KERNEL_MEMORY - 512;
	kernel_note(k, "task %d runs %s (it was %d)", t->tid, s->name, t->former);
	if (t->traced && t->options & PTRACE_O_TRACEEXEC) {
		t->message = (uint64_t)t->former;
		kernel_stop(k, t, STOP_EVENT, SIGTRAP | PTRACE_EVENT_EXEC << 8);
	} else {
		t->word[15] = UINT64_MAX;
	}
	t->former = 0;
}
