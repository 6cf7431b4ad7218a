/* SPDX-License-Identifier: MIT */
#include "proto/request.h"

#include <errno.h>
#include <stdbool.h>

#include "proto/bytes.h"

static bool index_ok(const struct request *request)
{
	switch (request->type) {
	case REQUEST_RUNTIME: return true; /* runtime_table_take() checks index. */
	case REQUEST_STACK:
	case REQUEST_GO:
	case REQUEST_MEMORY:
	case REQUEST_CHUNKS_BASE:
	case REQUEST_CHUNKS: return request->index != 0;
	default: return request->index == 0;
	}
}

/* Is the type known, and the value in its range? Periods are 10 us to 100 s. */
static bool value_ok(const struct request *request)
{
	switch (request->type) {
	case REQUEST_PERIOD:
		return request->value >= 10000 && request->value <= UINT64_C(100000000000);
	case REQUEST_FREEZE: return request->value <= 1;
	case REQUEST_STACK: return request->value && request->value <= REQUEST_STACK_MOST;
	case REQUEST_STOP:
	case REQUEST_SERVE:
	case REQUEST_ROTATE: return request->value == 0;
	case REQUEST_RUNTIME:
	case REQUEST_CHUNKS_BASE: return true;
	case REQUEST_GO: return request->value > 0 && request->value <= REQUEST_GO_MOST;
	case REQUEST_MEMORY: return request->value >> 48;
	case REQUEST_CHUNKS:
		return request->value & REQUEST_CHUNKS_BARRIER &&
			request->value >> REQUEST_CHUNKS_BITS == 0;
	default: return false;
	}
}

void request_put(uint8_t to[REQUEST_BYTES], const struct request *request)
{
	struct writer w = writer_over(to, REQUEST_BYTES);

	put_u32(&w, request->type);
	put_u32(&w, request->index);
	put_u64(&w, request->value);
}

int request_get(const uint8_t from[REQUEST_BYTES], struct request *ret_request)
{
	struct reader r = reader_over(from, REQUEST_BYTES);
	struct request request;

	request.type = get_u32(&r);
	request.index = get_u32(&r);
	request.value = get_u64(&r);
	if (!index_ok(&request) || !value_ok(&request))
		return -EPROTO;
	*ret_request = request;
	return 0;
}
