/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "supervisor/os/mem.h"

__extension__ typedef unsigned __int128 u128;

static const struct region_policy policies[CALL_DIALECTS] = {
	[CALL_NATIVE] = {"native", UINT32_MAX, false, false, REGION_BINS, REGION_SATURATE, false},
	[CALL_HPUX] = {"hpux", UINT32_MAX, false, false, REGION_BINS, REGION_SATURATE, false},
	[CALL_IRIX] = {"irix", UINT32_MAX, false, false, REGION_BINS, REGION_SATURATE, false},
	[CALL_AIX] = {"aix", UINT16_MAX, true, true, REGION_NO_BINS, REGION_SATURATE, true},
	[CALL_SYSV] = {"sysv", UINT32_MAX, false, false, REGION_NO_BINS, REGION_STOP_AT_32767,
		true},
	[CALL_GLIBC] = {"glibc", UINT32_MAX, false, false, REGION_BINS, REGION_SATURATE, false},
};

const struct region_policy *region_policy(enum call_dialect dialect)
{
	return &policies[dialect];
}

static uint32_t scale_of(const struct region_table *t, const struct call_region *r)
{
	return r->scale & t->policy->scale_mask;
}

static bool takes_all(const struct region_table *t, const struct call_region *r)
{
	return t->policy->scale_one_takes_all && scale_of(t, r) == 1;
}

static bool is_enabled(const struct region_table *t, const struct call_region *r)
{
	return r->bytes >= t->element && (scale_of(t, r) >= 2 || takes_all(t, r));
}

/* Computes which addresses have a counter in the enabled region @r. False: none. */
static bool range_of(const struct region_table *t, const struct call_region *r, uint64_t *ret_first,
	uint64_t *ret_last)
{
	uint32_t scale = scale_of(t, r);
	u128 end, text; /* @text: how many bytes of code, from the offset on, have counters */

	*ret_first = r->offset;
	if (takes_all(t, r)) {
		*ret_last = r->limit ? r->limit - 1 : UINT64_MAX;
		if (!r->limit)
			/* Scale 1 counts all instructions, also those below the offset. */
			*ret_first = 0;
	} else {
		text = ((u128)(r->bytes / t->element) * t->element * 65536 + scale - 1) / scale;
		end = (u128)r->offset + text;
		if (r->limit && end > r->limit)
			end = r->limit;
		*ret_last = end > UINT64_MAX ? UINT64_MAX : (uint64_t)(end - 1);
	}
	return *ret_first <= *ret_last && (!r->limit || r->limit > r->offset);
}

static int compare_spans(const void *a, const void *b)
{
	const struct region_span *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	/*
	 * Of regions with equal offsets, the first one counts. It is sorted last, so that flatten()
	 * puts it on top of the stack.
	 */
	return x->region > y->region ? -1 : x->region < y->region;
}

static void add_span(struct region_table *t, uint64_t first, uint64_t last, uint32_t region)
{
	if (first <= last)
		t->span[t->spans++] = (struct region_span){first, last, region};
}

/*
 * Makes disjoint spans of overlapping ones, which are sorted by their first address. The stack has
 * the spans that begin at or below the present address, the last to begin on top. Spans that have
 * ended are popped. The span on top then owns the address, as of the spans there it has the
 * greatest offset. Each span begins and ends once, so there are at most two pieces per span.
 */
static void flatten(
	struct region_table *t, const struct region_span *open, uint32_t count, uint32_t *stack)
{
	uint32_t depth = 0;
	uint64_t at = 0; /* the first address not yet assigned */

	for (uint32_t i = 0; i <= count; i++) {
		while (depth) {
			const struct region_span *top = &open[stack[depth - 1]];
			bool covered = i < count && top->last >= open[i].first;
			uint64_t last = covered ? open[i].first - 1 : top->last;

			if (covered && open[i].first <= at)
				break;
			if (last >= at) {
				add_span(t, at, last, top->region);
				at = last + 1;
			}
			if (last == UINT64_MAX)
				return;
			if (covered)
				break;
			depth--;
		}
		if (i < count) {
			if (open[i].first > at)
				at = open[i].first;
			stack[depth++] = i;
		}
	}
}

/* Makes disjoint spans: each region takes the addresses that the regions before it have left. */
static void put_in_order(struct region_table *t)
{
	uint64_t from = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct call_region *r = &t->region[i];
		uint64_t first, last;

		if (!is_enabled(t, r))
			continue;
		if (range_of(t, r, &first, &last))
			add_span(t, first > from ? first : from, last, i);
		if (!r->limit)
			return; /* This region takes all higher addresses. */
		if (r->limit > from)
			from = r->limit;
	}
}

static bool is_bin(const struct region_table *t, uint32_t flags, const struct call_region *r)
{
	return t->policy->bins == REGION_BINS && !(flags & CALL_PLAIN) && r->offset == 0 &&
		r->scale == 2;
}

static int put_overlapping(struct region_table *t, uint32_t flags)
{
	struct region_span *open = mem_new(t->count ? t->count : 1, sizeof(*open));
	uint32_t *stack = mem_new(t->count ? t->count : 1, sizeof(*stack));
	uint32_t count = 0;

	if (open && stack) {
		for (uint32_t i = 0; i < t->count; i++) {
			const struct call_region *r = &t->region[i];
			struct region_span *s = &open[count];

			if (!is_enabled(t, r))
				continue;
			if (is_bin(t, flags, r)) {
				if (t->bin == REGION_NONE)
					t->bin = i;
			} else if (range_of(t, r, &s->first, &s->last)) {
				s->region = i;
				count++;
			}
		}
		qsort(open, count, sizeof(*open), compare_spans);
		flatten(t, open, count, stack);
	}
	free(stack);
	free(open);
	return open && stack ? 0 : -ENOMEM;
}

/* Does the buffer continue at address 0? No program has such a buffer. */
static bool wraps_around(const struct region_table *t, const struct call_region *r)
{
	return is_enabled(t, r) && r->base > UINT64_MAX - (r->bytes - 1);
}

int region_table_new(enum call_dialect dialect, uint32_t flags, unsigned element,
	const struct call_region *regions, uint32_t count, struct region_table **ret_table)
{
	struct region_table *t;
	int err = 0;

	if (dialect >= CALL_DIALECTS || count > CALL_MAX_REGIONS ||
		(element != 2 && element != 4 && element != 8))
		return -EINVAL;
	t = mem_new(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->dialect = dialect;
	t->policy = &policies[dialect];
	t->flags = flags;
	t->element = element;
	t->period_ns = call_period_ns(dialect, flags);
	t->references = 1;
	t->count = count;
	t->bin = REGION_NONE;
	t->region = mem_new(count ? count : 1, sizeof(*t->region));
	t->span = mem_new(count ? 2 * (size_t)count : 1, sizeof(*t->span));
	if (!t->region || !t->span) {
		err = -ENOMEM;
	} else {
		if (count)
			memcpy(t->region, regions, count * sizeof(*regions));
		for (uint32_t i = 0; i < count && !err; i++)
			err = wraps_around(t, &t->region[i]) ? -EINVAL : 0;
		if (err)
			; /* The whole table is refused. */
		else if (t->policy->in_order)
			put_in_order(t);
		else
			err = put_overlapping(t, flags);
	}
	if (err) {
		region_table_unref(t);
		return err;
	}
	*ret_table = t;
	return 0;
}

static bool is_dead(const uint8_t *dead, uint32_t region)
{
	return dead && dead[region / 8] >> region % 8 & 1;
}

int region_table_without(
	const struct region_table *table, const uint8_t *dead, struct region_table **ret_table)
{
	struct call_region *regions = mem_new(table->count ? table->count : 1, sizeof(*regions));
	int r;

	if (!regions)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->count; i++) {
		regions[i] = table->region[i];
		if (is_dead(dead, i))
			regions[i].bytes = 0; /* A region without a counter is never chosen. */
	}
	r = region_table_new(
		table->dialect, table->flags, table->element, regions, table->count, ret_table);
	free(regions);
	return r;
}

struct region_table *region_table_ref(struct region_table *table)
{
	table->references++;
	return table;
}

void region_table_unref(struct region_table *table)
{
	if (!table || --table->references)
		return;
	free(table->region);
	free(table->span);
	free(table);
}

bool region_table_is_active(const struct region_table *table)
{
	return table->spans > 0 || table->bin != REGION_NONE;
}

static void hit(
	const struct region_table *t, uint32_t region, uint64_t pc, struct region_hit *ret_hit)
{
	const struct call_region *r = &t->region[region];

	ret_hit->region = region;
	ret_hit->index = 0;
	if (region != t->bin && !takes_all(t, r)) {
		u128 byte = (u128)(pc - r->offset) * scale_of(t, r) >> 16;

		ret_hit->index = (uint64_t)(byte / t->element);
	}
	ret_hit->address = r->base + ret_hit->index * t->element;
}

/*
 * Looks up @pc in the regions that are not @dead. The spans cannot be searched, because they still
 * contain the dead regions.
 */
static uint32_t search_living(const struct region_table *t, const uint8_t *dead, uint64_t pc)
{
	uint32_t best = REGION_NONE;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct call_region *r = &t->region[i];
		uint64_t first, last;

		if (i == t->bin || is_dead(dead, i) || !is_enabled(t, r))
			continue;
		if (t->bin != REGION_NONE && r->offset == 0 && r->scale == 2)
			continue;
		if (!range_of(t, r, &first, &last) || pc < first || pc > last)
			continue;
		if (best == REGION_NONE || r->offset > t->region[best].offset)
			best = i;
	}
	return best;
}

static uint32_t search_spans(const struct region_table *t, uint64_t pc)
{
	size_t low = array_bisect(i, 0, t->spans, t->span[i].last < pc);

	return low < t->spans && t->span[low].first <= pc ? t->span[low].region : REGION_NONE;
}

bool region_look_up(const struct region_table *table, const uint8_t *dead, uint64_t pc,
	struct region_hit *ret_hit)
{
	uint32_t region = search_spans(table, pc);

	if (region != REGION_NONE && is_dead(dead, region))
		region = table->policy->in_order ? REGION_NONE : search_living(table, dead, pc);
	if (region == REGION_NONE && table->bin != REGION_NONE && !is_dead(dead, table->bin))
		region = table->bin;
	if (region == REGION_NONE)
		return false;
	hit(table, region, pc, ret_hit);
	return true;
}
