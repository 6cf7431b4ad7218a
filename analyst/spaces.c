/* SPDX-License-Identifier: MIT */
#include "analyst/spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/jit/jit.h"
#include "analyst/runtimes.h"
#include "base/array.h"
#include "base/text.h"

/* A text of /proc/PID/maps that is larger (400,000 mappings) is invalid. */
#define MAPS_MOST (UINT32_C(64) << 20)

static void free_thread(struct thread_name *thread)
{
	free(thread->blocked);
	free(thread->name);
	free(thread);
}

static void forget_threads(struct image_space *image)
{
	while (image->threads)
		free_thread(image->thread[--image->threads]);
}

static void image_free(struct image_space *image)
{
	forget_threads(image);
	space_free(image->space);
	jit_free(image->jit);
	image_runtime_free(image->runtime);
	free(image->thread);
	free(image->path);
	free(image->name);
	free(image->maps);
	free(image);
}

void spaces_release(struct spaces *spaces)
{
	for (size_t i = 0; i < spaces->n; i++)
		image_free(spaces->list[i]);
	free(spaces->list);
	spaces->list = NULL;
	spaces->n = spaces->room = 0;
}

static size_t place_of(const struct spaces *spaces, uint32_t pid)
{
	return array_bisect(i, 0, spaces->n, spaces->list[i]->pid < pid);
}

struct image_space *spaces_get(struct spaces *spaces, uint32_t pid)
{
	size_t at = place_of(spaces, pid);
	struct image_space *image;

	if (at < spaces->n && spaces->list[at]->pid == pid)
		return spaces->list[at];
	if (array_grow(&spaces->list, &spaces->room, spaces->n + 1) < 0)
		return NULL;
	image = calloc(1, sizeof(*image));
	if (!image)
		return NULL;
	image->pid = pid;
	image->path = strdup("");
	image->name = strdup("");
	if (!image->path || !image->name) {
		image_free(image);
		return NULL;
	}
	memmove(spaces->list + at + 1, spaces->list + at, (spaces->n - at) * sizeof(*spaces->list));
	spaces->list[at] = image;
	spaces->n++;
	return image;
}

static int name_jit(struct image_space *image)
{
	if (!image->jit)
		return 0;
	/* The jitdump may have been mapped only after @jit was made, when its path was unknown. */
	if (image->space)
		jit_set_dump(image->jit, space_jitdump(image->space));
	return jit_finish(image->jit);
}

/* Names an ending image's generated code, and drops the map. */
static int finish_jit(struct image_space *image)
{
	int r = name_jit(image);

	jit_free(image->jit);
	image->jit = NULL;
	return r;
}

int spaces_finish(struct spaces *spaces)
{
	int r = 0;

	for (size_t i = 0; i < spaces->n && r == 0; i++)
		r = finish_jit(spaces->list[i]);
	return r;
}

int spaces_name_jit(struct spaces *spaces)
{
	int r = 0;

	for (size_t i = 0; i < spaces->n && r == 0; i++)
		r = name_jit(spaces->list[i]);
	return r;
}

int spaces_drop(struct spaces *spaces, uint32_t pid)
{
	size_t at = place_of(spaces, pid);
	int r;

	if (at == spaces->n || spaces->list[at]->pid != pid)
		return 0;
	r = finish_jit(spaces->list[at]);
	image_free(spaces->list[at]);
	spaces->n--;
	memmove(spaces->list + at, spaces->list + at + 1, (spaces->n - at) * sizeof(*spaces->list));
	return r;
}

int spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent)
{
	struct image_space *from, *to;
	size_t at;

	(void)spaces_drop(spaces, pid); /* The pid may be reused. */
	to = spaces_get(spaces, pid);
	at = place_of(spaces, parent);
	if (!to)
		return -ENOMEM;
	if (at == spaces->n || spaces->list[at]->pid != parent)
		return 0;
	from = spaces->list[at];
	if (text_replace(&to->path, from->path) < 0 || text_replace(&to->name, from->name) < 0)
		return -ENOMEM;
	if (from->space)
		return space_fork(from->space, spaces->live ? (int)pid : 0, &to->space);
	return 0;
}

int spaces_exec(struct spaces *spaces, const struct record_exec *exec)
{
	struct image_space *image = spaces_get(spaces, exec->pid);

	if (!image || text_replace(&image->path, exec->path) < 0 ||
		text_replace(&image->name, exec->name) < 0)
		return -ENOMEM;
	if (finish_jit(image) < 0)
		return -ENOMEM;
	/* Only one thread survives an exec, with a new name. */
	forget_threads(image);
	image_runtime_free(image->runtime);
	image->runtime = NULL;
	image->go_reported = false;
	image->samples = 0;
	return 0;
}

int spaces_maps(struct spaces *spaces, const struct record_maps *maps, bool last)
{
	struct image_space *image = spaces_get(spaces, maps->pid);
	int r;

	if (!image)
		return -ENOMEM;
	if (maps->offset == 0)
		image->maps_bytes = 0;
	/*
	 * A piece before this one was not sent, or the text is too large: ignores the piece. The
	 * supervisor sends the whole text again.
	 */
	if (maps->offset != image->maps_bytes || maps->bytes > MAPS_MOST - maps->offset)
		return 0;
	if (array_grow(&image->maps, &image->maps_room, image->maps_bytes + maps->bytes + 1) < 0)
		return -ENOMEM;
	memcpy(image->maps + image->maps_bytes, maps->text, maps->bytes);
	image->maps_bytes += maps->bytes;
	if (!last)
		return 0;
	if (!image->space) {
		r = space_new(spaces->symbolizer, spaces->live ? (int)maps->pid : 0, &image->space);
		if (r < 0)
			return r;
	}
	r = space_set_maps(image->space, image->maps, image->maps_bytes);
	image->maps_bytes = 0;
	return r < 0 ? r : 0;
}

static size_t place_of_thread(const struct image_space *image, uint32_t tid)
{
	return array_bisect(i, 0, image->threads, image->thread[i]->tid < tid);
}

static bool has_thread(const struct image_space *image, size_t at, uint32_t tid)
{
	return at < image->threads && image->thread[at]->tid == tid;
}

struct thread_name *spaces_known_thread(const struct spaces *spaces, uint32_t pid, uint32_t tid)
{
	size_t at = place_of(spaces, pid);
	const struct image_space *image;

	if (at == spaces->n || spaces->list[at]->pid != pid)
		return NULL;
	image = spaces->list[at];
	at = place_of_thread(image, tid);
	return has_thread(image, at, tid) ? image->thread[at] : NULL;
}

void spaces_drop_thread(struct spaces *spaces, uint32_t pid, uint32_t tid)
{
	size_t at = place_of(spaces, pid);
	struct image_space *image;

	if (at == spaces->n || spaces->list[at]->pid != pid)
		return;
	image = spaces->list[at];
	at = place_of_thread(image, tid);
	if (!has_thread(image, at, tid))
		return;
	free_thread(image->thread[at]);
	image->threads--;
	memmove(image->thread + at, image->thread + at + 1,
		(image->threads - at) * sizeof(*image->thread));
}

struct thread_name *spaces_find_thread(struct image_space *image, uint32_t tid)
{
	size_t at = place_of_thread(image, tid);
	struct thread_name *t;

	if (has_thread(image, at, tid))
		return image->thread[at];
	if (array_grow(&image->thread, &image->thread_room, image->threads + 1) < 0)
		return NULL;
	t = malloc(sizeof(*t));
	if (!t)
		return NULL;
	*t = (struct thread_name){.tid = tid, .task = -1, .timed_task = -1, .name = strdup("")};
	if (!t->name) {
		free(t);
		return NULL;
	}
	memmove(image->thread + at + 1, image->thread + at,
		(image->threads - at) * sizeof(*image->thread));
	image->thread[at] = t;
	image->threads++;
	return t;
}

int spaces_thread(struct spaces *spaces, const struct record_thread *thread)
{
	struct image_space *image = spaces_get(spaces, thread->pid);
	struct thread_name *t = image ? spaces_find_thread(image, thread->tid) : NULL;

	if (!t)
		return -ENOMEM;
	t->task = -1;
	return text_replace(&t->name, thread->name);
}
