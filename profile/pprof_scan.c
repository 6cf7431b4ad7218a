/* SPDX-License-Identifier: MIT */
#include "profile/pprof_scan.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_DELIMITED = 2, WIRE_32 = 5 };

enum { CHUNK_BYTES = 64 * 1024 - 64 };

/* Maximum unpacked size of one message. */
#define ARENA_MAX_BYTES ((size_t)1 << 30)

struct scan_chunk {
	struct scan_chunk *next;
	size_t used, room;
	_Alignas(16) uint8_t data[];
};

/* A varint has 7 bits per byte, the lowest first; the top bit means that more follow. */
int pprof_scan_varint(struct byte_span *span, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (span->p == span->end)
		return 0;
	for (unsigned shift = 0; shift < 64 && span->p < span->end; shift += 7) {
		uint8_t byte = *span->p++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_value = value;
			return 1;
		}
	}
	return -EBADMSG;
}

static int take_bytes(struct byte_span *span, uint64_t bytes, struct field *field)
{
	if ((uint64_t)(span->end - span->p) < bytes)
		return -EBADMSG;
	field->data = span->p;
	field->bytes = (size_t)bytes;
	span->p += bytes;
	return 1;
}

int pprof_scan_field(struct byte_span *span, struct field *ret_field)
{
	struct field field = {0};
	uint64_t tag, bytes;
	int result = pprof_scan_varint(span, &tag);

	if (result <= 0)
		return result;
	if (tag >> 3 == 0 || tag >> 32)
		return -EBADMSG;
	field.number = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case WIRE_VARINT: result = pprof_scan_varint(span, &field.value) == 1 ? 1 : -EBADMSG; break;
	case WIRE_64: result = take_bytes(span, 8, &field); break;
	case WIRE_32: result = take_bytes(span, 4, &field); break;
	case WIRE_DELIMITED:
		field.delimited = true;
		result = pprof_scan_varint(span, &bytes) == 1 ? take_bytes(span, bytes, &field)
							      : -EBADMSG;
		break;
	default: return -EBADMSG;
	}
	if (result == 1)
		*ret_field = field;
	return result;
}

static void *scan_arena_alloc(void *data, size_t bytes)
{
	struct scan_arena *arena = data;
	struct scan_chunk *chunk = arena->chunk;
	size_t room;

	if (bytes > ARENA_MAX_BYTES - arena->taken)
		return NULL;
	bytes = (bytes + 15) & ~(size_t)15;
	if (!chunk || chunk->room - chunk->used < bytes) {
		room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk) {
			arena->no_memory = true;
			return NULL;
		}
		*chunk = (struct scan_chunk){.next = arena->chunk, .room = room};
		arena->chunk = chunk;
	}
	arena->taken += bytes;
	chunk->used += bytes;
	return chunk->data + chunk->used - bytes;
}

static void scan_arena_free(void *data, void *memory)
{
	(void)data;
	(void)memory;
}

void scan_arena_init(struct scan_arena *arena)
{
	*arena = (struct scan_arena){.allocator = {scan_arena_alloc, scan_arena_free, arena}};
}

/* Keeps one chunk, which suffices for nearly all messages. */
void scan_arena_reset(struct scan_arena *arena)
{
	while (arena->chunk && arena->chunk->next) {
		struct scan_chunk *next = arena->chunk->next;

		free(arena->chunk);
		arena->chunk = next;
	}
	if (arena->chunk)
		arena->chunk->used = 0;
	arena->taken = 0;
}

void scan_arena_release(struct scan_arena *arena)
{
	scan_arena_reset(arena);
	free(arena->chunk);
	arena->chunk = NULL;
}

void ids_release(struct ids *ids)
{
	table_release(&ids->table);
	free(ids->item);
	*ids = (struct ids){0};
}

static bool id_equal(const void *items, uint32_t index, const void *key)
{
	return ((const struct ids_item *)items)[index].id == *(const uint64_t *)key;
}

int ids_add(struct ids *ids, uint64_t id, uint32_t index)
{
	int error;

	if (ids_find(ids, id) >= 0)
		return -EEXIST;
	if (array_grow(&ids->item, &ids->room, ids->n + 1) < 0)
		return -ENOMEM;
	error = table_add(&ids->table, table_mix(table_seed(), id), (uint32_t)ids->n);
	if (error >= 0)
		ids->item[ids->n++] = (struct ids_item){id, index};
	return error;
}

/* Nearly all writers number ids from 1 in file order, so item id - 1 is tried first. */
int ids_find(const struct ids *ids, uint64_t id)
{
	int at;

	if (id - 1 < ids->n && ids->item[id - 1].id == id)
		return (int)ids->item[id - 1].index;
	at = table_find(&ids->table, table_mix(table_seed(), id), id_equal, ids->item, &id);
	return at < 0 ? at : (int)ids->item[at].index;
}
