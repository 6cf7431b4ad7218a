/* SPDX-License-Identifier: MIT */
/*
 * The frames of a virtual thread that are in the heap, from the copy that the supervisor has made
 * of them in the stop (supervisor/target/chunks.h).
 *
 * Compiled frames are as on a stack. The saved frame pointer of an interpreted caller is relative
 * to the word that contains it, in words; so are, to their frame pointer, the local variables of an
 * interpreted frame: a compiled caller begins behind them (JDK 21 to 27, x86-64).
 */
#include <errno.h>

#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "base/array.h"
#include "proto/chunk_layout.h"
#include "proto/request.h"

enum {
	LOCALS = -7,     /* words from the frame pointer of an interpreted frame */
	CONT_BYTES = 16, /* of a ContinuationEntry, which lies at the barrier's stack pointer */
	TRIES_MOST = 200,
};

/* A place in a chunk: the saved frame pointer and the return address at @at, and the stack behind.
 */
struct chunk_frame {
	uint64_t at, sp, end;
};

static int add(struct hotspot *hotspot, uint32_t tag)
{
	if (array_grow(&hotspot->inner, &hotspot->inner_room, hotspot->inners + 1) < 0)
		return -ENOMEM;
	hotspot->inner[hotspot->inners++] = tag;
	return 1;
}

/* Goes on behind an interpreted frame with this frame pointer. */
static bool leave_interpreted(struct hotspot_step *step, struct chunk_frame *f, uint64_t fp)
{
	uint64_t locals;

	if (fp <= f->at || fp >= f->end ||
		!hotspot_read_stack(step, fp + 8 * (int64_t)LOCALS, &locals) ||
		locals > (f->end - fp) / 8 + UINT16_MAX)
		return false;
	f->at = fp;
	f->sp = fp + 8 * (locals + 1);
	return f->sp >= fp + 16;
}

/* Adds the frame @f and goes on to its caller. 1; 0: it makes no sense; -EAGAIN; -ENOMEM. */
static int walk_frame(struct hotspot_step *step, struct chunk_frame *f)
{
	struct hotspot *hotspot = step->hotspot;
	struct unwind_runtime_frame frame = {
		.sp = f->sp, .read = step->frame->read, .reader = step->frame->reader};
	struct unwind_runtime_caller caller = {0};
	struct hotspot_blob *blob;
	enum hotspot_kind kind;
	int r;

	if (!hotspot_read_stack(step, f->at, &frame.fp) ||
		!hotspot_read_stack(step, f->at + 8, &frame.pc))
		return 0;
	r = hotspot_blob_find(hotspot, frame.pc - 1, &blob);
	if (r <= 0 || blob->kind == HOTSPOT_STUB)
		return r < 0 ? r : 0;
	kind = blob->kind;
	if (kind == HOTSPOT_INTERPRETER)
		frame.fp = f->at + 8 * frame.fp;
	r = hotspot_step(hotspot, &frame, &caller);
	if (r <= 0 || !caller.found || !caller.tag)
		return r < 0 ? r : 0;
	r = add(hotspot, caller.tag);
	if (r < 0)
		return r;
	if (kind == HOTSPOT_INTERPRETER)
		return leave_interpreted(step, f, frame.fp);
	if (caller.sp <= f->sp)
		return 0;
	f->at = caller.sp - 16;
	f->sp = caller.sp;
	return 1;
}

/* Adds the frames of all chunks. 1; 0: not all of them; -EAGAIN; -ENOMEM. */
static int walk(struct hotspot_step *step)
{
	uint64_t at = step->frame->left_sp, words;

	step->hotspot->inners = 0;
	while (hotspot_read_stack(step, at, &words)) {
		struct chunk_frame f = {at + 8, at + 24, at + 8 + 8 * words};

		if (!words)
			return step->hotspot->inners > 0;
		if (words > UINT32_MAX)
			return 0;
		while (f.sp < f.end) {
			int r = walk_frame(step, &f);

			if (r <= 0)
				return r;
		}
		at = f.end;
	}
	return 0;
}

/* Is the object at @cont one whose newest chunk is its own, by this layout? -EAGAIN. */
static int is_layout(struct hotspot *hotspot, uint64_t cont, enum chunk_layout layout,
	uint64_t base, uint8_t shift)
{
	const struct chunk_fields f = chunk_fields(layout);
	const uint8_t *data;
	uint64_t chunk;
	uint32_t size, sp, bottom;
	int r = peek_at(hotspot->peek, cont, CHUNK_HEADER_BYTES, hotspot->now_ns, &data);

	if (r <= 0)
		return r;
	chunk = chunk_pointer(data, f.tail, f.wide, base, shift);
	if (!chunk || chunk % 8)
		return 0;
	r = peek_at(hotspot->peek, chunk, CHUNK_HEADER_BYTES, hotspot->now_ns, &data);
	if (r <= 0)
		return r;
	size = hotspot_half(data, f.size);
	sp = hotspot_half(data, f.sp);
	bottom = hotspot_half(data, f.bottom);
	/* A header of 8 bytes has the class in its upper 22 bits, which are 0 in one of 12 bytes.
	 */
	return (hotspot_half(data, 4) >> 10 != 0) == (layout >= CHUNK_NARROW_COMPACT) &&
		sp <= bottom && bottom <= size && size &&
		chunk_pointer(data, f.cont, f.wide, base, shift) == cont;
}

/* How narrow pointers are to be read. 1: known; 0: there are none; -EAGAIN. */
static int read_narrow(struct hotspot *hotspot, uint64_t *ret_base, uint8_t *ret_shift)
{
	const struct hotspot_layout *layout = &hotspot->tables.layout;
	const uint8_t *data;
	int r;

	if (!layout->oop_base_at || !layout->oop_shift_at)
		return 0;
	r = peek_at(hotspot->peek, layout->oop_base_at, 8, 0, &data);
	if (r <= 0)
		return r;
	*ret_base = hotspot_word(data, 0);
	r = peek_at(hotspot->peek, layout->oop_shift_at, 4, 0, &data);
	if (r <= 0)
		return r;
	*ret_shift = data[0] & 15;
	return 1;
}

static void tell(struct hotspot_step *step, enum chunk_layout layout, uint64_t base, uint8_t shift,
	uint64_t below)
{
	struct peek *peek = step->hotspot->peek;
	uint8_t bytes[2 * REQUEST_BYTES];

	request_put(bytes,
		&(struct request){.type = REQUEST_CHUNKS_BASE, .index = peek->pid, .value = base});
	request_put(bytes + REQUEST_BYTES,
		&(struct request){.type = REQUEST_CHUNKS,
			.index = peek->pid,
			.value = step->frame->pc | (uint64_t)layout << REQUEST_CHUNKS_LAYOUT |
				(uint64_t)shift << REQUEST_CHUNKS_SHIFT |
				below / 8 << REQUEST_CHUNKS_BELOW});
	step->hotspot->chunks_told = peek->request(peek->context, bytes, sizeof(bytes));
}

/* Tells the supervisor, if the objects are as @layout says. 1: they are; 0; -EAGAIN. */
static int try_layout(struct hotspot_step *step, uint64_t cont, enum chunk_layout layout,
	uint64_t base, uint8_t shift, uint64_t below)
{
	int r = is_layout(step->hotspot, cont, layout, base, shift);

	if (r > 0)
		tell(step, layout, base, shift, below);
	return r;
}

/*
 * Finds out where the frames in the heap are: the object that leads to them is on the stack. It is
 * read while the thread runs; if it does not fit, the next sample may. 1, -EAGAIN.
 */
static int find_place(struct hotspot_step *step)
{
	const struct unwind_runtime_frame *frame = step->frame;
	struct hotspot *hotspot = step->hotspot;
	uint64_t cont, base = 0, below = frame->fp - (frame->sp + CONT_BYTES);
	uint8_t shift = 0;
	int r;

	if (hotspot->chunks_told || !hotspot->peek->request || hotspot->chunk_tries >= TRIES_MOST ||
		below % 8 || below / 8 > 31 || frame->pc > REQUEST_CHUNKS_BARRIER ||
		!hotspot_read_stack(step, frame->sp + CONT_BYTES, &cont) || !cont || cont % 8)
		return 1;
	r = read_narrow(hotspot, &base, &shift);
	if (r < 0)
		return r;
	for (int i = 0; i < 2 * CHUNK_LAYOUTS; i++) {
		const enum chunk_layout layout = (enum chunk_layout)(i / 2);
		const uint8_t coloured = i & 1;
		int fits = 0;

		if (chunk_fields(layout).wide)
			fits = try_layout(step, cont, layout, 0, coloured, below);
		else if (r > 0 && !coloured)
			fits = try_layout(step, cont, layout, base, shift, below);
		if (fits)
			return fits;
	}
	hotspot->chunk_tries++;
	return 1;
}

int hotspot_name_chunks(struct hotspot_step *step)
{
	struct hotspot *hotspot = step->hotspot;
	bool copied =
		step->frame->left_sp == CHUNKS_BASE && step->frame->left_pc == step->frame->fp;
	int r = copied ? walk(step) : 0;

	if (r < 0)
		return r;
	step->caller.inner = hotspot->inner;
	step->caller.inners = copied ? hotspot->inners : 0;
	if (r) {
		step->caller.tag = hotspot->inner[--step->caller.inners];
		return 1;
	}
	r = hotspot_name_gap(step);
	return r < 0 || copied ? r : find_place(step);
}
