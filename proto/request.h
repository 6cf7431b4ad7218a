/* SPDX-License-Identifier: MIT */
/*
 * Requests to the supervisor from the analyst and from the server (tools/sprofil-server.c), each
 * through a pipe of its own. A request is one write of REQUEST_BYTES. As these are fewer than
 * PIPE_BUF bytes, requests never mix. docs/PROTOCOL.md, section 3, has the layout.
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
	REQUEST_ROTATE = 6,  /* begin another file: this one has reached the size of --rotate */
	REQUEST_RUNTIME = 7, /* value: word number @index of a struct runtime_table */
	/*
	 * value: how many bytes of the stack to copy in samples of thread @index, because the
	 * stack's end is unknown
	 */
	REQUEST_STACK = 8,
	/*
	 * process @index is a Go program. value: by how many bytes the word that points to a
	 * thread's goroutine ("g") lies below the thread pointer
	 */
	REQUEST_GO = 10,
	/*
	 * send memory of process @index as RECORD_MEMORY; value: the address in the lower 48 bits,
	 * the number of bytes in the upper 16
	 */
	REQUEST_MEMORY = 11,
	/*
	 * process @index has Java's virtual threads (supervisor/target/chunks.h). value: the
	 * address to which 4-byte ("narrow") pointers are relative. A REQUEST_CHUNKS follows.
	 */
	REQUEST_CHUNKS_BASE = 12,
	/*
	 * value: from bit 0 on, the address of the return barrier; from the bits below on, the
	 * layout (enum chunk_layout), the shift of narrow pointers, and the distance in words from
	 * the word that points to the Continuation up to the one at the frame pointer
	 */
	REQUEST_CHUNKS = 13,
};

/*
 * Fields in the value of REQUEST_CHUNKS: the mask of the barrier; for each other field, the number
 * of its lowest bit.
 */
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
	 * REQUEST_RUNTIME: the number of a word of the table, from 0 on. REQUEST_STACK: the tid.
	 * REQUEST_GO, _MEMORY, _CHUNKS_BASE and _CHUNKS: the pid. Any other: 0.
	 */
	uint32_t index;
	uint64_t value; /* by type; 0 where enum request_type names none */
};

void request_put(uint8_t to[REQUEST_BYTES], const struct request *request);

/* Decodes. 0; -EPROTO: the type is unknown, or index or value is out of the type's range. */
int request_get(const uint8_t from[REQUEST_BYTES], struct request *ret_request);

#endif
