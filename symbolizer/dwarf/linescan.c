/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/linescan.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* DWARF 5, section 6.2.5, and tables 7.27 and 7.5 (forms). */
enum { LNE_END_SEQUENCE = 1, LNS_COPY = 1, LNS_SET_FILE = 4, LNS_FIXED_ADVANCE_PC = 9 };
enum { FORMATS_MOST = 255 };
enum {
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_SEC_OFFSET = 0x17,
	FORM_STRP_SUP = 0x1d,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
};

/* A span that is consumed from its beginning; reads past its end yield zeros and set @bad. */
struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static uint64_t take_uint(struct reader *s, unsigned bytes)
{
	uint64_t value = 0;
	uint32_t word;
	uint16_t half;

	if ((size_t)(s->end - s->at) < bytes) {
		s->bad = true;
		s->at = s->end;
		return 0;
	}
	switch (bytes) {
	case 1: value = s->at[0]; break;
	case 2:
		memcpy(&half, s->at, 2);
		value = half;
		break;
	case 4:
		memcpy(&word, s->at, 4);
		value = word;
		break;
	default: memcpy(&value, s->at, 8); break;
	}
	s->at += bytes;
	return value;
}

static uint64_t take_uleb(struct reader *s)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = take_uint(s, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static void pass(struct reader *s, uint64_t bytes)
{
	if ((uint64_t)(s->end - s->at) < bytes) {
		s->bad = true;
		s->at = s->end;
	} else {
		s->at += bytes;
	}
}

static void pass_form(struct reader *s, uint64_t form, unsigned offset_bytes)
{
	const uint8_t *end;

	switch (form) {
	case FORM_DATA1: pass(s, 1); break;
	case FORM_DATA2: pass(s, 2); break;
	case FORM_DATA4: pass(s, 4); break;
	case FORM_DATA8: pass(s, 8); break;
	case FORM_DATA16: pass(s, 16); break;
	case FORM_BLOCK: pass(s, take_uleb(s)); break;
	case FORM_BLOCK1: pass(s, take_uint(s, 1)); break;
	case FORM_BLOCK2: pass(s, take_uint(s, 2)); break;
	case FORM_BLOCK4: pass(s, take_uint(s, 4)); break;
	case FORM_UDATA: (void)take_uleb(s); break;
	case FORM_STRP:
	case FORM_STRP_SUP:
	case FORM_LINE_STRP:
	case FORM_SEC_OFFSET: pass(s, offset_bytes); break;
	case FORM_STRING:
		end = memchr(s->at, 0, (size_t)(s->end - s->at));
		pass(s, end ? (uint64_t)(end + 1 - s->at) : UINT64_MAX);
		break;
	default: s->bad = true;
	}
}

/*
 * Skips the directories or files of DWARF 5: their format, their number, and the entries. Returns
 * the number.
 */
static uint64_t pass_entries(struct reader *s, unsigned offset_bytes)
{
	uint64_t form[FORMATS_MOST], n;
	unsigned formats = (unsigned)take_uint(s, 1);

	for (unsigned i = 0; i < formats; i++) {
		(void)take_uleb(s);
		form[i] = take_uleb(s);
	}
	n = take_uleb(s);
	/* Entries without bytes are invalid. */
	if (n && (!formats || n > (uint64_t)(s->end - s->at)))
		s->bad = true;
	for (uint64_t i = 0; i < n && !s->bad; i++) {
		for (unsigned k = 0; k < formats; k++)
			pass_form(s, form[k], offset_bytes);
	}
	return n;
}

/*
 * Counts the rows of a line program. @lengths: numbers of operands of the standard opcodes, from
 * opcode 1 on.
 */
static uint64_t count_rows(
	struct reader *s, unsigned opcode_base, const uint8_t *lengths, bool *ret_sets_file_0)
{
	uint64_t rows = 0, operand;

	while (s->at < s->end && !s->bad) {
		unsigned op = (unsigned)take_uint(s, 1);

		if (op >= opcode_base) {
			rows++;
		} else if (op == 0) {
			uint64_t bytes = take_uleb(s);

			if (bytes && s->at < s->end && *s->at == LNE_END_SEQUENCE)
				rows++;
			pass(s, bytes);
		} else if (op == LNS_FIXED_ADVANCE_PC) {
			pass(s, 2);
		} else {
			rows += op == LNS_COPY;
			for (unsigned i = 0; i < lengths[op - 1]; i++) {
				operand = take_uleb(s);
				*ret_sets_file_0 |= op == LNS_SET_FILE && !operand && !s->bad;
			}
		}
	}
	return rows;
}

int linescan_table(
	const struct rangelist_bytes *section, uint64_t offset, struct linescan *ret_scan)
{
	unsigned offset_bytes = 4, version, opcode_base;
	struct linescan scan = {0};
	const uint8_t *lengths;
	uint64_t bytes, header;
	struct reader s, head;

	if (!section->data || offset > section->bytes)
		return -EINVAL;
	s = (struct reader){section->data + offset, section->data + section->bytes, false};
	bytes = take_uint(&s, 4);
	if (bytes == UINT32_MAX) {
		offset_bytes = 8;
		bytes = take_uint(&s, 8);
	}
	if (bytes > (uint64_t)(s.end - s.at))
		return -EINVAL;
	s.end = s.at + bytes;
	version = (unsigned)take_uint(&s, 2);
	if (version < 2 || version > 5)
		return -EINVAL;
	pass(&s, version == 5 ? 2 : 0);
	header = take_uint(&s, offset_bytes);
	if (s.bad || header > (uint64_t)(s.end - s.at))
		return -EINVAL;
	head = (struct reader){s.at, s.at + header, false};
	s.at += header;
	pass(&head, version >= 4 ? 5 : 4);
	opcode_base = (unsigned)take_uint(&head, 1);
	lengths = head.at;
	pass(&head, opcode_base ? opcode_base - 1 : 0);
	if (version == 5 && !head.bad)
		scan.names = pass_entries(&head, offset_bytes);
	if (version == 5 && !head.bad)
		scan.names += pass_entries(&head, offset_bytes);
	if (head.bad || !opcode_base)
		return -EINVAL;
	if (scan.names < header)
		scan.names = header;
	/* libdwarf, too, reads a truncated table up to its end. */
	scan.rows = count_rows(&s, opcode_base, lengths, &scan.sets_file_0);
	*ret_scan = scan;
	return 0;
}
