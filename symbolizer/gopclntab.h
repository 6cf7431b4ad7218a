/* SPDX-License-Identifier: MIT */
/*
 * The table that Go programs carry for their own runtime (pclntab): names, lines, inlined calls and
 * stack depths of Go functions. Stripping a program leaves it in place. Layout: runtime/symtab.go
 * of Go 1.18 (magic 0xfffffff0) and of Go 1.20 and later (0xfffffff1), 8-byte pointers.
 *
 * The table, with the offsets of its header:
 *
 *	 0 u32 magic, u8 0, u8 0, u8 quantum (bytes of an instruction at least), u8 pointer bytes
 *	 8 u64 number of functions, u64 number of files
 *	24 u64 address of the first function's code; 0 since Go 1.26
 *	32 u64 offsets in the table: names, units' files, file names, pc tables, functions
 *
 * The table of functions has, by ascending address, u32 offset of the code, u32 offset of the
 * function's record. A pc table gives a value (stack depth, file, line, inlined call) for each pc.
 *
 * The runtime's moduledata, whose first word points to the table, says where the code begins, and
 * where the inlined calls are.
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
 * Finds and checks the table of a file. The image, the ELF file and the string pool must outlive
 * the result. @elf NULL: the file has no section headers; the table is searched for in its
 * segments. -ENOENT: there is none, or its Go version is not known; -ENOMEM.
 */
int gopclntab_open(const struct elfimage *image, struct elffile *elf, struct pool *strings,
	struct gopclntab **ret_table);
/*
 * Bytes from the thread-local word "g" up to the thread pointer, on x86-64. 0: not known: the
 * program has other thread-local memory, too, and neither a symbol nor code says where "g" is.
 */
uint32_t gopclntab_g_below(const struct gopclntab *table);
void gopclntab_free(struct gopclntab *table);

/* What a function does to the stack of its thread. */
enum gopclntab_kind {
	GOPCLNTAB_PLAIN,
	GOPCLNTAB_TOP,     /* has no caller: a goroutine's or a thread's first function */
	GOPCLNTAB_LEAVES,  /* switches from the goroutine's stack to the thread's own */
	GOPCLNTAB_CALLS_C, /* switches in the same way, to call C */
	/*
	 * When a GOPCLNTAB_LEAVES function has left a goroutine's stack, the saved pc is in this
	 * function.
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

/* Finds the function at an address. False: it is in no Go function. */
bool gopclntab_find(
	const struct gopclntab *table, uint64_t svma, struct gopclntab_function *ret_function);

/*
 * Bytes between the stack pointer at @svma and where it was at the function's first instruction.
 * -ENOENT: the table does not say.
 */
int64_t gopclntab_depth(
	const struct gopclntab *table, const struct gopclntab_function *function, uint64_t svma);

/*
 * Sets the frames at an address, innermost first, and returns their number, at most @most. 0: it is
 * in no Go function; -ENOMEM. Names of functions point into the file, those of files are interned.
 */
int gopclntab_frames(
	const struct gopclntab *table, uint64_t svma, size_t most, struct debuginfo_frame *frames);

#endif
