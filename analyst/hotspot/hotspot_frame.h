/* SPDX-License-Identifier: MIT */
/*
 * How much of its frame a compiled method has at an instruction of its beginning or its end, on
 * x86-64. Pure. Frames are of fixed size: the beginning pushes the frame pointer and subtracts the
 * rest from the stack pointer, or subtracts all and stores it; the end undoes this, checks for a
 * safepoint, and returns.
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
};

/* The instructions before the one at hand, from the entry on. */
enum hotspot_frame hotspot_frame_at_begin(const uint8_t *code, size_t bytes);

/* The instructions from the one at hand on. */
enum hotspot_frame hotspot_frame_at_end(const uint8_t *code, size_t bytes);

/* As many bytes are enough for both. */
enum { HOTSPOT_FRAME_BYTES = 64 };

#endif
