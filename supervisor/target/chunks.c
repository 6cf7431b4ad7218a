/* SPDX-License-Identifier: MIT */
#include "supervisor/target/chunks.h"

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#include "proto/chunk_layout.h"
#include "proto/request.h"
#include "supervisor/os/remote.h"
#include "supervisor/target/stack.h"

enum {
	CHUNKS_MOST = 16, /* chunks copied of one thread in one stop */
	/* words tried that equal the return barrier; all but one are stale */
	BARRIERS_MOST = 4,
	/* words copied below a chunk's frames: the callee's fp and return address */
	CALLEE_WORDS = 2,
	WORDS_MOST = 1 << 24, /* a greater size of a chunk is invalid */
	POINTER_LEAST = 4096, /* lower addresses are not mapped */
};

/* No value of REQUEST_CHUNKS's layout field is outside enum chunk_layout, so it needs no check. */
_Static_assert(CHUNK_LAYOUTS == 1 << (REQUEST_CHUNKS_SHIFT - REQUEST_CHUNKS_LAYOUT), "");

void chunks_place_set(struct chunks_place *place, const struct request *request)
{
	uint64_t value = request->value;

	if (request->type == REQUEST_CHUNKS_BASE) {
		*place = (struct chunks_place){.oop_base = value};
		return;
	}
	place->barrier = value & REQUEST_CHUNKS_BARRIER;
	place->layout = value >> REQUEST_CHUNKS_LAYOUT & (CHUNK_LAYOUTS - 1);
	place->oop_shift = value >> REQUEST_CHUNKS_SHIFT & 15;
	place->cont_below = (uint8_t)(8 * (value >> REQUEST_CHUNKS_BELOW & 31));
}

static bool peek(const struct remote *memory, uint64_t at, void *to, size_t bytes)
{
	return at >= POINTER_LEAST && at % 8 == 0 &&
		remote_peek(memory, at, to, bytes) == (ssize_t)bytes;
}

static bool word_in(const struct stack_piece *stack, uint64_t address, uint64_t *ret_word)
{
	if (stack->bytes < 8 || address < stack->base || address - stack->base > stack->bytes - 8)
		return false;
	memcpy(ret_word, stack->data + (address - stack->base), sizeof(*ret_word));
	return true;
}

/* Returns the address of the first word from @from on that holds the barrier; 0: there is none. */
static uint64_t find_barrier(const struct stack_piece *stack, uint64_t barrier, uint64_t from)
{
	uint64_t word;

	for (size_t at = (size_t)(from - stack->base); at + 8 <= stack->bytes; at += 8) {
		memcpy(&word, stack->data + at, sizeof(word));
		if (word == barrier)
			return stack->base + at;
	}
	return 0;
}

static uint32_t half(const uint8_t *data, uint8_t at)
{
	uint32_t value;

	memcpy(&value, data + at, sizeof(value));
	return value;
}

/*
 * Appends the frames of @chunk to @to. Returns the number of bytes. 0: the sizes in @header are
 * inconsistent, or the frames do not fit into @room bytes, or they are unreadable.
 */
static size_t append(const struct remote *memory, const struct chunk_fields *fields, uint64_t chunk,
	const uint8_t *header, uint8_t *to, size_t room)
{
	const uint32_t size = half(header, fields->size), sp = half(header, fields->sp),
		       bottom = half(header, fields->bottom);
	uint64_t words = (uint64_t)bottom - sp + CALLEE_WORDS, bytes = 8 * words;

	if (sp < CALLEE_WORDS || sp >= bottom || bottom > size || size > WORDS_MOST || room < 8 ||
		bytes > room - 8 ||
		!peek(memory, chunk + fields->stack + 8 * (uint64_t)(sp - CALLEE_WORDS), to + 8,
			(size_t)bytes))
		return 0;
	memcpy(to, &words, sizeof(words));
	return 8 + (size_t)bytes;
}

/*
 * Appends the frames of *@chunk, and sets *@chunk to the chunk's parent. Returns the number of
 * bytes. 0: the chunk is empty. -1: the chunk does not point to the Continuation @cont, or is
 * otherwise invalid, too large for @room, or unreadable.
 */
static ssize_t take_chunk(const struct chunks_place *place, const struct remote *memory,
	uint64_t cont, uint64_t *chunk, uint8_t *to, size_t room)
{
	const struct chunk_fields f = chunk_fields(place->layout);
	const uint64_t base = place->oop_base, at = *chunk;
	uint8_t header[CHUNK_HEADER_BYTES];
	size_t bytes;

	if (!peek(memory, at, header, sizeof(header)) ||
		chunk_pointer(header, f.cont, f.wide, base, place->oop_shift) != cont)
		return -1;
	*chunk = chunk_pointer(header, f.parent, f.wide, base, place->oop_shift);
	if (half(header, f.sp) == half(header, f.bottom))
		return 0;
	bytes = append(memory, &f, at, header, to, room);
	return bytes ? (ssize_t)bytes : -1;
}

/* Copies the chunks of the Continuation @cont. Returns the number of bytes; 0: none. */
static size_t take_all(const struct chunks_place *place, const struct remote *memory, uint64_t cont,
	uint8_t *to, size_t most)
{
	const struct chunk_fields f = chunk_fields(place->layout);
	uint8_t header[CHUNK_HEADER_BYTES];
	uint64_t chunk;
	size_t bytes = 0;

	if (!peek(memory, cont, header, sizeof(header)))
		return 0;
	chunk = chunk_pointer(header, f.tail, f.wide, place->oop_base, place->oop_shift);
	for (unsigned i = 0; i < CHUNKS_MOST && chunk; i++) {
		ssize_t more = take_chunk(place, memory, cont, &chunk, to + bytes, most - bytes);

		if (more < 0)
			return bytes;
		bytes += (size_t)more;
	}
	if (chunk || !bytes || most - bytes < 8)
		return bytes;
	memset(to + bytes, 0, 8);
	return bytes + 8;
}

size_t chunks_copy(const struct chunks_place *place, const struct remote *memory,
	const struct stack_piece *stack, uint64_t sp, uint8_t *to, size_t most, uint64_t *ret_fp)
{
	uint64_t at = sp, fp, cont;

	if (sp < stack->base || sp % 8)
		return 0;
	for (unsigned i = 0; i < BARRIERS_MOST; i++) {
		size_t bytes;

		at = find_barrier(stack, place->barrier, at);
		if (!at)
			return 0;
		bytes = word_in(stack, at - 8, &fp) && fp > at &&
				word_in(stack, fp - place->cont_below, &cont)
			? take_all(place, memory, cont, to, most)
			: 0;
		if (bytes) {
			*ret_fp = fp;
			return bytes;
		}
		at += 8;
	}
	return 0;
}
