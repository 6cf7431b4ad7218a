/* SPDX-License-Identifier: MIT */
/*
 * The ring between the supervisor (the only producer) and the analyst (the only consumer), in
 * shared memory. It carries whole records (proto/record.h), each contiguous and 8-aligned.
 *
 *   offset  size  field       written by
 *        0     8  magic       producer, once: "SPROFRNG"
 *        8     4  version     producer, once: RING_VERSION
 *       12     4  -           0
 *       16     8  capacity    producer, once: bytes of the data area, a power of two
 *       64     8  head        producer: bytes produced since the start (mod 2^64)
 *      128     8  tail        consumer: bytes consumed since the start
 *      136     4  sleeping    consumer: 1 while it waits for the doorbell
 *      192   256  working_on  consumer: path of the file that it is parsing, NUL-terminated, or ""
 *      512     -  data        record at offset (head mod capacity)
 *
 * A record never wraps: where it would, a RECORD_PAD record (size and type only) fills the rest of
 * the data area. The producer also pads when the ring is empty, the consumer waits, and a sixteenth
 * of the ring, at least a megabyte, has been used: the next records then go to the beginning, to
 * memory that is in the caches. If there is no room, the producer drops the record and counts it;
 * it never waits.
 *
 * The memory is shared with another process, which may be broken: each side keeps its own position
 * and its own copy of the capacity, and checks what it reads of the other side's.
 */
#ifndef PROTO_RING_H
#define PROTO_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_VERSION           1
#define RING_DATA_OFFSET       512
#define RING_WORKING_ON_OFFSET 192
#define RING_WORKING_ON_BYTES  256

struct ring {
	uint8_t *base;      /* the shared memory, borrowed */
	uint64_t capacity;  /* bytes of the data area */
	uint64_t at;        /* this side's own position */
	uint64_t seen;      /* the other side's position when last read */
	uint64_t reserved;  /* producer: bytes of the open reservation, padding included */
	uint64_t padding;   /* producer: bytes of padding before the reservation */
	uint64_t anew_at;   /* producer: position at which padding last began in an empty ring */
	uint64_t anew_room; /* producer: bytes of the data area outside that padding */
};

/* Bytes of shared memory for a data area of @capacity bytes (a power of two, at least 4096). */
size_t ring_memory_bytes(uint64_t capacity);

/*
 * The number of bytes at the beginning of the shared memory that are used again and again while the
 * consumer keeps up. They are to be touched beforehand: the first touch of a page takes longer than
 * all other work for a record.
 */
size_t ring_first_bytes(uint64_t capacity);

/* Producer: lays out fresh (zeroed) memory, which is borrowed. 0, or -EINVAL: bad capacity. */
int ring_init(struct ring *ring, void *memory, uint64_t capacity);

/*
 * Consumer: opens memory laid out by ring_init(), borrowed. @bytes is the size of the mapping. 0,
 * or -EPROTO: not a ring of this version, or it is larger than the mapping.
 */
int ring_open(struct ring *ring, void *memory, size_t bytes);

/*
 * Producer: reserves room for one record of at most @bytes bytes; NULL if the ring is too full.
 * Unless @event is set, the last eighth of the ring is left to events (births, maps, exits), which
 * the analyst cannot do without. The consumer sees nothing before ring_commit(). A second
 * ring_reserve() cancels the first. Wait-free; may run in the stop window.
 */
uint8_t *ring_reserve(struct ring *ring, size_t bytes, bool event);

/*
 * Producer: publishes the reservation, of which @bytes bytes (at most what was reserved) were used.
 * Sets the record's size field to @bytes rounded up to 8; the rounding is zeroed. Returns true if
 * the consumer sleeps and must be woken by the doorbell.
 */
bool ring_commit(struct ring *ring, size_t bytes);

/* Producer: has the consumer freed half of the ring? */
bool ring_is_half_empty(struct ring *ring);

/* Producer: has the consumer taken all records, and does it sleep? */
bool ring_is_drained(const struct ring *ring);

/*
 * Consumer: the next record (padding is skipped), or NULL if there is none. *@ret_bytes: its size.
 * The record is valid until ring_consume(). *@ret_error: -EPROTO if the producer wrote invalid
 * data.
 */
const uint8_t *ring_peek(struct ring *ring, size_t *ret_bytes, int *ret_error);

/* Consumer: releases the record returned by the last ring_peek(). */
void ring_consume(struct ring *ring);

/*
 * Consumer: announces that it is about to sleep. Returns false if a record has arrived meanwhile:
 * the consumer must not sleep then. ring_wake() revokes the announcement.
 */
bool ring_sleep(struct ring *ring);
void ring_wake(struct ring *ring);

/*
 * Producer, after the death of the consumer: copies the path of the file that it was parsing, "":
 * none. The consumer had written the path at RING_WORKING_ON_OFFSET (analyst/blame.h).
 */
void ring_read_note(const struct ring *ring, char ret_path[RING_WORKING_ON_BYTES]);

#endif
