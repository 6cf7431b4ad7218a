/* SPDX-License-Identifier: MIT */
/*
 * The processes of a record stream: for each its image (the program since the last exec), its
 * mappings and its threads.
 */
#ifndef ANALYST_SPACES_H
#define ANALYST_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyst/stack_need.h"

#include "proto/record.h"
#include "symbolizer/symbolizer.h"

struct image_runtime;

struct thread_name {
	uint32_t tid;
	/* index of the thread's entry in the profile; -1: none yet with the present name */
	int task;
	/* the entry that gets the thread's CPU time: the last @task that was not -1; -1: none */
	int timed_task;
	char *name;
	struct stack_need need; /* bytes of its stacks to copy */
	/* The stack when last observed blocked: locations, leaf first; blocked_n 0: none. */
	uint32_t *blocked;
	size_t blocked_n, blocked_room;
	bool blocked_guessed;
	uint64_t ticks_ns; /* waiting time not counted yet: less than a tick */
};

struct image_space {
	uint32_t pid;
	/*
	 * Path and name of the image; "" if unknown. @name may be the title that the process has
	 * set (titles.h).
	 */
	char *path, *name;
	uint64_t samples;            /* of this image so far */
	struct space *space;         /* NULL: no maps yet */
	struct thread_name **thread; /* sorted by tid; owned */
	size_t threads, thread_room;
	struct jit *jit;               /* NULL: no generated code known */
	struct image_runtime *runtime; /* NULL: none is known */
	/* the supervisor was told of this Go program, or the image is no Go program */
	bool go_reported;
	char *maps; /* the text of /proc/PID/maps so far; owned */
	size_t maps_bytes, maps_room;
};

struct spaces {
	struct symbolizer *symbolizer; /* borrowed */
	bool live;
	struct image_space **list;
	size_t n, room;
};

void spaces_release(struct spaces *spaces);

/* Finds or adds process @pid. NULL: out of memory. */
struct image_space *spaces_get(struct spaces *spaces, uint32_t pid);
/* Removes an ended process. -ENOMEM: it is removed, but its generated code may lack names. */
int spaces_drop(struct spaces *spaces, uint32_t pid);
/* Names the generated code of live processes, after the last record. -ENOMEM. */
int spaces_finish(struct spaces *spaces);

/* Names unnamed generated code from what its process has written so far. -ENOMEM. */
int spaces_name_jit(struct spaces *spaces);

/* Adds @pid with its parent's image and mappings. -ENOMEM. */
int spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent);
int spaces_exec(struct spaces *spaces, const struct record_exec *exec);
/* Appends a piece of the text of /proc/PID/maps; @last: parses the text. -ENOMEM. */
int spaces_maps(struct spaces *spaces, const struct record_maps *maps, bool last);
int spaces_thread(struct spaces *spaces, const struct record_thread *thread);

/* The thread, if it is known, else NULL. */
struct thread_name *spaces_known_thread(const struct spaces *spaces, uint32_t pid, uint32_t tid);
/* Adds the thread if it is new. NULL: out of memory. */
struct thread_name *spaces_find_thread(struct image_space *image, uint32_t tid);
void spaces_drop_thread(struct spaces *spaces, uint32_t pid, uint32_t tid);

#endif
