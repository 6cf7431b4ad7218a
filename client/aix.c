/* SPDX-License-Identifier: MIT */
/* AIX's profil() in its two forms: one buffer, or an array of ranges. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "client/client.h"
#include "client/dialects.h"

#define COMPUTED UINT32_MAX /* p_scale -1: we compute the scale from the other fields */

/*
 * struct prof of AIX, in the machine's own byte order:
 *    0  8  p_low
 *    8  8  p_high      0 ends the array
 *   16  8  p_buff
 *   24  4  p_bufsize   in bytes
 *   28  4  p_scale     -1: computed from the other fields
 */
static void decode_aix(const uint8_t entry[CLIENT_ENTRY_BYTES], struct call_region *ret_region)
{
	struct call_region *r = ret_region;
	uint32_t bytes;

	*r = (struct call_region){0};
	memcpy(&r->offset, entry, 8);
	memcpy(&r->limit, entry + 8, 8);
	memcpy(&r->base, entry + 16, 8);
	memcpy(&bytes, entry + 24, 4);
	memcpy(&r->scale, entry + 28, 4);
	r->bytes = bytes;
	if (r->scale != COMPUTED)
		return;
	r->scale = 0;
	if (bytes >= 2 && r->limit > r->offset) {
		uint64_t scale = ((uint64_t)bytes << 16) / (r->limit - r->offset);

		r->scale = scale > 0xffff ? 0xffff : scale < 1 ? 1 : (uint32_t)scale;
	}
}

static int check_ascending(const struct client_call *call, uint32_t i,
	const struct call_region *region, const struct call_region *before)
{
	(void)call;
	(void)i;
	return before && region->limit <= before->limit ? -EINVAL : 0;
}

/*
 * Returns the number of entries before the one with p_high 0, or -errno. Copies one entry at a
 * time, because the page behind the last entry may not be mapped.
 */
static int count_entries(const void *table)
{
	struct client_pipe pipe;
	int n, r = client_pipe_open(&pipe);

	if (r < 0)
		return r;
	for (n = 0; n <= CALL_MAX_REGIONS; n++) {
		uint8_t entry[CLIENT_ENTRY_BYTES];
		struct call_region region;

		r = client_copy_in(&pipe, entry,
			(const uint8_t *)table + (size_t)n * CLIENT_ENTRY_BYTES, sizeof(entry));
		if (r < 0)
			break;
		decode_aix(entry, &region);
		if (region.limit == 0) {
			r = n;
			break;
		}
		r = -E2BIG;
	}
	client_pipe_close(&pipe);
	return r;
}

static int run_array(const void *table)
{
	struct client_call call = {.dialect = CALL_AIX,
		.element = 2,
		.decode = decode_aix,
		.check = check_ascending,
		.table = table};
	int n = count_entries(table);

	if (n < 0)
		return n;
	call.count = (uint32_t)n;
	return client_run(&call);
}

CLIENT_PUBLIC void sprofil_aix_profil(void *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	/* An array: the program passed -1, as an int or as a size_t. */
	bool array = bufsiz == UINT_MAX || bufsiz == SIZE_MAX;

	(void)client_result(array ? run_array(buff)
				  : client_run_buffer(CALL_AIX, 0, buff, bufsiz, offset, scale));
}
