/* SPDX-License-Identifier: MIT */
#include "tests/kernel/kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kernel *kernel_in_use;

static unsigned first(void *context, unsigned n, unsigned cost)
{
	(void)context;
	(void)n;
	(void)cost;
	return 0;
}

struct kernel *kernel_new(const struct oracle *oracle)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		abort();
	k->oracle = oracle ? *oracle : (struct oracle){first, NULL};
	k->next_tid = 1000;
	k->supervisor = (int)getpid();
	k->now_ns = UINT64_C(5000000000);
	k->cpus = 1;
	k->plan = 7;
	k->file_limit = 1 << 20;
	k->files_most = KERNEL_FILES;
	k->ring_fd = k->object_fd = k->object_next = -1;
	return k;
}

static void drop_space(struct space *space)
{
	if (space && !--space->users)
		free(space);
}

void kernel_free(struct kernel *k)
{
	for (size_t i = 0; i < k->tasks; i++) {
		for (size_t e = 0; e < 4; e++)
			if (k->task[i].end[e])
				(void)close(k->task[i].end[e]);
		drop_space(k->task[i].space);
	}
	for (size_t i = 0; i < k->pids; i++)
		free(k->pid[i]);
	for (size_t i = 0; i < k->groups; i++)
		free(k->group[i]);
	kernel_free_analysts(k);
	free(k->log);
	free(k);
}

void kernel_note(struct kernel *k, const char *format, ...)
{
	va_list arguments;
	int n;

	if (!k->log)
		return;
	if (k->log_room - k->log_bytes < 256) {
		k->log_room *= 2;
		k->log = realloc(k->log, k->log_room);
		if (!k->log)
			abort();
	}
	va_start(arguments, format);
	n = vsnprintf(k->log + k->log_bytes, 254, format, arguments);
	va_end(arguments);
	k->log_bytes += n < 254 ? (size_t)n : 253;
	k->log[k->log_bytes++] = '\n';
	k->log[k->log_bytes] = '\0';
}

void kernel_fail(struct kernel *k, const char *format, ...)
{
	va_list arguments;

	if (k->broken)
		return;
	va_start(arguments, format);
	(void)vsnprintf(k->failure, sizeof(k->failure), format, arguments);
	va_end(arguments);
	kernel_note(k, "FAILURE: %s", k->failure);
	k->broken = true;
	for (size_t i = 0; i < k->tasks; i++) {
		k->task[i].state = TASK_NONE;
		if (k->task[i].id)
			k->task[i].id->task = NULL;
	}
}

unsigned kernel_choose(struct kernel *k, unsigned n, unsigned cost)
{
	return n < 2 || k->broken ? 0 : k->oracle.choose(k->oracle.context, n, cost);
}

struct task *kernel_find(struct kernel *k, int tid)
{
	for (size_t i = 0; i < k->tasks; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].tid == tid)
			return &k->task[i];
	return NULL;
}

struct group *kernel_group(struct kernel *k, int pid)
{
	for (size_t i = k->groups; i-- > 0;)
		if (k->group[i]->pid == pid)
			return k->group[i];
	return NULL;
}

void kernel_signal(struct kernel *k, int signal, int code, int sender, uint64_t in_ns)
{
	if (k->signals == sizeof(k->signal) / sizeof(*k->signal))
		abort();
	k->signal[k->signals].signal = signal;
	k->signal[k->signals].code = code;
	k->signal[k->signals].sender = sender;
	k->signal[k->signals++].at_ns = k->now_ns + in_ns;
}

static struct task *add(struct kernel *k, int tid, const struct step *program)
{
	struct task *t = NULL;

	for (size_t i = 0; i < KERNEL_TASKS && !t; i++)
		if (k->task[i].state == TASK_NONE) {
			t = &k->task[i];
			k->tasks = i < k->tasks ? k->tasks : i + 1;
		}
	if (!t || k->pids == sizeof(k->pid) / sizeof(*k->pid))
		abort();
	drop_space(t->space);
	*t = (struct task){.state = TASK_RUNS, .tid = tid, .at = program, .born = true};
	t->id = k->pid[k->pids++] = calloc(1, sizeof(struct pid));
	if (!t->id)
		abort();
	*t->id = (struct pid){tid, t};
	t->cpu = (int)((unsigned)tid % k->cpus);
	t->word[15] = UINT64_MAX; /* orig_rax: not in a call. */
	t->word[16] = KERNEL_CODE + 0x102;
	t->word[19] = KERNEL_STACK + KERNEL_MEMORY - 1024;
	return t;
}

static struct space *new_space(void)
{
	struct space *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->users = 1;
	s->code[0x100] = 0x0f; /* The instruction syscall (0f 05) ends at the pc. */
	s->code[0x101] = 0x05;
	return s;
}

struct task *kernel_add_process(
	struct kernel *k, int pid, int parent, const char *exe, const struct step *program)
{
	struct task *t = add(k, pid, program);
	struct group *g = calloc(1, sizeof(*g));

	if (!g || k->groups == KERNEL_TASKS)
		abort();
	*g = (struct group){.pid = pid, .parent = parent, .exe = exe};
	k->group[k->groups++] = g;
	t->group = g;
	t->space = new_space();
	(void)snprintf(
		t->name, sizeof(t->name), "%s", strrchr(exe, '/') ? strrchr(exe, '/') + 1 : exe);
	return t;
}

struct task *kernel_add_thread(
	struct kernel *k, struct task *of, int tid, const struct step *program)
{
	struct task *t = add(k, tid, program);

	t->group = of->group;
	t->space = of->space;
	t->space->users++;
	memcpy(t->name, of->name, sizeof(t->name));
	return t;
}

struct task *kernel_born(
	struct kernel *k, struct task *parent, bool thread, const struct step *program)
{
	int tid = k->next_tid++;
	struct task *t;

	if (thread) {
		t = kernel_add_thread(k, parent, tid, program);
	} else {
		t = kernel_add_process(k, tid, parent->group->pid, parent->group->exe, program);
		memcpy(t->group->handler, parent->group->handler, sizeof(t->group->handler));
		t->group->filtered = parent->group->filtered;
		memcpy(t->space->data, parent->space->data, KERNEL_MEMORY);
		memcpy(t->space->stack, parent->space->stack, KERNEL_MEMORY);
		memcpy(t->name, parent->name, sizeof(t->name));
	}
	memcpy(t->word, parent->word, sizeof(t->word));
	t->cpu = (int)((unsigned)tid % k->cpus);
	return t;
}

bool kernel_is_alone(struct kernel *k, const struct task *task)
{
	for (size_t i = 0; i < k->tasks; i++) {
		const struct task *other = &k->task[i];

		if (other != task && other->state != TASK_NONE && other->group == task->group)
			return false;
	}
	return true;
}

size_t kernel_ends(const struct kernel *k, struct kernel_end *ret_end, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < k->groups && n < most; i++) {
		const struct group *g = k->group[i];
		struct kernel_end *end = &ret_end[n++];

		*end = (struct kernel_end){.pid = g->pid,
			.status = g->ended ? g->status : -1,
			.marks = g->marks,
			.execs = g->execs,
			.interrupted_calls = g->interrupted_calls};
		memcpy(end->delivered, g->delivered, sizeof(end->delivered));
	}
	return n;
}
