/* SPDX-License-Identifier: MIT */
/*
 * What the supervisor reads of a language's runtime in a stop (docs/RUNTIMES.md).
 *
 * The analyst, which parses ELF, finds a runtime in a process and sends this table of addresses and
 * offsets through the request pipe; the supervisor, which knows no language, follows it:
 *
 *	threads_head ─► group ─► thread ─► frame ─► frame ─► …
 *	                   │        │        └─► code object ─► strings
 *	                   ▼        ▼
 *	                 group    thread
 *
 * In the stop it reads the state of the thread and its chain of frames; after the resume, each
 * code object that it has not sent yet. All offsets are in bytes, RUNTIME_NONE: there is no such
 * field. A word of the target is 8 bytes.
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
};

/* A string or an array of bytes to which a word of a code object points. */
struct runtime_text {
	uint32_t pointer; /* offset of that word in the code object */
	uint32_t length;  /* offset of the number of items in the text's object */
	uint32_t data;    /* the greatest offset of the first item in it */
	uint32_t unit;    /* the greatest size of an item */
};

struct runtime_table {
	uint32_t pid;
	uint32_t id; /* number that the analyst gave the table; repeated in each record */
	/* The address of the pointer to the first group of threads. */
	uint64_t threads_head;
	uint32_t group_next, group_threads; /* in a group: next group, first thread */
	/* In a thread's state. tid and self: NONE if it has none. */
	uint32_t thread_bytes; /* how many bytes of it are read */
	uint32_t thread_next, thread_tid, thread_self;
	uint32_t thread_frame; /* offset of the pointer to the innermost frame, or */
	uint32_t frame_behind; /* to an object that has it at this offset; NONE: to the frame */
	uint32_t thread_word[RUNTIME_THREAD_WORDS]; /* offsets of the words that are reported */
	/*
	 * Frames are pushed on chunks of memory: the newest chunk, and up to where it is used. In a
	 * chunk: the previous one, and how many words behind the header are used. thread_chunk
	 * NONE: there are no chunks.
	 */
	uint32_t thread_chunk, thread_top;
	uint32_t chunk_previous, chunk_used, chunk_data;
	/* Two words of memory that are reported: the lock of the interpreter. 0: none. */
	uint64_t watch[RUNTIME_WATCH_WORDS];
	/* A frame: word 0 leads to the caller's, word 1 to the code object. */
	uint32_t frame_bytes;
	uint32_t frame_word[RUNTIME_FRAME_WORDS];
	uint64_t tag; /* bits to be removed from these two pointers */
	/* A code object: it is another one if one of the keys has changed. */
	uint32_t object_bytes;
	uint32_t key[RUNTIME_KEYS];
	struct runtime_text text[RUNTIME_TEXTS];
};

/* The requests that carry a table; written to the pipe at once. */
enum { RUNTIME_REQUESTS = 44, RUNTIME_REQUEST_BYTES = RUNTIME_REQUESTS * REQUEST_BYTES };

void runtime_table_put(uint8_t to[RUNTIME_REQUEST_BYTES], const struct runtime_table *table);

/* A table that comes in request by request. */
struct runtime_incoming {
	uint64_t word[RUNTIME_REQUESTS];
	uint32_t n;
};

/*
 * Takes one request. 1: *@ret_table is complete; 0: more are to come; -EPROTO: out of order, or out
 * of bounds: the table is dropped.
 */
int runtime_table_take(struct runtime_incoming *incoming, const struct request *request,
	struct runtime_table *ret_table);

#endif
