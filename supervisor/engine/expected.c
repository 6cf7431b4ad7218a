/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/sampling.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"

unsigned expected_ask(const struct expected *e, struct sample_instant *i)
{
	unsigned number = atomic_load(&e->number);

	i->expected = i->error < 0 ? NULL : atomic_load(&e->thread);
	if (i->expected && procfs_read_turn(e->fd, &i->turn) < 0)
		i->expected = NULL;
	i->expected_ns = clock_now();
	return number;
}

void expected_settle(const struct expected *e, unsigned number, struct sample_instant *i)
{
	if (number % 2 || number != atomic_load(&e->number))
		i->expected = NULL;
}

/* Sets the thread that is expected (NULL: none); @fd: its scheduling file. */
static void change(struct expected *e, struct sample_thread *thread, int fd)
{
	atomic_fetch_add(&e->number, 1);
	/* dup3() is atomic: a waiter that reads e->fd now reads the old file or the new one. */
	if (thread && dup3(fd, e->fd, O_CLOEXEC) < 0)
		thread = NULL;
	atomic_store(&e->thread, thread);
	atomic_fetch_add(&e->number, 1);
}

/* Ends the expectation of the thread on all CPUs but @index; negative: on all. */
static void leave_others(struct sampling *s, struct sample_thread *thread, int index)
{
	for (unsigned i = 0; s->cpu && i < s->sampler.cpus; i++)
		if ((int)i != index && atomic_load(&s->cpu[i]->expected.thread) == thread)
			change(&s->cpu[i]->expected, NULL, -1);
}

void expected_note(struct engine *engine, struct tracee *t)
{
	struct sampling *s = &engine->sampling;
	int on = t->sample->cpu, fd = t->fd[THREAD_SWITCHED];

	leave_others(s, t->sample, on);
	if (on >= 0 && fd >= 0 && s->cpu[on]->expected.fd >= 0 &&
		atomic_load(&s->cpu[on]->expected.thread) != t->sample)
		change(&s->cpu[on]->expected, t->sample, fd);
}

void expected_forget(struct engine *engine, struct tracee *t)
{
	leave_others(&engine->sampling, t->sample, -1);
}
