/* SPDX-License-Identifier: MIT */
/*
 * The frames of Java's virtual threads that are not on a stack.
 *
 * While a virtual thread is suspended, all its frames are in Java's heap, in objects called chunks.
 * When it continues, only its innermost frames are moved to the stack of its carrier thread; the
 * others stay in the chunks. The garbage collector moves chunks, so they are copied in the stop. On
 * the stack, the last frame returns to the return barrier: code that fetches the next frames from
 * the chunks. The word below the barrier's return address is a saved frame pointer, fp. It leads to
 * the chunks:
 *
 * 	word at fp - cont_below ─► Continuation ─► its newest chunk ─► its parent ─► …
 *
 * A chunk (jdk.internal.vm.StackChunk, JDK 21 to 27; offsets in proto/chunk_layout.h) has the size
 * of its own stack, the begin (sp) and the end (bottom) of its frames, all in words, and a pointer
 * to its Continuation. Then follows its stack, which grows downwards. The two words below sp are
 * the frame pointer and the return address that the function called by the innermost frame has
 * saved.
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
	/*
	 * Narrow pointers: the number of bits by which they are shifted. Wide pointers: 1 if they
	 * have the colour bits of the collector ZGC, otherwise 0.
	 */
	uint8_t oop_shift;
	uint8_t layout;     /* enum chunk_layout of proto/chunk_layout.h */
	uint8_t cont_below; /* fp minus the address of the word that points to the Continuation */
};

/*
 * Takes over a request of the analyst. REQUEST_CHUNKS_BASE sets oop_base and clears the other
 * fields; REQUEST_CHUNKS, which follows it, sets these.
 */
void chunks_place_set(struct chunks_place *place, const struct request *request);

/*
 * Copies the frames of a thread's chunks to @to, at most @most bytes, in the format described at
 * CHUNKS_BASE (proto/chunk_layout.h). May run in the stop window: makes at most 4 * 33 reads, none
 * of which waits. The memory read is not trusted. @stack: the copy of the thread's stack, from @sp
 * on. Returns the number of bytes, and sets *@ret_fp to the frame pointer saved below the barrier's
 * return address. Returns 0 if there are no chunks, or they are unreadable.
 */
size_t chunks_copy(const struct chunks_place *place, const struct remote *memory,
	const struct stack_piece *stack, uint64_t sp, uint8_t *to, size_t most, uint64_t *ret_fp);

#endif
