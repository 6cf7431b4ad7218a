/* SPDX-License-Identifier: MIT */
#include "proto/runtime_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "proto/ring.h"

/*
 * A table is sent word by word as it is in memory, because all supported machines are
 * little-endian.
 */
_Static_assert(offsetof(struct runtime_table, text) + sizeof(struct runtime_text[RUNTIME_TEXTS]) ==
		RUNTIME_REQUESTS * sizeof(uint64_t),
	"a table consists of whole words, without padding at its end");
_Static_assert(RUNTIME_REQUESTS == 24 && RING_VERSION == 2,
	"a table of another length or layout needs another RING_VERSION");

void runtime_table_put(uint8_t to[RUNTIME_REQUEST_BYTES], const struct runtime_table *table)
{
	uint64_t word[RUNTIME_REQUESTS];

	memcpy(word, table, sizeof(word));
	for (uint32_t i = 0; i < RUNTIME_REQUESTS; i++)
		request_put(to + (size_t)i * REQUEST_BYTES,
			&(struct request){.type = REQUEST_RUNTIME, .index = i, .value = word[i]});
}

/* Do the 8 bytes at @offset lie in an object of @bytes bytes? True if @offset is RUNTIME_NONE. */
static bool is_in(uint32_t offset, uint32_t bytes)
{
	return offset == RUNTIME_NONE || (offset <= bytes && bytes - offset >= 8);
}

static bool must_be_in(uint32_t offset, uint32_t bytes)
{
	return offset != RUNTIME_NONE && is_in(offset, bytes);
}

static bool texts_are_sane(const struct runtime_table *t)
{
	bool sane = true;

	for (int i = 0; i < RUNTIME_TEXTS; i++) {
		const struct runtime_text *text = &t->text[i];

		sane &= must_be_in(text->pointer, t->object_bytes) &&
			must_be_in(text->length, text->data) && text->data <= 256 &&
			text->unit >= 1 && text->unit <= 4;
	}
	for (int i = 0; i < RUNTIME_KEYS; i++)
		sane &= is_in(t->key[i], t->object_bytes);
	return sane;
}

static bool is_sane(const struct runtime_table *t)
{
	bool sane = t->thread_bytes <= RUNTIME_THREAD_BYTES_MOST &&
		t->frame_bytes <= RUNTIME_FRAME_BYTES_MOST &&
		t->object_bytes <= RUNTIME_OBJECT_BYTES_MOST &&
		t->group_next < RUNTIME_OFFSET_MOST && t->group_threads < RUNTIME_OFFSET_MOST &&
		(t->frame_behind < RUNTIME_OFFSET_MOST || t->frame_behind == RUNTIME_NONE) &&
		must_be_in(t->thread_next, t->thread_bytes) &&
		must_be_in(t->thread_frame, t->thread_bytes) &&
		is_in(t->thread_tid, t->thread_bytes) && is_in(t->thread_self, t->thread_bytes) &&
		is_in(t->thread_chunk, t->thread_bytes) && is_in(t->thread_top, t->thread_bytes) &&
		must_be_in(t->frame_word[0], t->frame_bytes) &&
		must_be_in(t->frame_word[1], t->frame_bytes) && t->tag < 8;

	if (t->thread_chunk != RUNTIME_NONE)
		sane &= t->thread_top != RUNTIME_NONE && t->chunk_data <= 64 &&
			must_be_in(t->chunk_previous, t->chunk_data) &&
			must_be_in(t->chunk_used, t->chunk_data);
	for (int i = 0; i < RUNTIME_THREAD_WORDS; i++)
		sane &= is_in(t->thread_word[i], t->thread_bytes);
	for (int i = 0; i < RUNTIME_FRAME_WORDS; i++)
		sane &= is_in(t->frame_word[i], t->frame_bytes);
	return sane && texts_are_sane(t);
}

int runtime_table_take(struct runtime_incoming *incoming, const struct request *request,
	struct runtime_table *ret_table)
{
	struct runtime_table table;

	if (request->index == 0)
		incoming->n = 0;
	if (request->index != incoming->n || request->index >= RUNTIME_REQUESTS) {
		incoming->n = 0;
		return -EPROTO;
	}
	incoming->word[incoming->n++] = request->value;
	if (incoming->n < RUNTIME_REQUESTS)
		return 0;
	incoming->n = 0;
	memcpy(&table, incoming->word, sizeof(table));
	if (!is_sane(&table))
		return -EPROTO;
	*ret_table = table;
	return 1;
}
