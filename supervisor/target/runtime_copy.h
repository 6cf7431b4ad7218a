/* SPDX-License-Identifier: MIT */
/*
 * The frames of a language's runtime, read in a stop by the offsets of a struct runtime_table
 * (proto/runtime_table.h). The memory of the target is not trusted: each read is bounded, and so
 * are their number, their bytes and their time.
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
	RUNTIME_SINGLES_MOST = 4096, /* frames outside of chunks that are read at once */
	RUNTIME_PAGES_MOST = 512,    /* of frames that are read singly */
	RUNTIME_READS_MOST = 1024,   /* reads in a stop, beyond those made at once */
	RUNTIME_VECTOR = 1024,       /* the kernel's maximum of pieces of a read */
};
/* Reads of a stop end this long after its first ones. */
#define RUNTIME_STOP_NS 500000

/* Reads memory of the target: as process_vm_readv(2), or -errno. */
struct runtime_source {
	ssize_t (*read)(void *context, const struct iovec *to, const struct iovec *from, size_t n);
	void *context;
	const struct stack_copy *stack; /* already copied; NULL: none */
};

struct runtime_range {
	uint64_t start, end;
};

/* What is known of a thread from one stop to the next. */
struct runtime_thread {
	uint64_t address;  /* of the thread's state in the runtime; 0: not known */
	uint64_t self;     /* its thread pointer; 0: not known */
	uint64_t again_ns; /* CLOCK_MONOTONIC: its state is not searched for before */
	/* Where its frames were at the last stop; newest first. */
	struct runtime_range *chunk;
	size_t chunks, chunk_room;
	uint64_t *single;
	size_t singles, single_room;
};

/* A code object that the analyst has. */
struct runtime_object {
	uint64_t address, hash;
	uint32_t stamp; /* of the last stop in which it was seen */
	bool used;
};

/* What is known of a process. */
struct runtime_process {
	struct runtime_table table;
	struct runtime_object *object; /* open addressing, a power of two */
	size_t objects, room;
	uint32_t stamp;
};

struct runtime_piece {
	uint64_t base;
	const uint8_t *data;
	size_t bytes;
};

/* The frames of the stopped thread. One for all threads, allocated beforehand. */
struct runtime_copy {
	bool taken; /* frames were read since the last handover */
	int tid;    /* then: the thread they belong to */
	uint16_t flags;
	uint64_t thread;
	uint64_t watch[RUNTIME_WATCH_WORDS];
	uint64_t thread_word[RUNTIME_THREAD_WORDS];
	uint64_t *frame; /* RECORD_FRAME_WORDS words each, innermost first */
	size_t frames;
	struct runtime_piece piece[RUNTIME_CHUNKS_MOST];
	size_t pieces;
	struct runtime_piece single; /* the frames read at once, frame_bytes each */
	struct runtime_piece page[RUNTIME_PAGES_MOST];
	size_t pages;
	uint8_t *data;
	size_t used;
	unsigned reads;
	uint64_t until_ns;
	struct iovec *to, *from; /* RUNTIME_VECTOR each */
};

/* Allocates and touches all buffers; does nothing if that has been done. -ENOMEM. */
int runtime_copy_init(struct runtime_copy *copy);
void runtime_copy_release(struct runtime_copy *copy);

/*
 * In the stop of the thread @tid, or while it is known to be blocked: reads its frames. The result,
 * also a failure, is in @copy.
 */
void runtime_copy_take(struct runtime_copy *copy, const struct runtime_table *table,
	struct runtime_thread *thread, const struct runtime_source *source, int tid,
	uint64_t now_ns);

/*
 * After the resume: remembers where the frames were, for the next stop. Out of memory: nothing is
 * known of the thread.
 */
void runtime_thread_learn(struct runtime_thread *thread, const struct runtime_table *table,
	const struct runtime_copy *copy);
void runtime_thread_release(struct runtime_thread *thread);

/*
 * Searches the state of a thread, with at most @most reads, the newest threads first. 0: not found.
 */
uint64_t runtime_find_thread(const struct runtime_table *table, const struct runtime_source *source,
	int tid, uint64_t self, unsigned most);

/* Replaces the table; forgets the objects. NULL: out of memory, and @process was freed. */
struct runtime_process *runtime_process_set(
	struct runtime_process *process, const struct runtime_table *table);
void runtime_process_free(struct runtime_process *process);

/*
 * Finds or adds an object. NULL: out of memory. The object of a new one has the hash 0. Valid until
 * the next call.
 */
struct runtime_object *runtime_object_find(struct runtime_process *process, uint64_t address);
/* Hash of the keys of an object of table->object_bytes bytes; never 0. */
uint64_t runtime_object_hash(const struct runtime_table *table, const uint8_t *object);
/*
 * Reads a text of an object to @to (RUNTIME_TEXT_BYTES_MOST bytes); returns its bytes, with the
 * header, 0: not readable.
 */
size_t runtime_text_read(const struct runtime_text *text, const uint8_t *object,
	const struct runtime_source *source, uint8_t *to);

#endif
