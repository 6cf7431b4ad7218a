/* SPDX-License-Identifier: MIT */
/* Finds where a virtual thread's frames are in Java's heap, for supervisor/target/chunks.h. */
#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "proto/chunk_layout.h"
#include "proto/request.h"

enum {
	/*
	 * Offset in a ContinuationEntry of the pointer to its Continuation. The ContinuationEntry
	 * is at the return barrier's sp.
	 */
	CONT_BYTES = 16,
	TRIES_MOST = 200, /* the search for a layout ends after this many samples that fit none */
};

/* Does the newest chunk of the Continuation at @cont, if it has @layout, point back to @cont? */
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
	size = load_u32(data + f.size);
	sp = load_u32(data + f.sp);
	bottom = load_u32(data + f.bottom);
	/*
	 * Of a header of 8 bytes, the upper 22 bits are the class. In a header of 12 bytes these
	 * bits are 0.
	 */
	return (load_u32(data + 4) >> 10 != 0) == (layout >= CHUNK_NARROW_COMPACT) &&
		sp <= bottom && bottom <= size && size &&
		chunk_pointer(data, f.cont, f.wide, base, shift) == cont;
}

/*
 * Reads the base and the shift by which narrow (32-bit) pointers are decoded. 1: both are read; 0:
 * the library does not export them, or they are unreadable; -EAGAIN; -ENOMEM.
 */
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
	*ret_base = load_u64(data);
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
	/*
	 * A replay has no supervisor (@request is NULL). It counts as told, so that the replay
	 * requests the same memory as the run did.
	 */
	step->hotspot->chunks_told =
		!peek->request || peek->request(peek->context, bytes, sizeof(bytes));
}

/*
 * If the objects fit @layout, sends the layout to the supervisor. 1: they fit; 0: they do not;
 * -EAGAIN; -ENOMEM.
 */
static int try_layout(struct hotspot_step *step, uint64_t cont, enum chunk_layout layout,
	uint64_t base, uint8_t shift, uint64_t below)
{
	int r = is_layout(step->hotspot, cont, layout, base, shift);

	if (r > 0)
		tell(step, layout, base, shift, below);
	return r;
}

int hotspot_find_chunks(struct hotspot_step *step)
{
	const struct unwind_runtime_frame *frame = step->frame;
	struct hotspot *hotspot = step->hotspot;
	uint64_t cont, base = 0, below = frame->fp - (frame->sp + CONT_BYTES);
	uint8_t shift = 0;
	int r;

	if (hotspot->chunks_told || hotspot->chunk_tries >= TRIES_MOST || below % 8 ||
		below / 8 > 31 || frame->pc > REQUEST_CHUNKS_BARRIER ||
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
