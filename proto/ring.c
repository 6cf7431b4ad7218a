/* SPDX-License-Identifier: MIT */
#include "proto/ring.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "proto/bytes.h"
#include "proto/record.h"

static const char magic[8] = "SPROFRNG";

enum { AT_HEAD = 64, AT_TAIL = 128, AT_SLEEPING = 136 };

/*
 * The ring begins anew (ring.h) only after a sixteenth of its capacity, and at least so many bytes,
 * are used.
 */
#define ANEW_LEAST (UINT64_C(1) << 20)

static _Atomic uint64_t *word(const struct ring *ring, size_t offset)
{
	return (_Atomic uint64_t *)(void *)(ring->base + offset);
}

static _Atomic uint32_t *sleeping(const struct ring *ring)
{
	return (_Atomic uint32_t *)(void *)(ring->base + AT_SLEEPING);
}

static bool capacity_ok(uint64_t capacity)
{
	return capacity >= 4096 && capacity <= UINT64_C(1) << 40 && !(capacity & (capacity - 1));
}

static uint8_t *data_at(const struct ring *ring, uint64_t position)
{
	return ring->base + RING_DATA_OFFSET + (position & (ring->capacity - 1));
}

static void put_header(uint8_t *at, uint32_t bytes)
{
	struct writer w = writer_over(at, 4);

	put_u32(&w, bytes);
}

size_t ring_memory_bytes(uint64_t capacity)
{
	return RING_DATA_OFFSET + (size_t)capacity;
}

static uint64_t anew_least(uint64_t capacity)
{
	return capacity / 16 > ANEW_LEAST ? capacity / 16 : ANEW_LEAST;
}

size_t ring_first_bytes(uint64_t capacity)
{
	uint64_t first = 2 * anew_least(capacity);

	return RING_DATA_OFFSET + (size_t)(first < capacity ? first : capacity);
}

int ring_init(struct ring *ring, void *memory, uint64_t capacity)
{
	struct writer w = writer_over(memory, RING_DATA_OFFSET);

	if (!memory || !capacity_ok(capacity))
		return -EINVAL;
	*ring = (struct ring){.base = memory, .capacity = capacity, .anew_at = UINT64_MAX};
	put_bytes(&w, magic, sizeof(magic));
	put_u32(&w, RING_VERSION);
	put_u32(&w, 0);
	put_u64(&w, capacity);
	return 0;
}

int ring_open(struct ring *ring, void *memory, size_t bytes)
{
	struct reader r = reader_over(memory, bytes);
	const uint8_t *m = get_bytes(&r, sizeof(magic));
	uint32_t version = get_u32(&r);
	uint64_t capacity;

	(void)get_u32(&r);
	capacity = get_u64(&r);
	if (r.bad || memcmp(m, magic, sizeof(magic)) != 0)
		return -EPROTO;
	if (version != RING_VERSION)
		return -EPROTONOSUPPORT;
	if (!capacity_ok(capacity) || bytes < ring_memory_bytes(capacity))
		return -EPROTO;
	*ring = (struct ring){.base = memory, .capacity = capacity};
	ring->at = atomic_load_explicit(word(ring, AT_TAIL), memory_order_relaxed);
	/*
	 * At a multiple of 8, a record's size and type (8 bytes) lie within the data area. At any
	 * other position they might not, so the ring is broken.
	 */
	return ring->at % 8 ? -EPROTO : 0;
}

/* Reads the consumer's position. Ignores an impossible one: beyond ours, or going back. */
static void look_at_tail(struct ring *ring)
{
	uint64_t tail = atomic_load_explicit(word(ring, AT_TAIL), memory_order_acquire);

	if (ring->at - tail <= ring->at - ring->seen)
		ring->seen = tail;
}

bool ring_is_half_empty(struct ring *ring)
{
	look_at_tail(ring);
	return ring->at - ring->seen <= ring->capacity / 2;
}

bool ring_is_drained(const struct ring *ring)
{
	/*
	 * "sleeping" is read before the position: a consumer that has announced its sleep takes no
	 * more records, so the position is still valid.
	 */
	return atomic_load_explicit(sleeping(ring), memory_order_seq_cst) == 1 &&
		atomic_load_explicit(word(ring, AT_TAIL), memory_order_acquire) == ring->at;
}

/*
 * May the producer pad, and continue at the beginning of the ring (ring.h)? Padding takes all of
 * the ring's room except the @used bytes at its beginning, until the consumer has consumed the
 * padding. A sleeping consumer does so soon, because the next record wakes it.
 */
static bool may_begin_anew(struct ring *ring, uint64_t used, uint64_t need)
{
	if (used < anew_least(ring->capacity) || used > ring->capacity / 2 || need > used / 16 ||
		ring->capacity - used > UINT32_MAX - 7)
		return false;
	look_at_tail(ring);
	return ring->at == ring->seen &&
		atomic_load_explicit(sleeping(ring), memory_order_seq_cst) == 1;
}

/*
 * Returns how many bytes the ring may hold after the new record is added. Only an event
 * (ring_reserve()) may fill it.
 */
static uint64_t limit_of(const struct ring *ring, bool event)
{
	uint64_t room = ring->seen == ring->anew_at ? ring->anew_room : ring->capacity;

	return event ? ring->capacity : ring->capacity - room / 8;
}

uint8_t *ring_reserve(struct ring *ring, size_t bytes, bool event)
{
	uint64_t need = ((uint64_t)bytes + 7) & ~UINT64_C(7),
		 used = ring->at & (ring->capacity - 1);
	uint64_t to_end = ring->capacity - used;
	/* If true, the record fits at the beginning of the ring. */
	bool anew = may_begin_anew(ring, used, need);
	uint64_t padding = need > to_end || anew ? to_end : 0;

	if (bytes < RECORD_HEADER_BYTES || need > ring->capacity || padding + need > ring->capacity)
		return NULL;
	if (!anew && ring->at - ring->seen + padding + need > limit_of(ring, event)) {
		look_at_tail(ring);
		if (ring->at - ring->seen + padding + need > limit_of(ring, event))
			return NULL;
	}
	ring->padding = padding;
	ring->reserved = need;
	return data_at(ring, ring->at + padding);
}

bool ring_commit(struct ring *ring, size_t bytes)
{
	uint64_t used = ((uint64_t)bytes + 7) & ~UINT64_C(7);
	uint8_t *record = data_at(ring, ring->at + ring->padding);

	if (used > ring->reserved)
		used = ring->reserved;
	if (ring->padding) {
		uint8_t *pad = data_at(ring, ring->at);

		put_header(pad, (uint32_t)ring->padding);
		memset(pad + 4, 0, 4); /* type RECORD_PAD; padding may be as short as 8 bytes */
		if (ring->at == ring->seen) {
			ring->anew_at = ring->at;
			ring->anew_room = ring->capacity - ring->padding;
		}
	}
	if (used > bytes)
		memset(record + bytes, 0, used - bytes);
	put_header(record, (uint32_t)used);
	ring->at += ring->padding + used;
	ring->reserved = ring->padding = 0;
	/*
	 * The producer writes head, then reads "sleeping"; ring_sleep() writes "sleeping", then
	 * reads head. Only sequential consistency lets at least one see the other's write.
	 */
	atomic_store_explicit(word(ring, AT_HEAD), ring->at, memory_order_seq_cst);
	return atomic_load_explicit(sleeping(ring), memory_order_seq_cst) == 1;
}

const uint8_t *ring_peek(struct ring *ring, size_t *ret_bytes, int *ret_error)
{
	*ret_error = 0;
	for (;;) {
		uint64_t offset = ring->at & (ring->capacity - 1);
		struct reader r;
		uint64_t bytes, type;

		if (ring->at == ring->seen) {
			ring->seen =
				atomic_load_explicit(word(ring, AT_HEAD), memory_order_acquire);
			if (ring->at == ring->seen)
				return NULL;
		}
		r = reader_over(data_at(ring, ring->at), 8);
		bytes = get_u32(&r);
		type = get_u16(&r);
		if (ring->seen - ring->at > ring->capacity || bytes < 8 || bytes % 8 ||
			bytes > ring->seen - ring->at || bytes > ring->capacity - offset ||
			(type != RECORD_PAD && bytes < RECORD_HEADER_BYTES)) {
			*ret_error = -EPROTO;
			return NULL;
		}
		ring->reserved = bytes;
		if (type != RECORD_PAD) {
			*ret_bytes = bytes;
			return data_at(ring, ring->at);
		}
		ring_consume(ring);
	}
}

void ring_consume(struct ring *ring)
{
	ring->at += ring->reserved;
	ring->reserved = 0;
	atomic_store_explicit(word(ring, AT_TAIL), ring->at, memory_order_release);
}

bool ring_sleep(struct ring *ring)
{
	atomic_store_explicit(sleeping(ring), 1, memory_order_seq_cst);
	if (atomic_load_explicit(word(ring, AT_HEAD), memory_order_seq_cst) == ring->at)
		return true;
	ring_wake(ring);
	return false;
}

void ring_wake(struct ring *ring)
{
	atomic_store_explicit(sleeping(ring), 0, memory_order_seq_cst);
}

void ring_read_note(const struct ring *ring, char ret_path[RING_WORKING_ON_BYTES])
{
	memcpy(ret_path, ring->base + RING_WORKING_ON_OFFSET, RING_WORKING_ON_BYTES);
	ret_path[RING_WORKING_ON_BYTES - 1] = '\0';
}
