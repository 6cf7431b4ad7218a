/* SPDX-License-Identifier: MIT */
#include "analyst/stacks.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/jit/jit.h"
#include "analyst/runtimes.h"
#include "analyst/spaces.h"
#include "analyst/syscalls.h"
#include "base/array.h"
#include "profile/profile.h"
#include "proto/record.h"
#include "symbolizer/unwind/unwind.h"

_Static_assert(UNWIND_FRAMES_MOST == PROFILE_FRAMES_MOST, "reports name this bound");

int stacks_init(struct stacks *stacks, struct locations *locations, bool frame_pointers, bool live)
{
	*stacks = (struct stacks){
		.locations = locations, .frame_pointers = frame_pointers, .live = live};
	return unwinder_new(locations->symbolizer, &stacks->unwinder);
}

void stacks_release(struct stacks *stacks)
{
	unwinder_free(stacks->unwinder);
	free(stacks->location);
	free(stacks->call);
	*stacks = (struct stacks){0};
}

/* The location of a system call, shown as a frame. */
static int call_location(struct stacks *stacks, uint16_t machine, int32_t number)
{
	char name[64];
	int location;

	for (size_t i = 0; i < stacks->calls; i++) {
		const struct stacks_call *call = &stacks->call[i];

		if (call->number == number && call->machine == machine)
			return (int)call->location;
	}
	if (array_grow(&stacks->call, &stacks->call_room, stacks->calls + 1) < 0)
		return -ENOMEM;
	syscalls_name(machine, number, name, sizeof(name));
	location = locations_add_named(stacks->locations, "[kernel]", name);
	if (location >= 0)
		stacks->call[stacks->calls++] =
			(struct stacks_call){machine, number, (uint32_t)location};
	return location;
}

/* Returns the location of the frame that stands for @which, or -ENOMEM. */
static int mark(struct stacks *stacks, enum stacks_mark which)
{
	static const struct {
		const char *object, *name;
	} marks[STACKS_MARKS] = {
		[MARK_TRUNCATED] = {"[stack]", STACKS_TRUNCATED},
		[MARK_INCOMPLETE] = {"[stack]", STACKS_INCOMPLETE},
		[MARK_SIGNAL] = {"[kernel]", STACKS_SIGNAL},
		[MARK_GUESSED] = {"[stack]", STACKS_GUESSED},
		[MARK_BLOCKED] = {"[kernel]", STACKS_BLOCKED},
		[MARK_STOPPED] = {"[kernel]", STACKS_STOPPED},
		[MARK_NO_LANGUAGE] = {"[python]", RUNTIMES_NONE_OF_THEM},
		[MARK_LOCK] = {"[python]", RUNTIMES_WAITS},
	};
	int location;

	if (stacks->mark[which])
		return (int)(stacks->mark[which] - 1);
	location = locations_add_named(stacks->locations, marks[which].object, marks[which].name);
	if (location >= 0)
		stacks->mark[which] = (uint32_t)location + 1;
	return location;
}

static struct jit *jit_of(struct stacks *stacks, struct image_space *image)
{
	if (!image->jit) {
		image->jit = jit_new(stacks->locations->profile, stacks->locations->opener,
			image->pid, stacks->live, &stacks->jit_budget);
		if (image->jit)
			jit_set_dump(image->jit, space_jitdump(image->space));
	}
	return image->jit;
}

struct generated_of {
	struct stacks *stacks;
	struct image_space *image;
	uint64_t now_ns;
};

static int ask_runtime(void *context, const struct unwind_runtime_frame *frame,
	struct unwind_runtime_caller *ret_caller)
{
	const struct generated_of *of = context;

	return runtimes_step(of->stacks->runtimes, of->image, of->now_ns, frame, ret_caller);
}

static int find_generated(
	void *context, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated)
{
	const struct generated_of *of = context;
	struct jit *jit = jit_of(of->stacks, of->image);

	return jit ? jit_unwind(jit, pc, start, ret_generated) : -ENOMEM;
}

static int frame_location(
	struct stacks *stacks, struct image_space *image, const struct unwind_frame *frame)
{
	int location;

	if (frame->tag && *frame->tag)
		return (int)(*frame->tag - 1);
	if (frame->signal)
		return mark(stacks, MARK_SIGNAL);
	if (frame->runtime_tag)
		return (int)(frame->runtime_tag - 1);
	if (frame->generated) {
		struct jit *jit = jit_of(stacks, image);

		return jit ? jit_location(jit, frame->pc, frame->generated) : -ENOMEM;
	}
	location = locations_add(stacks->locations, &frame->location);
	if (location >= 0 && frame->tag)
		*frame->tag = (uint32_t)location + 1;
	return location;
}

static int unwind(struct stacks *stacks, struct image_space *image, uint64_t now_ns,
	const struct record_sample *sample, struct unwind_result *ret_result)
{
	struct generated_of of = {stacks, image, now_ns};
	const bool steps = runtimes_steps(image),
		   asks = stacks->runtimes && steps && sample->machine == EM_X86_64;
	const struct unwind_input input = {
		.machine = sample->machine,
		.registers = sample->registers,
		.reg = sample->reg,
		.pc = sample->pc,
		.sp = sample->sp,
		.piece = {{sample->stack_base, sample->stack, sample->stack_bytes},
			{sample->outer_base, sample->outer, sample->outer_bytes}},
		.left_pc = sample->left_pc,
		.left_sp = sample->left_sp,
		.truncated = sample->flags & RECORD_SAMPLE_TRUNCATED,
		.frame_pointers = stacks->frame_pointers,
		.blocked = sample->flags & (RECORD_SAMPLE_BLOCKED | RECORD_SAMPLE_ASLEEP),
		.generated = find_generated,
		.runtime = asks ? ask_runtime : NULL,
		.generated_context = &of,
	};

	if (steps)
		peek_begin(&image->runtime->peek);
	return unwind_stack(stacks->unwinder, image->space, &input, ret_result);
}

/* Samples of a run without stacks have only a pc. */
static bool has_stack(const struct record_sample *sample)
{
	return sample->registers || sample->stack_base;
}

static bool is_blocked(const struct record_sample *sample)
{
	return sample->flags & RECORD_SAMPLE_BLOCKED;
}

/*
 * The pc is unknown if only the thread's state could be read. It is also unknown if the thread was
 * in a system call at the sampling instant, and has left that call by exec or by its own end.
 */
static bool has_place(const struct record_sample *sample)
{
	return sample->pc || (sample->syscall < 0 && !is_blocked(sample));
}

/* The frame that stands for the kernel's work for the thread. 1: *@ret_location; 0: none. */
static int kernel_leaf(struct stacks *stacks, const struct record_sample *sample, int *ret_location)
{
	if (!has_stack(sample) && !is_blocked(sample) && has_place(sample))
		return 0;
	if (sample->flags & RECORD_SAMPLE_STOPPED)
		*ret_location = mark(stacks, MARK_STOPPED);
	else if (sample->syscall >= 0)
		*ret_location = call_location(stacks, sample->machine, sample->syscall);
	else if (is_blocked(sample))
		*ret_location = mark(stacks, MARK_BLOCKED);
	else
		return 0;
	return 1;
}

/* Appends a location to the stack, which has *@n. Returns 0, or a negative @location (an error). */
static int push(struct stacks *stacks, size_t *n, int location)
{
	if (location < 0)
		return location;
	stacks->location[(*n)++] = (uint32_t)location;
	return 0;
}

/* Makes a stack of the language's frames alone. Returns its length; -ENOMEM. */
static int put_language(struct stacks *stacks, const struct runtime_stack *stack)
{
	size_t n = 0;

	if (array_grow(&stacks->location, &stacks->room, stack->locations + 2) < 0)
		return -ENOMEM;
	if (stack->waits_for_lock && push(stacks, &n, mark(stacks, MARK_LOCK)) < 0)
		return -ENOMEM;
	if (!stack->locations)
		return push(stacks, &n, mark(stacks, MARK_NO_LANGUAGE)) < 0 ? -ENOMEM : (int)n;
	memcpy(stacks->location + n, stack->location, stack->locations * sizeof(*stack->location));
	return (int)(n + stack->locations);
}

/*
 * Adds native frame @index, or the group of the language's frames that replaces it. *@group: the
 * next group; @stack NULL: the language has no frames.
 */
static int put_frame(struct stacks *stacks, struct image_space *image,
	const struct unwind_frame *frame, const struct runtime_stack *stack, size_t index,
	size_t *group, size_t *n)
{
	if (stack && *group < stack->groups && stack->group[*group].frame == index) {
		const struct runtime_group *here = &stack->group[*group];

		if (!*group && stack->waits_for_lock &&
			push(stacks, n, mark(stacks, MARK_LOCK)) < 0)
			return -ENOMEM;
		++*group;
		memcpy(stacks->location + *n, stack->location + here->first,
			here->n * sizeof(*stacks->location));
		*n += here->n;
		return 0;
	}
	if (stack && stacks->runtimes->hidden[index])
		return 0;
	if (frame->searched && push(stacks, n, mark(stacks, MARK_GUESSED)) < 0)
		return -ENOMEM;
	return push(stacks, n, frame_location(stacks, image, frame));
}

/* Assembles a stack of system call, frames, and marks. Returns its length; -ENOMEM. */
static int put_together(struct stacks *stacks, struct image_space *image,
	const struct record_sample *sample, const struct unwind_result *result, bool merged)
{
	const struct runtime_stack *stack = merged ? &stacks->runtimes->stack : NULL;
	/* marks: one at each end of the stack, and one for a lock */
	size_t n = 0, marks = 3, group = 0;
	int location;

	for (size_t i = 0; i < result->n; i++)
		marks += result->frame[i].searched;
	if (array_grow(&stacks->location, &stacks->room,
		    result->n + marks + (stack ? stack->locations : 0)) < 0)
		return -ENOMEM;
	if (kernel_leaf(stacks, sample, &location) && push(stacks, &n, location) < 0)
		return location;
	for (size_t i = 0; i < result->n && has_place(sample); i++) {
		int r = put_frame(stacks, image, &result->frame[i], stack, i, &group, &n);

		if (r < 0)
			return r;
	}
	if (has_stack(sample) && result->end != UNWIND_COMPLETE) {
		location = mark(
			stacks, result->end == UNWIND_TRUNCATED ? MARK_TRUNCATED : MARK_INCOMPLETE);
		if (push(stacks, &n, location) < 0)
			return location;
	}
	return (int)n;
}

/*
 * Is the thread still in the system call that created it, or behind that call in the C library's
 * function? Then its stack is new and has no callers. (A forked process has its parent's stack.)
 * The first register holds the call's result, 0 in the new thread.
 */
static bool is_newborn(const struct record_sample *sample, const struct unwind_frame *leaf)
{
	static const char *const births[] = {
		"clone", "clone3", "[syscall] clone", "[syscall] clone3"};
	char call[32];
	const char *name = call;
	uint64_t offset;

	if (!sample->registers || sample->reg[0])
		return false;
	if (sample->syscall < 0)
		name = symbolizer_function_at(&leaf->location, &offset);
	else
		syscalls_name(sample->machine, sample->syscall, call, sizeof(call));
	for (size_t i = 0; name && i < sizeof(births) / sizeof(*births); i++)
		if (!strcmp(name, births[i]))
			return true;
	return false;
}

/*
 * Is the outermost frame the C library's __start_context, to which a makecontext(3) function
 * returns? __start_context has no caller, but its unwind information does not say so.
 */
static bool is_start_of_context(const struct unwind_result *result)
{
	uint64_t offset;
	const char *name = result->n
		? symbolizer_function_at(&result->frame[result->n - 1].location, &offset)
		: NULL;

	return name && !strcmp(name, "__start_context");
}

/*
 * Notes how much of the copy the stack uses: the bytes from the beginning of the copy to the
 * outermost frame. If there are two pieces of a copy, the outer one counts.
 */
static void note_need(struct stacks *stacks, struct thread_name *thread,
	const struct record_sample *sample, const struct unwind_result *result)
{
	bool has_outer = sample->outer_bytes;
	uint64_t base = has_outer ? sample->outer_base : sample->stack_base;
	uint64_t copied = has_outer ? sample->outer_bytes : sample->stack_bytes;
	uint64_t used = result->frame[result->n - 1].sp - base, bytes;

	if (!stacks->stack_needs || !(sample->flags & RECORD_SAMPLE_TRUNCATED))
		return;
	bytes = stack_need_note(&thread->need, used < copied ? used : copied, copied,
		result->end == UNWIND_TRUNCATED);
	if (bytes)
		stacks->stack_needs(stacks->context, thread->tid, bytes);
}

static void count_stepped(struct stacks *stacks, const struct unwind_result *result)
{
	bool stepped = false, gap = false;

	if (!stacks->runtimes || !stacks->runtimes->steps)
		return;
	for (size_t i = 0; i < result->n; i++) {
		stepped |= result->frame[i].runtime_tag != 0;
		gap |= result->frame[i].gap;
	}
	stacks->runtimes->stepped += stepped;
	stacks->runtimes->gaps += gap;
}

int stacks_probe(struct stacks *stacks, struct image_space *image, uint64_t time_ns,
	const struct record_sample *sample)
{
	int r = unwind(stacks, image, time_ns, sample, &stacks->probed_result);

	if (r == 0 && image->runtime->peek.missed)
		r = -EAGAIN;
	stacks->probed_ns = r == 0 ? time_ns : 0;
	stacks->probed_tid = sample->tid;
	return r;
}

int stacks_take(struct stacks *stacks, struct image_space *image, struct thread_name *thread,
	uint64_t time_ns, const struct record_sample *sample, const uint32_t **ret_stack,
	bool *ret_guessed)
{
	struct unwind_result result;
	int r, merged;

	r = 0;
	if (stacks->probed_ns && stacks->probed_ns == time_ns && stacks->probed_tid == sample->tid)
		result = stacks->probed_result;
	else
		r = unwind(stacks, image, time_ns, sample, &result);
	stacks->probed_ns = 0;
	if (r == 0 && result.end == UNWIND_INCOMPLETE && is_newborn(sample, &result.frame[0])) {
		result.end = UNWIND_COMPLETE;
		result.n = 1;
		result.guessed = 0;
	}
	if (r == 0 && result.end == UNWIND_INCOMPLETE && is_start_of_context(&result))
		result.end = UNWIND_COMPLETE;
	if (r < 0)
		return r;
	note_need(stacks, thread, sample, &result);
	count_stepped(stacks, &result);
	merged = stacks->runtimes ? runtimes_merge(stacks->runtimes, image, sample, &result) : 0;
	if (merged < 0)
		return merged;
	if (stacks->runtimes && stacks->runtimes->options.show == RUNTIMES_ONLY)
		r = put_language(stacks, &stacks->runtimes->stack);
	else
		r = put_together(stacks, image, sample, &result, merged);
	if (r < 0)
		return r;
	*ret_guessed = has_stack(sample) && result.guessed;
	if (has_stack(sample)) {
		stacks->truncated += result.end == UNWIND_TRUNCATED;
		stacks->incomplete += result.end == UNWIND_INCOMPLETE;
		stacks->guessed += result.guessed;
	}
	*ret_stack = stacks->location;
	return r;
}
