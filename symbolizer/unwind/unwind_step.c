/* SPDX-License-Identifier: MIT */
/* The cache of the modules' rows of call frame information; the step to the caller by a row. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/unwind/unwind_expr.h"
#include "symbolizer/unwind/unwind_internal.h"
#include "symbolizer/unwind_table.h"

/*
 * Is the code at @svma "mov $15,%rax; syscall", where signal handlers return to? That of musl has
 * no call frame information.
 */
static bool is_sigreturn(const struct module *module, uint64_t svma)
{
	static const uint8_t code[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
	const struct slice at = elfimage_at(&module->image, svma);

	return module->image.machine == EM_X86_64 && at.bytes >= sizeof(code) &&
		memcmp(at.data, code, sizeof(code)) == 0;
}

/* Fills a step from @row. @rules: room for its rules, which must live as long as the step. */
static void fill(struct unwind_step *step, const struct unwind_row *row, struct unwind_rule *rules)
{
	step->rule = rules;
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
		if (row->rule[i].how != UNWIND_SAME)
			*rules++ = row->rule[i];
	}
	step->rules = (uint8_t)(rules - step->rule);
	step->cfa = row->cfa;
	step->return_column = row->return_column;
	step->signal = row->signal;
	step->usable = true;
}

void unwind_step_generated(
	struct cursor *cursor, uint64_t pc, const struct unwind_generated *generated)
{
	struct unwind_entry entry;
	struct unwind_row row;

	cursor->own = (struct unwind_step){.svma = pc};
	if (unwind_table_read_piece(generated->eh_frame, generated->bytes, generated->start,
		    generated->end, &entry) == 0 &&
		unwind_row_make(&entry, pc, &row) == 0)
		fill(&cursor->own, &row, cursor->own_rule);
}

static int make(struct unwinder *unwinder, struct module *module, struct unwind_step *step)
{
	struct unwind_entry entry;
	struct unwind_row row;
	struct unwind_rule *rules;
	unsigned n = 0;
	int r = unwind_go_row(unwinder, module, step);

	if (r)
		return r < 0 ? r : 0;
	r = unwind_table_find(module, step->svma, &entry);
	if (r == 0)
		r = unwind_row_make(&entry, step->svma, &row);
	if (r < 0 && r != -ENOMEM && is_sigreturn(module, step->svma)) {
		unwind_row_signal(&row);
		r = 0;
	}
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		n += row.rule[i].how != UNWIND_SAME;
	rules = arena_alloc(&unwinder->arena, (n + 1) * sizeof(*rules));
	if (!rules)
		return -ENOMEM;
	fill(step, &row, rules);
	return 0;
}

static bool step_equal(const void *items, uint32_t index, const void *key)
{
	const struct unwind_step *a = ((struct unwind_step *const *)items)[index], *b = key;

	return a->svma == b->svma && a->module == b->module;
}

struct unwind_step *unwind_step_find(
	struct unwinder *unwinder, struct module *module, uint64_t svma)
{
	struct unwind_step key = {.module = module, .svma = svma}, *step;
	uint64_t hash = table_mix(svma, (uintptr_t)module);
	int index = table_find(&unwinder->by_place, hash, step_equal, unwinder->step, &key);

	if (index >= 0)
		return unwinder->step[index];
	step = arena_alloc(&unwinder->arena, sizeof(*step));
	if (!step)
		return NULL;
	*step = key;
	if (make(unwinder, module, step) < 0 ||
		array_grow(&unwinder->step, &unwinder->step_room, unwinder->steps + 1) < 0 ||
		table_add(&unwinder->by_place, hash, (uint32_t)unwinder->steps) < 0)
		return NULL;
	unwinder->step[unwinder->steps++] = step;
	return step;
}

int unwind_read(struct cursor *cursor, uint64_t address, unsigned bytes, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < UNWIND_PIECES; i++) {
		const struct unwind_piece *piece = &cursor->input->piece[i];
		uint64_t at = address - piece->base;

		if (at < piece->bytes && piece->bytes - at >= bytes) {
			memcpy(&value, piece->data + at, bytes);
			*ret_value = value;
			return 0;
		}
	}
	/*
	 * A read up to 1 GiB behind the end of a truncated copy probably means the rest of the
	 * stack. An address further away is not taken for one of this stack.
	 */
	for (unsigned i = 0; i < UNWIND_PIECES && cursor->input->truncated; i++) {
		const struct unwind_piece *piece = &cursor->input->piece[i];

		if (piece->bytes && address + bytes - piece->base > piece->bytes &&
			address - piece->base < piece->bytes + (UINT64_C(1) << 30))
			cursor->beyond = true;
	}
	if (space_read(cursor->space, address, &value, bytes) != bytes)
		return -EFAULT;
	*ret_value = value;
	return 0;
}

static int read_for_expression(void *context, uint64_t address, unsigned bytes, uint64_t *ret_value)
{
	struct cursor *cursor = context;
	unsigned width = cursor->machine->width;

	return unwind_read(cursor, address, bytes < width ? bytes : width, ret_value);
}

static int run_expression(struct cursor *cursor, const struct unwind_rule *rule, bool has_cfa,
	uint64_t cfa, uint64_t *ret_value)
{
	const struct unwind_expr_context context = {
		cursor->reg, cursor->known, read_for_expression, cursor};

	return unwind_expr_run(&context, rule->expression, rule->bytes, has_cfa, cfa, ret_value);
}

static int find_cfa(struct cursor *cursor, uint64_t *ret_cfa)
{
	const struct unwind_rule *rule = &cursor->step->cfa;

	if (rule->how == UNWIND_COMPUTED)
		return run_expression(cursor, rule, false, 0, ret_cfa);
	if (!(cursor->known >> rule->reg & 1))
		return -ENOEXEC;
	*ret_cfa = cursor->reg[rule->reg] + (uint64_t)rule->value;
	return 0;
}

/* The caller's value of a register; *@ret_known false: it is lost. */
static int find_value(struct cursor *cursor, const struct unwind_rule *rule, uint64_t cfa,
	uint64_t *ret_value, bool *ret_known)
{
	uint64_t address;
	int r;

	*ret_known = true;
	switch (rule->how) {
	case UNWIND_AT:
		return unwind_read(
			cursor, cfa + (uint64_t)rule->value, cursor->machine->width, ret_value);
	case UNWIND_IS: *ret_value = cfa + (uint64_t)rule->value; return 0;
	case UNWIND_REGISTER:
		if ((uint64_t)rule->value >= UNWIND_REGISTERS)
			return -ENOEXEC;
		*ret_known = cursor->known >> rule->value & 1;
		*ret_value = cursor->reg[rule->value];
		return 0;
	case UNWIND_AT_COMPUTED:
		r = run_expression(cursor, rule, true, cfa, &address);
		return r < 0 ? r : unwind_read(cursor, address, cursor->machine->width, ret_value);
	case UNWIND_COMPUTED: return run_expression(cursor, rule, true, cfa, ret_value);
	default: *ret_known = false; return 0;
	}
}

/* A caller's stack pointer is higher, unless the caller may be on another stack. */
static bool goes_outwards(const struct cursor *cursor, uint64_t sp)
{
	if (cursor->step->signal || cursor->step->elsewhere)
		return true;
	return sp > cursor->sp || (sp == cursor->sp && cursor->exact);
}

int unwind_apply(struct cursor *cursor)
{
	uint64_t cfa;
	int r = find_cfa(cursor, &cfa);

	return r < 0 ? r : unwind_apply_at(cursor, cfa);
}

int unwind_apply_at(struct cursor *cursor, uint64_t cfa)
{
	const struct unwind_step *step = cursor->step;
	const struct unwind_machine *machine = cursor->machine;
	uint64_t pc, value[UNWIND_REGISTERS], known = cursor->known;
	bool has_return = step->return_column == machine->link, saved;
	int r;

	pc = cursor->reg[step->return_column];
	has_return &= cursor->known >> step->return_column & 1;
	for (unsigned i = 0; i < step->rules; i++) {
		const struct unwind_rule *rule = &step->rule[i];

		r = find_value(cursor, rule, cfa, &value[i], &saved);
		if (r < 0 && rule->reg != step->return_column && rule->reg != machine->sp) {
			/* Goes on with the register unknown, as it may never be needed. */
			saved = false;
			r = 0;
		}
		if (r < 0)
			return r;
		if (rule->reg == step->return_column) {
			if (!saved)
				return 1;
			pc = value[i];
			has_return = true;
		}
		known = saved ? known | UINT64_C(1) << rule->reg
			      : known & ~(UINT64_C(1) << rule->reg);
	}
	if (!has_return)
		return -ENOEXEC;
	pc &= machine->pc_mask;
	if (pc == 0)
		return 1;
	for (unsigned i = 0; i < step->rules; i++) {
		if (step->rule[i].reg == machine->sp)
			cfa = value[i];
	}
	if (!goes_outwards(cursor, cfa))
		return -EFAULT;
	for (unsigned i = 0; i < step->rules; i++)
		cursor->reg[step->rule[i].reg] = value[i];
	cursor->reg[machine->sp] = cursor->sp = cfa;
	cursor->known = known | UINT64_C(1) << machine->sp;
	cursor->pc = pc;
	cursor->exact = step->signal;
	cursor->guessed = cursor->pointed = false;
	return 0;
}
