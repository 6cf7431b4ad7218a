/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/rangelist.h"

#include <string.h>

/* DWARF 5, table 7.30. */
enum {
	RLE_END_OF_LIST,
	RLE_BASE_ADDRESSX,
	RLE_STARTX_ENDX,
	RLE_STARTX_LENGTH,
	RLE_OFFSET_PAIR,
	RLE_BASE_ADDRESS,
	RLE_START_END,
	RLE_START_LENGTH,
};

/* Reads a word of 4 or 8 bytes in this machine's byte order. */
static bool take_word(
	const struct rangelist_bytes *from, uint64_t *at, unsigned bytes, uint64_t *ret_value)
{
	uint32_t narrow;

	if (!from->data || *at > from->bytes || from->bytes - *at < bytes)
		return false;
	if (bytes == 8) {
		memcpy(ret_value, from->data + *at, 8);
	} else {
		memcpy(&narrow, from->data + *at, 4);
		*ret_value = narrow;
	}
	*at += bytes;
	return true;
}

static bool take_uleb(const struct rangelist_bytes *from, uint64_t *at, uint64_t *ret_value)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (;;) {
		uint8_t byte;

		if (*at >= from->bytes)
			return false;
		byte = from->data[(*at)++];
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	*ret_value = value;
	return true;
}

static bool take_indexed_address(struct rangelist *list, uint64_t *ret_address)
{
	const struct rangelist_unit *unit = list->unit;
	uint64_t index, at;

	if (!take_uleb(&unit->lists, &list->at, &index) || index > UINT32_MAX)
		return false;
	at = unit->address_base + index * unit->address_bytes;
	if (at < unit->address_base)
		return false;
	return take_word(&unit->addresses, &at, unit->address_bytes, ret_address);
}

static bool take_address(struct rangelist *list, uint64_t *ret_address)
{
	return take_word(&list->unit->lists, &list->at, list->unit->address_bytes, ret_address);
}

static bool take_length(struct rangelist *list, uint64_t low, uint64_t *ret_high)
{
	uint64_t length;

	if (!take_uleb(&list->unit->lists, &list->at, &length))
		return false;
	*ret_high = low + length;
	return true;
}

struct rangelist rangelist_at(const struct rangelist_unit *unit, uint64_t offset)
{
	return (struct rangelist){.unit = unit, .at = offset, .base = unit->low_pc};
}

bool rangelist_indexed(
	const struct rangelist_unit *unit, uint64_t index, struct rangelist *ret_list)
{
	uint64_t at, offset;

	if (index > UINT32_MAX || unit->lists_base > unit->lists.bytes)
		return false;
	at = unit->lists_base + index * unit->offset_bytes;
	if (!take_word(&unit->lists, &at, unit->offset_bytes, &offset) ||
		offset > unit->lists.bytes - unit->lists_base)
		return false;
	*ret_list = rangelist_at(unit, unit->lists_base + offset);
	return true;
}

/*
 * Reads a pair of .debug_ranges: relative to the base; (largest address, x) sets the base, (0, 0)
 * ends the list.
 */
static bool next_pair(struct rangelist *list, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t select = list->unit->address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t low, high;

	for (;;) {
		if (!take_address(list, &low) || !take_address(list, &high) ||
			(low == 0 && high == 0))
			return false;
		if (low != select)
			break;
		list->base = high;
	}
	*ret_low = list->base + low;
	*ret_high = list->base + high;
	return true;
}

static bool next_entry(struct rangelist *list, uint64_t *ret_low, uint64_t *ret_high)
{
	const struct rangelist_bytes *lists = &list->unit->lists;

	while (lists->data && list->at < lists->bytes) {
		switch (lists->data[list->at++]) {
		case RLE_BASE_ADDRESSX:
			if (!take_indexed_address(list, &list->base))
				return false;
			break;
		case RLE_BASE_ADDRESS:
			if (!take_address(list, &list->base))
				return false;
			break;
		case RLE_STARTX_ENDX:
			return take_indexed_address(list, ret_low) &&
				take_indexed_address(list, ret_high);
		case RLE_STARTX_LENGTH:
			return take_indexed_address(list, ret_low) &&
				take_length(list, *ret_low, ret_high);
		case RLE_OFFSET_PAIR:
			if (!take_uleb(lists, &list->at, ret_low) ||
				!take_uleb(lists, &list->at, ret_high))
				return false;
			*ret_low += list->base;
			*ret_high += list->base;
			return true;
		case RLE_START_END:
			return take_address(list, ret_low) && take_address(list, ret_high);
		case RLE_START_LENGTH:
			return take_address(list, ret_low) && take_length(list, *ret_low, ret_high);
		default: return false;
		}
	}
	return false;
}

bool rangelist_next(struct rangelist *list, uint64_t *ret_low, uint64_t *ret_high)
{
	return list->unit->version5 ? next_entry(list, ret_low, ret_high)
				    : next_pair(list, ret_low, ret_high);
}
