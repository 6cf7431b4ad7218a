/* SPDX-License-Identifier: MIT */
#include "proto/runtime_table.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Copies a table's fields to words (@put) or from words, in the order of the requests. */
struct visitor {
	uint64_t *word;
	uint32_t n;
	bool put, bad;
};

static void visit64(struct visitor *v, uint64_t *field)
{
	if (v->put)
		v->word[v->n++] = *field;
	else
		*field = v->word[v->n++];
}

static void visit32(struct visitor *v, uint32_t *field)
{
	uint64_t value = *field;

	visit64(v, &value);
	v->bad |= value > UINT32_MAX;
	*field = (uint32_t)value;
}

static void visit_all(struct visitor *v, struct runtime_table *t)
{
	uint32_t *const fields[] = {&t->pid, &t->id, &t->group_next, &t->group_threads,
		&t->thread_bytes, &t->thread_next, &t->thread_tid, &t->thread_self,
		&t->thread_frame, &t->frame_behind, &t->thread_word[0], &t->thread_word[1],
		&t->thread_chunk, &t->thread_top, &t->chunk_previous, &t->chunk_used,
		&t->chunk_data, &t->frame_bytes, &t->object_bytes};

	visit64(v, &t->threads_head);
	visit64(v, &t->watch[0]);
	visit64(v, &t->watch[1]);
	visit64(v, &t->tag);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		visit32(v, fields[i]);
	for (int i = 0; i < RUNTIME_FRAME_WORDS; i++)
		visit32(v, &t->frame_word[i]);
	for (int i = 0; i < RUNTIME_KEYS; i++)
		visit32(v, &t->key[i]);
	for (int i = 0; i < RUNTIME_TEXTS; i++) {
		visit32(v, &t->text[i].pointer);
		visit32(v, &t->text[i].length);
		visit32(v, &t->text[i].data);
		visit32(v, &t->text[i].unit);
	}
}

void runtime_table_put(uint8_t to[RUNTIME_REQUEST_BYTES], const struct runtime_table *table)
{
	uint64_t word[RUNTIME_REQUESTS] = {0};
	struct runtime_table copy = *table;
	struct visitor v = {.word = word, .put = true};

	visit_all(&v, &copy);
	for (uint32_t i = 0; i < RUNTIME_REQUESTS; i++)
		request_put(to + (size_t)i * REQUEST_BYTES,
			&(struct request){.type = REQUEST_RUNTIME, .index = i, .value = word[i]});
}

/* Does the 8-byte field at @offset, if there is one, lie in an object of @bytes bytes? */
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
	struct runtime_table table = {0};
	struct visitor v = {.word = incoming->word};

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
	visit_all(&v, &table);
	if (v.bad || !is_sane(&table))
		return -EPROTO;
	*ret_table = table;
	return 1;
}
