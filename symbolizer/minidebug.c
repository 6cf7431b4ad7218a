/* SPDX-License-Identifier: MIT */
#include "symbolizer/minidebug.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/elfimage.h"

#ifdef HAVE_LZMA
#include <lzma.h>

/* The most bytes after decompression: the largest programs have symbol tables of some 50 MiB. */
#define UNPACKED_BYTES_MAX (UINT64_C(256) << 20)
#define DECODER_BYTES_MAX  (UINT64_C(128) << 20)

static int unpack(lzma_stream *stream, size_t packed, struct budget *budget, uint8_t **ret_data,
	size_t *ret_bytes)
{
	size_t capacity = 0, used = 0;
	uint8_t *data = NULL;
	lzma_ret rc;

	do {
		if (used == capacity) {
			size_t more = capacity ? capacity * 2 : 64 * 1024;
			bool fits = more <= UNPACKED_BYTES_MAX &&
				budget_inflate(budget, packed, more - capacity);
			uint8_t *grown = fits ? realloc(data, more) : NULL;

			if (!grown) {
				free(data);
				return fits ? -ENOMEM : -E2BIG;
			}
			data = grown;
			capacity = more;
		}
		stream->next_out = data + used;
		stream->avail_out = capacity - used;
		rc = lzma_code(stream, LZMA_FINISH);
		used = capacity - stream->avail_out;
	} while (rc == LZMA_OK);
	if (rc != LZMA_STREAM_END || used == 0) {
		free(data);
		return rc == LZMA_MEM_ERROR ? -ENOMEM : -EINVAL;
	}
	*ret_data = data;
	*ret_bytes = used;
	return 0;
}

int minidebug_unpack(
	const uint8_t *data, size_t bytes, struct budget *budget, struct elfimage *image)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	uint8_t *unpacked = NULL;
	size_t n = 0;
	int rc;

	if (lzma_stream_decoder(&stream, DECODER_BYTES_MAX, LZMA_CONCATENATED) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = data;
	stream.avail_in = bytes;
	rc = unpack(&stream, bytes, budget, &unpacked, &n);
	lzma_end(&stream);
	if (rc)
		return rc;
	elfimage_adopt(image, unpacked, n);
	rc = elfimage_read_headers(image);
	if (rc == -ENOEXEC)
		rc = -EINVAL;
	if (rc)
		elfimage_release(image);
	return rc;
}

#else

int minidebug_unpack(
	const uint8_t *data, size_t bytes, struct budget *budget, struct elfimage *image)
{
	(void)budget;
	(void)data;
	(void)bytes;
	(void)image;
	return -ENOTSUP;
}

#endif
