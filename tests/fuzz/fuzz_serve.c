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
	}
	/* The exact size: the sanitizer sees a read one byte too far. */
	text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t at = 0; at <= size; at += strlen(text + at) + 1) {
		(void)request_host_is_loopback(text + at);
		if (request_seconds(text + at, &seconds) &&
			(!seconds || seconds > REQUEST_SECONDS_MOST))
			abort();
		url = push_url(text + at, text + at, 1, 2);
		if (url && !strstr(url, "format=pprof"))
			abort();
		free(url);
	}
	free(text);
	return 0;
}
