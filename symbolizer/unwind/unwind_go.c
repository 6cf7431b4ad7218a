/* SPDX-License-Identifier: MIT */
/* Rows for Go functions, from Go's own table (gopclntab.h), which every Go program has. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "symbolizer/gopclntab.h"
#include "symbolizer/names.h"
#include "symbolizer/unwind/unwind_internal.h"

enum {
	X86_RBP = 6,
	X86_RSP = 7,
	X86_R12 = 12,
	X86_PC = 16,
	ARM_R20 = 20,
	ARM_FP = 29,
	ARM_LINK = 30,
	ARM_SP = 31,
	RULES_MOST = 17,
};

static struct unwind_rule saved_at(uint8_t reg, int64_t from_cfa)
{
	return (struct unwind_rule){.reg = reg, .how = UNWIND_AT, .value = from_cfa};
}

/*
 * Makes the rules of a function with a frame of @depth bytes (ABI of Go's assembler), and returns
 * their number. x86-64: the return address lies directly above the frame, and the frame's last word
 * is the caller's frame pointer. aarch64: the return address is at the stack pointer, and the
 * caller's frame pointer is in the word below. If @depth is 0, the caller's frame pointer is still
 * in its register, and on aarch64 the return address, too.
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

static bool before_uncalled(const struct gopclntab *table, uint64_t svma)
{
	struct gopclntab_function next;

	return gopclntab_find(table, svma + 1, &next) && next.start == svma + 1 &&
		(next.kind == GOPCLNTAB_LEFT || next.kind == GOPCLNTAB_SIGRETURN);
}

static void fill(struct unwind_step *step, const struct gopclntab_function *f, int64_t depth,
	bool x86, struct unwind_rule *rule)
{
	struct unwind_row row;

	step->rule = rule;
	step->return_column = x86 ? X86_PC : ARM_LINK;
	step->cfa = (struct unwind_rule){.reg = x86 ? X86_RSP : ARM_SP,
		.how = UNWIND_IS,
		.value = depth < 0 ? 0 : depth + (x86 ? 8 : 0)};
	step->rules = (uint8_t)make_rules(x86 ? EM_X86_64 : EM_AARCH64, depth, rule);
	if (f->kind == GOPCLNTAB_TOP) {
		rule[0] = (struct unwind_rule){.reg = step->return_column, .how = UNWIND_UNDEFINED};
		step->rules = 1;
	} else if (f->kind == GOPCLNTAB_SIGRETURN && x86) {
		unwind_row_signal(&row);
		memcpy(rule, row.rule, RULES_MOST * sizeof(*rule));
		step->rules = RULES_MOST;
		step->cfa = row.cfa;
		step->signal = true;
	} else if (f->kind == GOPCLNTAB_CALLS_VDSO && depth > 0) {
		step->cfa.reg = x86 ? X86_R12 : ARM_R20;
		step->elsewhere = true;
	}
	step->go = (uint8_t)f->kind;
	step->usable = true;
}

int unwind_go_row(struct unwinder *unwinder, struct module *module, struct unwind_step *step)
{
	uint16_t machine = module->image.machine;
	struct names *names;
	const struct gopclntab *table;
	struct gopclntab_function function;
	struct unwind_rule *rule;
	int64_t depth;
	bool x86 = machine == EM_X86_64;

	/*
	 * names_of() parses the file, which takes time while samples come in. So it is called only
	 * for files made by Go.
	 */
	if (!module->image.go)
		return 0;
	names = names_of(module);
	if (!names)
		return -ENOMEM;
	table = names->pclntab;
	if (!table || (!x86 && machine != EM_AARCH64))
		return 0;
	step->before_uncalled = before_uncalled(table, step->svma);
	if (!gopclntab_find(table, step->svma, &function))
		return 0;
	depth = gopclntab_depth(table, &function, step->svma);
	if (depth < 0 && function.kind != GOPCLNTAB_TOP)
		return 0;
	rule = arena_alloc(&unwinder->arena, RULES_MOST * sizeof(*rule));
	if (!rule)
		return -ENOMEM;
	fill(step, &function, depth, x86, rule);
	return 1;
}
