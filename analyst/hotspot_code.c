/* SPDX-License-Identifier: MIT */
/* The code heaps, and the pieces of code in them (codeCache.hpp, heap.hpp, codeBlob.hpp). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "analyst/hotspot_internal.h"
#include "analyst/peek.h"
#include "symbolizer/exported.h"

/*
 * A known blob may have been replaced: after this time it is compared with the memory again. It is
 * used meanwhile, up to twice this time.
 */
#define CHECK_NS UINT64_C(500000000)
/* The heaps are read again after this time, if a pc is in none of them. */
#define HEAPS_NS 50000000
/* Greater ones make no sense. */
#define HEAP_BYTES_MOST  (UINT64_C(1) << 32)
#define BLOB_BYTES_MOST  (UINT64_C(64) << 20)
#define DEBUG_BYTES_MOST (UINT32_C(4) << 20)
#define FRAME_WORDS_MOST 65536
/* Of all blobs; beyond it, all are forgotten. */
#define ALL_BYTES_MOST (UINT64_C(192) << 20)
#define BLOBS_MOST     65536
/* Of the map of segments; read at a time. */
enum { WINDOW = 512, HOPS_MOST = 4096, SEGMENT_UNUSED = 0xff };

static uint64_t word_at(const uint8_t *data, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, data + offset, sizeof(word));
	return word;
}

static uint32_t half_at(const uint8_t *data, uint32_t offset)
{
	uint32_t half;

	memcpy(&half, data + offset, sizeof(half));
	return half;
}

static int read_word(struct hotspot *hotspot, uint64_t address, uint64_t *ret_word)
{
	const uint8_t *data;
	int r = peek_at(hotspot->peek, address, 8, hotspot->now_ns, &data);

	if (r > 0)
		*ret_word = word_at(data, 0);
	return r;
}

static int read_heap(struct hotspot *hotspot, uint64_t at, struct hotspot_heap *ret_heap)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	uint64_t log2, need[4];
	const uint64_t from[4] = {at + l->heap_memory + l->space_low,
		at + l->heap_memory + l->space_end, at + l->heap_segments + l->space_low,
		at + l->heap_log2};
	int r = 1;

	for (int i = 0; i < 4; i++) {
		int one = read_word(hotspot, from[i], &need[i]);

		r = one < r ? one : r;
	}
	if (r <= 0)
		return r;
	log2 = need[3] & UINT32_MAX;
	if (need[1] <= need[0] || need[1] - need[0] > HEAP_BYTES_MOST || log2 < 3 || log2 > 20)
		return 0;
	*ret_heap = (struct hotspot_heap){need[0], need[1], need[2], (uint32_t)log2};
	return 1;
}

/* Reads CodeCache::_heaps. 0: there are none yet. */
static int read_heaps(struct hotspot *hotspot)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	struct hotspot_heap heap[HOTSPOT_HEAPS_MOST];
	uint64_t list, length, data, at;
	size_t n = 0;
	int r = read_word(hotspot, l->heaps_at, &list);

	if (r > 0)
		r = read_word(hotspot, list + l->array_length, &length);
	if (r > 0)
		r = read_word(hotspot, list + l->array_data, &data);
	if (r > 0 && (uint32_t)length > HOTSPOT_HEAPS_MOST)
		return 0;
	for (uint32_t i = 0; r > 0 && i < (uint32_t)length; i++) {
		int one = read_word(hotspot, data + 8 * (uint64_t)i, &at);

		if (one > 0)
			one = read_heap(hotspot, at, &heap[n]);
		n += one > 0;
		r = one < 0 ? one : r;
	}
	if (r > 0)
		r = read_word(hotspot, l->call_stub_return_at, &hotspot->call_stub_return);
	if (r < 0)
		return r;
	hotspot->heaps_ns = hotspot->now_ns;
	if (r > 0) {
		memcpy(hotspot->heap, heap, n * sizeof(*heap));
		hotspot->heaps = n;
	}
	return r;
}

static const struct hotspot_heap *heap_of(const struct hotspot *hotspot, uint64_t pc)
{
	for (size_t i = 0; i < hotspot->heaps; i++)
		if (pc >= hotspot->heap[i].start && pc < hotspot->heap[i].end)
			return &hotspot->heap[i];
	return NULL;
}

bool hotspot_is_code(const struct hotspot *hotspot, uint64_t pc)
{
	return heap_of(hotspot, pc) != NULL;
}

static void release_blob(struct hotspot *hotspot, struct hotspot_blob *blob)
{
	hotspot->debug_bytes -= blob->debug_bytes;
	free(blob->debug);
	free(blob);
}

void hotspot_blobs_forget(struct hotspot *hotspot)
{
	for (size_t i = 0; i < hotspot->blobs; i++)
		release_blob(hotspot, hotspot->blob[i]);
	hotspot->blobs = 0;
}

/* The index of the first blob that ends behind @address. */
static size_t place_of(const struct hotspot *hotspot, uint64_t address)
{
	size_t low = 0, high = hotspot->blobs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hotspot->blob[middle]->end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Takes the blobs out that overlap [@start, @end). */
static void remove_range(struct hotspot *hotspot, uint64_t start, uint64_t end)
{
	size_t at = place_of(hotspot, start), n = 0;

	while (at + n < hotspot->blobs && hotspot->blob[at + n]->start < end)
		release_blob(hotspot, hotspot->blob[at + n++]);
	if (!n)
		return;
	memmove(hotspot->blob + at, hotspot->blob + at + n,
		(hotspot->blobs - at - n) * sizeof(*hotspot->blob));
	hotspot->blobs -= n;
}

/* Owns @blob, also on failure. */
static int insert(struct hotspot *hotspot, struct hotspot_blob *blob)
{
	size_t at;

	hotspot->debug_bytes += blob->debug_bytes;
	if (hotspot->debug_bytes > ALL_BYTES_MOST || hotspot->blobs == BLOBS_MOST)
		hotspot_blobs_forget(hotspot);
	remove_range(hotspot, blob->start, blob->end);
	if (array_grow(&hotspot->blob, &hotspot->blob_room, hotspot->blobs + 1) < 0) {
		release_blob(hotspot, blob);
		return -ENOMEM;
	}
	at = place_of(hotspot, blob->start);
	memmove(hotspot->blob + at + 1, hotspot->blob + at,
		(hotspot->blobs - at) * sizeof(*hotspot->blob));
	hotspot->blob[at] = blob;
	hotspot->blobs++;
	return 0;
}

/*
 * The block that contains the segment of @pc. The byte of a segment says how many segments before
 * it the block begins, or that many at least: 0 at its first one.
 */
static int find_block(
	struct hotspot *hotspot, const struct hotspot_heap *heap, uint64_t pc, uint64_t *ret_block)
{
	uint64_t segment = (pc - heap->start) >> heap->log2, window = UINT64_MAX;
	const uint8_t *data = NULL;

	for (int i = 0; i < HOPS_MOST; i++) {
		uint64_t here = segment & ~(uint64_t)(WINDOW - 1);
		uint8_t back;

		if (here != window) {
			/* The map lies on pages of its own: the rest of the last one is there. */
			int r = peek_at(hotspot->peek, heap->segments + here, WINDOW,
				hotspot->now_ns, &data);

			if (r <= 0)
				return r;
			window = here;
		}
		back = data[segment - here];
		if (back == SEGMENT_UNUSED || back > segment)
			return 0;
		if (!back) {
			*ret_block = heap->start + (segment << heap->log2);
			return 1;
		}
		segment -= back;
	}
	return 0;
}

/* A text of the library, or of memory. */
static int read_name(struct hotspot *hotspot, uint64_t address, char *to, size_t room)
{
	const struct hotspot_tables *tables = &hotspot->tables;
	const uint8_t *data;
	size_t got, n;
	int r;

	if (exported_read(tables->module, address - tables->bias, to, room - 1)) {
		to[room - 1] = '\0';
		return 1;
	}
	r = peek_some(hotspot->peek, address, room - 1, 0, &data, &got);
	if (r <= 0)
		return r;
	n = strnlen((const char *)data, got);
	memcpy(to, data, n);
	to[n] = '\0';
	return 1;
}

/* Copies [@start + @from, @start + @to) of the memory. */
static int read_debug(
	struct hotspot *hotspot, struct hotspot_blob *blob, uint32_t from, uint32_t to)
{
	const uint8_t *data;
	int r = 1;

	for (int copy = 0; copy < 2 && r > 0; copy++) {
		for (uint32_t at = from; at < to && (r > 0 || !copy); at += PEEK_MOST) {
			size_t bytes = to - at < PEEK_MOST ? to - at : PEEK_MOST;
			int one = peek_at(
				hotspot->peek, blob->start + at, bytes, hotspot->now_ns, &data);

			r = one < r ? one : r;
			if (copy && one > 0)
				memcpy(blob->debug + (at - from), data, bytes);
		}
		if (r > 0 && !copy) {
			blob->debug = malloc(to - from + 1);
			if (!blob->debug)
				return -ENOMEM;
			blob->debug_bytes = to - from;
		}
	}
	return r;
}

/* What only compiled methods have. @head: the blob's header, of code_bytes bytes. */
static int read_compiled(struct hotspot *hotspot, struct hotspot_blob *blob, const uint8_t *head)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	uint32_t metadata = half_at(head, l->code_metadata), pcs = half_at(head, l->code_pcs),
		 end = half_at(head, l->code_dependencies);
	uint64_t scopes = word_at(head, l->code_scopes) - blob->start;

	blob->method = word_at(head, l->code_method);
	blob->deopt = word_at(head, l->code_deopt);
	blob->deopt_mh = word_at(head, l->code_deopt_mh);
	blob->verified = word_at(head, l->code_verified);
	blob->original_pc = half_at(head, l->code_original_pc);
	blob->id = half_at(head, l->code_id);
	if (metadata > scopes || scopes > pcs || pcs > end || end > blob->end - blob->start ||
		end - metadata > DEBUG_BYTES_MOST)
		return 0;
	blob->scopes = (uint32_t)scopes - metadata;
	blob->pcs = pcs - metadata;
	return read_debug(hotspot, blob, metadata, end);
}

static bool is_compiled(const char *name)
{
	return !strcmp(name, "nmethod") || !strcmp(name, "native nmethod");
}

static enum hotspot_kind kind_of(const struct hotspot_blob *blob)
{
	if (is_compiled(blob->name))
		return HOTSPOT_METHOD;
	if (!strcmp(blob->name, "Interpreter"))
		return HOTSPOT_INTERPRETER;
	return blob->frame_bytes ? HOTSPOT_FRAME : HOTSPOT_STUB;
}

/* Fills @blob from its header of @bytes bytes. */
static int read_blob(
	struct hotspot *hotspot, struct hotspot_blob *blob, const uint8_t *head, size_t bytes)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	uint32_t words = half_at(head, l->blob_frame_size);
	int r = read_name(hotspot, word_at(head, l->blob_name), blob->name, sizeof(blob->name));

	if (r <= 0)
		return r;
	blob->end = blob->start + half_at(head, l->blob_size);
	blob->code = word_at(head, l->blob_code_begin);
	blob->code_end = word_at(head, l->blob_code_end);
	blob->frame_complete = (int32_t)half_at(head, l->blob_frame_complete);
	blob->checked_ns = hotspot->now_ns;
	if (half_at(head, l->blob_size) > BLOB_BYTES_MOST || blob->code < blob->start ||
		blob->code_end < blob->code || blob->code_end > blob->end)
		return 0;
	/* -1: it has none. */
	if ((int32_t)words > 0 && words <= FRAME_WORDS_MOST)
		blob->frame_bytes = words * 8;
	blob->kind = kind_of(blob);
	if (blob->kind != HOTSPOT_METHOD)
		return 1;
	if (!blob->frame_bytes || bytes < l->code_bytes)
		return 0;
	return read_compiled(hotspot, blob, head);
}

typedef int read_memory(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes);

/* The header of the block at @block. *@ret_head: that of the blob in it. */
static int read_head(struct hotspot *hotspot, uint64_t block, uint64_t since_ns, read_memory *read,
	const uint8_t **ret_head, size_t *ret_bytes)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const uint8_t *data;
	size_t got;
	int r = read(hotspot->peek, block, l->block_bytes + l->code_bytes, since_ns, &data, &got);

	if (r <= 0)
		return r;
	/* Of another kind of blob the rest may lie behind the end of the heap. */
	if (got < l->block_bytes + (size_t)l->blob_code_end + 8 ||
		got < l->block_bytes + (size_t)l->blob_frame_size + 8 ||
		got < l->block_bytes + (size_t)l->blob_name + 8)
		return 0;
	if (l->block_used != HOTSPOT_NONE && !data[l->block_used])
		return 0;
	*ret_head = data + l->block_bytes;
	*ret_bytes = got - l->block_bytes;
	return 1;
}

static int learn(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob)
{
	const struct hotspot_heap *heap = heap_of(hotspot, pc);
	struct hotspot_blob *blob;
	const uint8_t *head;
	uint64_t block = 0;
	size_t bytes;
	int r = heap ? find_block(hotspot, heap, pc, &block) : 0;

	if (r > 0)
		r = read_head(hotspot, block, hotspot->now_ns, peek_some, &head, &bytes);
	if (r <= 0)
		return r;
	blob = calloc(1, sizeof(*blob));
	if (!blob)
		return -ENOMEM;
	blob->start = block + hotspot->tables.layout.block_bytes;
	r = read_blob(hotspot, blob, head, bytes);
	if (r > 0 && (pc < blob->start || pc > blob->end))
		r = 0;
	if (r <= 0) {
		free(blob->debug);
		free(blob);
		return r;
	}
	*ret_blob = blob;
	r = insert(hotspot, blob);
	return r < 0 ? r : 1;
}

/* Is the blob still what it was? 1: yes, or its memory is gone; 0: no; -EAGAIN. */
static int check(struct hotspot *hotspot, struct hotspot_blob *blob)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const uint64_t block = blob->start - l->block_bytes, now_ns = hotspot->now_ns;
	const bool soon = now_ns >= blob->checked_ns + 2 * CHECK_NS;
	const uint8_t *head, *data;
	size_t bytes;
	int r;

	if (now_ns < blob->checked_ns + CHECK_NS)
		return 1;
	r = read_head(
		hotspot, block, now_ns - CHECK_NS, soon ? peek_some : peek_later, &head, &bytes);
	if (r == 0)
		return peek_later(hotspot->peek, block, l->block_bytes + l->code_bytes,
			       now_ns - CHECK_NS, &data, &bytes) == 0;
	if (r < 0)
		return soon ? r : 1;
	if (blob->end - blob->start != half_at(head, l->blob_size) ||
		blob->code != word_at(head, l->blob_code_begin) ||
		(blob->kind == HOTSPOT_METHOD &&
			(bytes < l->code_bytes || blob->id != half_at(head, l->code_id) ||
				blob->method != word_at(head, l->code_method))))
		return 0;
	blob->checked_ns = hotspot->now_ns;
	return 1;
}

int hotspot_blob_find(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob)
{
	size_t at = place_of(hotspot, pc);
	int r;

	if (at < hotspot->blobs && hotspot->blob[at]->start <= pc) {
		struct hotspot_blob *blob = hotspot->blob[at];

		r = check(hotspot, blob);
		if (r > 0)
			*ret_blob = blob;
		if (r)
			return r;
		remove_range(hotspot, blob->start, blob->end);
	}
	if (!heap_of(hotspot, pc) &&
		(!hotspot->heaps_ns || hotspot->now_ns >= hotspot->heaps_ns + HEAPS_NS)) {
		r = read_heaps(hotspot);
		if (r < 0)
			return r;
	}
	return learn(hotspot, pc, ret_blob);
}
