/* SPDX-License-Identifier: MIT */
/* Steps of Go programs from a thread's own stack to that of its goroutine. */
#include <elf.h>
#include <errno.h>

#include "symbolizer/gopclntab.h"
#include "symbolizer/unwind/unwind_internal.h"

enum { X86_RSP = 7 };

/*
 * Leaves asmcgocall if it was called on the thread's own stack. The first words of its frame are
 * then {old stack pointer, 0}. They are {depth in bytes, goroutine} if it was called on a
 * goroutine's stack. -EFAULT: it was called on a goroutine's stack, the words cannot be read, or
 * the machine is not x86-64.
 */
static int leave_to_same_stack(struct cursor *cursor)
{
	uint64_t old, goroutine, pc;

	if (cursor->machine->machine != EM_X86_64 || unwind_read(cursor, cursor->sp, 8, &old) < 0 ||
		unwind_read(cursor, cursor->sp + 8, 8, &goroutine) < 0 || goroutine ||
		old <= cursor->sp || unwind_read(cursor, old, 8, &pc) < 0)
		return -EFAULT;
	cursor->pc = pc;
	cursor->sp = cursor->reg[X86_RSP] = old + 8;
	cursor->known = UINT64_C(1) << X86_RSP;
	cursor->exact = false;
	return 0;
}

/* Leaves out the function that has left the goroutine's stack: steps to its caller. */
static int skip_left(struct cursor *cursor)
{
	const struct mapping *mapping = space_find_mapping(cursor->space, cursor->pc);
	struct unwind_step *step;

	if (!mapping || !mapping->module->image.data)
		return -EFAULT;
	step = unwind_step_find(cursor->unwinder, mapping->module, cursor->pc - mapping->bias);
	if (!step)
		return -ENOMEM;
	if (!step->usable || step->go != GOPCLNTAB_LEFT) {
		/* morestack left the goroutine's stack: the saved pc is a return address. */
		cursor->exact = false;
		return 0;
	}
	cursor->mapping = mapping;
	cursor->step = step;
	return unwind_apply(cursor);
}

int unwind_go_leave(struct cursor *cursor)
{
	const struct unwind_input *input = cursor->input;
	const struct unwind_machine *machine = cursor->machine;
	enum gopclntab_kind kind = cursor->step->go;

	if ((kind != GOPCLNTAB_LEAVES && kind != GOPCLNTAB_CALLS_C) || cursor->exact)
		return -ENOENT;
	if (kind == GOPCLNTAB_CALLS_C && leave_to_same_stack(cursor) == 0)
		return 0;
	if (!input->left_sp || cursor->switched)
		return -EFAULT;
	cursor->switched = true;
	cursor->pc = input->left_pc;
	cursor->sp = cursor->reg[machine->sp] = input->left_sp;
	cursor->known = UINT64_C(1) << machine->sp;
	cursor->exact = true;
	return skip_left(cursor);
}
