/* SPDX-License-Identifier: MIT */
/*
 * Reads of a process's memory, answered later: the supervisor reads it (REQUEST_MEMORY) and sends
 * it (RECORD_MEMORY). Whoever needs memory asks for it, is told that it is not there yet, and asks
 * again when all answers have come. The process runs meanwhile, so memory is not of one moment, and
 * its content is not trusted.
 */
#ifndef ANALYST_PEEK_H
#define ANALYST_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_memory;

/* The most bytes of one read. */
#define PEEK_MOST 65535

struct peek {
	uint32_t pid;
	/* Sends requests; false: not now. NULL: of a capture, which contains the answers. */
	bool (*request)(void *context, const uint8_t *data, size_t bytes);
	void *context;
	bool last;              /* nothing is requested anymore: what is not there cannot be read */
	struct peek_read *read; /* open addressing by address, a power of two */
	size_t reads, room;
	size_t waiting; /* for an answer */
	size_t unsent;  /* of these, not requested yet */
	uint64_t bytes; /* of the answers */
	bool missed;    /* since the last peek_begin(): something was not there yet */
};

void peek_release(struct peek *peek);

/* What is asked for from now on belongs to one stack. */
void peek_begin(struct peek *peek);

/*
 * The @bytes bytes at @address, as they were at @since_ns or later: 1: *@ret_data, valid until
 * peek_forget(); 0: they cannot be read; -EAGAIN: not there yet, and requested; -ENOMEM.
 */
int peek_at(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data);
/* As many of the @bytes bytes as can be read, at least one: *@ret_bytes. */
int peek_some(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes);

/*
 * As peek_some(), but whoever asks goes on without: -EAGAIN does not count as missed.
 */
int peek_later(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes);

/* Sends what has been asked for. */
void peek_send(struct peek *peek);

/* Keeps the answer to a request. An answer to no request is dropped. -ENOMEM. */
int peek_answer(struct peek *peek, uint64_t time_ns, const struct record_memory *memory);

/* Drops the answers, unless some are awaited and they are few. */
void peek_tidy(struct peek *peek);
/* Drops all answers, and what was asked for. */
void peek_forget(struct peek *peek);

#endif
