/* SPDX-License-Identifier: MIT */
/*
 * How much of a compiled method's frame exists at an instruction of the method's beginning or end,
 * on x86-64. Pure.
 *
 * Frames are of fixed size. The beginning either pushes the frame pointer and subtracts the rest
 * from the stack pointer, or subtracts the whole size and stores the frame pointer into the frame.
 * The end undoes this, checks for a safepoint, and returns. At a safepoint it stores its address in
 * the thread and jumps to a stub. With an exception it jumps to a stub that pops the return
 * address, and jumps to a handler of the caller. Code that replaces a running loop (OSR) begins in
 * the middle.
 */
#ifndef ANALYST_HOTSPOT_FRAME_H
#define ANALYST_HOTSPOT_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum hotspot_frame {
	HOTSPOT_FRAME_WHOLE,
	HOTSPOT_FRAME_NONE,    /* sp points to the return address */
	HOTSPOT_FRAME_POINTER, /* sp points to the saved fp, then the return address */
	HOTSPOT_FRAME_UNSAVED, /* whole, but the caller's frame pointer is not saved yet */
	/* none or whole: a byte may be an instruction or a part of one; the stack must tell */
	HOTSPOT_FRAME_UNSURE,
	HOTSPOT_FRAME_POPPED, /* none, and the return address was popped to a register */
};

/* How much exists after @code: the instructions from the method's entry up to the current one. */
enum hotspot_frame hotspot_frame_at_begin(const uint8_t *code, size_t bytes);

/* The code around the current instruction. */
struct hotspot_code {
	const uint8_t *code; /* the current instruction, behind HOTSPOT_FRAME_BEFORE bytes */
	size_t bytes;        /* from @code on */
	int64_t start, end;  /* of the method's code, relative to @code */
};

/* As hotspot_frame_at_begin(), but for an instruction behind the method's beginning. */
enum hotspot_frame hotspot_frame_at(const struct hotspot_code *code);

/*
 * The DWARF number of the register that the instruction in @before pops; -1: it pops none, or the
 * current instruction at @code is no jump to the address in a register. A popped register other
 * than the frame pointer holds the return address.
 */
int hotspot_frame_popped(const uint8_t before[2], const uint8_t *code, size_t bytes);

/* Bytes of the instruction at @code if it pops a register other than the frame pointer, else 0. */
size_t hotspot_frame_pop(const uint8_t *code, size_t bytes);

/* Most bytes of @code that are looked at; bytes that hotspot_frame_at() needs before @code. */
enum { HOTSPOT_FRAME_BYTES = 64, HOTSPOT_FRAME_BEFORE = 7 };

#endif
