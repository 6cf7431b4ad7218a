/* SPDX-License-Identifier: MIT */
/*
 * The frames of Java's virtual threads that are not on a stack.
 *
 * A virtual thread that goes on has only its innermost frames on the stack of its carrier; the rest
 * is in objects of Java's heap, "chunks", which the collector moves: they are copied in the stop.
 * The last frame on the stack returns to the return barrier, which fetches more of them:
 *
 *	word at fp - cont_below ─► Continuation ─► its newest chunk ─► its parent ─► …
 *
 * where fp is the word below the barrier's return address. Layout (jdk.internal.vm.StackChunk, JDK
 * 21 to 27; chunks.c has the offsets): a chunk has the size of its stack, where its frames begin
 * (sp) and end (bottom), in words, and the Continuation that it belongs to; then its stack, which
 * grows downwards. The two words below sp are the saved frame pointer and the return address of
 * what was called.
 */
#ifndef SUPERVISOR_CHUNKS_H
#define SUPERVISOR_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

struct remote;
struct request;
struct stack_piece;

/* Where they are found in a process (REQUEST_CHUNKS). */
struct chunks_place {
	uint64_t barrier; /* the return barrier; 0: there are none */
	uint64_t oop_base;
	uint8_t oop_shift;
	uint8_t layout; /* enum chunk_layout of proto/chunk_layout.h */
	uint8_t cont_below;
};

/* Takes REQUEST_CHUNKS_BASE or REQUEST_CHUNKS, which comes after it. */
void chunks_place_set(struct chunks_place *place, const struct request *request);

/*
 * Runs in the stop window of the thread whose stack is @stack, from @sp on: at most 4 times 33
 * reads, which do not wait. Copies the frames of the thread's chunks to @to, of @most bytes
 * (CHUNKS_BASE). Returns the number of bytes, and *@ret_fp: the word below the barrier's return
 * address; 0: there are none, or they cannot be read. What is read is not trusted.
 */
size_t chunks_copy(const struct chunks_place *place, const struct remote *memory,
	const struct stack_piece *stack, uint64_t sp, uint8_t *to, size_t most, uint64_t *ret_fp);

#endif
