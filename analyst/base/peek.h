/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous reads of a process's memory. The first read of an address fails with -EAGAIN and
 * requests the memory from the supervisor (REQUEST_MEMORY), which sends it (RECORD_MEMORY). The
 * caller repeats its work when the answers have come. The process runs meanwhile: answers are of
 * different moments, and are not trusted.
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
	 * Sends requests to the supervisor. False: they cannot be sent now. NULL: records of an
	 * earlier run are replayed, and contain all answers.
	 */
	bool (*request)(void *context, const uint8_t *data, size_t bytes);
	void *context;
	bool last;              /* no more memory will come: a read without an answer returns 0 */
	struct peek_read *read; /* owned */
	size_t reads, room;
	struct table by_address; /* indexes of @read */
	size_t waiting;          /* reads without an answer */
	size_t unsent;           /* requests not sent yet */
	uint64_t bytes;          /* of all answers */
	bool missed;             /* a read has returned -EAGAIN since peek_begin() */
};

void peek_release(struct peek *peek);

/* Clears peek->missed. */
void peek_begin(struct peek *peek);

/*
 * Reads @bytes bytes at @address, from an answer of @since_ns (CLOCK_MONOTONIC) or later. 1:
 * *@ret_data has the bytes, valid until the next peek_answer(), peek_tidy() or peek_forget(); 0:
 * the bytes are unreadable; -EAGAIN: the bytes have not come yet, and peek_send() will request
 * them; -ENOMEM.
 */
int peek_at(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data);
/* Like peek_at(), but returns 1, too, if only the first *@ret_bytes bytes are readable. */
int peek_some(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes);

/* Like peek_some(), for a caller that goes on without the memory: does not set peek->missed. */
int peek_later(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes);

/* No more memory will come: what is missing counts as unreadable. */
void peek_last(struct peek *peek);

void peek_send(struct peek *peek);

/* Keeps a copy of an answer that was requested; ignores any other answer. -ENOMEM. */
int peek_answer(struct peek *peek, uint64_t time_ns, const struct record_memory *memory);

/*
 * Bounds the memory that is used: drops all answers if no request is unanswered, and all answers
 * and requests if there are many.
 */
void peek_tidy(struct peek *peek);
/* Drops all answers and requests. */
void peek_forget(struct peek *peek);

#endif
