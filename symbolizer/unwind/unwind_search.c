/* SPDX-License-Identifier: MIT */
/*
 * Finds a frame's return address if the CFA depends on a register that is unknown because the
 * thread was not stopped. Usually the CFA depends on the frame pointer (unoptimized code,
 * variable-length arrays). The return address is found by one of the following, in this order:
 *
 *  - what the function's first instructions push, and subtract from the stack pointer;
 *  - a return address behind a call of this very function;
 *  - a return address behind a call of unknown target (a pointer, or a PLT entry), if the frame
 *    pointer next to it leads to another frame.
 *
 * A return address behind a call of another function is left over from an earlier call.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "symbolizer/unwind/unwind_internal.h"
#include "symbolizer/unwind_table.h"

/* Bytes of the stack in which a return address is searched for. */
#define SEARCH_BYTES   65536
#define PROLOGUE_BYTES 40
/* Once a frame is found its caller's registers are known, so a valid stack needs few searches. */
#define SEARCHES_MOST 64

enum callee { CALLEE_NONE, CALLEE_UNKNOWN, CALLEE_OTHER, CALLEE_THIS };

struct search {
	struct cursor *cursor;
	uint64_t start; /* runtime address of the function */
	uint64_t least; /* lower bound of the CFA */
};

static enum callee callee_of(const struct search *search, uint64_t pc)
{
	const struct cursor *cursor = search->cursor;
	const struct mapping *mapping;
	struct unwind_entry entry;
	uint64_t target;

	if (!unwind_follows_call(cursor, pc, &target))
		return CALLEE_NONE;
	if (!target)
		return CALLEE_UNKNOWN;
	if (target == search->start)
		return CALLEE_THIS;
	mapping = space_find_mapping(cursor->space, target);
	if (!mapping || !mapping->execute || !mapping->module->image.data)
		return CALLEE_NONE;
	/*
	 * An entry of the call frame information begins where a function begins. All stubs of a PLT
	 * share one entry, so a target inside an entry is a stub, whose own target is unknown.
	 */
	if (unwind_table_find(mapping->module, target - mapping->bias, &entry) == 0 &&
		entry.low == target - mapping->bias)
		return CALLEE_OTHER;
	return CALLEE_UNKNOWN;
}

static bool return_address_at(const struct search *search, uint64_t cfa, uint64_t *ret_pc)
{
	struct cursor *cursor = search->cursor;

	return unwind_read(cursor, cfa - cursor->machine->width, cursor->machine->width, ret_pc) ==
		0 &&
		unwind_is_code(cursor, *ret_pc - 1);
}

/*
 * Bytes that an x86-64 function has below its return address after these instructions: push %rbp;
 * mov %rsp,%rbp; push …; and $-align,%rsp; sub $n,%rsp. The last two may be missing; *@ret_align is
 * 1 without "and". Returns 0 if the function begins with other instructions.
 */
static uint64_t frame_bytes_x86(const uint8_t code[PROLOGUE_BYTES], unsigned *ret_align)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa}, set[] = {0x48, 0x89, 0xe5};
	const uint8_t *at = code, *end = code + PROLOGUE_BYTES - 8;
	uint64_t bytes = 8;
	uint32_t less = 0;

	if (memcmp(at, endbr, sizeof(endbr)) == 0)
		at += sizeof(endbr);
	if (*at++ != 0x55 || memcmp(at, set, sizeof(set)) != 0)
		return 0;
	at += sizeof(set);
	while (at < end &&
		((*at >= 0x50 && *at <= 0x57) || (*at == 0x41 && at[1] >= 0x50 && at[1] <= 0x57))) {
		at += *at == 0x41 ? 2 : 1;
		bytes += 8;
	}
	*ret_align = 1;
	if (at[0] == 0x48 && at[1] == 0x83 && at[2] == 0xe4 && at[3] & 0x80) {
		*ret_align = 256 - at[3];
		at += 4;
	}
	if (at[0] == 0x48 && at[1] == 0x83 && at[2] == 0xec)
		less = at[3] & 0x80 ? 0 : at[3];
	else if (at[0] == 0x48 && at[1] == 0x81 && at[2] == 0xec)
		memcpy(&less, at + 3, sizeof(less));
	return bytes + less;
}

static bool by_first_instructions(const struct search *search, uint64_t *ret_cfa)
{
	const struct cursor *cursor = search->cursor;
	uint8_t code[PROLOGUE_BYTES];
	uint64_t bytes, least, pc;
	unsigned align;

	if (cursor->machine->machine != EM_X86_64 ||
		space_read(cursor->space, search->start, code, sizeof(code)) != sizeof(code))
		return false;
	bytes = frame_bytes_x86(code, &align);
	if (!bytes)
		return false;
	/*
	 * A function that aligns the stack pointer skips fewer than @align bytes, so the CFA is one
	 * of the words below @least + @align. If it aligns, the CFA is a multiple of 16 (ABI).
	 */
	least = cursor->sp + bytes + 8;
	for (uint64_t cfa = least; cfa < least + align; cfa += 8) {
		enum callee callee;

		if (cfa < search->least || (align > 1 && cfa % 16) ||
			!return_address_at(search, cfa, &pc))
			continue;
		callee = callee_of(search, pc);
		*ret_cfa = cfa;
		if (callee == CALLEE_THIS || callee == CALLEE_UNKNOWN)
			return true;
	}
	return false;
}

/* Does the supposed frame pointer of the caller lead to a return address further out? */
static bool pointer_leads_on(const struct search *search, uint64_t cfa)
{
	struct cursor *cursor = search->cursor;
	unsigned width = cursor->machine->width;
	uint64_t pointer, pc, target;

	return unwind_read(cursor, cfa - 2 * width, width, &pointer) == 0 && pointer >= cfa &&
		pointer % width == 0 && unwind_read(cursor, pointer + width, width, &pc) == 0 &&
		unwind_follows_call(cursor, pc, &target);
}

static bool by_return_address(const struct search *search, uint64_t *ret_cfa)
{
	unsigned width = search->cursor->machine->width;
	uint64_t end = search->least + SEARCH_BYTES, second = 0, pc;
	bool beyond = search->cursor->beyond;

	for (uint64_t cfa = search->least; cfa < end; cfa += width) {
		enum callee callee;

		if (!return_address_at(search, cfa, &pc))
			continue;
		callee = callee_of(search, pc);
		if (callee == CALLEE_THIS) {
			*ret_cfa = cfa;
			return true;
		}
		if (callee == CALLEE_UNKNOWN && !second && pointer_leads_on(search, cfa))
			second = cfa;
	}
	/*
	 * The return address is inside the copy of the stack. So the stack is not truncated here,
	 * even if the search has read behind the copy's end.
	 */
	if (second)
		search->cursor->beyond = beyond;
	*ret_cfa = second;
	return second != 0;
}

/* A lower bound of the CFA: the registers that the function has saved lie between sp and CFA. */
static uint64_t least_cfa(const struct cursor *cursor)
{
	const struct unwind_step *step = cursor->step;
	unsigned width = cursor->machine->width;
	int64_t lowest = -(int64_t)width;

	for (unsigned i = 0; i < step->rules; i++) {
		if (step->rule[i].how == UNWIND_AT && step->rule[i].value < lowest)
			lowest = step->rule[i].value;
	}
	if (lowest < -SEARCH_BYTES)
		lowest = -(int64_t)width;
	return ((cursor->sp + width - 1) & ~(uint64_t)(width - 1)) + (uint64_t)-lowest;
}

int unwind_search(struct cursor *cursor)
{
	struct search search = {.cursor = cursor, .least = least_cfa(cursor)};
	uint64_t svma = cursor->pc - !cursor->exact - cursor->mapping->bias, cfa;
	struct unwind_entry entry;
	int r = unwind_table_find(cursor->mapping->module, svma, &entry);

	if (r < 0 || cursor->step->signal || ++cursor->searches > SEARCHES_MOST)
		return r == -ENOMEM ? r : -ENOEXEC;
	search.start = entry.low + cursor->mapping->bias;
	if (!by_first_instructions(&search, &cfa) && !by_return_address(&search, &cfa))
		return -ENOEXEC;
	r = unwind_apply_at(cursor, cfa);
	if (r == 0)
		cursor->guessed = cursor->searched = true;
	return r;
}
