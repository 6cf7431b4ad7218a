/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/mem.h"
#include "supervisor/target/runtime_copy.h"

/* Bytes of a text that are read at first: most texts are not longer. */
#define TEXT_BYTES 512

struct runtime_process *runtime_process_set(
	struct runtime_process *process, const struct runtime_table *table)
{
	if (!process)
		process = mem_new(1, sizeof(*process));
	if (!process)
		return NULL;
	free(process->object);
	*process = (struct runtime_process){.table = *table};
	return process;
}

void runtime_process_free(struct runtime_process *process)
{
	if (!process)
		return;
	free(process->object);
	free(process);
}

static struct runtime_object *place_of(struct runtime_object *object, size_t room, uint64_t address)
{
	size_t at = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);

	while (object[at].used && object[at].address != address)
		at = (at + 1) & (room - 1);
	return &object[at];
}

static bool make_room(struct runtime_process *process)
{
	size_t room = process->room ? process->room : 64;
	struct runtime_object *grown;

	if (process->objects == RUNTIME_OBJECTS_MOST) {
		memset(process->object, 0, process->room * sizeof(*process->object));
		process->objects = 0;
	}
	if (process->objects * 2 < process->room)
		return true;
	room *= 2;
	grown = mem_new(room, sizeof(*grown));
	if (!grown)
		return false;
	for (size_t i = 0; i < process->room; i++)
		if (process->object[i].used)
			*place_of(grown, room, process->object[i].address) = process->object[i];
	free(process->object);
	process->object = grown;
	process->room = room;
	return true;
}

struct runtime_object *runtime_object_find(struct runtime_process *process, uint64_t address)
{
	struct runtime_object *object;

	if (!make_room(process))
		return NULL;
	object = place_of(process->object, process->room, address);
	if (!object->used) {
		*object = (struct runtime_object){.address = address, .used = true};
		process->objects++;
	}
	return object;
}

uint64_t runtime_object_hash(const struct runtime_table *table, const uint8_t *object)
{
	uint64_t hash = 1;

	for (int i = 0; i < RUNTIME_KEYS; i++) {
		uint64_t word;

		if (table->key[i] == RUNTIME_NONE)
			continue;
		memcpy(&word, object + table->key[i], sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash ? hash : 1;
}

/* Reads up to @bytes bytes: fewer at the end of a mapping. */
static size_t read_up_to(
	const struct runtime_source *source, uint64_t at, uint8_t *to, size_t bytes)
{
	/*
	 * process_vm_readv(2) returns only whole pieces if it meets a missing page. So the memory
	 * is read in two pieces, the first of which ends at the page's end.
	 */
	const size_t first = 4096 - (at & 4095);
	size_t head = bytes < first ? bytes : first;
	struct iovec local[2] = {{to, head}, {to + head, bytes - head}};
	struct iovec remote[2] = {
		{(void *)(uintptr_t)at, head}, {(void *)(uintptr_t)(at + head), bytes - head}};
	ssize_t got = source->read(source->context, local, remote, bytes > head ? 2 : 1);

	return got > 0 ? (size_t)got : 0;
}

size_t runtime_text_read(const struct runtime_text *text, const uint8_t *object,
	const struct runtime_source *source, uint8_t *to)
{
	uint64_t at, length;
	size_t got, need;

	memcpy(&at, object + text->pointer, sizeof(at));
	got = at ? read_up_to(source, at, to, TEXT_BYTES) : 0;
	if (got < text->length + sizeof(length))
		return 0;
	memcpy(&length, to + text->length, sizeof(length));
	need = RUNTIME_TEXT_BYTES_MOST;
	if (length < (RUNTIME_TEXT_BYTES_MOST - text->data) / text->unit)
		need = text->data + (size_t)length * text->unit;
	if (need > got && got == TEXT_BYTES)
		got += read_up_to(source, at + got, to + got, need - got);
	return got < need ? got : need;
}
