/* SPDX-License-Identifier: MIT */
/*
 * The table that Go programs carry for their own runtime (pclntab): names, lines, inlined calls and
 * stack depths of Go functions. Stripping a program leaves it in place. Layout: runtime/symtab.go
 * of Go 1.18 (magic 0xfffffff0) and of Go 1.20 and later (0xfffffff1), 8-byte pointers.
 *
 * Header, by offset:
 *
 *	 0 u32 magic, u8 0, u8 0, u8 quantum (fewest bytes of an instruction), u8 pointer bytes
 *	 8 u64 number of functions, u64 number of files
 *	24 u64 address of the first function's code; 0 since Go 1.26
 *	32 u64 offsets in the table: names, units' files, file names, pc tables, functions
 *
 * The table of functions has, by ascending address, u32 offset of the code, u32 offset of the
 * function's record. A pc table gives a value (stack depth, file, line, inlined call) for each pc.
 * The first word of the runtime's moduledata points to the table; other words say where the code
 * begins and where the inlined calls are.
 */
#ifndef SYMBOLIZER_GOPCLNTAB_H
#define SYMBOLIZER_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfo_frame;
struct elffile;
struct gopclntab;
struct elfimage;
struct pool;

/*
 * Finds and checks the table. @image, @elf and @strings must outlive the result. If @elf is NULL,
 * as there are no section headers, the segments are searched. -ENOENT: there is no table, or it is
 * of an unknown Go version; -ENOMEM.
 */
int gopclntab_open(const struct elfimage *image, struct elffile *elf, struct pool *strings,
	struct gopclntab **ret_table);
/*
 * Go keeps the current goroutine in a thread-local word, "g". Returns how many bytes "g" lies below
 * the thread pointer; 0: unknown, or not x86-64.
 */
uint32_t gopclntab_g_below(const struct gopclntab *table);
void gopclntab_free(struct gopclntab *table);

/* What a function does to the stack of its thread. */
enum gopclntab_kind {
	GOPCLNTAB_PLAIN,
	GOPCLNTAB_TOP,     /* has no caller: a goroutine's or a thread's first function */
	GOPCLNTAB_LEAVES,  /* switches from the goroutine's stack to the thread's own */
	GOPCLNTAB_CALLS_C, /* switches to the thread's own stack, to call C */
	/*
	 * runtime.systemstack_switch: if a thread has left its goroutine's stack for its own, the
	 * pc that was saved for the goroutine is in this function
	 */
	GOPCLNTAB_LEFT,
	GOPCLNTAB_CALLS_VDSO, /* keeps the stack pointer in a register while in the vdso */
	GOPCLNTAB_SIGRETURN,  /* where a signal handler returns to */
};

struct gopclntab_function {
	uint64_t start, end; /* svma */
	const char *name;    /* points into the file */
	uint64_t record;     /* offset of the function's record in the table */
	enum gopclntab_kind kind;
};

/* Finds the function at @svma. False: no Go function. */
bool gopclntab_find(
	const struct gopclntab *table, uint64_t svma, struct gopclntab_function *ret_function);

/*
 * Bytes from the stack pointer at @svma up to the stack pointer at the function's first
 * instruction. -ENOENT: unknown.
 */
int64_t gopclntab_depth(
	const struct gopclntab *table, const struct gopclntab_function *function, uint64_t svma);

/*
 * Sets up to @most frames at @svma, innermost first; returns their number. 0: no Go function;
 * -ENOMEM. Function names point into the file, file names are interned.
 */
int gopclntab_frames(
	const struct gopclntab *table, uint64_t svma, size_t most, struct debuginfo_frame *frames);

#endif
