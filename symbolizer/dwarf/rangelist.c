/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/rangelist.h"

#include "symbolizer/base/leb128.h"

/* The kinds of entries in .debug_rnglists (DWARF 5, table 7.30). */
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

static uint64_t get_address(struct rangelist *list)
{
	return list->unit->address_bytes == 8 ? get_u64(&list->left) : get_u32(&list->left);
}

bool rangelist_address(const struct rangelist_unit *unit, uint64_t index, uint64_t *ret_address)
{
	uint64_t at = unit->address_base + index * unit->address_bytes;

	return index <= UINT32_MAX && at >= unit->address_base &&
		slice_word(unit->addresses, at, unit->address_bytes, ret_address);
}

static uint64_t get_indexed_address(struct rangelist *list)
{
	uint64_t address = 0;

	if (!rangelist_address(list->unit, get_uleb(&list->left), &address))
		list->left.bad = true;
	return address;
}

struct rangelist rangelist_at(const struct rangelist_unit *unit, uint64_t offset)
{
	return (struct rangelist){
		.unit = unit, .left = slice_reader(unit->lists, offset), .base = unit->low_pc};
}

bool rangelist_indexed(
	const struct rangelist_unit *unit, uint64_t index, struct rangelist *ret_list)
{
	uint64_t offset;

	if (index > UINT32_MAX || unit->lists_base > unit->lists.bytes ||
		!slice_word(unit->lists, unit->lists_base + index * unit->offset_bytes,
			unit->offset_bytes, &offset) ||
		offset > unit->lists.bytes - unit->lists_base)
		return false;
	*ret_list = rangelist_at(unit, unit->lists_base + offset);
	return true;
}

/* In .debug_ranges, (largest address, x) sets the base of the next pairs; (0, 0) ends the list. */
static bool next_pair(struct rangelist *list, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t select = list->unit->address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t low = get_address(list), high = get_address(list);

	for (; low == select && !list->left.bad; low = get_address(list), high = get_address(list))
		list->base = high;
	if (list->left.bad || (low == 0 && high == 0))
		return false;
	*ret_low = list->base + low;
	*ret_high = list->base + high;
	return true;
}

static bool next_entry(struct rangelist *list, uint64_t *ret_low, uint64_t *ret_high)
{
	struct reader *left = &list->left;
	uint64_t low, high;

	while (!left->bad) {
		switch (get_u8(left)) {
		case RLE_BASE_ADDRESSX: list->base = get_indexed_address(list); continue;
		case RLE_BASE_ADDRESS: list->base = get_address(list); continue;
		case RLE_STARTX_ENDX:
			low = get_indexed_address(list);
			high = get_indexed_address(list);
			break;
		case RLE_STARTX_LENGTH:
			low = get_indexed_address(list);
			high = low + get_uleb(left);
			break;
		case RLE_OFFSET_PAIR:
			low = list->base + get_uleb(left);
			high = list->base + get_uleb(left);
			break;
		case RLE_START_END:
			low = get_address(list);
			high = get_address(list);
			break;
		case RLE_START_LENGTH:
			low = get_address(list);
			high = low + get_uleb(left);
			break;
		default: return false; /* RLE_END_OF_LIST, or unknown */
		}
		if (left->bad)
			break;
		*ret_low = low;
		*ret_high = high;
		return true;
	}
	return false;
}

bool rangelist_next(struct rangelist *list, uint64_t *ret_low, uint64_t *ret_high)
{
	return list->unit->version5 ? next_entry(list, ret_low, ret_high)
				    : next_pair(list, ret_low, ret_high);
}
