/* SPDX-License-Identifier: MIT */
#include "analyst/python/python_code.h"

#include "base/load.h"
#include "proto/bytes.h"

/* Greater lines are invalid. */
#define LINE_MOST (INT32_MAX / 2)

/* Appends a character as UTF-8, an invalid one or NUL as U+FFFD. False: no room. */
static bool put_character(char *to, size_t *n, uint32_t c)
{
	size_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
		c = 0xfffd;
		bytes = 3;
	}
	if (*n + bytes > PYTHON_TEXT_MOST)
		return false;
	if (bytes == 1) {
		to[(*n)++] = (char)c;
		return true;
	}
	to[(*n)++] = (char)(0xf00 >> bytes | c >> 6 * (bytes - 1));
	for (size_t i = bytes - 1; i-- > 0;)
		to[(*n)++] = (char)(0x80 | (c >> 6 * i & 0x3f));
	return true;
}

/*
 * Decodes the state of a str. From the lowest bit on: interned (2 bits; in the first releases of
 * 3.14 16 bits), kind (3), compact (1), ascii (1). The other bits may have any value. False: the
 * str is damaged, or not compact; the strings of a code object are compact.
 */
static bool text_kind(
	const struct python_layout *l, uint32_t state, uint32_t *ret_kind, bool *ret_ascii)
{
	const unsigned shift = l->version >= PYTHON_3_14 && !(state >> 2 & 7) ? 16 : 2;

	*ret_kind = state >> shift & 7;
	*ret_ascii = state >> (shift + 4) & 1;
	return (state >> (shift + 3) & 1) && (*ret_kind == 1 || *ret_kind == 2 || *ret_kind == 4);
}

bool python_text(const struct python_layout *l, const uint8_t *object, size_t bytes, char *to)
{
	uint32_t kind;
	uint64_t length;
	size_t n = 0, data;
	bool ascii;

	if (bytes < l->text_ascii)
		return false;
	length = load_u64(object + l->text_length);
	if (!text_kind(l, load_u32(object + l->text_state), &kind, &ascii))
		return false;
	data = ascii ? l->text_ascii : l->text_wide;
	if (bytes < data || length > PYTHON_TEXT_MOST * 4 || (bytes - data) / kind < length)
		return false;
	for (uint64_t i = 0; i < length; i++) {
		const uint8_t *at = object + data + i * kind;
		uint32_t c = at[0];

		if (kind >= 2)
			c |= (uint32_t)at[1] << 8;
		if (kind == 4)
			c |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
		if (!put_character(to, &n, c))
			break;
	}
	to[n] = '\0';
	return true;
}

bool python_bytes(const struct python_layout *l, const uint8_t *object, size_t bytes,
	const uint8_t **ret_data, size_t *ret_bytes)
{
	uint64_t length;

	if (bytes < l->bytes_data)
		return false;
	length = load_u64(object + l->bytes_length);
	if (length > bytes - l->bytes_data)
		return false;
	*ret_data = object + l->bytes_data;
	*ret_bytes = (size_t)length;
	return true;
}

static uint32_t line_of(int64_t line)
{
	return line > 0 && line <= LINE_MOST ? (uint32_t)line : 0;
}

/* lnotab, before 3.10. A pair of bytes is the growth of the offset, then of the line (signed). */
static int64_t find_in_lnotab(struct reader *r, int64_t line, int64_t offset)
{
	int64_t at = 0;

	while (r->p < r->end && !r->bad) {
		at += get_u8(r);
		if (at > offset)
			break;
		line += (int8_t)get_u8(r);
	}
	return line;
}

/*
 * 3.10's table. A pair of bytes is the length of a range of code, in bytes, then the growth of the
 * line (signed; -128: the range has no line).
 */
static int64_t find_in_ranges(struct reader *r, int64_t line, int64_t offset)
{
	int64_t end = 0;

	while (r->p < r->end && !r->bad) {
		int8_t lines;

		end += get_u8(r);
		lines = (int8_t)get_u8(r);
		if (lines != -128)
			line += lines;
		if (end > offset)
			return lines == -128 ? 0 : line;
	}
	return 0;
}

/* A number in groups of 6 bits, the lowest first; bit 6 of a byte says that more follow. */
static uint32_t get_varint(struct reader *r)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift < 32; shift += 6) {
		uint8_t byte = get_u8(r);

		value |= (uint32_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	return value;
}

static int64_t get_signed(struct reader *r)
{
	uint32_t value = get_varint(r);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/*
 * The table of 3.11 and later. The first byte of an entry, from its highest bit: 1; the kind (4
 * bits); the length of the code in units of 2 bytes, minus 1 (3 bits). What follows depends on the
 * kind. 0-9: a byte of columns. 10-12: two bytes of columns, and the line grows by kind - 10. 13:
 * the growth of the line. 14: the growth of the line, the number of further lines, and two columns.
 * 15: nothing, as the code has no line.
 */
static int64_t find_in_locations(struct reader *r, int64_t line, int64_t offset)
{
	int64_t end = 0;

	while (r->p < r->end && !r->bad) {
		uint8_t head = get_u8(r), kind = head >> 3 & 15;

		if (!(head & 0x80))
			return 0;
		end += 2 * ((head & 7) + 1);
		if (kind < 10) {
			(void)get_u8(r);
		} else if (kind < 13) {
			line += kind - 10;
			(void)get_u16(r);
		} else if (kind < 15) {
			line += get_signed(r);
			for (int i = 0; i < 3 && kind == 14; i++)
				(void)get_varint(r);
		}
		if (end > offset)
			return kind == 15 || r->bad ? 0 : line;
	}
	return 0;
}

uint32_t python_line(
	uint16_t version, const uint8_t *table, size_t bytes, int32_t first_line, int64_t offset)
{
	struct reader r = reader_over(table, bytes);

	if (offset < 0)
		return line_of(first_line);
	if (version < PYTHON_3_10)
		return line_of(find_in_lnotab(&r, first_line, offset));
	if (version == PYTHON_3_10)
		return line_of(find_in_ranges(&r, first_line, offset));
	return line_of(find_in_locations(&r, first_line, offset));
}
