/* SPDX-License-Identifier: MIT */
/*
 * Rows for Go functions, from the table of the program (gopclntab.h): it is there without unwind
 * information, too, and says which functions have no caller.
 */
#include <elf.h>
#include <errno.h>

#include "symbolizer/gopclntab.h"
#include "symbolizer/names.h"
#include "symbolizer/unwind_internal.h"

enum { X86_RBP = 6, X86_RSP = 7, X86_PC = 16, ARM_FP = 29, ARM_LINK = 30, ARM_SP = 31 };

static struct unwind_rule saved_at(uint8_t reg, int64_t from_cfa)
{
	return (struct unwind_rule){.reg = reg, .how = UNWIND_AT, .value = from_cfa};
}

/*
 * x86-64: the return address lies at the depth, and the caller's frame pointer below it if there is
 * a frame. aarch64: the return address lies at the stack pointer, or is in its register still; the
 * frame pointer lies below the stack pointer (the ABI of Go's assembler).
 */
static unsigned make_rules(uint16_t machine, int64_t depth, struct unwind_rule *rule)
{
	unsigned n = 0;

	if (machine == EM_X86_64) {
		rule[n++] = saved_at(X86_PC, -8);
		if (depth)
			rule[n++] = saved_at(X86_RBP, -16);
	} else if (depth) {
		rule[n++] = saved_at(ARM_LINK, -depth);
		rule[n++] = saved_at(ARM_FP, -depth - 8);
	}
	return n;
}

int unwind_go_row(struct unwinder *unwinder, struct module *module, struct unwind_step *step)
{
	uint16_t machine = module->image.machine;
	struct names *names = names_of(module);
	const struct gopclntab *table = names ? names_go(names) : NULL;
	struct gopclntab_function function;
	struct unwind_rule *rule;
	int64_t depth;
	bool x86 = machine == EM_X86_64;

	if (!names)
		return -ENOMEM;
	if (!table || (!x86 && machine != EM_AARCH64) ||
		!gopclntab_find(table, step->svma, &function))
		return 0;
	depth = gopclntab_depth(table, &function, step->svma);
	if (depth < 0 && function.kind != GOPCLNTAB_TOP)
		return 0;
	rule = arena_alloc(&unwinder->arena, 2 * sizeof(*rule));
	if (!rule)
		return -ENOMEM;
	step->rule = rule;
	step->return_column = x86 ? X86_PC : ARM_LINK;
	step->cfa = (struct unwind_rule){.reg = x86 ? X86_RSP : ARM_SP,
		.how = UNWIND_IS,
		.value = depth < 0 ? 0 : depth + (x86 ? 8 : 0)};
	if (function.kind == GOPCLNTAB_TOP) {
		rule[0] = (struct unwind_rule){.reg = step->return_column, .how = UNWIND_UNDEFINED};
		step->rules = 1;
	} else {
		step->rules = (uint8_t)make_rules(machine, depth, rule);
	}
	step->usable = true;
	return 1;
}
