/* SPDX-License-Identifier: MIT */
/* The processes of a record stream: image, mappings, and thread names of each. */
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
	int task;       /* index in the profile, -1: not added yet */
	int timed_task; /* gets the kernel's time: its last task; -1: none, or it has ended */
	char *name;
	struct unwind_memory *memory; /* memory of its last stack, NULL: none */
	struct stack_need need;       /* how much of its stacks is to be copied */
	/*
	 * The stack with which the thread was last observed blocked, leaf first; blocked_n 0: none
	 * yet.
	 */
	uint32_t *blocked;
	size_t blocked_n, blocked_room;
	bool blocked_guessed;
	uint64_t ticks_ns; /* waiting time less than a whole tick */
};

struct image_space {
	uint32_t pid;
	char *path, *name; /* of the image; "" unknown; the name may be its title (titles.h) */
	uint64_t samples;
	struct space *space; /* NULL: no maps yet */
	struct thread_name *thread;
	size_t threads, thread_room;
	size_t memories;               /* number of threads whose last stack is kept */
	struct jit *jit;               /* NULL: no generated code known */
	struct image_runtime *runtime; /* of a language; NULL: none is known */
	bool go_reported;              /* the supervisor knows whether it is a Go program */
	char *maps;                    /* text being assembled */
	size_t maps_bytes, maps_room;
};

struct spaces {
	struct symbolizer *symbolizer; /* borrowed */
	bool live;
	struct image_space **list;
	size_t n, room;
};

void spaces_release(struct spaces *spaces);

/* Finds or adds a process; NULL: out of memory. */
struct image_space *spaces_get(struct spaces *spaces, uint32_t pid);
/* The process is gone. -ENOMEM: its generated code may lack names. */
int spaces_drop(struct spaces *spaces, uint32_t pid);
/* No more records will come: names the generated code of live processes. -ENOMEM. */
int spaces_finish(struct spaces *spaces);

/* Names generated code without a name, from what its process has written so far. -ENOMEM. */
int spaces_name_jit(struct spaces *spaces);

/* A child begins with its parent's image and mappings. */
int spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent);
int spaces_exec(struct spaces *spaces, const struct record_exec *exec);
/* Assembles pieces; parses the text when it is complete. */
int spaces_maps(struct spaces *spaces, const struct record_maps *maps, bool last);
int spaces_thread(struct spaces *spaces, const struct record_thread *thread);

/* The thread's entry; NULL: there is none. */
struct thread_name *spaces_known_thread(const struct spaces *spaces, uint32_t pid, uint32_t tid);
/* The thread's entry, added if it is new. NULL: out of memory. */
struct thread_name *spaces_find_thread(struct image_space *image, uint32_t tid);

#endif
