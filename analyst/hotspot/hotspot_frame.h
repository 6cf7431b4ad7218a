/* SPDX-License-Identifier: MIT */
/*
 * How much of a compiled method's frame exists at the current instruction, if that is near the
 * method's beginning or end, on x86-64. Pure.
 *
 * Frames are of fixed size. The method's beginning either pushes the frame pointer and subtracts
 * the rest of the size from the stack pointer, or subtracts the whole size and stores the frame
 * pointer into the frame. The method's end undoes this, checks for a safepoint, and returns. At a
 * safepoint, the method stores the address of the check in the thread, and jumps to a stub. With an
 * exception, the method jumps to a stub that pops the return address, and jumps to a handler of the
 * caller. Code that replaces a running loop (OSR) is entered in its middle.
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
	/*
	 * none if the byte before is pop %rbp, whole if it is a part of another instruction; the
	 * stack must tell
	 */
	HOTSPOT_FRAME_UNSURE,
	HOTSPOT_FRAME_POPPED, /* none, and the return address was popped to a register */
};

/*
 * How much of the frame exists when the @bytes bytes at @code have run: all instructions from the
 * method's entry up to the current one.
 */
enum hotspot_frame hotspot_frame_at_begin(const uint8_t *code, size_t bytes);

/* The code around the current instruction. */
struct hotspot_code {
	/* the current instruction; HOTSPOT_FRAME_BEFORE bytes before it are readable, too */
	const uint8_t *code;
	size_t bytes;       /* from @code on */
	int64_t start, end; /* of the method's code, relative to @code */
};

/* As hotspot_frame_at_begin(), but for an instruction behind the method's beginning. */
enum hotspot_frame hotspot_frame_at(const struct hotspot_code *code);

/*
 * If the instruction in @before pops a register, and the current one at @code jumps to an address
 * in any register: the DWARF number of the popped register. Otherwise -1. A popped register other
 * than the frame pointer holds the return address.
 */
int hotspot_frame_popped(const uint8_t before[2], const uint8_t *code, size_t bytes);

/* Bytes of the instruction at @code if it pops a register other than the frame pointer, else 0. */
size_t hotspot_frame_pop(const uint8_t *code, size_t bytes);

/* Most bytes of @code that are looked at; bytes that hotspot_frame_at() needs before @code. */
enum { HOTSPOT_FRAME_BYTES = 64, HOTSPOT_FRAME_BEFORE = 7 };

#endif
