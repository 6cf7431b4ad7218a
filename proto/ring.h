/* SPDX-License-Identifier: MIT */
/*
 * The ring in shared memory between the supervisor (the only producer) and the analyst (the only
 * consumer). It carries records (proto/record.h), each contiguous and 8-aligned.
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
 * A record never wraps: where it would, a RECORD_PAD (size and type only) fills the rest of the
 * data area. The producer also pads if the ring is empty, the consumer sleeps, and a sixteenth of
 * the data area, at least 1 MiB, has been used. The next records then go to the beginning of the
 * data area, because its memory is still in the CPU's caches. Without room the producer drops the
 * record; it never waits.
 *
 * The process on the other side may be broken. So each side keeps its own position and capacity in
 * private memory, and checks the other side's position when it reads it.
 */
#ifndef PROTO_RING_H
#define PROTO_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The version of the ring, and of what passes beside it: the records, the requests that come back,
 * and struct runtime_table. Raise it with any change of these, as an upgrade may replace the
 * analyst's program while a supervisor runs, which then starts it.
 */
#define RING_VERSION           2
#define RING_DATA_OFFSET       512
#define RING_WORKING_ON_OFFSET 192
#define RING_WORKING_ON_BYTES  256

struct ring {
	uint8_t *base;      /* the shared memory, borrowed */
	uint64_t capacity;  /* bytes of the data area */
	uint64_t at;        /* this side's own position */
	uint64_t seen;      /* the other side's position when last read */
	uint64_t reserved;  /* producer: bytes reserved; consumer: of the record peeked at */
	uint64_t padding;   /* producer: bytes of padding before the reservation */
	uint64_t anew_at;   /* producer: where padding last began while the ring was empty */
	uint64_t anew_room; /* producer: bytes of the data area before the padding at anew_at */
};

/* Bytes of shared memory for a data area of @capacity bytes (a power of two, at least 4096). */
size_t ring_memory_bytes(uint64_t capacity);

/*
 * Bytes at the beginning of the shared memory that are used again and again while the consumer
 * keeps up. Beyond them the ring begins anew. Touch them beforehand: a page's first touch takes
 * longer than all other work for a record.
 */
size_t ring_first_bytes(uint64_t capacity);

/* Producer: lays out zeroed memory, which the ring borrows. 0, or -EINVAL: bad capacity. */
int ring_init(struct ring *ring, void *memory, uint64_t capacity);

/*
 * Consumer: opens memory laid out by ring_init(), and borrows it. @bytes is the mapping's size.
 * Returns 0; -EPROTONOSUPPORT: the ring has another version; -EPROTO: it is no ring, or larger than
 * the mapping.
 */
int ring_open(struct ring *ring, void *memory, size_t bytes);

/*
 * Producer: reserves room for one record of at most @bytes bytes. NULL: the ring is too full.
 * @event: births, maps, exits. Only events may use the last eighth of the ring, because without
 * them the analyst cannot interpret samples. The consumer sees nothing before ring_commit(). A
 * second ring_reserve() cancels the first. Wait-free, so it may run while a thread of the target is
 * stopped.
 */
uint8_t *ring_reserve(struct ring *ring, size_t bytes, bool event);

/*
 * Producer: publishes the first @bytes bytes of the reservation as a record. Pads the record with
 * zeros to a multiple of 8 bytes, and writes its padded size to its header. True: the consumer
 * sleeps, so the caller must wake it (the doorbell, a pipe).
 */
bool ring_commit(struct ring *ring, size_t bytes);

/* Producer: has the consumer freed half of the ring? */
bool ring_is_half_empty(struct ring *ring);

/* Producer: has the consumer taken all records, and does it sleep? */
bool ring_is_drained(const struct ring *ring);

/*
 * Consumer: skips padding; returns the next record and its size, valid until ring_consume(). NULL:
 * there is no record, or the producer wrote invalid data (then *@ret_error is -EPROTO).
 */
const uint8_t *ring_peek(struct ring *ring, size_t *ret_bytes, int *ret_error);

/* Consumer: releases the record of the last ring_peek(). */
void ring_consume(struct ring *ring);

/*
 * Consumer: announces that it will sleep. False: a record has arrived, so it must not sleep, and
 * nothing is announced. ring_wake() revokes the announcement.
 */
bool ring_sleep(struct ring *ring);
void ring_wake(struct ring *ring);

/*
 * Producer: copies the path of the file that a dead consumer was parsing. "": it parsed none. The
 * consumer wrote it at RING_WORKING_ON_OFFSET (analyst/blame.h).
 */
void ring_read_note(const struct ring *ring, char ret_path[RING_WORKING_ON_BYTES]);

#endif
