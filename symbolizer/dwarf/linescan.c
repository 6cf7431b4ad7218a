/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/linescan.h"

#include <errno.h>
#include <stdbool.h>

#include "symbolizer/base/leb128.h"

/* Opcodes of line programs (DWARF 5, section 6.2.5), and, further down, forms (table 7.5). */
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

static void pass_form(struct reader *s, uint64_t form, unsigned offset_bytes)
{
	const uint8_t *end;

	switch (form) {
	case FORM_DATA1: (void)get_bytes(s, 1); break;
	case FORM_DATA2: (void)get_bytes(s, 2); break;
	case FORM_DATA4: (void)get_bytes(s, 4); break;
	case FORM_DATA8: (void)get_bytes(s, 8); break;
	case FORM_DATA16: (void)get_bytes(s, 16); break;
	case FORM_BLOCK: (void)get_bytes(s, get_uleb(s)); break;
	case FORM_BLOCK1: (void)get_bytes(s, get_u8(s)); break;
	case FORM_BLOCK2: (void)get_bytes(s, get_u16(s)); break;
	case FORM_BLOCK4: (void)get_bytes(s, get_u32(s)); break;
	case FORM_UDATA: (void)get_uleb(s); break;
	case FORM_STRP:
	case FORM_STRP_SUP:
	case FORM_LINE_STRP:
	case FORM_SEC_OFFSET: (void)get_bytes(s, offset_bytes); break;
	case FORM_STRING:
		end = memchr(s->p, 0, (size_t)(s->end - s->p));
		(void)get_bytes(s, end ? (uint64_t)(end + 1 - s->p) : UINT64_MAX);
		break;
	default: s->bad = true;
	}
}

/* Skips a table of directories or files (DWARF 5). Returns the number of its entries. */
static uint64_t pass_entries(struct reader *s, unsigned offset_bytes)
{
	uint64_t form[FORMATS_MOST], n;
	unsigned formats = get_u8(s);

	for (unsigned i = 0; i < formats; i++) {
		(void)get_uleb(s);
		form[i] = get_uleb(s);
	}
	n = get_uleb(s);
	/* Entries without bytes are invalid. */
	if (n && (!formats || n > (uint64_t)(s->end - s->p)))
		s->bad = true;
	for (uint64_t i = 0; i < n && !s->bad; i++) {
		for (unsigned k = 0; k < formats; k++)
			pass_form(s, form[k], offset_bytes);
	}
	return n;
}

/* @lengths has the number of operands of each standard opcode, from opcode 1 on. */
static uint64_t count_rows(
	struct reader *s, unsigned opcode_base, const uint8_t *lengths, bool *ret_sets_file_0)
{
	uint64_t rows = 0, operand;

	while (s->p < s->end && !s->bad) {
		unsigned op = get_u8(s);

		if (op >= opcode_base) {
			rows++;
		} else if (op == 0) {
			uint64_t bytes = get_uleb(s);

			if (bytes && s->p < s->end && *s->p == LNE_END_SEQUENCE)
				rows++;
			(void)get_bytes(s, bytes);
		} else if (op == LNS_FIXED_ADVANCE_PC) {
			(void)get_bytes(s, 2);
		} else {
			rows += op == LNS_COPY;
			for (unsigned i = 0; i < lengths[op - 1]; i++) {
				operand = get_uleb(s);
				*ret_sets_file_0 |= op == LNS_SET_FILE && !operand && !s->bad;
			}
		}
	}
	return rows;
}

int linescan_table(struct slice section, uint64_t offset, struct linescan *ret_scan)
{
	unsigned offset_bytes = 4, version, opcode_base;
	struct linescan scan = {0};
	const uint8_t *lengths;
	uint64_t bytes, header;
	struct reader s = slice_reader(section, offset), head;

	bytes = get_u32(&s);
	if (bytes == UINT32_MAX) {
		offset_bytes = 8;
		bytes = get_u64(&s);
	}
	if (s.bad || bytes > (uint64_t)(s.end - s.p))
		return -EINVAL;
	s.end = s.p + bytes;
	version = get_u16(&s);
	if (version < 2 || version > 5)
		return -EINVAL;
	(void)get_bytes(&s, version == 5 ? 2 : 0);
	header = get_le(&s, offset_bytes);
	if (s.bad || header > (uint64_t)(s.end - s.p))
		return -EINVAL;
	head = reader_over(s.p, header);
	s.p += header;
	(void)get_bytes(&head, version >= 4 ? 5 : 4);
	opcode_base = get_u8(&head);
	lengths = head.p;
	(void)get_bytes(&head, opcode_base ? opcode_base - 1 : 0);
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
