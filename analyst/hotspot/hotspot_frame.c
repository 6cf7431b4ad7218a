/* SPDX-License-Identifier: MIT */
#include "analyst/hotspot/hotspot_frame.h"

#include <stdbool.h>
#include <string.h>

#include "base/load.h"

/* An instruction: its first bytes, then @operand bytes of any value. */
struct pattern {
	uint8_t bytes, operand;
	uint8_t code[5];
};

static bool fits(const struct pattern *pattern, const uint8_t *code, size_t bytes)
{
	return bytes >= (size_t)pattern->bytes + pattern->operand &&
		memcmp(code, pattern->code, pattern->bytes) == 0;
}

static size_t any_of(const struct pattern *patterns, size_t n, const uint8_t *code, size_t bytes)
{
	for (size_t i = 0; i < n; i++)
		if (fits(&patterns[i], code, bytes))
			return (size_t)patterns[i].bytes + patterns[i].operand;
	return 0;
}

#define ANY_OF(patterns, code, bytes) \
	any_of(patterns, sizeof(patterns) / sizeof(*(patterns)), code, bytes)

static const struct pattern push_fp[] = {{1, 0, {0x55}}};
static const struct pattern pop_fp[] = {{1, 0, {0x5d}}};
static const struct pattern subtract[] = {
	{3, 1, {0x48, 0x83, 0xec}}, /* sub $8,%rsp */
	{3, 4, {0x48, 0x81, 0xec}},
};
static const struct pattern store_fp[] = {
	{4, 1, {0x48, 0x89, 0x6c, 0x24}}, /* mov %rbp,8(%rsp) */
	{4, 4, {0x48, 0x89, 0xac, 0x24}},
};
static const struct pattern returns[] = {
	{1, 0, {0xc3}}, {1, 2, {0xc2}}, {2, 0, {0xf3, 0xc3}}, /* ret; ret $8; rep ret */
};
/*
 * Instructions between the frame's removal and the return: safepoint check and vzeroupper. The
 * comment of a line names the line's last instruction. If a line has two instructions, the first is
 * the one in the comment above, with an operand of 1 byte.
 */
static const struct pattern at_end[] = {
	{3, 4, {0x49, 0x3b, 0xa7}},                             /* cmp off(%r15),%rsp */
	{3, 1, {0x49, 0x3b, 0x67}}, {2, 4, {0x0f, 0x87}},       /* ja */
	{3, 4, {0x4d, 0x8b, 0x97}},                             /* mov off(%r15),%r10 */
	{3, 1, {0x4d, 0x8b, 0x57}}, {3, 4, {0x49, 0x8b, 0x8f}}, /* mov off(%r15),%rcx */
	{3, 1, {0x49, 0x8b, 0x4f}}, {3, 0, {0x41, 0x85, 0x02}}, /* test %eax,(%r10) */
	{2, 0, {0x85, 0x01}},                                   /* test %eax,(%rcx) */
	{2, 4, {0x85, 0x05}},                                   /* test %eax,off(%rip) */
	{3, 0, {0xc5, 0xf8, 0x77}},                             /* vzeroupper */
};

/* The check for a stack overflow. */
static const struct pattern bang[] = {{3, 4, {0x89, 0x84, 0x24}}}; /* mov %eax,-n(%rsp) */
static const struct pattern constant[] = {
	{2, 8, {0x49, 0xba}},       /* movabs $n,%r10 */
	{3, 4, {0x4c, 0x8d, 0x15}}, /* lea n(%rip),%r10 */
};
/* Stores the address at which a safepoint was met. */
static const struct pattern store_pc[] = {{3, 4, {0x4d, 0x89, 0x97}}}; /* mov %r10,n(%r15) */

size_t hotspot_frame_pop(const uint8_t *code, size_t bytes)
{
	if (bytes >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x58)
		return 2;
	return bytes && (code[0] & 0xf8) == 0x58 && code[0] != 0x5d;
}

static bool is_jump(const uint8_t *code, size_t bytes)
{
	const size_t prefix = bytes && code[0] == 0x41;

	return bytes >= 2 + prefix && code[prefix] == 0xff && (code[prefix + 1] & 0xf8) == 0xe0;
}

int hotspot_frame_popped(const uint8_t before[2], const uint8_t *code, size_t bytes)
{
	/* DWARF's number of each register, by the number that instructions use. */
	static const uint8_t number[] = {0, 2, 1, 3, 7, 6, 4, 5};
	const uint8_t at = before[1] & 7;

	if (!is_jump(code, bytes) || (before[1] & 0xf8) != 0x58)
		return -1;
	return before[0] == 0x41 ? 8 + at : number[at];
}

enum hotspot_frame hotspot_frame_at_begin(const uint8_t *code, size_t bytes)
{
	bool pushed = false, subtracted = false, stored = false;

	while (bytes) {
		size_t n = 1;

		if (ANY_OF(push_fp, code, bytes) && !pushed && !subtracted) {
			pushed = true;
		} else if (ANY_OF(subtract, code, bytes)) {
			n = ANY_OF(subtract, code, bytes);
			subtracted = true;
		} else if (ANY_OF(store_fp, code, bytes)) {
			n = ANY_OF(store_fp, code, bytes);
			stored = true;
		} else if (ANY_OF(bang, code, bytes)) {
			n = ANY_OF(bang, code, bytes);
		} else if (ANY_OF(constant, code, bytes)) {
			n = ANY_OF(constant, code, bytes);
		}
		code += n;
		bytes -= n;
	}
	if (!subtracted)
		return pushed ? HOTSPOT_FRAME_POINTER : HOTSPOT_FRAME_NONE;
	return pushed || stored ? HOTSPOT_FRAME_WHOLE : HOTSPOT_FRAME_UNSAVED;
}

/* Is the instruction a jump out of the method's code? */
static bool is_exit(const struct hotspot_code *is, size_t at)
{
	enum { JUMP = 5 };
	int64_t to;

	if (is->bytes < at + JUMP || is->code[at] != 0xe9)
		return false;
	to = (int64_t)at + JUMP + (int32_t)load_u32(is->code + at + 1);
	return to < is->start || to >= is->end;
}

/* Is this code to which a safepoint check jumps? When this code runs, the frame is gone. */
static bool is_safepoint(const struct hotspot_code *is)
{
	size_t at = ANY_OF(constant, is->code, is->bytes), n;

	n = ANY_OF(store_pc, is->code + at, is->bytes - at);
	return n && is_exit(is, at + n);
}

/* How much of the frame exists near the entry of a method, or of the code for its loop (OSR). */
static enum hotspot_frame at_entry(const struct hotspot_code *is)
{
	const size_t skip = ANY_OF(bang, is->code, is->bytes);
	const uint8_t *code = is->code + skip;
	const size_t bytes = is->bytes - skip;

	if (ANY_OF(push_fp, code, bytes) && ANY_OF(subtract, code + 1, bytes - 1))
		return HOTSPOT_FRAME_NONE;
	if (!skip && ANY_OF(push_fp, code - 1, 1) && ANY_OF(subtract, code, bytes))
		return HOTSPOT_FRAME_POINTER;
	return HOTSPOT_FRAME_WHOLE;
}

enum hotspot_frame hotspot_frame_at(const struct hotspot_code *is)
{
	const uint8_t *before = is->code - HOTSPOT_FRAME_BEFORE;
	bool popped = false;
	size_t n;

	if (is_safepoint(is) || (is_exit(is, 0) && ANY_OF(store_pc, before, HOTSPOT_FRAME_BEFORE)))
		return HOTSPOT_FRAME_NONE;
	if (is_exit(is, 0) && ANY_OF(pop_fp, is->code - 1, 1))
		return HOTSPOT_FRAME_UNSURE;
	for (size_t at = 0; at < is->bytes; at += n) {
		const uint8_t *code = is->code + at;
		const size_t bytes = is->bytes - at;

		n = hotspot_frame_pop(code, bytes);
		if (ANY_OF(returns, code, bytes) || (popped && is_exit(is, at)) ||
			((n || popped) && is_jump(code + n, bytes - n)))
			return popped ? HOTSPOT_FRAME_POINTER : HOTSPOT_FRAME_NONE;
		n = ANY_OF(pop_fp, code, bytes);
		if (n && popped)
			break;
		popped |= n;
		if (!n)
			n = ANY_OF(at_end, code, bytes);
		if (!n)
			break;
	}
	return at_entry(is);
}
