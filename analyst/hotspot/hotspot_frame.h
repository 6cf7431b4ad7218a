/* SPDX-License-Identifier: MIT */
/*
 * How much of its frame a compiled method has at an instruction of its beginning or its end, on
 * x86-64. Pure. Frames are of fixed size: the beginning pushes the frame pointer and subtracts the
 * rest from the stack pointer, or subtracts all and stores it; the end undoes this, checks for a
 * safepoint, and returns. Stubs of exceptions pop the return address instead, and jump to a handler
 * of the caller.
 */
#ifndef ANALYST_HOTSPOT_FRAME_H
#define ANALYST_HOTSPOT_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum hotspot_frame {
	HOTSPOT_FRAME_WHOLE,
	HOTSPOT_FRAME_NONE,    /* the stack pointer points to the return address */
	HOTSPOT_FRAME_POINTER, /* the caller's frame pointer, then the return address */
	HOTSPOT_FRAME_UNSAVED, /* whole, but the frame pointer is still the caller's */
	HOTSPOT_FRAME_POPPED,  /* as NONE, and the return address is in a register */
};

/* The instructions before the one at hand, from the entry on. */
enum hotspot_frame hotspot_frame_at_begin(const uint8_t *code, size_t bytes);

/* The instructions from the one at hand on. */
enum hotspot_frame hotspot_frame_at_end(const uint8_t *code, size_t bytes);

/*
 * The instruction at hand is a jump to where a register points, and the one before popped a
 * register: its number, as in unwind_input; else -1. If that is not the frame pointer, it has the
 * return address.
 */
int hotspot_frame_popped(const uint8_t before[2], const uint8_t *code, size_t bytes);

/* Bytes of the instruction that pops a register other than the frame pointer; 0: none. */
size_t hotspot_frame_pop(const uint8_t *code, size_t bytes);

/* As many bytes are enough for hotspot_frame_at_begin() and hotspot_frame_at_end(). */
enum { HOTSPOT_FRAME_BYTES = 64 };

#endif
