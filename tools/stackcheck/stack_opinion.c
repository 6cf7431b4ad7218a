/* SPDX-License-Identifier: MIT */
#include "tools/stackcheck/stack_opinion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libunwind-ptrace.h>

#include "base/array.h"
#include "base/proc_file.h"
#include "base/table.h"
#include "supervisor/os/arch.h"
#include "supervisor/os/proc_maps.h"
#include "supervisor/target/stack.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/unwind/unwind.h"

enum { FRAMES_MOST = 8192 };

int opinions_init(struct opinions *opinions, int pid)
{
	const struct symbolizer_options options = {.size = sizeof(options)};
	int r;

	*opinions = (struct opinions){.as = unw_create_addr_space(&_UPT_accessors, 0),
		.pc = calloc(FRAMES_MOST, sizeof(uint64_t)),
		.sp = calloc(FRAMES_MOST, sizeof(uint64_t))};
	r = opinions->as && opinions->pc && opinions->sp ? 0 : -ENOMEM;
	if (r == 0)
		r = symbolizer_new(&options, &opinions->symbolizer);
	if (r == 0)
		r = space_new(opinions->symbolizer, pid, &opinions->space);
	if (r == 0)
		r = unwinder_new(opinions->symbolizer, &opinions->unwinder);
	if (r < 0)
		opinions_release(opinions);
	return r;
}

void opinions_release(struct opinions *opinions)
{
	if (opinions->unwinder)
		unwinder_free(opinions->unwinder);
	if (opinions->space)
		space_free(opinions->space);
	symbolizer_free(opinions->symbolizer);
	if (opinions->as)
		unw_destroy_addr_space(opinions->as);
	free(opinions->module);
	free(opinions->pc);
	free(opinions->sp);
	*opinions = (struct opinions){0};
}

int opinions_learn(struct opinions *opinions, int pid)
{
	char *text = NULL;
	size_t room = 0;
	int n = proc_maps_read(proc_file_living_thread(pid), &text, &room);

	if (n > 0)
		n = space_set_maps(opinions->space, text, (size_t)n);
	free(text);
	return n < 0 ? n : 0;
}

void opinions_ask_libunwind(struct opinions *opinions, int tid)
{
	void *thread = _UPT_create(tid);
	unw_cursor_t cursor;
	unw_word_t pc, sp;
	int step = 1;

	opinions->n = 0;
	if (!thread)
		return;
	if (unw_init_remote(&cursor, opinions->as, thread) < 0)
		step = -1;
	while (step > 0 && opinions->n < FRAMES_MOST) {
		if (unw_get_reg(&cursor, UNW_REG_IP, &pc) < 0 ||
			unw_get_reg(&cursor, UNW_REG_SP, &sp) < 0 || pc == 0)
			break;
		opinions->pc[opinions->n] = pc;
		opinions->sp[opinions->n++] = sp;
		step = unw_step(&cursor);
	}
	_UPT_destroy(thread);
}

static struct opinion_module *module_of(struct opinions *o, const char *path)
{
	struct opinion_module *more;

	for (size_t i = 0; i < o->modules; i++) {
		if (!strcmp(o->module[i].path, path))
			return &o->module[i];
	}
	if (array_grow(&o->module, &o->room, o->modules + 1) < 0)
		return NULL;
	more = &o->module[o->modules++];
	*more = (struct opinion_module){.path = path, .function = "", .why = ""};
	return more;
}

static const char *path_of(const struct unwind_frame *frame)
{
	struct module_info info;

	module_describe(frame->location.module, frame->location.svma, &info);
	return info.path;
}

/*
 * The stack pointers are equal. A caller's pc may differ by 1: our unwinder gives return address -
 * 1, which is inside the call instruction, and libunwind the return address.
 */
static bool is_same(const struct opinions *o, const struct unwind_frame *ours, size_t i)
{
	return (ours->pc == o->pc[i] || ours->pc + 1 == o->pc[i]) && ours->sp == o->sp[i];
}

static int note(struct opinions *o, const struct unwind_result *ours, size_t same)
{
	/* The last frame that both unwinders found or, if their first ones differ, our first. */
	const struct unwind_frame *last = &ours->frame[same ? same - 1 : 0];
	struct opinion_module *module = module_of(o, path_of(last));
	struct frame_chain chain = {0};
	enum opinion_result result = OPINION_AGREE;

	if (!module)
		return -ENOMEM;
	if (same < ours->n && same < o->n)
		result = OPINION_DIFFER;
	else if (same < ours->n)
		result = OPINION_OURS_LONGER;
	else if (same < o->n)
		result = OPINION_THEIRS_LONGER;
	o->result[result]++;
	module->result[result]++;
	if (result == OPINION_AGREE)
		return 0;
	if (ours->end != UNWIND_COMPLETE)
		module->why = ours->why;
	if (symbolizer_resolve(o->symbolizer, &last->location, 1, &chain) < 0)
		return -ENOMEM;
	module->function = chain.n ? chain.frame[chain.n - 1].function : "";
	return 0;
}

int opinions_compare(struct opinions *opinions, const struct arch_snapshot *snapshot,
	const struct stack_copy *stack)
{
	const struct unwind_input input = {.machine = snapshot->machine,
		.registers = snapshot->registers,
		.reg = snapshot->reg,
		.pc = snapshot->pc,
		.sp = snapshot->sp,
		.piece = {{stack->inner.base, stack->inner.data, stack->inner.bytes},
			{stack->outer.base, stack->outer.data, stack->outer.bytes}},
		.truncated = stack->truncated};
	struct unwind_result ours;
	size_t same = 0;
	int r = unwind_stack(opinions->unwinder, opinions->space, &input, &ours);

	if (r < 0)
		return r;
	while (same < ours.n && same < opinions->n && is_same(opinions, &ours.frame[same], same)) {
		struct opinion_module *module = module_of(opinions, path_of(&ours.frame[same]));

		if (!module)
			return -ENOMEM;
		module->frames++;
		opinions->frames++;
		same++;
	}
	return note(opinions, &ours, same);
}
