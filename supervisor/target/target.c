/* SPDX-License-Identifier: MIT */
#include "supervisor/target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/os/mem.h"

/*
 * Marks all descriptors as not open. After an allocation they are 0, which is a valid descriptor.
 */
static void no_files(int *fd, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fd[i] = -1;
}

static void close_files(int *fd, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fd[i] >= 0)
			(void)close(fd[i]);
	}
	no_files(fd, n);
}

static size_t home_of(const struct target *target, int tid)
{
	return ((uint32_t)tid * UINT32_C(2654435769)) & (target->by_tid_size - 1);
}

/* Returns the thread's slot in by_tid, or the free slot where it would go. */
static size_t place_of(const struct target *target, int tid)
{
	size_t i = home_of(target, tid);

	while (target->by_tid[i] && target->by_tid[i]->tid != tid)
		i = (i + 1) & (target->by_tid_size - 1);
	return i;
}

struct tracee *target_find(const struct target *target, int tid)
{
	return target->by_tid_size ? target->by_tid[place_of(target, tid)] : NULL;
}

struct tracee *target_find_other(const struct target *target, const struct tracee *t)
{
	return t->process && t->process->threads == 2
		? target_find(target, t->process->tids ^ t->tid)
		: NULL;
}

static int index_grow(struct target *target)
{
	size_t size = target->by_tid_size ? target->by_tid_size * 2 : 64;
	struct tracee **old = target->by_tid;

	if (target->by_tid_size && target->tracees * 2 < target->by_tid_size)
		return 0;
	target->by_tid = mem_new(size, sizeof(struct tracee *));
	if (!target->by_tid) {
		target->by_tid = old;
		return -ENOMEM;
	}
	target->by_tid_size = size;
	for (size_t i = 0; i < target->tracees; i++)
		target->by_tid[place_of(target, target->tracee[i]->tid)] = target->tracee[i];
	free(old);
	return 0;
}

/* Removes a tid from the index and closes the gap in its run of occupied slots. */
static void index_remove(struct target *target, int tid)
{
	size_t mask = target->by_tid_size - 1, gap = place_of(target, tid);

	target->by_tid[gap] = NULL;
	for (size_t i = (gap + 1) & mask; target->by_tid[i]; i = (i + 1) & mask) {
		struct tracee *moved = target->by_tid[i];

		target->by_tid[i] = NULL;
		target->by_tid[place_of(target, moved->tid)] = moved;
	}
}

static void swap_slots(struct target *target, size_t a, size_t b)
{
	struct tracee *t = target->tracee[a];

	target->tracee[a] = target->tracee[b];
	target->tracee[b] = t;
	target->tracee[a]->slot = a;
	target->tracee[b]->slot = b;
}

int target_add(struct target *target, int tid, struct process *process, struct tracee **ret_tracee)
{
	struct tracee *t;

	if (index_grow(target) < 0 ||
		mem_grow((void **)&target->tracee, &target->tracee_room, target->tracees + 1,
			sizeof(*target->tracee)) < 0)
		return -ENOMEM;
	t = mem_new(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->tid = tid;
	no_files(t->fd, THREAD_FILES);
	t->syscall = -1;
	t->slot = target->tracees;
	target->tracee[target->tracees++] = t;
	target->by_tid[place_of(target, tid)] = t;
	if (process)
		target_place(t, process);
	*ret_tracee = t;
	return 0;
}

enum tracee_action target_step(struct tracee *tracee, enum tracee_event event)
{
	struct tracee_step step = tracee_step(tracee->state, event);

	tracee->state = step.state;
	return step.action;
}

void target_place(struct tracee *tracee, struct process *process)
{
	tracee->process = process;
	tracee->image = process->image;
	process->threads++;
	process->tids ^= tracee->tid;
}

void target_remove(struct target *target, struct tracee *tracee)
{
	index_remove(target, tracee->tid);
	if (tracee->slot < target->visited)
		swap_slots(target, tracee->slot, --target->visited);
	swap_slots(target, tracee->slot, target->tracees - 1);
	target->tracees--;
	if (tracee->process) {
		tracee->process->threads--;
		tracee->process->tids ^= tracee->tid;
	}
	close_files(tracee->fd, THREAD_FILES);
	free(tracee->restart);
	runtime_thread_release(&tracee->runtime);
	free(tracee);
}

void target_rename(struct target *target, struct tracee *tracee, int tid)
{
	index_remove(target, tracee->tid);
	if (tracee->process)
		tracee->process->tids ^= tracee->tid ^ tid;
	tracee->tid = tid;
	tracee->inner_tid = 0;
	target->by_tid[place_of(target, tid)] = tracee;
	close_files(tracee->fd, THREAD_FILES);
}

struct process *target_find_process(const struct target *target, int pid)
{
	/*
	 * The tid of a leader is the pid of its process. If the leader has exited before other
	 * threads, no thread has this tid, and the processes are searched.
	 */
	struct tracee *leader = target_find(target, pid);

	if (leader && leader->process && leader->process->pid == pid)
		return leader->process;
	for (size_t i = 0; i < target->processes; i++) {
		if (target->process[i]->pid == pid)
			return target->process[i];
	}
	return NULL;
}

int target_add_process(struct target *target, int pid, int parent, struct image *image,
	struct process **ret_process)
{
	struct process *p;

	if (mem_grow((void **)&target->process, &target->process_room, target->processes + 1,
		    sizeof(*target->process)) < 0)
		return -ENOMEM;
	p = mem_new(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->pid = pid;
	p->parent = parent;
	p->image = image;
	no_files(p->fd, PROCESS_FILES);
	p->memory.pagemap_fd = &p->fd[PROCESS_PAGEMAP];
	p->memory.couriers = target->couriers;
	target->process[target->processes++] = p;
	*ret_process = p;
	return 0;
}

void target_remove_process(struct target *target, struct process *process)
{
	for (size_t i = 0; i < target->processes; i++) {
		if (target->process[i] == process) {
			target->process[i] = target->process[--target->processes];
			break;
		}
	}
	close_files(process->fd, PROCESS_FILES);
	free(process->range);
	stack_ranges_release(&process->stacks);
	runtime_process_free(process->runtime);
	free(process);
}

int target_image(struct target *target, const char *path, struct image **ret_image)
{
	struct image *image;

	for (size_t i = 0; i < target->images; i++) {
		if (strcmp(target->image[i]->path, path) == 0) {
			*ret_image = target->image[i];
			return 0;
		}
	}
	if (mem_grow((void **)&target->image, &target->image_room, target->images + 1,
		    sizeof(*target->image)) < 0)
		return -ENOMEM;
	image = mem_new(1, sizeof(*image));
	if (!image)
		return -ENOMEM;
	image->path = strdup(path);
	if (!image->path) {
		free(image);
		return -ENOMEM;
	}
	target->image[target->images++] = image;
	*ret_image = image;
	return 0;
}

void target_release(struct target *target)
{
	while (target->tracees)
		target_remove(target, target->tracee[target->tracees - 1]);
	while (target->processes)
		target_remove_process(target, target->process[0]);
	for (size_t i = 0; i < target->images; i++) {
		free(target->image[i]->path);
		free(target->image[i]);
	}
	free(target->tracee);
	free(target->by_tid);
	free(target->process);
	free(target->image);
	*target = (struct target){.couriers = target->couriers};
}
