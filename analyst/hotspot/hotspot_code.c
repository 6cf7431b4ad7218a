/* SPDX-License-Identifier: MIT */
/* The known blobs, and the check whether the target has replaced them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "base/array.h"

/*
 * A blob that was last compared with memory this long ago is compared again when memory is there.
 * After twice this time, the blob is not used before it is compared.
 */
#define CHECK_NS UINT64_C(500000000)
/*
 * Code is unloaded in bulk. For this time after a blob was replaced, each look-up compares the blob
 * that it finds with memory.
 */
#define REPLACING_NS UINT64_C(2000000000)
/* With more bytes of debug information, or more blobs, all blobs are forgotten. */
#define ALL_BYTES_MOST (UINT64_C(192) << 20)
#define BLOBS_MOST     65536

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

/* The first blob that ends behind @address. */
static size_t place_of(const struct hotspot *hotspot, uint64_t address)
{
	return array_bisect(i, 0, hotspot->blobs, hotspot->blob[i]->end <= address);
}

/* Removes the blobs that overlap [@start, @end): they were replaced. */
static void remove_range(struct hotspot *hotspot, uint64_t start, uint64_t end)
{
	size_t at = place_of(hotspot, start), n = 0;

	while (at + n < hotspot->blobs && hotspot->blob[at + n]->start < end)
		release_blob(hotspot, hotspot->blob[at + n++]);
	if (!n)
		return;
	hotspot->replaced_ns = hotspot->now_ns;
	memmove(hotspot->blob + at, hotspot->blob + at + n,
		(hotspot->blobs - at - n) * sizeof(*hotspot->blob));
	hotspot->blobs -= n;
}

/* Replaces the blobs that @blob overlaps. Frees @blob on failure. -ENOMEM. */
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

typedef int read_memory(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes);

/* 1: *@ret_head is the header of the block's blob; 0: the block is unused; -EAGAIN; -ENOMEM. */
static int read_head(struct hotspot *hotspot, uint64_t block, uint64_t since_ns, read_memory *read,
	const uint8_t **ret_head, size_t *ret_bytes)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const uint8_t *data;
	size_t got;
	int r = read(hotspot->peek, block, l->block_bytes + l->code_bytes, since_ns, &data, &got);

	if (r <= 0)
		return r;
	/*
	 * A stub at the heap's end may be smaller than a compiled method's header, which was
	 * requested. Only the header of a blob must be there.
	 */
	if (got < l->block_bytes + (size_t)l->blob_bytes)
		return 0;
	if (l->block_used != HOTSPOT_NONE && !data[l->block_used])
		return 0;
	*ret_head = data + l->block_bytes;
	*ret_bytes = got - l->block_bytes;
	return 1;
}

static int learn(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob)
{
	struct hotspot_blob *blob;
	const uint8_t *head;
	uint64_t block = 0;
	size_t bytes;
	int r = hotspot_block_find(hotspot, pc, &block);

	if (r > 0)
		r = read_head(hotspot, block, hotspot->now_ns, peek_some, &head, &bytes);
	if (r <= 0)
		return r;
	blob = calloc(1, sizeof(*blob));
	if (!blob)
		return -ENOMEM;
	blob->start = block + hotspot->tables.layout.block_bytes;
	r = hotspot_blob_read(hotspot, blob, head, bytes);
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

/*
 * Is the blob unchanged? If @now, it must have been compared with memory of the sample's time or
 * later. Otherwise the comparison, or the memory, may be up to CHECK_NS older than the sample; if
 * memory is missing, the comparison may be up to 2 * CHECK_NS older. 1: unchanged, or unreadable;
 * 0: replaced; -EAGAIN: memory is needed first; -ENOMEM.
 */
static int check(struct hotspot *hotspot, struct hotspot_blob *blob, bool now)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const uint64_t block = blob->start - l->block_bytes, now_ns = hotspot->now_ns;
	const uint64_t since_ns = now ? now_ns : now_ns - CHECK_NS;
	const bool soon = now || now_ns >= blob->checked_ns + 2 * CHECK_NS;
	struct hotspot_header header;
	const uint8_t *head, *data;
	size_t bytes;
	int r;

	if (now ? now_ns == blob->checked_ns : now_ns < blob->checked_ns + CHECK_NS)
		return 1;
	r = read_head(hotspot, block, since_ns, soon ? peek_some : peek_later, &head, &bytes);
	if (r == 0)
		return peek_later(hotspot->peek, block, l->block_bytes + l->code_bytes, since_ns,
			       &data, &bytes) == 0;
	if (r < 0)
		return soon ? r : 1;
	header = hotspot_blob_header(l, blob->start, head);
	if (blob->end - blob->start != header.bytes || blob->code != header.code ||
		(blob->kind == HOTSPOT_METHOD &&
			(bytes < l->code_bytes || blob->id != load_u32(head + l->code_id) ||
				blob->method != load_u64(head + l->code_method))))
		return 0;
	blob->checked_ns = hotspot->now_ns;
	return 1;
}

static bool is_replacing(const struct hotspot *hotspot)
{
	return hotspot->replaced_ns && hotspot->now_ns < hotspot->replaced_ns + REPLACING_NS;
}

static int find(struct hotspot *hotspot, uint64_t pc, bool now, struct hotspot_blob **ret_blob)
{
	size_t at = place_of(hotspot, pc);
	int r;

	now |= is_replacing(hotspot);
	if (at < hotspot->blobs && hotspot->blob[at]->start <= pc) {
		struct hotspot_blob *blob = hotspot->blob[at];

		r = check(hotspot, blob, now);
		if (r > 0)
			*ret_blob = blob;
		if (r)
			return r;
		remove_range(hotspot, blob->start, blob->end);
	}
	r = hotspot_heaps_read(hotspot, pc);
	if (r < 0)
		return r;
	return learn(hotspot, pc, ret_blob);
}

int hotspot_blob_find(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob)
{
	return find(hotspot, pc, false, ret_blob);
}

int hotspot_blob_find_now(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob)
{
	return find(hotspot, pc, true, ret_blob);
}
