/* SPDX-License-Identifier: MIT */
#include "symbolizer/unwind/unwind_expr.h"

#include <errno.h>

#include "symbolizer/base/leb128.h"
#include "symbolizer/unwind/unwind_dwarf.h"
#include "symbolizer/unwind/unwind_row.h"

enum { STACK_MOST = 64, STEPS_MOST = 1000 };

struct stack {
	uint64_t at[STACK_MOST];
	unsigned n;
	bool bad;
};

static void push(struct stack *stack, uint64_t value)
{
	if (stack->n < STACK_MOST)
		stack->at[stack->n++] = value;
	else
		stack->bad = true;
}

static uint64_t pop(struct stack *stack)
{
	if (stack->n)
		return stack->at[--stack->n];
	stack->bad = true;
	return 0;
}

static void pick(struct stack *stack, unsigned depth)
{
	if (depth < stack->n)
		push(stack, stack->at[stack->n - 1 - depth]);
	else
		stack->bad = true;
}

static void push_register(const struct unwind_expr_context *context, struct stack *stack,
	uint64_t reg, int64_t offset)
{
	if (reg < UNWIND_REGISTERS && context->known >> reg & 1)
		push(stack, context->reg[reg] + (uint64_t)offset);
	else
		stack->bad = true;
}

static bool constant(unsigned op, struct reader *s, struct stack *stack)
{
	switch (op) {
	case OP_CONST1U: push(stack, get_u8(s)); return true;
	case OP_CONST1S: push(stack, (uint64_t)(int8_t)get_u8(s)); return true;
	case OP_CONST2U: push(stack, get_u16(s)); return true;
	case OP_CONST2S: push(stack, (uint64_t)(int16_t)get_u16(s)); return true;
	case OP_CONST4U: push(stack, get_u32(s)); return true;
	case OP_CONST4S: push(stack, (uint64_t)(int32_t)get_u32(s)); return true;
	case OP_CONST8U:
	case OP_CONST8S: push(stack, get_u64(s)); return true;
	case OP_CONSTU: push(stack, get_uleb(s)); return true;
	case OP_CONSTS: push(stack, (uint64_t)get_sleb(s)); return true;
	default: return false;
	}
}

static bool arrange(unsigned op, struct reader *s, struct stack *stack)
{
	uint64_t a, b, c;

	switch (op) {
	case OP_DUP: pick(stack, 0); return true;
	case OP_DROP: (void)pop(stack); return true;
	case OP_OVER: pick(stack, 1); return true;
	case OP_PICK: pick(stack, get_u8(s)); return true;
	case OP_SWAP:
		a = pop(stack), b = pop(stack);
		push(stack, a), push(stack, b);
		return true;
	case OP_ROT:
		a = pop(stack), b = pop(stack), c = pop(stack);
		push(stack, a), push(stack, c), push(stack, b);
		return true;
	default: return false;
	}
}

static bool one_operand(unsigned op, struct reader *s, struct stack *stack)
{
	uint64_t a;

	switch (op) {
	case OP_ABS:
		a = pop(stack);
		push(stack, (int64_t)a < 0 ? -a : a);
		return true;
	case OP_NEG: push(stack, -pop(stack)); return true;
	case OP_NOT: push(stack, ~pop(stack)); return true;
	case OP_PLUS_UCONST:
		a = get_uleb(s);
		push(stack, pop(stack) + a);
		return true;
	default: return false;
	}
}

/* @b is the top of the stack, @a the entry below. */
static bool two_operands(unsigned op, uint64_t a, uint64_t b, uint64_t *ret_value)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case OP_AND: *ret_value = a & b; return true;
	case OP_OR: *ret_value = a | b; return true;
	case OP_XOR: *ret_value = a ^ b; return true;
	case OP_PLUS: *ret_value = a + b; return true;
	case OP_MINUS: *ret_value = a - b; return true;
	case OP_MUL: *ret_value = a * b; return true;
	case OP_DIV: *ret_value = y == 0 ? 0 : y == -1 ? -a : (uint64_t)(x / y); return y != 0;
	case OP_MOD: *ret_value = b ? a % b : 0; return b != 0;
	case OP_SHL: *ret_value = b < 64 ? a << b : 0; return true;
	case OP_SHR: *ret_value = b < 64 ? a >> b : 0; return true;
	case OP_SHRA: *ret_value = (uint64_t)(x >> (b < 63 ? b : 63)); return true;
	case OP_EQ: *ret_value = a == b; return true;
	case OP_NE: *ret_value = a != b; return true;
	case OP_GE: *ret_value = x >= y; return true;
	case OP_GT: *ret_value = x > y; return true;
	case OP_LE: *ret_value = x <= y; return true;
	case OP_LT: *ret_value = x < y; return true;
	default: return false;
	}
}

static void jump(struct reader *s, const uint8_t *begin, bool taken)
{
	int16_t distance = (int16_t)get_u16(s);

	if (!taken)
		return;
	if (distance < begin - s->p || distance > s->end - s->p)
		s->bad = true;
	else
		s->p += distance;
}

static int load(const struct unwind_expr_context *context, struct stack *stack, unsigned bytes)
{
	uint64_t value = 0;
	int r;

	if (bytes == 0 || bytes > 8)
		return -ENOEXEC;
	r = context->read(context->context, pop(stack), bytes, &value);
	if (r == 0)
		push(stack, value);
	return r;
}

static void binary(unsigned op, struct stack *stack)
{
	uint64_t b = pop(stack), a = pop(stack), value = 0;

	if (!two_operands(op, a, b, &value))
		stack->bad = true;
	push(stack, value);
}

int unwind_expr_run(const struct unwind_expr_context *context, const uint8_t *code, size_t bytes,
	bool has_first, uint64_t first, uint64_t *ret_value)
{
	struct stack stack = {.n = 0};
	struct reader s = reader_over(code, bytes);
	int r = 0;

	if (has_first)
		push(&stack, first);
	for (unsigned steps = 0; s.p < s.end && r == 0; steps++) {
		unsigned op = get_u8(&s);

		if (steps == STEPS_MOST)
			return -ENOEXEC;
		if (op >= OP_LIT0 && op <= OP_LIT31) {
			push(&stack, op - OP_LIT0);
		} else if (op >= OP_BREG0 && op <= OP_BREG31) {
			push_register(context, &stack, op - OP_BREG0, get_sleb(&s));
		} else if (op == OP_BREGX) {
			uint64_t reg = get_uleb(&s);

			push_register(context, &stack, reg, get_sleb(&s));
		} else if (op == OP_DEREF) {
			r = load(context, &stack, 8);
		} else if (op == OP_DEREF_SIZE) {
			r = load(context, &stack, get_u8(&s));
		} else if (op == OP_SKIP || op == OP_BRA) {
			jump(&s, code, op == OP_SKIP || pop(&stack) != 0);
		} else if (op != OP_NOP && !constant(op, &s, &stack) && !arrange(op, &s, &stack) &&
			!one_operand(op, &s, &stack)) {
			binary(op, &stack);
		}
		if (s.bad || stack.bad)
			return -ENOEXEC;
	}
	if (r == 0)
		*ret_value = pop(&stack);
	return r < 0 ? r : stack.bad ? -ENOEXEC : 0;
}
