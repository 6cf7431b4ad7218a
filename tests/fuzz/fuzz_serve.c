/* SPDX-License-Identifier: MIT */
/*
 * The input is what other programs send to the profile server: the head of a piece, and texts
 * separated by NULs, each as the text after "seconds=", a Host header, and the address of a store.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/piece.h"
#include "tests/fuzz/fuzz.h"
#include "tools/serve/push_url.h"
#include "tools/serve/serve_request.h"

enum { PIECE, HOST, SECONDS, URL, PARTS };
const unsigned fuzz_parts = PARTS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t again[PIECE_BYTES];
	struct piece piece;
	unsigned seconds = 1;
	char *text, *url;

	if (piece_get(data, size, &piece) == 0) {
		piece_put(again, &piece);
		if (memcmp(again, data, size) != 0)
			abort();
		fuzz_accept(PIECE);
	}
	/* The exact size: the sanitizer sees a read one byte too far. */
	text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t at = 0; at <= size; at += strlen(text + at) + 1) {
		if (request_host_is_loopback(text + at))
			fuzz_accept(HOST);
		if (request_seconds(text + at, &seconds)) {
			if (!seconds || seconds > REQUEST_SECONDS_MOST)
				abort();
			fuzz_accept(SECONDS);
		}
		url = push_url(text + at, text + at, 1, 2);
		if (url && !strstr(url, "format=pprof"))
			abort();
		if (url)
			fuzz_accept(URL);
		free(url);
	}
	free(text);
	return 0;
}
