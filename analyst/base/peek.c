/* SPDX-License-Identifier: MIT */
#include "analyst/base/peek.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/record.h"
#include "proto/request.h"

/* The most requests in one write: a write of up to 4096 bytes to a pipe is atomic. */
#define AT_ONCE (4096 / REQUEST_BYTES)

/* A list with room for more reads than this is freed when it is emptied. */
#define KEPT_ROOM 4096
/* peek_tidy() drops the answers if they have more bytes than this. */
#define KEPT_BYTES (4 << 20)

enum peek_request { PEEK_NONE, PEEK_UNSENT, PEEK_SENT };

struct peek_read {
	uint64_t address;
	uint64_t time_ns; /* of the answer */
	uint8_t *data;    /* owned */
	uint32_t requested, bytes;
	bool answered;
	/* state of the request for a new answer; an older answer stays until then */
	enum peek_request asked;
};

void peek_forget(struct peek *peek)
{
	for (size_t i = 0; i < peek->reads; i++)
		free(peek->read[i].data);
	peek->reads = peek->waiting = peek->unsent = 0;
	peek->bytes = 0;
	table_clear(&peek->by_address);
	if (peek->room > KEPT_ROOM) {
		table_release(&peek->by_address);
		free(peek->read);
		peek->read = NULL;
		peek->room = 0;
	}
}

void peek_tidy(struct peek *peek)
{
	if (!peek->waiting || peek->bytes > KEPT_BYTES || peek->reads > KEPT_ROOM)
		peek_forget(peek);
}

void peek_release(struct peek *peek)
{
	peek_forget(peek);
	table_release(&peek->by_address);
	free(peek->read);
	*peek = (struct peek){0};
}

void peek_begin(struct peek *peek)
{
	peek->missed = false;
}

void peek_last(struct peek *peek)
{
	peek->last = true;
}

static bool is_same(const void *reads, uint32_t index, const void *key)
{
	const struct peek_read *a = (const struct peek_read *)reads + index, *b = key;

	return a->address == b->address && a->requested == b->requested;
}

static struct peek_read *find(const struct peek *peek, const struct peek_read *key)
{
	uint64_t hash = table_mix(key->address, key->requested);
	int at = table_find(&peek->by_address, hash, is_same, peek->read, key);

	return at < 0 ? NULL : &peek->read[at];
}

/*
 * Queues a request for @read. If @read is NULL, adds a read with the address and size of @key
 * first. -ENOMEM.
 */
static int ask(struct peek *peek, struct peek_read *read, const struct peek_read *key)
{
	if (!read) {
		uint64_t hash = table_mix(key->address, key->requested);
		int at = table_intern(&peek->by_address, hash, is_same, &peek->read, &peek->room,
			&peek->reads, key);

		if (at < 0)
			return at;
		read = &peek->read[at];
	}
	if (read->asked != PEEK_NONE)
		return 0;
	read->asked = PEEK_UNSENT;
	peek->waiting++;
	peek->unsent++;
	return 0;
}

int peek_some(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes)
{
	const struct peek_read key = {.address = address, .requested = (uint32_t)bytes};
	struct peek_read *read;

	if (!bytes || bytes > PEEK_MOST || address >= REQUEST_MEMORY_END - bytes || address < 4096)
		return 0;
	read = find(peek, &key);
	if (read && read->answered && read->time_ns >= since_ns) {
		*ret_data = read->data;
		*ret_bytes = read->bytes;
		return read->bytes > 0;
	}
	if (peek->last)
		return 0;
	if (ask(peek, read, &key) < 0)
		return -ENOMEM;
	peek->missed = true;
	return -EAGAIN;
}

int peek_later(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data, size_t *ret_bytes)
{
	bool missed = peek->missed;
	int r = peek_some(peek, address, bytes, since_ns, ret_data, ret_bytes);

	peek->missed = missed;
	return r;
}

int peek_at(struct peek *peek, uint64_t address, size_t bytes, uint64_t since_ns,
	const uint8_t **ret_data)
{
	size_t got;
	int r = peek_some(peek, address, bytes, since_ns, ret_data, &got);

	return r > 0 ? got == bytes : r;
}

void peek_send(struct peek *peek)
{
	uint8_t requests[AT_ONCE * REQUEST_BYTES];
	struct peek_read *sent[AT_ONCE];

	for (size_t i = 0, n = 0; peek->unsent && i < peek->reads; i++) {
		struct peek_read *read = &peek->read[i];
		const uint64_t bytes = read->requested;

		if (read->asked != PEEK_UNSENT)
			continue;
		request_put(requests + n * REQUEST_BYTES,
			&(struct request){.type = REQUEST_MEMORY,
				.index = peek->pid,
				.value = read->address | bytes << 48});
		sent[n++] = read;
		if (n < AT_ONCE && n < peek->unsent)
			continue;
		if (peek->request && !peek->request(peek->context, requests, n * REQUEST_BYTES))
			return;
		for (size_t k = 0; k < n; k++)
			sent[k]->asked = PEEK_SENT;
		peek->unsent -= n;
		n = 0;
	}
}

int peek_answer(struct peek *peek, uint64_t time_ns, const struct record_memory *memory)
{
	const struct peek_read key = {.address = memory->address, .requested = memory->requested};
	struct peek_read *read = find(peek, &key);
	uint8_t *data = NULL;

	if (!read || read->asked == PEEK_NONE)
		return 0;
	if (memory->bytes) {
		data = malloc(memory->bytes);
		if (!data)
			return -ENOMEM;
		memcpy(data, memory->data, memory->bytes);
	}
	peek->unsent -= read->asked == PEEK_UNSENT;
	peek->waiting--;
	peek->bytes += memory->bytes;
	peek->bytes -= read->bytes;
	free(read->data);
	read->data = data;
	read->bytes = memory->bytes;
	read->time_ns = time_ns;
	read->answered = true;
	read->asked = PEEK_NONE;
	return 0;
}
