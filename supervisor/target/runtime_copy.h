/* SPDX-License-Identifier: MIT */
/*
 * The frames of a language's runtime (CPython), read in a stop by the offsets of a struct
 * runtime_table (proto/runtime_table.h). The memory of the target is not trusted: each read is
 * bounded, and so are the number of reads, their bytes and their time.
 */
#ifndef SUPERVISOR_RUNTIME_COPY_H
#define SUPERVISOR_RUNTIME_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "proto/runtime_table.h"

struct stack_copy;

enum {
	RUNTIME_CHUNKS_MOST = 128,
	RUNTIME_FRAMES_MOST = 16384,
	RUNTIME_SINGLES_MOST = 4096, /* frames outside of chunks that are read together */
	RUNTIME_PAGES_MOST = 512,    /* pages with frames that are read one by one */
	RUNTIME_READS_MOST = 1024,   /* reading system calls in one stop */
	RUNTIME_VECTOR = 1024,       /* pieces of one read, at most (UIO_MAXIOV) */
};
/* Time for a stop's reads, in addition to those that repeat reads of the last stop. */
#define RUNTIME_STOP_NS 500000

/* Reads memory of the target: returns what process_vm_readv(2) does, or -errno. */
struct runtime_source {
	ssize_t (*read)(void *context, const struct iovec *to, const struct iovec *from, size_t n);
	void *context;
	const struct stack_copy *stack; /* the thread's stack, already copied; NULL: none */
};

struct runtime_range {
	uint64_t start, end;
};

/* What is known of a thread from one stop to the next. */
struct runtime_thread {
	uint64_t address;  /* address of the thread's state in the runtime; 0: not known */
	uint64_t self;     /* its thread pointer; 0: not known */
	uint64_t again_ns; /* CLOCK_MONOTONIC: its state is not searched for before this time */
	/*
	 * Where its frames were at the last stop, newest first: used parts of chunks, and addresses
	 * of frames outside of chunks.
	 */
	struct runtime_range *chunk;
	size_t chunks, chunk_room;
	uint64_t *single;
	size_t singles, single_room;
};

/* A code object that the analyst has. */
struct runtime_object {
	uint64_t address, hash;
	uint32_t stamp; /* number of the last stop in which it was seen */
	bool used;      /* this slot of the table has an object */
};

/* What the supervisor knows of a process's runtime: where its data are, which objects were sent. */
struct runtime_process {
	struct runtime_table table;
	/* hash table with open addressing; @room is a power of two */
	struct runtime_object *object;
	size_t objects, room;
	uint32_t stamp; /* number of the present stop */
};

/* Bytes copied from the target's memory. */
struct runtime_piece {
	uint64_t base;       /* address in the target */
	const uint8_t *data; /* in runtime_copy.data */
	size_t bytes;
};

/* The frames of the stopped thread. One buffer serves all threads, allocated beforehand. */
struct runtime_copy {
	bool taken;      /* frames were read since the last handover */
	int tid;         /* if taken: the thread to which the frames belong */
	uint16_t flags;  /* RECORD_RUNTIME_… */
	uint64_t thread; /* address of the thread's state */
	uint64_t watch[RUNTIME_WATCH_WORDS];
	uint64_t thread_word[RUNTIME_THREAD_WORDS];
	uint64_t *frame; /* RECORD_FRAME_WORDS words each, innermost first */
	size_t frames;
	struct runtime_piece piece[RUNTIME_CHUNKS_MOST]; /* the chunks, newest first */
	size_t pieces;
	/* frames outside of chunks that were read together, frame_bytes each */
	struct runtime_piece single;
	struct runtime_piece page[RUNTIME_PAGES_MOST]; /* pages with frames read one by one */
	size_t pages;
	uint8_t *data; /* the thread's state, followed by the bytes of all pieces */
	size_t used;
	unsigned reads;          /* system calls so far in this stop */
	uint64_t until_ns;       /* CLOCK_MONOTONIC: no read begins after this time */
	struct iovec *to, *from; /* arrays of RUNTIME_VECTOR elements each */
};

/* Allocates and touches all buffers, at the first call only. 0, or -ENOMEM. */
int runtime_copy_init(struct runtime_copy *copy);
void runtime_copy_release(struct runtime_copy *copy);

/* Reads the frames of thread @tid, stopped or blocked. copy->flags says what failed. */
void runtime_copy_take(struct runtime_copy *copy, const struct runtime_table *table,
	struct runtime_thread *thread, const struct runtime_source *source, int tid,
	uint64_t now_ns);

/* Call after the resume: remembers where the frames were (out of memory: some of them). */
void runtime_thread_learn(struct runtime_thread *thread, const struct runtime_table *table,
	const struct runtime_copy *copy);
void runtime_thread_release(struct runtime_thread *thread);

/* Returns the address of the thread's state, if it is in the @most newest ones; 0: not found. */
uint64_t runtime_find_thread(const struct runtime_table *table, const struct runtime_source *source,
	int tid, uint64_t self, unsigned most);

/*
 * Replaces the table of @process (NULL: allocates it), and forgets its objects. Returns the
 * process, owned by the caller; NULL: out of memory.
 */
struct runtime_process *runtime_process_set(
	struct runtime_process *process, const struct runtime_table *table);
void runtime_process_free(struct runtime_process *process);

/* Finds an object, or adds it with hash 0. Valid until the next call. NULL: out of memory. */
struct runtime_object *runtime_object_find(struct runtime_process *process, uint64_t address);
/* Returns a hash of the key words (table->key) of @object, whose bytes were read; never 0. */
uint64_t runtime_object_hash(const struct runtime_table *table, const uint8_t *object);
/* Returns the bytes of the text and its header in @to[RUNTIME_TEXT_BYTES_MOST]; 0: unreadable. */
size_t runtime_text_read(const struct runtime_text *text, const uint8_t *object,
	const struct runtime_source *source, uint8_t *to);

#endif
