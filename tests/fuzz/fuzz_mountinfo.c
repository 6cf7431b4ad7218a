/* SPDX-License-Identifier: MIT */
/* The input is a /proc/PID/mountinfo, in which the target may choose names. */
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/courier.h"
#include "tests/fuzz/fuzz.h"

enum { MAY_WRITE, PARTS };
const unsigned fuzz_parts = PARTS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The exact size: the sanitizer sees a read one byte too far. */
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (courier_may_write(text, 8, 1) || courier_may_write(text, 0, 45)) {
		if (!strstr(text, " - "))
			abort();
		fuzz_accept(MAY_WRITE);
	}
	free(text);
	return 0;
}
