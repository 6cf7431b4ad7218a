/* SPDX-License-Identifier: MIT */
/*
 * What the supervisor reads of a language's runtime in a stop (docs/RUNTIMES.md).
 *
 * The analyst finds a runtime in a process by its ELF files, and sends this table of addresses and
 * offsets through the request pipe. The supervisor, which knows no language, follows the pointers:
 *
 *	threads_head ─► group ─► thread ─► frame ─► frame ─► …
 *	                   │        │        └─► code object ─► strings
 *	                   ▼        ▼
 *	                 group    thread
 *
 * In the stop it reads the thread's state and chain of frames; after the resume, each code object
 * that it has not sent yet. Offsets are in bytes; RUNTIME_NONE: no such field. A word has 8 bytes.
 */
#ifndef PROTO_RUNTIME_TABLE_H
#define PROTO_RUNTIME_TABLE_H

#include <stdint.h>

#include "proto/request.h"

#define RUNTIME_NONE UINT32_MAX

enum {
	RUNTIME_FRAME_WORDS = 4,
	RUNTIME_THREAD_WORDS = 2,
	RUNTIME_WATCH_WORDS = 2,
	RUNTIME_KEYS = 5,
	RUNTIME_TEXTS = 3,
	/* Bounds of what a table may request. */
	RUNTIME_OFFSET_MOST = 1 << 20,
	RUNTIME_THREAD_BYTES_MOST = 4096,
	RUNTIME_FRAME_BYTES_MOST = 512,
	RUNTIME_OBJECT_BYTES_MOST = 512,
	RUNTIME_TEXT_BYTES_MOST = 32768,
	/* After this many objects the supervisor forgets which ones it has sent. */
	RUNTIME_OBJECTS_MOST = 65536,
};

/* A string or an array of bytes to which a word of a code object points. */
struct runtime_text {
	uint32_t pointer; /* offset of that word in the code object */
	uint32_t length;  /* offset of the number of items in the text's object */
	uint32_t data;    /* upper bound of the offset of the first item in the text's object */
	uint32_t unit;    /* upper bound of the bytes of an item */
};

/* The members of 8 bytes come first, so there is no padding. */
struct runtime_table {
	/* The address of the pointer to the first group of threads. */
	uint64_t threads_head;
	/* Addresses of two words of the interpreter's lock, which each record reports. 0: none. */
	uint64_t watch[RUNTIME_WATCH_WORDS];
	uint64_t tag; /* bits to be removed from the two pointers in a frame */
	uint32_t pid;
	uint32_t id; /* number that the analyst gave the table; repeated in each record */
	uint32_t group_next, group_threads; /* in a group: next group, first thread */
	/* Offsets in a thread's state, of which the first thread_bytes are read. */
	uint32_t thread_bytes;
	uint32_t thread_next, thread_tid, thread_self; /* next state, tid, thread pointer */
	/*
	 * The pointer in the state at thread_frame leads to the innermost frame; or, if
	 * frame_behind is an offset, to an object that has the pointer to the frame there.
	 */
	uint32_t thread_frame, frame_behind;
	uint32_t thread_word[RUNTIME_THREAD_WORDS]; /* words sent with each record */
	/*
	 * Frames are pushed on chunks of memory. A thread's state points to the newest chunk
	 * (RUNTIME_NONE: no chunks) and to the end of its used part. A chunk has a pointer to the
	 * previous one and the number of used words behind its header, which ends at chunk_data.
	 */
	uint32_t thread_chunk, thread_top;
	uint32_t chunk_previous, chunk_used, chunk_data;
	/* In a frame: word 0 points to the caller's frame, word 1 to the code object. */
	uint32_t frame_bytes;
	uint32_t frame_word[RUNTIME_FRAME_WORDS];
	/* In a code object: words that tell it from another object at the same address. */
	uint32_t object_bytes;
	uint32_t key[RUNTIME_KEYS];
	struct runtime_text text[RUNTIME_TEXTS];
};

/* Requests that carry a table; one write to the pipe sends all of them. */
enum {
	RUNTIME_REQUESTS = sizeof(struct runtime_table) / sizeof(uint64_t),
	RUNTIME_REQUEST_BYTES = RUNTIME_REQUESTS * REQUEST_BYTES
};

void runtime_table_put(uint8_t to[RUNTIME_REQUEST_BYTES], const struct runtime_table *table);

/* A table of which the first @n requests have come. */
struct runtime_incoming {
	uint64_t word[RUNTIME_REQUESTS];
	uint32_t n;
};

/*
 * Takes one request. Returns 1 if *@ret_table is complete, 0 if more requests must follow. -EPROTO:
 * the request is out of order, or an offset out of bounds, so the table is dropped.
 */
int runtime_table_take(struct runtime_incoming *incoming, const struct request *request,
	struct runtime_table *ret_table);

#endif
