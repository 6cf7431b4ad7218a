/* SPDX-License-Identifier: MIT */
/* Steps without unwind information, as in generated and in assembly code. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/load.h"
#include "symbolizer/unwind/unwind_internal.h"

bool unwind_is_code(const struct cursor *cursor, uint64_t pc)
{
	const struct mapping *mapping = cursor->mapping;

	if (!mapping || pc < mapping->start || pc >= mapping->end)
		mapping = space_find_mapping(cursor->space, pc);
	return mapping && mapping->execute;
}

/*
 * Does @before end with a call? That is "e8 rel32", or "ff /2" of 2 to 7 bytes: ff d0 (call *%rax),
 * ff 50 08 (call *8(%rax)), ff 15 and 4 bytes, ff 94 24 and 4 bytes.
 */
static bool ends_x86_call(const uint8_t before[8])
{
	const uint8_t *end = before + 8;

	if (end[-5] == 0xe8)
		return true;
	for (unsigned n = 2; n <= 7; n++) {
		const uint8_t *at = end - n;
		unsigned mode = at[1] >> 6, rm = at[1] & 7, length = 2;

		if (at[0] != 0xff || (at[1] >> 3 & 7) != 2)
			continue;
		if (mode != 3 && rm == 4)
			length++;
		length += mode == 1 ? 1 : mode == 2 || (mode == 0 && rm == 5) ? 4 : 0;
		if (length == n || (mode == 0 && rm == 4 && n == 7))
			return true;
	}
	return false;
}

bool unwind_follows_call(const struct cursor *cursor, uint64_t pc, uint64_t *ret_target)
{
	uint8_t before[8];
	uint32_t word;

	*ret_target = 0;
	if (!unwind_is_code(cursor, pc - 1) || space_read(cursor->space, pc - 8, before, 8) != 8)
		return false;
	word = load_u32(before + 4);
	if (cursor->machine->machine != EM_AARCH64) {
		if (before[3] == 0xe8)
			*ret_target = pc + (uint64_t)(int32_t)word;
		return ends_x86_call(before);
	}
	if ((word & 0xfc000000) != 0x94000000)
		return (word & 0xfffffc1f) == 0xd63f0000;
	/* The operand is the distance in words: 26 bits, signed. */
	*ret_target = pc - 4 + (uint64_t)((int32_t)(word << 6) >> 6) * 4;
	return true;
}

static void move(struct cursor *cursor, uint64_t pc, uint64_t sp, uint64_t known)
{
	cursor->pc = pc;
	cursor->sp = cursor->reg[cursor->machine->sp] = sp;
	cursor->known &= known | UINT64_C(1) << cursor->machine->sp;
	cursor->exact = cursor->pointed = false;
	cursor->guessed = true;
}

int unwind_follow_pointer(struct cursor *cursor)
{
	const struct unwind_machine *machine = cursor->machine;
	uint64_t fp = cursor->reg[machine->fp], caller, pc, width = machine->width;

	/* A frame pointer of 0 marks the outermost frame (ABIs, goroutines of Go). */
	if (fp == 0 && cursor->pointed)
		return 1;
	if (!(cursor->known >> machine->fp & 1) || fp < cursor->sp || fp % width ||
		unwind_read(cursor, fp, machine->width, &caller) < 0 ||
		unwind_read(cursor, fp + width, machine->width, &pc) < 0)
		return -ENOENT;
	pc &= machine->pc_mask;
	if (pc == 0 && caller == 0)
		return 1;
	if (!unwind_is_code(cursor, pc - 1))
		return -ENOENT;
	cursor->reg[machine->fp] = caller;
	move(cursor, pc, fp + 2 * width, UINT64_C(1) << machine->fp);
	cursor->pointed = true;
	return 0;
}

int unwind_follow_runtime(struct cursor *cursor)
{
	const struct unwind_runtime_caller *caller = &cursor->caller;
	const struct unwind_machine *machine = cursor->machine;

	if (!caller->found || caller->sp < cursor->sp ||
		(caller->sp == cursor->sp && !cursor->exact))
		return -ENOENT;
	move(cursor, caller->pc & machine->pc_mask, caller->sp, 0);
	cursor->reg[machine->fp] = caller->fp;
	cursor->known |= UINT64_C(1) << machine->fp;
	cursor->guessed = false;
	return 0;
}

/* Leaves a function that has no frame yet: the return address is where the call left it. */
static int leave_leaf(struct cursor *cursor)
{
	const struct unwind_machine *machine = cursor->machine;
	uint64_t pc, sp = cursor->sp, target;

	if (machine->link != UNWIND_NO_LINK) {
		pc = cursor->reg[machine->link] & machine->pc_mask;
	} else {
		if (unwind_read(cursor, sp, machine->width, &pc) < 0)
			return -ENOENT;
		sp += machine->width;
	}
	if (!unwind_follows_call(cursor, pc, &target))
		return -ENOENT;
	move(cursor, pc, sp, UINT64_MAX);
	return 0;
}

/*
 * While a trampoline calls, its frame is one word, directly below the return address. Before the
 * trampoline pushes that word, and after it pops it, there is no frame: the return address is at
 * the stack pointer or in the link register.
 */
int unwind_leave_trampoline(struct cursor *cursor)
{
	const struct unwind_machine *machine = cursor->machine;
	uint64_t width = machine->width, fp = cursor->reg[machine->fp], sp = cursor->sp, pc, target;
	uint64_t known = machine->kept;

	if (cursor->exact && leave_leaf(cursor) == 0)
		return 0;
	if (unwind_read(cursor, sp + width, machine->width, &pc) < 0)
		return -ENOENT;
	pc &= machine->pc_mask;
	if (!unwind_follows_call(cursor, pc, &target))
		return -ENOENT;
	if (cursor->known >> machine->fp & 1 && fp == sp &&
		unwind_read(cursor, sp, machine->width, &cursor->reg[machine->fp]) < 0)
		known &= ~(UINT64_C(1) << machine->fp);
	move(cursor, pc, sp + 2 * width, known);
	cursor->guessed = false;
	return 0;
}

/* The first instructions of a program or of the dynamic linker have no caller. */
static bool is_entry(const struct cursor *cursor)
{
	const struct mapping *mapping = cursor->mapping;
	const struct elfimage *image;
	uint64_t entry, svma;

	if (!mapping || !mapping->module->headers_ok)
		return false;
	image = &mapping->module->image;
	if (image->bytes < sizeof(Elf64_Ehdr))
		return false;
	entry = image->elf64 ? load_u64(image->data + offsetof(Elf64_Ehdr, e_entry))
			     : load_u32(image->data + offsetof(Elf32_Ehdr, e_entry));
	svma = cursor->pc - mapping->bias;
	return entry && svma >= entry && svma - entry < 128;
}

int unwind_guess(struct cursor *cursor)
{
	if (is_entry(cursor))
		return 1;
	if (cursor->exact && leave_leaf(cursor) == 0)
		return 0;
	return unwind_follow_pointer(cursor);
}
