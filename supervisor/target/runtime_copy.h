/* SPDX-License-Identifier: MIT */
/*
 * The frames of a language's runtime (CPython). They are read in a stop, at the addresses and
 * offsets that a struct runtime_table has (proto/runtime_table.h). The runtime keeps most frames in
 * chunks: large blocks of memory, on which frames are pushed like on a stack.
 *
 * The target's memory is not trusted. So each read is bounded, and so are the number of reads in a
 * stop, their bytes and their time.
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
	RUNTIME_SINGLES_MOST = 4096, /* frames outside of chunks, known from the last stop */
	RUNTIME_PAGES_MOST = 512,    /* pages that are read one by one, for other frames */
	RUNTIME_READS_MOST = 1024,   /* reading system calls in one stop */
	RUNTIME_VECTOR = 1024,       /* pieces of one read, at most (UIO_MAXIOV) */
};
/*
 * In a stop, no read begins later than this many ns after the read of what the last stop has found.
 */
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
	 * Where its frames were at the last stop, newest first. @chunk: the used parts of chunks.
	 * @single: the addresses of frames outside of chunks.
	 */
	struct runtime_range *chunk;
	size_t chunks, chunk_room;
	uint64_t *single;
	size_t singles, single_room;
};

/* A code object of the runtime that was sent to the analyst. */
struct runtime_object {
	uint64_t address, hash;
	uint32_t stamp; /* runtime_process.stamp of the last stop in which a frame had it */
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
	bool taken;      /* frames were read that are not handed over for sending yet */
	int tid;         /* if taken: the thread to which the frames belong */
	uint16_t flags;  /* RECORD_RUNTIME_… */
	uint64_t thread; /* address of the thread's state */
	uint64_t watch[RUNTIME_WATCH_WORDS];
	uint64_t thread_word[RUNTIME_THREAD_WORDS];
	uint64_t *frame; /* RECORD_FRAME_WORDS words each, innermost first */
	size_t frames;
	struct runtime_piece piece[RUNTIME_CHUNKS_MOST]; /* the chunks, newest first */
	size_t pieces;
	/* the frames at runtime_thread.single, read together; table->frame_bytes each */
	struct runtime_piece single;
	struct runtime_piece page[RUNTIME_PAGES_MOST]; /* pages read one by one, for other frames */
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
 * Replaces the table of @process, and forgets which objects were sent. If @process is NULL,
 * allocates it. Returns the process, which the caller owns. NULL: out of memory.
 */
struct runtime_process *runtime_process_set(
	struct runtime_process *process, const struct runtime_table *table);
void runtime_process_free(struct runtime_process *process);

/*
 * Returns the object at @address. If it is not in the table, adds it with hash 0, which means that
 * it was not sent. The pointer is valid until the next call. NULL: out of memory.
 */
struct runtime_object *runtime_object_find(struct runtime_process *process, uint64_t address);
/* Returns a hash of the key words (table->key) of @object, whose bytes were read; never 0. */
uint64_t runtime_object_hash(const struct runtime_table *table, const uint8_t *object);
/*
 * Reads the text of @object to @to, which has RUNTIME_TEXT_BYTES_MOST bytes; the text's header
 * comes first. Returns the number of bytes of both. 0: unreadable.
 */
size_t runtime_text_read(const struct runtime_text *text, const uint8_t *object,
	const struct runtime_source *source, uint8_t *to);

#endif
