/* SPDX-License-Identifier: MIT */
/*
 * The frames of Java's virtual threads that are not on a stack.
 *
 * A virtual thread that was suspended and continues has only its innermost frames on the stack of
 * its carrier. The others are in objects of Java's heap, "chunks". As the collector moves these,
 * they are copied in the stop. The last frame on the stack returns to the return barrier, code that
 * fetches more frames:
 *
 *	word at fp - cont_below ─► Continuation ─► its newest chunk ─► its parent ─► …
 *
 * where fp is the word below the barrier's return address. Layout (jdk.internal.vm.StackChunk, JDK
 * 21 to 27; proto/chunk_layout.h has the offsets): a chunk holds the size of its stack, the begin
 * (sp) and the end (bottom) of its frames, all in words, and its Continuation; then its stack,
 * which grows downwards. The two words below sp are the frame pointer and the return address that
 * the callee of the innermost frame has saved.
 */
#ifndef SUPERVISOR_CHUNKS_H
#define SUPERVISOR_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

struct remote;
struct request;
struct stack_piece;

/* Where the chunks of a process are found, as requested by REQUEST_CHUNKS. */
struct chunks_place {
	uint64_t barrier;  /* address of the return barrier; 0: the process has no chunks */
	uint64_t oop_base; /* what narrow object pointers (oops) are relative to */
	/* shift of narrow pointers; if pointers are wide: 1 if they have ZGC's colour bits */
	uint8_t oop_shift;
	uint8_t layout;     /* enum chunk_layout of proto/chunk_layout.h */
	uint8_t cont_below; /* bytes from the word that points to the Continuation up to fp */
};

/* @request: a REQUEST_CHUNKS_BASE, or the REQUEST_CHUNKS that follows it. */
void chunks_place_set(struct chunks_place *place, const struct request *request);

/*
 * Copies the frames of a thread's chunks to @to, @most bytes at most (format: CHUNKS_BASE), in its
 * stop window: at most 4 * 33 reads, which do not wait. What is read is not trusted. @stack: the
 * thread's stack, from @sp on. Returns the number of bytes, and sets *@ret_fp to the address of the
 * word below the barrier's return address; 0: no chunks, or unreadable.
 */
size_t chunks_copy(const struct chunks_place *place, const struct remote *memory,
	const struct stack_piece *stack, uint64_t sp, uint8_t *to, size_t most, uint64_t *ret_fp);

#endif
