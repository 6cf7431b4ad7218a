/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous reads of a process's memory. The first read of an address fails with -EAGAIN and
 * requests the memory from the supervisor (REQUEST_MEMORY), which sends it (RECORD_MEMORY). The
 * caller repeats its work when all answers have come. The process runs meanwhile, so reads are of
 * different moments, and their content is not trusted.
 */
#ifndef ANALYST_PEEK_H
#define ANALYST_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct record_memory;

/* The most bytes of one read. */
#define PEEK_MOST 65535

struct peek {
	uint32_t pid;
	/*
	 * Sends requests to the supervisor; false: it cannot now. NULL: a capture is read, which
	 * contains the answers.
	 */
	bool (*request)(void *context, const uint8_t *data, size_t bytes);
	void *context;
	bool last;              /* no more requests: memory that is missing counts as unreadable */
	struct peek_read *read; /* owned */
	size_t reads, room;
	struct table by_address; /* of @read, by address and number of bytes */
	size_t waiting;          /* number of reads without an answer */
	size_t unsent;           /* number of requests that have not been sent yet */
	uint64_t bytes;          /* of all answers */
	bool missed;             /* a read since the last peek_begin() returned -EAGAIN */
};

void peek_release(struct peek *peek);

/* Begins the work on one stack: clears peek->missed. */
void peek_begin(struct peek *peek);

/*
 * Reads the @bytes bytes at @address as they were at @since_ns or later. 1: they are at *@ret_data,
 * valid until the next peek_answer(), peek_tidy() or peek_forget(); 0: they cannot be read;
 * -EAGAIN: they are not there yet, and will be requested by peek_send(); -ENOMEM.
 */
int peek_at(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data);
/*
 * Does what peek_at() does, but returns 1, too, if only the first *@ret_bytes of the bytes can be
 * read.
 */
int peek_some(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes);

/*
 * Does what peek_some() does for a caller that can go on without the memory: -EAGAIN does not set
 * peek->missed.
 */
int peek_later(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes);

/* No more memory will come: what has not arrived counts as unreadable from now on. */
void peek_last(struct peek *peek);

/* Sends the requests that have not been sent yet. */
void peek_send(struct peek *peek);

/* Keeps the answer to a request. An answer to no request is dropped. -ENOMEM. */
int peek_answer(struct peek *peek, uint64_t time_ns, const struct record_memory *memory);

/* Drops all answers if no further one is awaited, or if the answers kept are many. */
void peek_tidy(struct peek *peek);
/* Drops all answers and all reads without an answer. */
void peek_forget(struct peek *peek);

#endif
