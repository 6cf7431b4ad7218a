/* SPDX-License-Identifier: MIT */
#include "symbolizer/unwind/unwind.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/unwind/unwind_internal.h"

/*
 * Limit of frames whose caller may be on another stack (signals, calls of the vdso by Go). All
 * other steps go further out on one stack, so a stack that never ends must have many of these
 * frames.
 */
#define SIGNALS_MOST 64

#define BIT(n) (UINT64_C(1) << (n))

static const struct unwind_machine machines[] = {
	/* A call preserves rbx, rbp, r12-r15. */
	{EM_X86_64, 17, 7, 6, UNWIND_NO_LINK, 8,
		BIT(3) | BIT(6) | BIT(12) | BIT(13) | BIT(14) | BIT(15), UINT64_MAX},
	/* A call preserves ebx, ebp, esi, edi. */
	{EM_386, 9, 4, 5, UNWIND_NO_LINK, 4, BIT(3) | BIT(5) | BIT(6) | BIT(7), UINT32_MAX},
	/* A call preserves x19-x30. */
	{EM_AARCH64, 33, 31, 29, 30, 8, UINT64_C(0x7ff80000), UINT64_C(0xffffffffffff)},
};

int unwinder_new(struct symbolizer *symbolizer, struct unwinder **ret_unwinder)
{
	struct unwinder *unwinder = calloc(1, sizeof(*unwinder));

	if (!unwinder)
		return -ENOMEM;
	unwinder->symbolizer = symbolizer;
	*ret_unwinder = unwinder;
	return 0;
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	arena_release(&unwinder->arena);
	table_release(&unwinder->by_place);
	free(unwinder->step);
	free(unwinder->frame);
	free(unwinder);
}

static const struct unwind_machine *machine_of(uint16_t number)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (machines[i].machine == number)
			return &machines[i];
	}
	return NULL;
}

static void begin(struct cursor *cursor)
{
	const struct unwind_input *input = cursor->input;
	const struct unwind_machine *machine = machine_of(input->machine);

	cursor->pc = input->pc;
	cursor->sp = input->sp;
	cursor->exact = true;
	if (machine && input->blocked && input->piece[0].base) {
		cursor->machine = machine;
		cursor->known = BIT(machine->sp) | BIT(machine->registers - 1);
		cursor->reg[machine->sp] = input->sp;
		/* The rows of PLT stubs use the pc, which is the last register. */
		cursor->reg[machine->registers - 1] = input->pc;
	}
	if (!machine || input->blocked || input->registers < machine->registers)
		return;
	cursor->machine = machine;
	memcpy(cursor->reg, input->reg, machine->registers * sizeof(*cursor->reg));
	cursor->known = BIT(machine->registers) - 1;
	cursor->reg[machine->sp] = input->sp;
}

/* Code that was made at run time, and is in no file. */
static bool is_generated(const struct mapping *mapping)
{
	return mapping && mapping->execute && !mapping->module->image.data && !mapping->inode &&
		strcmp(mapping->name, "[vsyscall]") != 0;
}

static bool read_word(void *reader, uint64_t address, uint64_t *ret_word)
{
	return unwind_read(reader, address, sizeof(*ret_word), ret_word) == 0;
}

/*
 * Calls unwind_input.runtime(). 1: the code at the pc is the runtime's; 0: it is not, or there is
 * no runtime; -ENOMEM.
 */
static int ask_runtime(struct cursor *cursor)
{
	const struct unwind_input *input = cursor->input;
	const struct unwind_machine *machine = cursor->machine;
	const bool has_fp = machine && cursor->known >> machine->fp & 1;
	const struct unwind_runtime_frame frame = {.pc = cursor->pc,
		.sp = cursor->sp,
		.fp = has_fp ? cursor->reg[machine->fp] : 0,
		.exact = cursor->exact,
		.reg = cursor->exact && machine && cursor->known + 1 == BIT(machine->registers)
			? cursor->reg
			: NULL,
		.read = read_word,
		.reader = cursor,
		.left_pc = input->left_pc,
		.left_sp = cursor->dropped ? 0 : input->left_sp};
	int r;

	if (!input->runtime)
		return 0;
	cursor->caller = (struct unwind_runtime_caller){0};
	r = input->runtime(input->generated_context, &frame, &cursor->caller);
	cursor->of_runtime = r > 0;
	cursor->dropped |= cursor->caller.drop_left;
	return r;
}

/*
 * Finds out how to unwind generated code: asks the runtime and, if the code is not the runtime's,
 * unwind_input.generated(). -ENOMEM.
 */
static int locate_generated(struct cursor *cursor, uint64_t pc)
{
	const struct unwind_input *input = cursor->input;
	struct unwind_generated generated;
	int r = ask_runtime(cursor);

	if (r)
		return r < 0 ? r : 0;
	r = input->generated
		? input->generated(input->generated_context, pc, cursor->mapping->start, &generated)
		: 0;

	if (r <= 0)
		return r;
	cursor->trampoline = generated.trampoline;
	if (generated.eh_frame) {
		unwind_step_generated(cursor, pc, &generated);
		cursor->step = &cursor->own;
	}
	return 0;
}

/*
 * Finds the pc's mapping and unwind row. If the pc is a return address, the row is that of the byte
 * before, which is in the call. If that byte has no row, or unwind_step.before_uncalled is set, the
 * row is that of the pc itself: there need not be a call, as makecontext() makes a function return
 * to the first byte of another one.
 * -ENOMEM.
 */
static int locate(struct cursor *cursor)
{
	struct unwind_step *at_pc;
	uint64_t pc = cursor->pc - !cursor->exact;
	const struct mapping *mapping = cursor->mapping;

	if (!mapping || pc < mapping->start || pc >= mapping->end)
		cursor->mapping = mapping = space_find_mapping(cursor->space, pc);
	cursor->step = NULL;
	cursor->uncalled = cursor->trampoline = cursor->of_runtime = false;
	if (is_generated(mapping))
		return locate_generated(cursor, pc);
	/* Asks about a pc in no mapping, too: a runtime's code may be newer than the maps. */
	if (!mapping || !mapping->module->image.data) {
		int r = ask_runtime(cursor);

		return r < 0 ? r : 0;
	}
	cursor->step = unwind_step_find(cursor->unwinder, mapping->module, pc - mapping->bias);
	if (!cursor->step || cursor->exact || cursor->pc >= mapping->end ||
		(cursor->step->usable && !cursor->step->before_uncalled))
		return cursor->step ? 0 : -ENOMEM;
	at_pc = unwind_step_find(cursor->unwinder, mapping->module, cursor->pc - mapping->bias);
	if (at_pc && at_pc->usable) {
		cursor->uncalled = !cursor->step->before_uncalled && !at_pc->signal;
		cursor->step = at_pc;
		cursor->exact = true;
	}
	return at_pc ? 0 : -ENOMEM;
}

static struct unwind_frame *room_for(struct unwinder *unwinder, size_t n)
{
	return array_grow(&unwinder->frame, &unwinder->frame_room, n) < 0 ? NULL : unwinder->frame;
}

static int add_frame(const struct cursor *cursor, struct unwind_result *result)
{
	struct unwind_frame *frames = room_for(cursor->unwinder, result->n + 1);
	struct unwind_frame *frame;
	uint64_t pc = cursor->pc - !cursor->exact;

	if (!frames)
		return -ENOMEM;
	frame = &frames[result->n++];
	frame->pc = pc;
	frame->sp = cursor->sp;
	frame->guessed = cursor->guessed;
	frame->searched = cursor->searched;
	frame->signal = cursor->step && cursor->step->usable && cursor->step->signal;
	frame->tag = cursor->step && cursor->step != &cursor->own ? &cursor->step->tag : NULL;
	frame->generated = is_generated(cursor->mapping) ? cursor->mapping->start : 0;
	frame->runtime_tag = cursor->of_runtime ? cursor->caller.tag : 0;
	frame->gap = cursor->of_runtime && cursor->caller.gap;
	if (cursor->mapping) {
		frame->location.module = cursor->mapping->module;
		frame->location.svma = pc - cursor->mapping->bias;
	} else {
		(void)space_find(cursor->space, pc, &frame->location);
	}
	result->guessed += cursor->guessed;
	return 0;
}

/* Adds frames that have only tags (unwind_runtime_caller.inner), then the cursor's frame. */
static int add_frames(const struct cursor *cursor, struct unwind_result *result)
{
	const struct unwind_runtime_caller *caller = &cursor->caller;
	size_t n = cursor->of_runtime ? caller->inners : 0;

	for (size_t i = 0; i < n && result->n < UNWIND_FRAMES_MOST - 1; i++) {
		int r = add_frame(cursor, result);

		if (r < 0)
			return r;
		cursor->unwinder->frame[result->n - 1].runtime_tag = caller->inner[i];
		cursor->unwinder->frame[result->n - 1].gap = false;
	}
	return add_frame(cursor, result);
}

static int step_out(struct cursor *cursor)
{
	bool usable = cursor->step && cursor->step->usable;
	int r = -ENOENT;

	cursor->searched = false;
	if (cursor->of_runtime)
		return unwind_follow_runtime(cursor);
	if (usable && cursor->step->go) {
		r = unwind_go_leave(cursor);
		if (r != -ENOENT)
			return r;
	}
	if (cursor->trampoline && !usable && unwind_leave_trampoline(cursor) == 0)
		return 0;
	/* The innermost function may not have set its frame pointer yet: prefers its row. */
	if (cursor->input->frame_pointers && (!usable || !cursor->exact)) {
		r = unwind_follow_pointer(cursor);
		if (usable || r >= 0)
			cursor->guessed = false;
	}
	if (r < 0 && usable) {
		r = unwind_apply(cursor);
		return r == -ENOEXEC && cursor->input->blocked ? unwind_search(cursor) : r;
	}
	return r < 0 ? unwind_guess(cursor) : r;
}

static void stop(struct unwind_result *result, enum unwind_end end, const char *why)
{
	result->end = end;
	result->why = why;
}

static void stop_at_failure(const struct cursor *cursor, int error, struct unwind_result *result)
{
	if (cursor->beyond)
		stop(result, UNWIND_TRUNCATED, "");
	else if (cursor->of_runtime)
		stop(result, UNWIND_INCOMPLETE, "its runtime does not say how to go on");
	else if (!cursor->step || !cursor->step->usable)
		stop(result, UNWIND_INCOMPLETE, "no unwind information, and no frame pointer");
	else if (error == -EFAULT)
		stop(result, UNWIND_INCOMPLETE, "the stack is not as the unwind information says");
	else
		stop(result, UNWIND_INCOMPLETE, "a register that is needed is not known");
}

static int walk(struct cursor *cursor, struct unwind_result *result)
{
	unsigned signals = 0;

	for (;;) {
		bool uncalled = cursor->uncalled;
		int r = locate(cursor);

		if (r < 0)
			return r;
		if (result->n && !cursor->of_runtime &&
			!(cursor->mapping && cursor->mapping->execute)) {
			if (uncalled) {
				stop(result, UNWIND_COMPLETE, "");
				return 0;
			}
			stop(result, UNWIND_INCOMPLETE,
				"a return address outside of the program's code");
			return 0;
		}
		r = add_frames(cursor, result);
		if (r < 0)
			return r;
		if (result->n >= UNWIND_FRAMES_MOST || signals > SIGNALS_MOST) {
			stop(result, UNWIND_TRUNCATED, "");
			return 0;
		}
		signals += cursor->step && (cursor->step->signal || cursor->step->elsewhere);
		r = cursor->machine ? step_out(cursor) : -ENOENT;
		if (r) {
			if (r > 0 || cursor->uncalled)
				stop(result, UNWIND_COMPLETE, "");
			else
				stop_at_failure(cursor, r, result);
			return 0;
		}
	}
}

int unwind_stack(struct unwinder *unwinder, const struct space *space,
	const struct unwind_input *input, struct unwind_result *ret_result)
{
	struct cursor cursor = {.unwinder = unwinder, .space = space, .input = input};
	struct unwind_result result = {.why = ""};
	int r;

	begin(&cursor);
	r = walk(&cursor, &result);
	if (r < 0)
		return r;
	result.frame = unwinder->frame;
	*ret_result = result;
	return 0;
}
