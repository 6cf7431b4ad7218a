/* SPDX-License-Identifier: MIT */
/*
 * Puts Python's frames among the native ones. An activation is a running call of the interpreter's
 * evaluation loop. Each activation runs a group of Python frames, innermost first, and keeps an
 * object on the C stack, at the address A:
 *
 *	3.10	_PyCFrame, in a chain from the thread's state; a group is one frame
 *	3.11	_PyCFrame, in the same chain; is_entry is set in the last frame of a group
 *	3.12 on	a frame of the loop itself, in the chain of frames, after its group
 *
 * The group replaces the native frame with SP <= A < CFA. Before 3.10 there is no such object, and
 * each call of _PyEval_EvalFrameDefault runs one frame.
 */
#include <errno.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/python/python_internal.h"
#include "base/array.h"
#include "base/load.h"
#include "symbolizer/symbolizer.h"

/* Frames of the evaluation loop itself have this value or a greater one in frame_owner. */
#define OWNED_BY_C_STACK 3

/*
 * Words of a frame in record_runtime.frame: its address, then the words that
 * runtime_table.frame_word names.
 */
enum { FRAME_ADDRESS, FRAME_PREVIOUS, FRAME_CODE, FRAME_INSTRUCTION, FRAME_FLAGS };

struct merger {
	struct python *python;
	const struct runtime_sample *sample;
	struct runtime_stack *stack;
	size_t native; /* the search for native frames begins here */
	bool cut;      /* activations lie beyond the copy of the stack */
};

static uint64_t frame_word(const struct merger *m, size_t frame, int word)
{
	return load_u64(m->sample->record->frame + (frame * RECORD_FRAME_WORDS + (size_t)word) * 8);
}

static uint8_t frame_flag(const struct merger *m, size_t frame, uint32_t offset)
{
	return (uint8_t)(frame_word(m, frame, FRAME_FLAGS) >> 8 * (offset & 7));
}

/* False: the word is not in the stack's copy. */
static bool stack_word(const struct merger *m, uint64_t at, uint64_t *ret_word)
{
	for (int i = 0; i < UNWIND_PIECES; i++) {
		const struct unwind_piece *piece = &m->sample->piece[i];
		uint64_t offset = at - piece->base;

		if (at < piece->base || offset > piece->bytes || piece->bytes - offset < 8)
			continue;
		memcpy(ret_word, piece->data + offset, 8);
		return true;
	}
	return false;
}

/* Adds the locations of the frames [@from, @end). 0; -EPROTO: some code is unknown; -ENOMEM. */
static int add_locations(struct merger *m, size_t from, size_t end)
{
	struct runtime_stack *stack = m->stack;

	if (array_grow(&stack->location, &stack->location_room,
		    stack->locations + (end - from) + 1) < 0)
		return -ENOMEM;
	for (size_t i = from; i < end; i++) {
		const uint32_t start = m->python->layout.code_start;
		uint64_t address = frame_word(m, i, FRAME_CODE) & ~(uint64_t)m->python->layout.tag;
		struct python_code *code = python_find_code(m->python, address);
		int64_t offset;
		int location;

		if (!code)
			return -EPROTO;
		if (code->internal)
			continue;
		offset = (int64_t)(frame_word(m, i, FRAME_INSTRUCTION) - address - start);
		if (m->python->layout.version <= PYTHON_3_10)
			offset = (int32_t)frame_word(m, i, FRAME_INSTRUCTION);
		if (m->python->layout.version == PYTHON_3_10)
			offset *= 2; /* 3.10 counts instructions of 2 bytes */
		location = python_location(m->python, code, offset);
		if (location < 0)
			return location;
		stack->location[stack->locations++] = (uint32_t)location;
	}
	return 0;
}

/* Finds the native frame around the stack address @at, from m->native on. False: none. */
static bool find_native(struct merger *m, uint64_t at, size_t *ret_native)
{
	const struct runtime_sample *s = m->sample;

	for (size_t i = m->native; i < s->n; i++) {
		uint64_t end = i + 1 < s->n ? s->frame[i + 1].sp : UINT64_MAX;

		if (at < s->frame[i].sp || at >= end)
			continue;
		/* A truncated stack's last frame has no known end: @at may be further out. */
		if (i + 1 == s->n && s->truncated)
			break;
		*ret_native = i;
		return true;
	}
	m->cut = s->truncated;
	return false;
}

/* Replaces the native frame @native by the frames [@from, @end). 0; -EPROTO; -ENOMEM. */
static int add_group(struct merger *m, size_t native, size_t from, size_t end)
{
	struct runtime_stack *stack = m->stack;
	size_t first = stack->locations;
	int r;

	if (from == end)
		return 0;
	if (array_grow(&stack->group, &stack->group_room, stack->groups + 1) < 0)
		return -ENOMEM;
	r = add_locations(m, from, end);
	if (r < 0)
		return r;
	m->native = native + 1;
	if (stack->locations == first)
		return 0; /* all are internal */
	stack->group[stack->groups++] =
		(struct runtime_group){native, first, stack->locations - first};
	return 0;
}

/*
 * Calls add_group() for the native frame around the stack address @at. -EPROTO, too, if there is no
 * such native frame.
 */
static int add_group_at(struct merger *m, uint64_t at, size_t from, size_t end)
{
	size_t native;

	if (!find_native(m, at, &native))
		return -EPROTO;
	return add_group(m, native, from, end);
}

static size_t frames_of(const struct merger *m)
{
	return m->sample->record->frames;
}

static bool is_entry(const struct merger *m, size_t i)
{
	const struct python_layout *l = &m->python->layout;

	return l->version == PYTHON_3_11 ? frame_flag(m, i, l->frame_is_entry)
					 : frame_flag(m, i, l->frame_owner) >= OWNED_BY_C_STACK;
}

/* Merges by the evaluation loop's own frames: 3.12 and later. */
static int merge_by_entry_frame(struct merger *m)
{
	size_t from = 0;

	for (size_t i = 0; i < frames_of(m); i++) {
		int r;

		if (!is_entry(m, i))
			continue;
		r = add_group_at(m, frame_word(m, i, FRAME_ADDRESS), from, i);
		if (r < 0)
			return r;
		from = i + 1;
	}
	return from == frames_of(m) ? 0 : -EPROTO;
}

/*
 * 3.11: a _PyCFrame points to the innermost frame of its group. In the chain of frames, the
 * innermost frame of a group follows the outermost frame of the group before.
 */
static int merge_by_cframe_groups(struct merger *m)
{
	const struct python_layout *l = &m->python->layout;
	uint64_t at = m->sample->record->thread_word[0], frame;
	size_t from = 0;

	while (from < frames_of(m)) {
		size_t end = from;
		int r;

		if (!stack_word(m, at + l->cframe_frame, &frame)) {
			m->cut = m->sample->truncated;
			return -EPROTO;
		}
		if (frame != frame_word(m, from, FRAME_ADDRESS))
			return -EPROTO;
		while (end < frames_of(m) && !is_entry(m, end))
			end++;
		if (end == frames_of(m))
			return -EPROTO;
		r = add_group_at(m, at, from, end + 1);
		if (r < 0)
			return r;
		from = end + 1;
		if (!stack_word(m, at + l->cframe_previous, &at))
			return -EPROTO;
	}
	return 0;
}

/*
 * How many _PyCFrames of 3.10's chain are on the stack. 0: a _PyCFrame points to itself, so the
 * chain is damaged.
 */
static size_t count_cframes(struct merger *m)
{
	uint64_t at = m->sample->record->thread_word[0], next;
	size_t n = 0;

	/* The chain's outermost _PyCFrame is not on the stack; there the loop ends. */
	while (n <= frames_of(m) + 1 &&
		stack_word(m, at + m->python->layout.cframe_previous, &next)) {
		if (next == at)
			return 0;
		n++;
		at = next;
	}
	return n;
}

/*
 * 3.10: an activation that begins has a _PyCFrame, but no frame yet. An activation that ends has a
 * frame, but no _PyCFrame any more. So the number of _PyCFrames and that of frames may differ by
 * one.
 */
static int merge_by_cframe(struct merger *m)
{
	uint64_t at = m->sample->record->thread_word[0];
	size_t n = count_cframes(m), from = 0;

	if (n == frames_of(m) + 1 && !stack_word(m, at + m->python->layout.cframe_previous, &at))
		return -EPROTO;
	if (!m->sample->truncated) {
		if (n > frames_of(m) + 1 || n + 1 < frames_of(m))
			return -EPROTO;
		from = n < frames_of(m);
	}
	for (size_t i = from; i < frames_of(m); i++) {
		int r = add_group_at(m, at, i, i + 1);

		if (r < 0)
			return r;
		if (!stack_word(m, at + m->python->layout.cframe_previous, &at)) {
			m->cut = m->sample->truncated;
			return -EPROTO;
		}
	}
	return 0;
}

static bool is_loop(const struct merger *m, size_t native)
{
	const struct unwind_frame *frame = &m->sample->frame[native];
	uint64_t offset;
	const char *name;

	if (frame->location.module != m->python->module)
		return false;
	name = symbolizer_function_at(&frame->location, &offset);
	return name && strncmp(name, "_PyEval_EvalFrameDefault", 24) == 0;
}

/* Before 3.10: each call of the evaluation loop runs one frame. */
static int merge_one_to_one(struct merger *m)
{
	size_t loops = 0, i = 0;

	for (size_t k = 0; k < m->sample->n; k++)
		loops += is_loop(m, k);
	if (loops != frames_of(m) && loops != frames_of(m) + 1) {
		m->cut = m->sample->truncated;
		return -EPROTO;
	}
	for (size_t k = 0; k < m->sample->n && i < frames_of(m); k++) {
		int r;

		if (!is_loop(m, k))
			continue;
		/* The innermost activation is about to begin, and has no Python frame yet. */
		if (loops == frames_of(m) + 1) {
			loops--;
			continue;
		}
		r = add_group(m, k, i, i + 1);
		if (r < 0)
			return r;
		i++;
	}
	return 0;
}

/* Adds all locations, without groups. 0; -EPROTO: some code is unknown; -ENOMEM. */
static int add_all(struct merger *m)
{
	m->stack->locations = m->stack->groups = 0;
	for (size_t i = 0; i < frames_of(m); i++) {
		int r = m->python->layout.version >= PYTHON_3_12 && is_entry(m, i)
			? 0
			: add_locations(m, i, i + 1);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Does the thread wait for the interpreter's lock? It does if the innermost frame of the
 * interpreter called pthread_cond_…() and the stack below that frame has the address of the
 * condition variable, which lies in the lock.
 */
static bool waits_for_lock(const struct merger *m)
{
	const struct runtime_sample *s = m->sample;
	const struct python *python = m->python;
	uint64_t offset, word;
	const char *name;
	size_t own = 0;

	while (own < s->n && s->frame[own].location.module != python->module)
		own++;
	if (!python->gil || !s->in_call || !own || own == s->n || !python->list->symbolizer)
		return false;
	name = symbolizer_function_at(&s->frame[own - 1].location, &offset);
	if (!name || !strstr(name, "pthread_cond_"))
		return false;
	for (uint64_t at = (s->frame[0].sp + 7) & ~UINT64_C(7); at + 8 <= s->frame[own].sp; at += 8)
		if (stack_word(m, at, &word) && word - python->gil < python->gil_bytes)
			return true;
	return false;
}

/* watch[0]: the thread's state that last had the GIL. watch[1]: 1 if the GIL is held. */
static bool holds_lock(const struct merger *m)
{
	const struct record_runtime *record = m->sample->record;

	return m->python->gil && record->watch[0] == record->thread &&
		(uint32_t)record->watch[1] == 1;
}

int python_merge(void *state, const struct runtime_sample *sample, struct runtime_stack *stack)
{
	struct merger m = {.python = state, .sample = sample, .stack = stack};
	const uint16_t version = m.python->layout.version;
	int r;

	stack->locations = stack->groups = 0;
	stack->waits_for_lock = waits_for_lock(&m);
	stack->holds_lock = !stack->waits_for_lock && holds_lock(&m);
	if (sample->record->flags & (RECORD_RUNTIME_UNREAD | RECORD_RUNTIME_UNKNOWN))
		return 0;
	if (version >= PYTHON_3_12)
		r = merge_by_entry_frame(&m);
	else if (version == PYTHON_3_11)
		r = merge_by_cframe_groups(&m);
	else if (version == PYTHON_3_10)
		r = merge_by_cframe(&m);
	else
		r = merge_one_to_one(&m);
	if (r == 0 || r == -ENOMEM)
		return r < 0 ? r : 1;
	/* Groups beyond the copied stack were not placed; those that were placed are right. */
	if (m.cut && stack->groups)
		return 1;
	r = add_all(&m);
	if (r == -EPROTO)
		stack->locations = 0;
	return r == -ENOMEM ? r : 0;
}
