/* SPDX-License-Identifier: MIT */
/*
 * What the supervisor reads of a language's runtime while a thread is stopped (docs/RUNTIMES.md).
 *
 * The analyst finds a runtime in a process by its ELF files, and sends this table of addresses and
 * offsets through the request pipe. The supervisor, which knows no language, follows the pointers:
 *
 *	threads_head ─► group ─► thread ─► frame ─► frame ─► …
 *	                   │        │        └─► code object ─► strings
 *	                   ▼        ▼
 *	                 group    thread
 *
 * While a thread is stopped, the supervisor reads its state and its chain of frames; after the
 * resume, each code object that it has not sent yet. Offsets are in bytes; RUNTIME_NONE: no such
 * field. A word has 8 bytes.
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
	uint32_t length;  /* offset in the text of its number of items (bytes or characters) */
	uint32_t data;    /* greatest offset in the text at which its items may begin */
	uint32_t unit;    /* greatest number of bytes of an item */
};

/* The members of 8 bytes come first, so there is no padding. */
struct runtime_table {
	/* The address of the pointer to the first group of threads. */
	uint64_t threads_head;
	/*
	 * Addresses of two words of the interpreter's lock. Each RECORD_RUNTIME has the values of
	 * these words. 0: none.
	 */
	uint64_t watch[RUNTIME_WATCH_WORDS];
	uint64_t tag; /* tag bits, to be cleared in frame_word[0] and frame_word[1] */
	uint32_t pid;
	uint32_t id; /* number that the analyst gave the table; repeated in each record */
	uint32_t group_next, group_threads; /* in a group: next group, first thread */
	/* Offsets in a thread's state. Its first thread_bytes bytes are read. */
	uint32_t thread_bytes;
	uint32_t thread_next, thread_tid, thread_self; /* of: next state, tid, thread pointer */
	/*
	 * thread_frame: offset of a pointer to the innermost frame. If frame_behind is not
	 * RUNTIME_NONE, the pointer leads to another object, and frame_behind is the offset in it
	 * of the pointer to the frame.
	 */
	uint32_t thread_frame, frame_behind;
	uint32_t thread_word[RUNTIME_THREAD_WORDS]; /* words sent with each record */
	/*
	 * If frames are pushed on chunks of memory, a thread's state has a pointer to the newest
	 * chunk at thread_chunk (RUNTIME_NONE: no chunks), and at thread_top a pointer to the end
	 * of the used part of this chunk. A chunk begins with a header of chunk_data bytes. The
	 * header has a pointer to the previous chunk, and the number of used words behind the
	 * header.
	 */
	uint32_t thread_chunk, thread_top;
	uint32_t chunk_previous, chunk_used, chunk_data;
	/*
	 * Offsets of words in a frame. Word 0 points to the caller's frame, word 1 to the code
	 * object. RECORD_RUNTIME has all words.
	 */
	uint32_t frame_bytes;
	uint32_t frame_word[RUNTIME_FRAME_WORDS];
	/*
	 * Offsets in a code object. The key is the words that tell the object from a later one at
	 * the same address.
	 */
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
 * the request is out of order, or a member of the complete table is out of range. In both cases the
 * words taken so far are dropped.
 */
int runtime_table_take(struct runtime_incoming *incoming, const struct request *request,
	struct runtime_table *ret_table);

#endif
