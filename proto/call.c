/* SPDX-License-Identifier: MIT */
#include "proto/call.h"

#include <errno.h>
#include <string.h>

#include "proto/bytes.h"

#define CHECKSUM_OFFSET 8

static const uint8_t request_magic[4] = {'S', 'P', 'R', 'Q'};
#define ANSWER_MAGIC UINT32_C(0x41525053) /* "SPRA" */
#define STATUS_MAGIC UINT32_C(0x54525053) /* "SPRT" */
static const uint8_t seal_magic[8] = {'S', 'P', 'R', 'F', 'S', 'E', 'A', 'L'};

static const struct wire_field request_fields[] = {WIRE(call_request, pid), WIRE(call_request, tid),
	WIRE(call_request, answer), WIRE(call_request, nonce), WIRE(call_request, seal),
	WIRE(call_request, total), WIRE(call_request, first), WIRE(call_request, count),
	WIRE(call_request, dialect), WIRE(call_request, element), WIRE(call_request, flags), {0}};

static const struct wire_field region_fields[] = {WIRE(call_region, base), WIRE(call_region, bytes),
	WIRE(call_region, offset), WIRE(call_region, limit), WIRE(call_region, scale),
	WIRE_UNUSED(4), {0}};

static const struct wire_field answer_fields[] = {WIRE(call_answer, nonce),
	WIRE(call_answer, error), WIRE(call_answer, descriptor), WIRE(call_answer, tick_ns),
	WIRE(call_answer, inode), {0}};

static const struct wire_field status_fields[] = {WIRE(call_status, state),
	WIRE(call_status, reason), WIRE(call_status, regions), WIRE(call_status, dead),
	WIRE(call_status, tick_ns), WIRE(call_status, counted), WIRE(call_status, outside),
	WIRE(call_status, full), WIRE(call_status, faulted), WIRE(call_status, lost), {0}};

uint64_t call_period_ns(enum call_dialect dialect, uint32_t flags)
{
	if (flags >> CALL_TICK_SHIFT)
		return (flags >> CALL_TICK_SHIFT) * CALL_TICK_UNIT_NS;
	if (dialect == CALL_AIX)
		return 16666667; /* 1/60 s: AIX's manual says "examined 60 times a second" */
	return flags & CALL_FAST ? 1000000 : 10000000;
}

static uint32_t checksum(const uint8_t *data, size_t bytes)
{
	uint32_t sum = UINT32_C(2166136261);

	for (size_t i = 0; i < bytes; i++) {
		bool own = i >= CHECKSUM_OFFSET && i < CHECKSUM_OFFSET + 4;

		sum = (sum ^ (own ? 0 : data[i])) * UINT32_C(16777619);
	}
	return sum;
}

static bool flags_are_sane(uint32_t flags)
{
	uint32_t tick = flags >> CALL_TICK_SHIFT;

	if (tick && (tick < CALL_TICK_LEAST || tick > CALL_TICK_MOST))
		return false;
	/* No status is kept for the table of a single thread, only for that of a process. */
	if (flags & CALL_STATUS && flags & CALL_THREAD)
		return false;
	return !(flags & ((1u << CALL_TICK_SHIFT) - 1) & ~(uint32_t)CALL_ALL_FLAGS);
}

static bool request_is_sane(const struct call_request *q)
{
	if (q->pid == 0 || q->pid > INT32_MAX || q->tid == 0 || q->tid > INT32_MAX)
		return false;
	if (q->answer < 0 || q->dialect >= CALL_DIALECTS || !flags_are_sane(q->flags))
		return false;
	if (q->flags & CALL_STATUS && q->total)
		return false;
	if (q->element != 2 && q->element != 4 && q->element != 8)
		return false;
	if (q->total > CALL_MAX_REGIONS || q->first > q->total || q->count > q->total - q->first)
		return false;
	return q->count > 0 || q->total == 0;
}

int call_put_request(
	uint8_t *to, size_t room, const struct call_request *q, const struct call_region *regions)
{
	size_t bytes = CALL_HEADER_BYTES + (size_t)q->count * CALL_REGION_BYTES;
	struct writer w = writer_over(to, room);

	if (!request_is_sane(q))
		return -EINVAL;
	if (bytes > room || bytes > CALL_MAX_BYTES)
		return -ENOSPC;
	put_bytes(&w, request_magic, sizeof(request_magic));
	put_u16(&w, CALL_VERSION);
	put_u16(&w, (uint16_t)bytes);
	put_u32(&w, 0);
	put_fields(&w, q, request_fields);
	for (unsigned i = 0; i < q->count; i++)
		put_fields(&w, &regions[i], region_fields);
	w = writer_over(to + CHECKSUM_OFFSET, 4);
	put_u32(&w, checksum(to, bytes));
	return (int)bytes;
}

int call_get_request(const uint8_t *data, size_t bytes, struct call_request *ret_request)
{
	struct reader r = reader_over(data, bytes);
	struct call_request q = {0};
	const uint8_t *magic = get_bytes(&r, sizeof(request_magic));
	uint16_t version = get_u16(&r);
	uint16_t size = get_u16(&r);
	uint32_t sum = get_u32(&r);

	get_fields(&r, &q, request_fields);
	q.regions = r.p;
	if (r.bad || memcmp(magic, request_magic, sizeof(request_magic)) != 0)
		return -EPROTO;
	if (version != CALL_VERSION || size != bytes || bytes > CALL_MAX_BYTES)
		return -EPROTO;
	if (bytes != CALL_HEADER_BYTES + (size_t)q.count * CALL_REGION_BYTES)
		return -EPROTO;
	if (!request_is_sane(&q) || sum != checksum(data, bytes))
		return -EPROTO;
	*ret_request = q;
	return 0;
}

struct call_region call_get_region(const struct call_request *request, unsigned i)
{
	struct reader r =
		reader_over(request->regions + (size_t)i * CALL_REGION_BYTES, CALL_REGION_BYTES);
	struct call_region region;

	get_fields(&r, &region, region_fields);
	return region;
}

/*
 * Returns how many bytes at the end of @data, at most 3, may be the beginning of a request's magic.
 */
static size_t partial_magic(const uint8_t *data, size_t bytes)
{
	size_t n = bytes < sizeof(request_magic) - 1 ? bytes : sizeof(request_magic) - 1;

	while (n && memcmp(data + bytes - n, request_magic, n) != 0)
		n--;
	return n;
}

int call_scan(const uint8_t *data, size_t bytes, bool drained, struct call_request *ret_request,
	size_t *ret_used)
{
	size_t at = 0;

	for (;;) {
		const uint8_t *magic = bytes - at < sizeof(request_magic)
			? NULL
			: memmem(data + at, bytes - at, request_magic, sizeof(request_magic));
		struct reader r;
		size_t size;

		if (!magic) {
			*ret_used = drained ? bytes : bytes - partial_magic(data + at, bytes - at);
			return 0;
		}
		at = (size_t)(magic - data);
		r = reader_over(data + at, bytes - at);
		(void)get_bytes(&r, 6);
		size = get_u16(&r);
		if (r.bad || (size <= CALL_MAX_BYTES && size > bytes - at)) {
			if (!drained) {
				*ret_used = at;
				return 0;
			}
		} else if (size <= bytes - at &&
			call_get_request(data + at, size, ret_request) == 0) {
			*ret_used = at + size;
			return 1;
		}
		at++; /* These bytes are not a request, but one may begin inside. */
	}
}

void call_put_seal(uint8_t *to, const struct call_request *request)
{
	struct writer w = writer_over(to, CALL_SEAL_BYTES);

	put_bytes(&w, seal_magic, sizeof(seal_magic));
	put_u64(&w, request->nonce);
	put_u64(&w, request->seal);
	put_u32(&w, request->pid);
	put_u32(&w, request->tid);
}

bool call_seal_is_good(const uint8_t *seal, const struct call_request *request)
{
	uint8_t good[CALL_SEAL_BYTES];

	call_put_seal(good, request);
	return memcmp(seal, good, sizeof(good)) == 0;
}

int call_put_answer(uint8_t *to, size_t room, const struct call_answer *answer)
{
	struct writer w = writer_over(to, room);

	put_u32(&w, ANSWER_MAGIC);
	put_u32(&w, CALL_VERSION | (uint32_t)CALL_ANSWER_BYTES << 16); /* version, size */
	put_fields(&w, answer, answer_fields);
	return w.bad ? -ENOSPC : CALL_ANSWER_BYTES;
}

int call_get_answer(const uint8_t *data, size_t bytes, struct call_answer *ret_answer)
{
	struct reader r = reader_over(data, bytes);
	uint32_t magic = get_u32(&r);
	uint16_t version = get_u16(&r);
	uint16_t size = get_u16(&r);
	struct call_answer a;

	get_fields(&r, &a, answer_fields);
	if (r.bad || bytes != CALL_ANSWER_BYTES || size != bytes || version != CALL_VERSION)
		return -EPROTO;
	if (magic != ANSWER_MAGIC || a.error < 0)
		return -EPROTO;
	*ret_answer = a;
	return 0;
}

int call_put_status(uint8_t *to, size_t room, const struct call_status *status)
{
	struct writer w = writer_over(to, room);

	put_u32(&w, STATUS_MAGIC);
	put_u32(&w, CALL_VERSION | (uint32_t)CALL_STATUS_BYTES << 16); /* version, size */
	put_fields(&w, status, status_fields);
	for (unsigned i = 0; i < CALL_DEAD_LISTED; i++)
		put_u32(&w, i < status->dead ? status->first_dead[i] : UINT32_MAX);
	return w.bad ? -ENOSPC : CALL_STATUS_BYTES;
}

int call_get_status(const uint8_t *data, size_t bytes, struct call_status *ret_status)
{
	struct reader r = reader_over(data, bytes);
	uint32_t magic = get_u32(&r);
	uint16_t version = get_u16(&r);
	uint16_t size = get_u16(&r);
	struct call_status s;

	get_fields(&r, &s, status_fields);
	for (unsigned i = 0; i < CALL_DEAD_LISTED; i++)
		s.first_dead[i] = get_u32(&r);
	if (r.bad || bytes != CALL_STATUS_BYTES || size != bytes || version != CALL_VERSION)
		return -EPROTO;
	if (magic != STATUS_MAGIC || s.state >= CALL_STATES || s.reason >= CALL_REASONS)
		return -EPROTO;
	*ret_status = s;
	return 0;
}

void call_assembly_begin(struct call_assembly *a, const struct call_request *request)
{
	a->head = *request;
	a->head.regions = NULL;
	a->have = 0;
}

static bool same_table(const struct call_request *a, const struct call_request *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->nonce == b->nonce && a->seal == b->seal &&
		a->answer == b->answer && a->total == b->total && a->dialect == b->dialect &&
		a->element == b->element && a->flags == b->flags;
}

int call_assembly_add(struct call_assembly *a, const struct call_request *request)
{
	if (!same_table(&a->head, request) || request->first > a->have)
		return -EPROTO;
	if (request->first + request->count > a->have) {
		if (request->first != a->have)
			return -EPROTO;
		for (unsigned i = 0; i < request->count; i++)
			a->region[a->have + i] = call_get_region(request, i);
		a->have += request->count;
	}
	return a->have == a->head.total ? 1 : 0;
}
