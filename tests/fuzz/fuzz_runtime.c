/* SPDX-License-Identifier: MIT */
/*
 * The memory of a hostile target, whose interpreter frames are false and change while they are
 * read. Byte 0: bits 0-1 choose the table (3: one that the input edits); bits 2-4 say how often a
 * read changes a byte (0: never). The rest is memory at 0x10000, repeated; other addresses cannot
 * be read. Time stands still.
 *
 * If the input edits the table, byte 1 follows first: bits 0-1 choose the table, the others say how
 * many edits there are. An edit has 5 bytes: which 4 bytes of the table, and their new value. The
 * edited table comes as the analyst sends it, in requests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/target/runtime_copy.h"
#include "supervisor/target/stack.h"
#include "tests/fuzz/fuzz.h"

enum { TABLE_3_11, TABLE_3_10, TABLE_3_12, EDITED, PARTS };
const unsigned fuzz_parts = PARTS;

enum { BASE = 0x10000, REACH = 0x10000, READS_MOST = 20000, TID = 1, EDIT_BYTES = 5 };

uint64_t __wrap_clock_now(void);

uint64_t __wrap_clock_now(void)
{
	return 1;
}

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
		.frame_behind = which == TABLE_3_10 ? RUNTIME_NONE : 8,
		.thread_word = {56, RUNTIME_NONE},
		.thread_chunk = which == TABLE_3_10 ? RUNTIME_NONE : 296,
		.thread_top = which == TABLE_3_10 ? RUNTIME_NONE : 304,
		.chunk_used = 16,
		.chunk_data = 24,
		.watch = {BASE + 368, BASE + 376},
		.frame_bytes = 72,
		.frame_word = {48, 32, 56, 64},
		.tag = which == TABLE_3_12 ? 3 : 0,
		.object_bytes = 144,
		.key = {112, 128, 136, 72, 16},
		.text = {{112, 16, 72, 4}, {128, 16, 72, 4}, {136, 16, 32, 1}},
	};

	return t;
}

/* Takes the table that @data edits. Returns the bytes of @data that say so, 0: it is refused. */
static size_t take_table(const uint8_t *data, size_t size, struct runtime_table *ret_table)
{
	struct runtime_table table = table_of(data[0] & 3);
	size_t bytes = 1 + (size_t)(data[0] >> 2) * EDIT_BYTES;
	struct runtime_incoming incoming = {0};
	uint8_t requests[RUNTIME_REQUEST_BYTES];
	struct request request;
	int r = 0;

	if (bytes > size)
		return 0;
	for (const uint8_t *edit = data + 1; edit < data + bytes; edit += EDIT_BYTES)
		memcpy((uint8_t *)&table + edit[0] % (sizeof(table) / 4) * 4, edit + 1, 4);
	runtime_table_put(requests, &table);
	for (size_t i = 0; i < RUNTIME_REQUESTS && r == 0; i++) {
		r = request_get(requests + i * REQUEST_BYTES, &request);
		if (r == 0)
			r = runtime_table_take(&incoming, &request, ret_table);
	}
	return r > 0 ? bytes : 0;
}

/*
 * Reads the objects of the frames, as the supervisor does after the resume. Returns the number of
 * texts.
 */
static size_t read_objects(struct runtime_process *process, const struct runtime_copy *copy,
	const struct runtime_source *source)
{
	const struct runtime_table *table = &process->table;
	uint8_t data[RUNTIME_OBJECT_BYTES_MOST], *text = malloc(RUNTIME_TEXT_BYTES_MOST);
	size_t texts = 0;

	for (size_t i = 0; text && i < copy->frames && i < 16; i++) {
		uint64_t at = copy->frame[i * RECORD_FRAME_WORDS + 2] & ~table->tag;
		struct iovec to = {data, table->object_bytes};
		struct iovec from = {(void *)(uintptr_t)at, table->object_bytes};
		struct runtime_object *object = runtime_object_find(process, at);

		if (!object || source->read(source->context, &to, &from, 1) < 0)
			continue;
		object->hash = runtime_object_hash(table, data);
		for (int k = 0; k < RUNTIME_TEXTS; k++) {
			size_t bytes = runtime_text_read(&table->text[k], data, source, text);

			if (bytes > RUNTIME_TEXT_BYTES_MOST)
				__builtin_trap();
			texts += bytes > 0;
		}
	}
	free(text);
	return texts;
}

static void put(uint8_t *memory, uint64_t at, uint32_t offset, uint64_t word)
{
	if (offset != RUNTIME_NONE)
		memcpy(memory + (at - BASE) + offset, &word, sizeof(word));
}

/* Makes memory in which the table finds a thread with three frames, one of them in a chunk. */
static size_t make_memory(const struct runtime_table *t, uint8_t *memory)
{
	enum { GROUP = BASE + 0x1000, THREAD = BASE + 0x1400, BEHIND = BASE + 0x3000 };
	enum { CHUNK = BASE + 0x3400, ALONE = BASE + 0x3800, CODE = BASE + 0x3c00 };
	enum { TEXT = BASE + 0x4000, BYTES = 0x5000, INNER = CHUNK + 64 };
	static const uint64_t frame[] = {INNER, ALONE, ALONE + 512, 0};

	memset(memory, 0, BYTES);
	put(memory, t->threads_head, 0, GROUP);
	put(memory, GROUP, t->group_threads, THREAD);
	put(memory, THREAD, t->thread_tid, TID);
	put(memory, THREAD, t->thread_self, 0x7000);
	put(memory, THREAD, t->thread_chunk, CHUNK);
	put(memory, THREAD, t->thread_top, INNER + t->frame_bytes);
	put(memory, THREAD, t->thread_frame, t->frame_behind == RUNTIME_NONE ? INNER : BEHIND);
	put(memory, BEHIND, t->frame_behind, INNER);
	for (int i = 0; frame[i]; i++) {
		put(memory, frame[i], t->frame_word[0], frame[i + 1] | t->tag);
		put(memory, frame[i], t->frame_word[1], CODE | t->tag);
	}
	for (int k = 0; k < RUNTIME_TEXTS; k++) {
		put(memory, CODE, t->text[k].pointer, TEXT);
		put(memory, TEXT, t->text[k].length, 20);
	}
	return BYTES;
}

/* For each table, memory that it can read, which later changes; the same with an edited table. */
size_t fuzz_seed(unsigned n, uint8_t *ret_data)
{
	const unsigned which = n % EDITED;
	const struct runtime_table table = table_of(which);
	size_t bytes = 0;

	if (n >= 4 * EDITED)
		return 0;
	ret_data[bytes++] = (uint8_t)((n / EDITED % 2 ? EDITED : which) | (n >= 2 * EDITED) << 2);
	if (n / EDITED % 2) {
		const uint32_t more = table.thread_bytes + 8;

		ret_data[bytes++] = (uint8_t)(which | 1 << 2);
		ret_data[bytes++] = offsetof(struct runtime_table, thread_bytes) / 4;
		memcpy(ret_data + bytes, &more, 4);
		bytes += 4;
	}
	return bytes + make_memory(&table, ret_data + bytes);
}

static void read_frames(const struct runtime_table *table, struct memory *m, unsigned part)
{
	static struct runtime_copy copy; /* 4 MB, allocated once */
	struct stack_copy stack = {.inner = {m->byte, 0x7000, m->bytes}};
	struct runtime_source source = {read_memory, m, &stack};
	struct runtime_thread thread = {0};
	struct runtime_process *process = runtime_process_set(NULL, table);

	if (process && runtime_copy_init(&copy) == 0) {
		for (int i = 0; i < 3; i++) {
			m->reads = 0;
			runtime_copy_take(&copy, table, &thread, &source, TID, 1);
			if (copy.frames > RUNTIME_FRAMES_MOST || copy.reads > RUNTIME_READS_MOST)
				__builtin_trap();
			runtime_thread_learn(&thread, table, &copy);
		}
		if (read_objects(process, &copy, &source) && copy.frames > 2 && !copy.flags)
			fuzz_accept(part);
		(void)runtime_find_thread(table, &source, TID, 0, 4096);
	}
	runtime_thread_release(&thread);
	runtime_process_free(process);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory m = {0};
	struct runtime_table table;
	unsigned part;
	size_t head = 0;

	if (size < 2)
		return 0;
	part = data[0] & 3;
	table = table_of(part);
	if (part == EDITED) {
		head = take_table(data + 1, size - 1, &table);
		if (!head)
			return 0;
	}
	m.bytes = size - 1 - head;
	m.change = data[0] >> 2 & 7;
	m.byte = malloc(m.bytes + 1);
	if (m.byte) {
		memcpy(m.byte, data + 1 + head, m.bytes);
		read_frames(&table, &m, part);
	}
	free(m.byte);
	return 0;
}
