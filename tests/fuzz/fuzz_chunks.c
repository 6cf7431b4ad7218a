/* SPDX-License-Identifier: MIT */
/*
 * Frames of virtual threads in hostile memory. Input: a layout (1 byte), the room for the copy in
 * words (1 byte), and the memory: a stack of 32 words, and objects and chunks at the addresses that
 * the memory itself names. Other addresses cannot be read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "proto/chunk_layout.h"
#include "supervisor/os/remote.h"
#include "supervisor/target/chunks.h"
#include "supervisor/target/stack.h"
#include "tests/fuzz/fuzz.h"

enum { BASE = 0x10000, STACK_BYTES = 256, READS_MOST = 4 * 33 };

const unsigned fuzz_parts = CHUNK_LAYOUTS;

struct memory {
	const uint8_t *data;
	size_t bytes;
	unsigned reads;
};

/* Replaces the product's remote_peek(). */
ssize_t remote_peek(const struct remote *remote, uint64_t at, void *to, size_t n)
{
	struct memory *memory = (struct memory *)(uintptr_t)remote;

	if (++memory->reads > READS_MOST)
		abort();
	if (at < BASE || at - BASE > memory->bytes || n > memory->bytes - (at - BASE))
		return -EFAULT;
	memcpy(to, memory->data + (at - BASE), n);
	return (ssize_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct chunks_place place = {.barrier = 0xbbbb, .oop_base = BASE, .cont_below = 24};
	struct memory memory = {.data = data + 2};
	uint8_t stack[STACK_BYTES], *to;
	struct stack_piece piece = {stack, BASE, sizeof(stack)};
	size_t room, bytes;
	uint64_t fp;

	if (size < 2 + STACK_BYTES)
		return 0;
	place.layout = data[0] & (CHUNK_LAYOUTS - 1);
	place.oop_shift = data[0] >> 2 & 3;
	memory.bytes = size - 2;
	memcpy(stack, memory.data, sizeof(stack));
	room = 8 * (size_t)data[1];
	/* The exact size: the sanitizer sees a write past the room. */
	to = malloc(room + 1);
	if (!to)
		return 0;
	bytes = chunks_copy(
		&place, (const struct remote *)(const void *)&memory, &piece, BASE, to, room, &fp);
	if (bytes > room || bytes % 8)
		abort();
	/* The copy ends with a count of 0: nothing was cut off. */
	if (bytes > 8 && memcmp(to + bytes - 8, &(uint64_t){0}, 8) == 0)
		fuzz_accept(place.layout);
	free(to);
	return 0;
}
