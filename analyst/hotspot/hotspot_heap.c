/* SPDX-License-Identifier: MIT */
/* The code heaps, which hold generated code, and their blocks (codeCache.hpp, heap.hpp). */
#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_internal.h"

/* For a pc in no known heap, the heaps are read again only after this time. */
#define HEAPS_NS 50000000
/* A larger heap is damaged data. */
#define HEAP_BYTES_MOST (UINT64_C(1) << 32)
/*
 * WINDOW: bytes of the map of segments read at a time. HOPS_MOST: steps back to the beginning of a
 * block. SEGMENT_UNUSED: the map's byte for a segment in no block.
 */
enum { WINDOW = 512, HOPS_MOST = 4096, SEGMENT_UNUSED = 0xff };

static int read_word(struct hotspot *hotspot, uint64_t address, uint64_t *ret_word)
{
	const uint8_t *data;
	int r = peek_at(hotspot->peek, address, 8, hotspot->now_ns, &data);

	if (r > 0)
		*ret_word = load_u64(data);
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

/* Reads CodeCache::_heaps. 1; 0: there are none yet; -EAGAIN; -ENOMEM. */
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

int hotspot_heaps_read(struct hotspot *hotspot, uint64_t pc)
{
	/* The call stub is generated after the heaps: its address may still be missing. */
	if ((heap_of(hotspot, pc) && hotspot->call_stub_return) ||
		(hotspot->heaps_ns && hotspot->now_ns < hotspot->heaps_ns + HEAPS_NS))
		return 1;
	return read_heaps(hotspot);
}

/*
 * The map has a byte for each segment. 0: the segment is the first one of a block. Otherwise the
 * byte is the distance, in segments, back to the block's first segment, or to one between if that
 * distance is too large for a byte.
 */
int hotspot_block_find(struct hotspot *hotspot, uint64_t pc, uint64_t *ret_block)
{
	const struct hotspot_heap *heap = heap_of(hotspot, pc);
	uint64_t segment, window = UINT64_MAX;
	const uint8_t *data = NULL;

	if (!heap)
		return 0;
	segment = (pc - heap->start) >> heap->log2;
	for (int i = 0; i < HOPS_MOST; i++) {
		uint64_t here = segment & ~(uint64_t)(WINDOW - 1);
		uint8_t back;

		if (here != window) {
			/* The map is whole pages, so a window may reach past its end. */
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
