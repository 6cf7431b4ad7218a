/* SPDX-License-Identifier: MIT */
/*
 * The input is the text of a /proc/PID/mountinfo, which the target may fill with names of its
 * choice.
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/courier.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Allocated exactly: the sanitizer sees a read one byte too far. */
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if ((courier_may_write(text, 8, 1) || courier_may_write(text, 0, 45)) &&
		!strstr(text, " - "))
		abort();
	free(text);
	return 0;
}
