/* SPDX-License-Identifier: MIT */
/*
 * Requests to the supervisor from the analyst and from the server (tools/sprofil-server.c), each
 * through a pipe of its own. A request is one write of REQUEST_BYTES, which is atomic.
 * docs/PROTOCOL.md, section 3, has the layout.
 */
#ifndef PROTO_REQUEST_H
#define PROTO_REQUEST_H

#include <stdint.h>

#define REQUEST_BYTES      16
#define REQUEST_STACK_MOST (UINT64_C(256) << 20)
/* Addresses in REQUEST_MEMORY lie below this one. */
#define REQUEST_MEMORY_END (UINT64_C(1) << 48)
/* The greatest value of REQUEST_GO. */
enum { REQUEST_GO_MOST = 65536 };

enum request_type {
	REQUEST_PERIOD = 1,  /* value: the period from now on, in ns of CPU time */
	REQUEST_FREEZE = 2,  /* value 1: take no samples and count no CPU time; 0: resume */
	REQUEST_STOP = 4,    /* detach from the target and end */
	REQUEST_SERVE = 5,   /* from the server only: send it the profile so far */
	REQUEST_ROTATE = 6,  /* the profile's file has the size of --rotate: begin another one */
	REQUEST_RUNTIME = 7, /* value: word @index of a struct runtime_table */
	/* value: bytes to copy of a stack of thread @index whose end is unknown */
	REQUEST_STACK = 8,
	/* process @index is a Go program; value: bytes from its word "g" to the thread pointer */
	REQUEST_GO = 10,
	/*
	 * send memory of process @index as RECORD_MEMORY; value: the address in the lower 48 bits,
	 * the number of bytes in the upper 16
	 */
	REQUEST_MEMORY = 11,
	/*
	 * process @index has Java's virtual threads (supervisor/target/chunks.h); value: the
	 * address to which narrow pointers are relative; a REQUEST_CHUNKS follows
	 */
	REQUEST_CHUNKS_BASE = 12,
	/*
	 * value: the address of the return barrier in the lower 48 bits, the layout (enum
	 * chunk_layout), the shift of narrow pointers, and the number of words from the pointer to
	 * the Continuation up to the frame pointer
	 */
	REQUEST_CHUNKS = 13,
};

/* The value of REQUEST_CHUNKS: mask of the barrier, then the lowest bit of each other field. */
#define REQUEST_CHUNKS_BARRIER ((UINT64_C(1) << 48) - 1)
enum {
	REQUEST_CHUNKS_LAYOUT = 48, /* 2 bits */
	REQUEST_CHUNKS_SHIFT = 50,  /* 4 bits */
	REQUEST_CHUNKS_BELOW = 54,  /* 5 bits */
	REQUEST_CHUNKS_BITS = 59,
};

struct request {
	uint32_t type; /* enum request_type */
	/*
	 * Of REQUEST_RUNTIME: which word of the table; of REQUEST_STACK: the tid; of REQUEST_GO,
	 * _MEMORY, _CHUNKS_BASE and _CHUNKS: the pid; else 0.
	 */
	uint32_t index;
	uint64_t value; /* by type; 0 where enum request_type names none */
};

void request_put(uint8_t to[REQUEST_BYTES], const struct request *request);

/* Decodes. Returns 0, or -EPROTO if the type is unknown, or has no such index or value. */
int request_get(const uint8_t from[REQUEST_BYTES], struct request *ret_request);

#endif
