/* SPDX-License-Identifier: MIT */
/*
 * The memory of a hostile target, whose interpreter frames are false and change while they are
 * read. Byte 0: bits 0-1 choose the table (3: one that the input contains, as requests); bits 2-4
 * say how often a read changes a byte (0: never). The rest is memory at 0x10000, repeated; other
 * addresses cannot be read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/target/runtime_copy.h"
#include "supervisor/target/stack.h"
#include "tests/fuzz/fuzz.h"

enum { BASE = 0x10000, REACH = 0x10000, READS_MOST = 20000 };

struct memory {
	uint8_t *byte;
	size_t bytes;
	unsigned reads, change;
};

static bool copy_out(const struct memory *m, uint64_t at, uint8_t *to, size_t n)
{
	if (!m->bytes || at < BASE || at - BASE >= REACH || n > REACH - (at - BASE))
		return false;
	for (size_t i = 0; i < n; i++)
		to[i] = m->byte[(at - BASE + i) % m->bytes];
	return true;
}

static ssize_t read_memory(
	void *context, const struct iovec *to, const struct iovec *from, size_t n)
{
	struct memory *m = context;
	ssize_t got = 0;

	if (++m->reads > READS_MOST)
		__builtin_trap();
	if (m->change && m->reads % m->change == 0 && m->bytes)
		m->byte[m->reads * 31 % m->bytes] ^= (uint8_t)m->reads;
	for (size_t i = 0; i < n; i++) {
		if (!copy_out(m, (uintptr_t)from[i].iov_base, to[i].iov_base, from[i].iov_len))
			return got ? got : -EFAULT;
		got += (ssize_t)from[i].iov_len;
	}
	return got;
}

/* @which 0 to 2: CPython 3.11, 3.10, 3.12. */
static struct runtime_table table_of(unsigned which)
{
	struct runtime_table t = {
		.threads_head = BASE + 40,
		.group_threads = 16,
		.thread_bytes = 312,
		.thread_next = 8,
		.thread_tid = 160,
		.thread_self = 152,
		.thread_frame = 56,
		.frame_behind = which == 1 ? RUNTIME_NONE : 8,
		.thread_word = {56, RUNTIME_NONE},
		.thread_chunk = which == 1 ? RUNTIME_NONE : 296,
		.thread_top = which == 1 ? RUNTIME_NONE : 304,
		.chunk_used = 16,
		.chunk_data = 24,
		.watch = {BASE + 368, BASE + 376},
		.frame_bytes = 72,
		.frame_word = {48, 32, 56, 64},
		.tag = which == 2 ? 3 : 0,
		.object_bytes = 144,
		.key = {112, 128, 136, 72, 16},
		.text = {{112, 16, 72, 4}, {128, 16, 72, 4}, {136, 16, 32, 1}},
	};

	return t;
}

/* Takes a table from the input. False: there is none. */
static bool take_table(const uint8_t *data, size_t size, struct runtime_table *ret_table)
{
	struct runtime_incoming incoming = {0};
	struct request request;

	for (size_t i = 0; i < RUNTIME_REQUESTS && (i + 1) * 8 <= size; i++) {
		request = (struct request){.type = REQUEST_RUNTIME, .index = (uint32_t)i};
		memcpy(&request.value, data + i * 8, 8);
		if (runtime_table_take(&incoming, &request, ret_table) > 0)
			return true;
	}
	return false;
}

/* Reads the objects of the frames, as the supervisor does after the resume. */
static void read_objects(struct runtime_process *process, const struct runtime_copy *copy,
	const struct runtime_source *source)
{
	const struct runtime_table *table = &process->table;
	uint8_t data[RUNTIME_OBJECT_BYTES_MOST], *text = malloc(RUNTIME_TEXT_BYTES_MOST);

	for (size_t i = 0; text && i < copy->frames && i < 16; i++) {
		uint64_t at = copy->frame[i * RECORD_FRAME_WORDS + 2] & ~table->tag;
		struct iovec to = {data, table->object_bytes};
		struct iovec from = {(void *)(uintptr_t)at, table->object_bytes};
		struct runtime_object *object = runtime_object_find(process, at);

		if (!object || source->read(source->context, &to, &from, 1) < 0)
			continue;
		object->hash = runtime_object_hash(table, data);
		for (int k = 0; k < RUNTIME_TEXTS; k++)
			if (runtime_text_read(&table->text[k], data, source, text) >
				RUNTIME_TEXT_BYTES_MOST)
				__builtin_trap();
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct runtime_copy copy; /* 4 MB, allocated once */
	struct memory m = {0};
	struct stack_copy stack = {0};
	struct runtime_source source = {read_memory, &m, &stack};
	struct runtime_thread thread = {0};
	struct runtime_process *process;
	struct runtime_table table;

	if (size < 2 || runtime_copy_init(&copy) < 0)
		return 0;
	table = table_of(data[0] & 3);
	if ((data[0] & 3) == 3 && !take_table(data + 1, size - 1, &table))
		return 0;
	process = runtime_process_set(NULL, &table);
	m.bytes = size - 1;
	m.change = data[0] >> 2 & 7;
	m.byte = malloc(m.bytes);
	if (m.byte && process) {
		memcpy(m.byte, data + 1, m.bytes);
		stack.inner = (struct stack_piece){m.byte, 0x7000, m.bytes};
		for (int i = 0; i < 3; i++) {
			m.reads = 0;
			runtime_copy_take(&copy, &table, &thread, &source, 1, 1);
			if (copy.frames > RUNTIME_FRAMES_MOST || copy.reads > RUNTIME_READS_MOST)
				__builtin_trap();
			runtime_thread_learn(&thread, &table, &copy);
		}
		read_objects(process, &copy, &source);
		(void)runtime_find_thread(&table, &source, 1, 0, 4096);
	}
	runtime_thread_release(&thread);
	runtime_process_free(process);
	free(m.byte);
	return 0;
}
