/* SPDX-License-Identifier: MIT */
/* Look-ups in random layouts, compared with a linear search, and in a full table. */
#include <stdlib.h>

#include "tests/unit/supervisor/region_fixture.h"

__extension__ typedef unsigned __int128 u128;

static uint64_t seed = 20261121;

static uint64_t draw(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* Finds the counter by the rule of docs/CONFORMANCE.md, 2.5, in a linear search. */
static uint64_t oracle(const struct call_region *r, uint32_t n, unsigned e, const uint8_t *dead,
	uint64_t pc, uint32_t *ret_region)
{
	uint32_t best = REGION_NONE, bin = REGION_NONE;
	uint64_t index = NONE;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t d = pc - r[i].offset;
		u128 idx = (u128)d * r[i].scale / (65536 * (u128)e);

		if (r[i].scale < 2 || r[i].bytes / e == 0)
			continue;
		if (r[i].offset == 0 && r[i].scale == 2) {
			if (bin == REGION_NONE && !(dead[i / 8] >> i % 8 & 1))
				bin = i;
			continue;
		}
		if (pc < r[i].offset || idx >= r[i].bytes / e || dead[i / 8] >> i % 8 & 1)
			continue;
		if (best == REGION_NONE || r[i].offset > r[best].offset) {
			best = i;
			index = (uint64_t)idx;
		}
	}
	*ret_region = best != REGION_NONE ? best : bin;
	return best != REGION_NONE ? index : bin != REGION_NONE ? 0 : NONE;
}

static struct call_region random_region(uint64_t from, uint64_t room)
{
	static const uint32_t scales[] = {
		0, 1, 2, 3, 0x1000, 0x4000, 0x7fff, 0x8000, 0xffff, 0x10000, 0x20000, 0x40000};

	return (struct call_region){.base = draw(1 << 20),
		.bytes = draw(4) ? draw(room / 4) : draw(9),
		.offset = from + draw(room),
		.scale = scales[draw(12)]};
}

/* Compares look-ups at all bounds and at random addresses with oracle(). @kill: dead regions. */
static void compare_layout(const struct call_region *r, uint32_t n, unsigned e, bool kill)
{
	struct region_table *t = table(CALL_IRIX, e, r, n);
	uint8_t dead[8] = {0};

	for (uint32_t i = 0; kill && i < n; i++)
		if (r[i].offset && draw(4) == 0)
			dead[i / 8] |= (uint8_t)(1 << i % 8);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t scale = r[i].scale ? r[i].scale : 1;
		uint64_t end = r[i].offset + (uint64_t)(((u128)r[i].bytes << 16) / scale);
		uint64_t places[] = {r[i].offset - 1, r[i].offset, r[i].offset + draw(4096),
			end - 1, end, end + 1, end - draw(2 * e), draw(UINT64_MAX)};

		for (unsigned k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
			uint32_t region = REGION_NONE;
			struct region_hit hit = {.region = REGION_NONE, .index = NONE};
			uint64_t index = oracle(r, n, e, dead, places[k], &region);
			bool found = region_look_up(t, kill ? dead : NULL, places[k], &hit);

			assert_int_equal(found, index != NONE);
			assert_int_equal(hit.region, region);
			assert_int_equal(hit.index, index);
		}
	}
	region_table_unref(t);
}

static void test_region__random_layouts_match_the_oracle(void **state)
{
	struct call_region r[64];

	(void)state;
	for (unsigned layout = 0; layout < 10000; layout++) {
		uint32_t n = (uint32_t)(1 + draw(64));
		/* Crowded, so that many regions overlap; some at the end of the address space. */
		uint64_t room = draw(2) ? 64 : 1 << 16;
		uint64_t from = draw(8) ? 0x10000 : UINT64_MAX - room - 16;

		for (uint32_t i = 0; i < n; i++)
			r[i] = random_region(from, room);
		if (draw(3) == 0)
			r[n - 1] = (struct call_region){.base = 8, .bytes = 8, .scale = 2};
		compare_layout(r, n, 2u << draw(3), layout % 2 != 0);
	}
}

/* Each look-up in a full table of n regions takes about log2(n) steps. */
static void test_region__full_table(void **state)
{
	struct call_region *r = calloc(CALL_MAX_REGIONS, sizeof(*r));
	struct region_table *t;
	uint32_t region;

	(void)state;
	assert_non_null(r);
	for (uint32_t i = 0; i < CALL_MAX_REGIONS; i++) /* each overlaps the next ten */
		r[i] = (struct call_region){.base = i,
			.bytes = 160,
			.scale = 0x10000,
			.offset = OFF + 16 * (uint64_t)(CALL_MAX_REGIONS - 1 - i)};
	t = table(CALL_IRIX, 2, r, CALL_MAX_REGIONS);
	assert_true(t->spans <= 2 * CALL_MAX_REGIONS);
	for (uint32_t k = 0; k < 1000000; k++) {
		uint64_t d = draw(16 * (uint64_t)CALL_MAX_REGIONS);

		assert_int_equal(at(t, OFF + d, &region), d % 16 / 2);
		assert_int_equal(region, CALL_MAX_REGIONS - 1 - d / 16);
	}
	region_table_unref(t);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_region__random_layouts_match_the_oracle),
		cmocka_unit_test(test_region__full_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
