/* SPDX-License-Identifier: MIT */
#include "analyst/jit/jitdump.h"

#include <errno.h>
#include <string.h>

#include "analyst/jit/jit_map.h"
#include "base/load.h"

enum { MAGIC = 0x4A695444, VERSION = 1, HEAD_BYTES = 40, HEAD_MOST = 4096 };
enum { KIND_CODE = 0, KIND_MOVED = 1, KIND_LINES = 2, KIND_UNWIND = 4 };
enum {
	RECORD_BYTES = 16,
	CODE_BYTES = 56,
	MOVED_BYTES = 64,
	LINES_BYTES = 32,
	LINE_BYTES = 16,
	UNWIND_BYTES = 40
};

long jitdump_head(const uint8_t *data, size_t bytes)
{
	uint32_t head;

	if (bytes < HEAD_BYTES)
		return 0;
	head = load_u32(data + 8);
	if (load_u32(data) != MAGIC || load_u32(data + 4) != VERSION || head < HEAD_BYTES ||
		head > HEAD_MOST)
		return -EINVAL;
	return (long)head;
}

static int add_code(struct jit_map *map, const uint8_t *data, size_t bytes)
{
	const uint8_t *name = data + CODE_BYTES;
	size_t most = bytes - CODE_BYTES, name_bytes = strnlen((const char *)name, most);

	/* A name without NUL is invalid. */
	if (name_bytes == most)
		return 0;
	return jit_map_put(
		map, load_u64(data + 32), load_u64(data + 40), (const char *)name, name_bytes);
}

static int add_lines(struct jit_map *map, const uint8_t *data, size_t bytes)
{
	uint64_t start = load_u64(data + 16), n = load_u64(data + 24);
	size_t at = LINES_BYTES;
	int r = jit_map_begin_lines(map, start);

	for (; n && r == 0 && bytes - at > LINE_BYTES; n--) {
		uint64_t address = load_u64(data + at);
		uint32_t line = load_u32(data + at + 8);
		const char *file = (const char *)data + at + LINE_BYTES;
		size_t most = bytes - at - LINE_BYTES, file_bytes = strnlen(file, most);

		if (file_bytes == most)
			break;
		at += LINE_BYTES + file_bytes + 1;
		if (file_bytes == 1 && (uint8_t)file[0] == 0xff)
			file = NULL;
		if (address >= start)
			r = jit_map_put_line(map, address - start, line, file, file_bytes);
	}
	return r;
}

static int add_unwind(struct jit_map *map, const uint8_t *data, size_t bytes)
{
	uint64_t all = load_u64(data + 16), header = load_u64(data + 24);

	if (header >= all || all > bytes - UNWIND_BYTES)
		return 0;
	return jit_map_put_unwind(map, data + UNWIND_BYTES, (size_t)(all - header));
}

/* Adds a record, of which @bytes bytes are in memory. -ENOMEM. */
static int add_record(struct jit_map *map, const uint8_t *data, size_t bytes)
{
	switch (load_u32(data)) {
	case KIND_CODE: return bytes > CODE_BYTES ? add_code(map, data, bytes) : 0;
	case KIND_MOVED:
		if (bytes < MOVED_BYTES)
			return 0;
		return jit_map_move(
			map, load_u64(data + 32), load_u64(data + 40), load_u64(data + 48));
	case KIND_LINES: return bytes >= LINES_BYTES ? add_lines(map, data, bytes) : 0;
	case KIND_UNWIND: return bytes >= UNWIND_BYTES ? add_unwind(map, data, bytes) : 0;
	default: return 0;
	}
}

int64_t jitdump_add(
	struct jit_map *map, const uint8_t *data, size_t bytes, uint64_t left, size_t most)
{
	size_t taken = 0;

	while (bytes - taken >= RECORD_BYTES) {
		const uint8_t *record = data + taken;
		uint32_t record_bytes = load_u32(record + 4);
		size_t at_hand = bytes - taken;
		int r;

		if (record_bytes < RECORD_BYTES)
			return -EINVAL;
		if (record_bytes > left - taken)
			break;
		/* An incomplete record is left to the next call, unless it exceeds the buffer. */
		if (record_bytes > at_hand && (taken || at_hand < most))
			break;
		r = add_record(map, record, record_bytes < at_hand ? record_bytes : at_hand);
		if (r < 0)
			return r;
		if (record_bytes > at_hand)
			return (int64_t)record_bytes;
		taken += record_bytes;
	}
	return (int64_t)taken;
}
