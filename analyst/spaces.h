/* SPDX-License-Identifier: MIT */
/* The processes of a record stream: image, mappings, and thread names of each. */
#ifndef ANALYST_SPACES_H
#define ANALYST_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/record.h"
#include "symbolizer/symbolizer.h"

struct thread_name {
	uint32_t tid;
	int task; /* index in the profile, -1 not there yet */
	char *name;
	struct unwind_memory *memory; /* of its last stack, NULL none */
	/* Where it was last seen blocked, leaf first; blocked_n 0: nowhere yet. */
	uint32_t *blocked;
	size_t blocked_n, blocked_room;
	bool blocked_guessed;
	uint64_t ticks_ns; /* waiting time that is no whole tick yet */
};

struct image_space {
	uint32_t pid;
	char *path, *name;   /* of the image; "" unknown */
	struct space *space; /* NULL: no maps yet */
	struct thread_name *thread;
	size_t threads, thread_room;
	size_t memories; /* threads whose last stack is remembered */
	struct jit *jit; /* NULL: it has not generated code, as far as is known */
	char *maps;      /* text under way */
	size_t maps_bytes, maps_room;
};

struct spaces {
	struct symbolizer *symbolizer; /* not owned */
	bool live;
	struct image_space **list;
	size_t n, room;
};

void spaces_release(struct spaces *spaces);

/* Finds or makes; NULL: out of memory. */
struct image_space *spaces_get(struct spaces *spaces, uint32_t pid);
/* The process is gone. -ENOMEM: its generated code may lack names. */
int spaces_drop(struct spaces *spaces, uint32_t pid);
/* No more records will come: names the generated code of those that live. -ENOMEM. */
int spaces_finish(struct spaces *spaces);

/* Names the generated code that has none yet, as far as its process has told by now. -ENOMEM. */
int spaces_name_jit(struct spaces *spaces);

/* A child begins with its parent's image and mappings. */
int spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent);
int spaces_exec(struct spaces *spaces, const struct record_exec *exec);
/* Puts pieces together; takes the text over when it is whole. */
int spaces_maps(struct spaces *spaces, const struct record_maps *maps, bool last);
int spaces_thread(struct spaces *spaces, const struct record_thread *thread);

/* The thread's entry, made when it is new. NULL: out of memory. */
struct thread_name *spaces_find_thread(struct image_space *image, uint32_t tid);

#endif
