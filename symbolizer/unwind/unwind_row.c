/* SPDX-License-Identifier: MIT */
#include "symbolizer/unwind/unwind_row.h"

#include <errno.h>

#include "symbolizer/base/leb128.h"
#include "symbolizer/unwind/unwind_dwarf.h"
#include "symbolizer/unwind_table.h"

enum { REMEMBERED_MOST = 16 };

struct machine {
	const struct unwind_entry *entry;
	struct unwind_row row, initial;
	struct unwind_row remembered[REMEMBERED_MOST];
	unsigned depth;
	uint64_t at; /* address at which the row begins */
	bool bad;
};

static void set(struct machine *m, uint64_t reg, enum unwind_how how, int64_t value)
{
	/* Drops rules of vector registers and the like, which unwinding does not need. */
	if (reg >= UNWIND_REGISTERS)
		return;
	m->row.rule[reg] =
		(struct unwind_rule){.reg = (uint8_t)reg, .how = (uint8_t)how, .value = value};
}

static void set_expression(struct machine *m, uint64_t reg, enum unwind_how how, struct reader *s)
{
	uint64_t bytes = get_uleb(s);
	const uint8_t *code = get_bytes(s, bytes);

	if (!code || reg >= UNWIND_REGISTERS)
		return;
	m->row.rule[reg] = (struct unwind_rule){.reg = (uint8_t)reg,
		.how = (uint8_t)how,
		.bytes = (uint32_t)bytes,
		.expression = code};
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	if (reg >= UNWIND_REGISTERS)
		m->bad = true;
	else
		m->row.cfa = (struct unwind_rule){
			.reg = (uint8_t)reg, .how = UNWIND_IS, .value = offset};
}

static void set_cfa_expression(struct machine *m, struct reader *s)
{
	uint64_t bytes = get_uleb(s);
	const uint8_t *code = get_bytes(s, bytes);

	if (code)
		m->row.cfa = (struct unwind_rule){
			.how = UNWIND_COMPUTED, .bytes = (uint32_t)bytes, .expression = code};
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg < UNWIND_REGISTERS)
		m->row.rule[reg] = m->initial.rule[reg];
}

/* Remembers (@push) or restores the row, including its CFA: gcc relies on that. */
static void remember(struct machine *m, bool push)
{
	if (push && m->depth < REMEMBERED_MOST)
		m->remembered[m->depth++] = m->row;
	else if (!push && m->depth)
		m->row = m->remembered[--m->depth];
	else
		m->bad = true;
}

static int64_t factored(const struct machine *m, uint64_t value)
{
	return (int64_t)(value * (uint64_t)m->entry->data_align);
}

static void advance(struct machine *m, uint64_t units)
{
	m->at += units * m->entry->code_align;
}

static void define_cfa(struct machine *m, unsigned op, struct reader *s)
{
	uint64_t reg;

	/* An expression has no register and no offset that could be modified. */
	if ((op == CFA_DEF_CFA_REGISTER || op == CFA_DEF_CFA_OFFSET ||
		    op == CFA_DEF_CFA_OFFSET_SF) &&
		m->row.cfa.how != UNWIND_IS) {
		m->bad = true;
		return;
	}
	switch (op) {
	case CFA_DEF_CFA:
		reg = get_uleb(s);
		set_cfa(m, reg, (int64_t)get_uleb(s));
		break;
	case CFA_DEF_CFA_SF:
		reg = get_uleb(s);
		set_cfa(m, reg, factored(m, (uint64_t)get_sleb(s)));
		break;
	case CFA_DEF_CFA_REGISTER: set_cfa(m, get_uleb(s), m->row.cfa.value); break;
	case CFA_DEF_CFA_OFFSET: m->row.cfa.value = (int64_t)get_uleb(s); break;
	case CFA_DEF_CFA_OFFSET_SF: m->row.cfa.value = factored(m, (uint64_t)get_sleb(s)); break;
	default: set_cfa_expression(m, s);
	}
}

static void extended(struct machine *m, unsigned op, struct reader *s)
{
	uint64_t reg;

	switch (op) {
	case CFA_NOP: break;
	case CFA_ADVANCE_LOC1: advance(m, get_u8(s)); break;
	case CFA_ADVANCE_LOC2: advance(m, get_u16(s)); break;
	case CFA_ADVANCE_LOC4: advance(m, get_u32(s)); break;
	case CFA_OFFSET_EXTENDED:
		reg = get_uleb(s);
		set(m, reg, UNWIND_AT, factored(m, get_uleb(s)));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		reg = get_uleb(s);
		set(m, reg, UNWIND_AT, factored(m, (uint64_t)get_sleb(s)));
		break;
	case CFA_GNU_NEGATIVE:
		reg = get_uleb(s);
		set(m, reg, UNWIND_AT, -factored(m, get_uleb(s)));
		break;
	case CFA_VAL_OFFSET:
		reg = get_uleb(s);
		set(m, reg, UNWIND_IS, factored(m, get_uleb(s)));
		break;
	case CFA_VAL_OFFSET_SF:
		reg = get_uleb(s);
		set(m, reg, UNWIND_IS, factored(m, (uint64_t)get_sleb(s)));
		break;
	case CFA_RESTORE_EXTENDED: restore(m, get_uleb(s)); break;
	case CFA_UNDEFINED: set(m, get_uleb(s), UNWIND_UNDEFINED, 0); break;
	case CFA_SAME_VALUE: set(m, get_uleb(s), UNWIND_SAME, 0); break;
	case CFA_REGISTER:
		reg = get_uleb(s);
		set(m, reg, UNWIND_REGISTER, (int64_t)get_uleb(s));
		break;
	case CFA_REMEMBER_STATE: remember(m, true); break;
	case CFA_RESTORE_STATE: remember(m, false); break;
	case CFA_EXPRESSION:
		reg = get_uleb(s);
		set_expression(m, reg, UNWIND_AT_COMPUTED, s);
		break;
	case CFA_VAL_EXPRESSION:
		reg = get_uleb(s);
		set_expression(m, reg, UNWIND_COMPUTED, s);
		break;
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_CFA_REGISTER:
	case CFA_DEF_CFA_OFFSET:
	case CFA_DEF_CFA_OFFSET_SF:
	case CFA_DEF_CFA_EXPRESSION: define_cfa(m, op, s); break;
	case CFA_GNU_ARGS_SIZE: (void)get_uleb(s); break;
	case CFA_AARCH64_NEGATE_RA_STATE:
		break;          /* unwind_apply_at() strips the signature by pc_mask. */
	default: m->bad = true; /* Also CFA_set_loc, which no compiler emits. */
	}
}

/* Runs instructions until a row begins above @svma: m->row is then the one for @svma. */
static void run(struct machine *m, const uint8_t *code, const uint8_t *end, uint64_t svma)
{
	struct reader s = {code, end, false};

	while (s.p < s.end && !s.bad && !m->bad) {
		uint8_t op = get_u8(&s);

		switch (op & 0xc0) {
		case CFA_ADVANCE_LOC: advance(m, op & 0x3f); break;
		case CFA_OFFSET: set(m, op & 0x3f, UNWIND_AT, factored(m, get_uleb(&s))); break;
		case CFA_RESTORE: restore(m, op & 0x3f); break;
		default: extended(m, op, &s);
		}
		if (m->at > svma)
			return;
	}
	m->bad |= s.bad;
}

int unwind_row_make(const struct unwind_entry *entry, uint64_t svma, struct unwind_row *ret_row)
{
	struct machine m;

	m.entry = entry;
	m.depth = 0;
	m.bad = entry->return_column >= UNWIND_REGISTERS;
	m.at = 0;
	memset(&m.row, 0, sizeof(m.row));
	m.initial = m.row;
	run(&m, entry->initial, entry->initial_end, UINT64_MAX);
	m.initial = m.row;
	m.at = entry->low;
	run(&m, entry->code, entry->code_end, svma);
	if (m.bad || m.row.cfa.how == UNWIND_SAME)
		return -ENOEXEC;
	m.row.return_column = (uint8_t)entry->return_column;
	m.row.signal = entry->signal;
	*ret_row = m.row;
	return 0;
}

void unwind_row_signal(struct unwind_row *ret_row)
{
	static const uint8_t place[] = {/* by DWARF number: the index in the kernel's order */
		13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16};

	*ret_row = (struct unwind_row){
		.cfa = {.reg = 7, .how = UNWIND_IS}, .return_column = 16, .signal = true};
	for (uint8_t i = 0; i < sizeof(place); i++)
		ret_row->rule[i] = (struct unwind_rule){
			.reg = i, .how = UNWIND_AT, .value = 40 + 8 * (int64_t)place[i]};
}
